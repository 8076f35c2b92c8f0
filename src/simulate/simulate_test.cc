// The command as its users see it: exit statuses, answers, bytes.

#include <gmock/gmock.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "src/engine/replay.h"
#include "src/objects/json.h"
#include "src/simulate/inputs.h"
#include "src/simulate/testing/run_text.h"

namespace quorate::simulate {
namespace {

using objects::Json;
using objects::JsonDocument;
using ::testing::ElementsAre;
using testing::flavor;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::queue;
using testing::Ran;
using testing::run_text;
using testing::workload;

// A file that is gone with the test.
class TempFile {
 public:
  explicit TempFile(const std::string& text) {
    static int number = 0;
    path_ = (std::filesystem::temp_directory_path() /
             ("quorate-simulate-" + std::to_string(::getpid()) + "-" + std::to_string(number++)))
                .string();
    std::ofstream(path_) << text;
  }
  ~TempFile() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::vector<std::string> names(Json list) {
  std::vector<std::string> all;
  list.each([&](Json each) { all.push_back(each["workload"].text()); });
  return all;
}

const std::string kTwoWait = flavor() + queue("q", "4") + workload("big", "q", "6", 0) +
                             workload("one", "q", "3", 1) + workload("two", "q", "2", 2);

TEST(Simulate, AnswersAsTheContractSays) {
  const Ran ran = run_text(kTwoWait);
  ASSERT_EQ(ran.status, kRan) << ran.err;
  JsonDocument document;
  ASSERT_TRUE(document.parse(ran.out)) << ran.out;
  const Json root = document.root();
  EXPECT_EQ(root["cycles"].size(), 3u);
  std::vector<std::string> admitted, pending;
  root["cycles"].each([&](Json cycle) {
    std::ranges::copy(names(cycle["admitted"]), std::back_inserter(admitted));
    cycle["pending"].each([&](Json each) {
      pending.push_back(std::to_string(cycle["cycle"].int64()) + " " + each["workload"].text() +
                        " " + each["where"].text());
    });
    EXPECT_EQ(cycle["now"].text(), "2026-01-01T09:00:02Z");
    EXPECT_TRUE(cycle["preempted"].is_array());
    EXPECT_TRUE(cycle["work"]["decisions"].maybe_int64());
    EXPECT_TRUE(cycle["work"]["trials"].maybe_int64());
  });
  EXPECT_THAT(admitted, ElementsAre("team/one"));
  // All that wait after a cycle, looked at in it or not.
  EXPECT_THAT(pending,
              ElementsAre("1 team/big inadmissible", "1 team/one active", "1 team/two active",
                          "2 team/big inadmissible", "2 team/two active", "3 team/big inadmissible",
                          "3 team/two inadmissible"));
  const Json final = root["final"];
  EXPECT_EQ(final["usage"]["q"]["f"]["cpu"].text(), "3");
  EXPECT_EQ(final["workloads"].size(), 3u);
  EXPECT_THAT(final["queues"]["q"]["inadmissible"].texts(), ElementsAre("team/big", "team/two"));
  EXPECT_EQ(root["hash"].text().size(), 16u);
  EXPECT_FALSE(document.fault());
}

TEST(Simulate, APendingEntryCarriesItsProof) {
  JsonDocument document;
  ASSERT_TRUE(document.parse(run_text(kTwoWait).out));
  std::string proof, where, reason, message;
  document.root()["cycles"].each([&](Json cycle) {
    cycle["pending"].each([&](Json each) {
      if (each["workload"].text() != "team/two") return;
      proof = each["proof"].canonical();
      where = each["where"].text();
      reason = each["reason"].text();
      message = each["message"].text();
    });
  });
  EXPECT_EQ(
      proof,
      R"([{"constraint":"quota","flavor":"f","have":"1","need":"2","podSet":"main","resource":"cpu","scope":"clusterQueue/q"}])");
  EXPECT_EQ(where, "inadmissible");
  EXPECT_EQ(reason, "WaitingForQuota");
  EXPECT_EQ(
      message,
      "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor f, "
      "1 more needed");
}

TEST(Simulate, FinalWorkloadsHaveTheStatusThatTheControllerWrites) {
  JsonDocument document;
  ASSERT_TRUE(document.parse(run_text(kTwoWait).out));
  std::map<std::string, std::string> reserved;
  document.root()["final"]["workloads"].each([&](Json each) {
    each["status"]["conditions"].each([&](Json condition) {
      if (condition["type"].text() != "QuotaReserved") return;
      reserved[each["metadata"]["name"].text()] =
          condition["status"].text() + "/" + condition["reason"].text();
    });
  });
  EXPECT_EQ(reserved, (std::map<std::string, std::string>{{"big", "False/ExceedsMaxQuota"},
                                                          {"one", "True/QuotaReserved"},
                                                          {"two", "False/WaitingForQuota"}}));
}

// --- exit statuses ---

std::string scenario(const std::string& spec) {
  return "---\napiVersion: quorate.dev/v1alpha1\nkind: Scenario\nspec: {" + spec + "}\n";
}

TEST(ExitStatus, IsOneWhenAnExpectationDoesNotHold) {
  const Ran good =
      run_text(kTwoWait + scenario("expect: {admitted: [team/one], pending: ["
                                   "{workload: team/big, reason: ExceedsMaxQuota, layer: quota}, "
                                   "{workload: team/two}]}"));
  EXPECT_EQ(good.status, kRan) << good.err;
  const Ran bad = run_text(
      kTwoWait + scenario("expect: {admitted: [team/two], preempted: [{workload: team/one}]}"));
  EXPECT_EQ(bad.status, kNotAsExpected);
  EXPECT_THAT(bad.err, HasSubstr("  - admitted: team/two\n  + admitted: team/one\n"));
  EXPECT_THAT(bad.err, HasSubstr("  - preempted: team/one\n"));
  EXPECT_FALSE(bad.out.empty());  // the answer is printed all the same
}

TEST(ExitStatus, IsTwoWhenNothingCouldBeRun) {
  const auto with = [](auto change) {
    Options options;
    change(options);
    return run_text(kTwoWait, options);
  };
  EXPECT_EQ(run_text("kind: Nothing\n").status, kUnusable);
  EXPECT_EQ(run_text("kind: Nothing\n").out, "");
  EXPECT_EQ(with([](Options& o) { o.now = "noon"; }).status, kUnusable);
  EXPECT_EQ(with([](Options& o) { o.until = "soon"; }).status, kUnusable);
  EXPECT_EQ(with([](Options& o) { o.cycles = 0; }).status, kUnusable);
  EXPECT_EQ(with([](Options& o) { o.threads = 0; }).status, kUnusable);
  EXPECT_EQ(with([](Options& o) { o.op = "dance"; }).status, kUnusable);
  EXPECT_EQ(with([](Options& o) { o.output = "xml"; }).status, kUnusable);
  EXPECT_EQ(with([](Options& o) { o.feature_gates = "NoSuchGate=true"; }).status, kUnusable);
  EXPECT_EQ(with([](Options& o) { o.config_file = "/nonexistent"; }).status, kUnusable);
  EXPECT_EQ(with([](Options& o) { o.files = {"/nonexistent"}; }).status, kUnusable);
  EXPECT_EQ(with([](Options& o) { o.explain = "team"; }).status, kUnusable);
  EXPECT_EQ(with([](Options& o) { o.explain = "team/none"; }).status, kUnusable);
  EXPECT_EQ(with([](Options& o) { o.change_file = "/nonexistent"; }).status, kUnusable);
  Options none;
  none.files.clear();
  none.batch_file = "/nonexistent";
  EXPECT_EQ(run_text("", none).status, kUnusable);
}

TEST(ExitStatus, BadConfigurationIsNamed) {
  const TempFile config(
      "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nnoSuchField: 1\n");
  Options options;
  options.config_file = config.path();
  const Ran ran = run_text(kTwoWait, options);
  EXPECT_EQ(ran.status, kUnusable);
  EXPECT_THAT(ran.err, HasSubstr("noSuchField"));
}

// --- determinism ---

// The documents of a text in another order.
std::string shuffled(const std::string& text, std::uint32_t seed) {
  std::vector<std::string> documents;
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t next = text.find("---\n", from + 1);
    documents.push_back(text.substr(from, next - from));
    from = next == std::string::npos ? text.size() : next;
  }
  std::mt19937 dice(seed);
  for (std::size_t i = documents.size(); i > 1; --i)
    std::swap(documents[i - 1], documents[dice() % i]);
  std::string out;
  for (const std::string& document : documents) out += document;
  return out;
}

TEST(Determinism, TheOrderOfTheInputDoesNotMatter) {
  std::string text = flavor("f") + flavor("g");
  for (const char* name : {"a", "b", "c"}) text += queue(name, "6", "cohortName: k, ");
  for (int i = 0; i < 40; ++i) {
    const std::string name = "w" + std::to_string(100 + i).substr(1);
    const std::string queue_name(1, static_cast<char>('a' + i % 3));
    text += workload(name, queue_name, std::to_string(1 + i % 5), i % 7, 1 + i % 2);
  }
  const Ran first = run_text(text);
  ASSERT_EQ(first.status, kRan) << first.err;
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const Ran again = run_text(shuffled(text, seed));
    ASSERT_EQ(again.out, first.out) << "seed " << seed;
  }
}

TEST(Determinism, ThreadsDoNotMatter) {
  Options many;
  many.threads = 16;
  EXPECT_EQ(run_text(kTwoWait).out, run_text(kTwoWait, many).out);
}

TEST(Determinism, OneFileOrSeveralGiveTheSame) {
  const TempFile queues(flavor() + queue("q", "4"));
  const TempFile work(workload("one", "q", "3"));
  Options options;
  options.files = {work.path(), queues.path()};
  const Ran ran = run_text("", options);
  EXPECT_EQ(ran.out, run_text(flavor() + queue("q", "4") + workload("one", "q", "3")).out);
}

TEST(Determinism, ARecordedRunReplaysToTheSameHash) {
  const TempFile log("");
  Options options;
  options.record_file = log.path();
  const Ran ran = run_text(kTwoWait, options);
  ASSERT_EQ(ran.status, kRan) << ran.err;
  const Outcome<std::string> bytes = read_text(log.path(), 1 << 24);
  ASSERT_TRUE(bytes);
  const Outcome<engine::Replay> replay = engine::replay_log(*bytes);
  ASSERT_TRUE(replay) << replay.error().message;
  EXPECT_GT(replay->steps(), 0);
  JsonDocument document;
  ASSERT_TRUE(document.parse(ran.out));
  std::string hash = document.root()["hash"].text();
  std::uint64_t value = 0;
  for (const char c : hash)
    value = value << 4 | static_cast<std::uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
  EXPECT_EQ(replay->engine()->decision_hash(), value);
}

TEST(Determinism, TimingIsAskedFor) {
  EXPECT_THAT(run_text(kTwoWait).out, ::testing::Not(HasSubstr("wallMicroseconds")));
  Options timing;
  timing.timing = true;
  EXPECT_THAT(run_text(kTwoWait, timing).out, HasSubstr("wallMicroseconds"));
}

// --- time ---

TEST(VirtualTime, StartsAtTheLatestMomentOfTheInput) {
  EXPECT_THAT(run_text(kTwoWait).out, HasSubstr(R"("now":"2026-01-01T09:00:02Z")"));
  Options options;
  options.now = "2030-05-06T07:08:09Z";
  EXPECT_THAT(run_text(kTwoWait, options).out, HasSubstr(R"("now":"2030-05-06T07:08:09Z")"));
}

TEST(VirtualTime, StandsStillBetweenCountedCycles) {
  Options options;
  options.cycles = 2;
  JsonDocument document;
  const Ran ran = run_text(kTwoWait, options);
  ASSERT_TRUE(document.parse(ran.out));
  EXPECT_EQ(document.root()["cycles"].size(), 2u);
  EXPECT_THAT(names(document.root()["final"]["workloads"]), ::testing::SizeIs(3));
  EXPECT_THAT(document.root()["final"]["queues"]["q"]["active"].texts(), ElementsAre("team/two"));
}

TEST(VirtualTime, UntilEndsARun) {
  const std::string text = flavor() + queue("q", "2") + workload("one", "q", "2", 0) +
                           workload("two", "q", "2", 1) +
                           scenario("runtimes: [{selector: {}, duration: 10m}], expect: {}");
  Options options;
  options.until = "5m";
  const Ran ran = run_text(text, options);
  EXPECT_THAT(ran.out, HasSubstr(R"("usage":{"q":{"f":{"cpu":"2"}}})"));
  EXPECT_THAT(ran.out, ::testing::Not(HasSubstr("Finished")));
  EXPECT_THAT(run_text(text).out, HasSubstr(R"("usage":{"q":{"f":{"cpu":"0"}}})"));
}

TEST(VirtualTime, WorkloadsRunOneAfterTheOther) {
  const Ran ran = run_text(
      flavor() + queue("q", "2") + workload("one", "q", "2", 0) + workload("two", "q", "2", 1) +
      scenario(
          "runtimes: [{selector: {}, duration: 10m}], expect: {finished: [team/one, team/two]}"));
  EXPECT_EQ(ran.status, kRan) << ran.err;
  JsonDocument document;
  ASSERT_TRUE(document.parse(ran.out));
  std::vector<std::string> starts;
  document.root()["cycles"].each([&](Json cycle) {
    if (cycle["admitted"].size() > 0) starts.push_back(cycle["now"].text());
  });
  // one starts at once, two in the cycle after one has ended.
  EXPECT_THAT(starts, ElementsAre("2026-01-01T09:00:01Z", "2026-01-01T09:10:01Z"));
}

// --- other outputs ---

TEST(Output, YamlSaysTheSameAsJson) {
  Options yaml;
  yaml.output = "yaml";
  const Ran ran = run_text(kTwoWait, yaml);
  EXPECT_THAT(ran.out, HasSubstr("cycles:\n- cycle: 1\n"));
  EXPECT_THAT(ran.out, HasSubstr("reason: ExceedsMaxQuota"));
}

TEST(Output, TheTableShowsWhoRunsAndWhoWaits) {
  Options options;
  options.output = "table";
  const Ran ran = run_text(kTwoWait, options);
  EXPECT_THAT(ran.out, HasSubstr("admitted  team/one  q      3 cpu@f"));
  EXPECT_THAT(ran.out, HasSubstr("team/two  q      quota  WaitingForQuota"));
  EXPECT_EQ(ran.err, "");
}

TEST(Output, OnATerminalThereIsATableAndABar) {
  std::istringstream in(kTwoWait);
  std::ostringstream out, err;
  Options options;
  options.files = {"-"};
  simulate(options,
           {.in = in, .out = out, .err = err, .out_is_terminal = true, .err_is_terminal = true});
  EXPECT_THAT(out.str(), HasSubstr("CYCLE"));
  EXPECT_THAT(err.str(), HasSubstr("1/3 admitted"));
  EXPECT_THAT(err.str(), ::testing::EndsWith("\r\x1b[K"));
}

TEST(Output, TheReportNeedsNoNetwork) {
  const TempFile directory("");
  std::filesystem::remove(directory.path());
  Options options;
  options.report_dir = directory.path();
  ASSERT_EQ(run_text(kTwoWait, options).status, kRan);
  const Outcome<std::string> page = read_text(directory.path() + "/index.html", 1 << 24);
  ASSERT_TRUE(page) << page.error().message;
  for (const char* part :
       {"Use of cpu", "Share", "Fragmentation", "Preemptions", "Waits by class", "<svg"}) {
    EXPECT_THAT(*page, HasSubstr(part));
  }
  for (const char* outside : {"<script", "src=", "href=", "url("}) {
    EXPECT_THAT(*page, ::testing::Not(HasSubstr(outside)));
  }
}

// --- batch ---

TEST(Batch, AnswersLineByLine) {
  Options options;
  options.batch_file = "-";
  const std::string objects =
      R"([{"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"ResourceFlavor","metadata":{"name":"f"}}])";
  const Ran ran =
      run_text(R"({"name":"good","args":["--cycles=2"],"objects":)" + objects + "}\n" +
                   R"({"name":"bad","objects":[{"kind":"No","apiVersion":"v1"}]})" + "\n\n" +
                   R"({"name":"flag","args":["--dance=1"],"objects":[]})" + "\nno json\n",
               options);
  EXPECT_EQ(ran.status, kRan);
  std::istringstream lines(ran.out);
  std::vector<std::string> heads;
  for (std::string line; std::getline(lines, line);) heads.push_back(line.substr(0, 30));
  EXPECT_THAT(
      heads, ElementsAre(R"({"name":"good","answer":{"cycl)", R"({"name":"bad","error":"objects)",
                         R"({"name":"flag","error":"unknow)", R"({"name":"","error":"invalid JS)"));
}

TEST(Batch, ThreadsChangeNoByte) {
  std::string lines;
  for (int i = 0; i < 300; ++i) {
    lines += R"({"name":")" + std::to_string(i) + R"(","objects":[{"apiVersion":"v1","kind":")" +
             (i % 7 == 0 ? "Nope" : "Namespace") + R"(","metadata":{"name":"n)" +
             std::to_string(i) + "\"}}]}\n";
  }
  Options one;
  one.batch_file = "-";
  Options many = one;
  many.threads = 5;
  const Ran single = run_text(lines, one);
  EXPECT_EQ(std::ranges::count(single.out, '\n'), 300);
  EXPECT_EQ(run_text(lines, many).out, single.out);
}

TEST(Batch, GivesTheSameAnswerAsASingleRun) {
  Options options;
  options.batch_file = "-";
  const std::string flavor_json =
      R"({"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"ResourceFlavor","metadata":{"name":"f"}})";
  const Ran batch = run_text(R"({"name":"x","objects":[)" + flavor_json + "]}\n", options);
  const Ran single = run_text(flavor_json);
  EXPECT_EQ(batch.out,
            R"({"name":"x","answer":)" + single.out.substr(0, single.out.size() - 1) + "}\n");
}

// --- what if ---

TEST(WhatIf, TellsWhatAChangeChanges) {
  const TempFile change(queue("q", "5").substr(0, queue("q", "5").find("---\n", 4)));
  Options options;
  options.change_file = change.path();
  JsonDocument document;
  const Ran ran = run_text(kTwoWait, options);
  ASSERT_EQ(ran.status, kRan) << ran.err;
  ASSERT_TRUE(document.parse(ran.out));
  EXPECT_THAT(names(document.root()["newlyAdmitted"]), ElementsAre("team/two"));
  EXPECT_THAT(names(document.root()["newlyPending"]), IsEmpty());
  EXPECT_EQ(document.root()["queues"]["q"]["usage"].canonical(),
            R"([{"after":"5","before":"3","flavor":"f","resource":"cpu"}])");
}

TEST(WhatIf, DeletesWhatIsAnnotated) {
  const TempFile change(
      "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\nmetadata: {name: one, namespace: team, "
      "annotations: {quorate.dev/delete: \"true\"}}\n");
  Options options;
  options.change_file = change.path();
  JsonDocument document;
  ASSERT_TRUE(document.parse(run_text(kTwoWait, options).out));
  EXPECT_THAT(names(document.root()["newlyAdmitted"]), ElementsAre("team/two"));
  EXPECT_THAT(document.root()["gone"].texts(), ElementsAre("team/one"));
}

TEST(WhatIf, SaysWhenNothingChanges) {
  const TempFile change(
      "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: {name: lonely}\n");
  Options options;
  options.change_file = change.path();
  options.output = "table";
  EXPECT_EQ(run_text(kTwoWait, options).out, "no workload is treated differently\n");
}

// --- explain ---

std::map<std::string, std::string> remedies(const std::string& text, const std::string& name) {
  Options options;
  options.explain = name;
  const Ran ran = run_text(text, options);
  EXPECT_EQ(ran.status, kRan) << ran.err;
  JsonDocument document;
  EXPECT_TRUE(document.parse(ran.out));
  std::map<std::string, std::string> all;
  document.root()["options"].each(
      [&](Json each) { all[each["kind"].text()] += each["text"].text(); });
  return all;
}

TEST(Explain, NamesTheSmallestChangesThatAdmit) {
  // one runs with 3 of 4 cores; two needs 2, so 1 is missing.
  const auto found = remedies(kTwoWait, "team/two");
  EXPECT_EQ(found.at("raise-quota"),
            "raise nominalQuota of ClusterQueue q in flavor f by 1 cpu (to 5)");
  EXPECT_EQ(found.at("workloads-end"), "once team/one has ended");
  EXPECT_FALSE(found.contains("raise-priority"));
  // big needs 6, of which none is free for it while one runs: 6 + 3 = 9 cores are needed.
  EXPECT_EQ(remedies(kTwoWait, "team/big").at("raise-quota"),
            "raise nominalQuota of ClusterQueue q in flavor f by 5 cpu (to 9)");
}

TEST(Explain, CountsPodsDownToWhatFits) {
  const std::string text = flavor() + queue("q", "4") + workload("gang", "q", "1", 0, 10);
  EXPECT_EQ(remedies(text, "team/gang").at("fewer-pods"),
            "run 4 instead of 10 pods in pod set main");
}

TEST(Explain, FindsTheBorrowingLimit) {
  const std::string text = flavor() + queue("a", "2, borrowingLimit: 1", "cohortName: k, ") +
                           queue("b", "9", "cohortName: k, ") + workload("w", "a", "5");
  EXPECT_EQ(remedies(text, "team/w").at("raise-borrowing-limit"),
            "raise borrowingLimit of ClusterQueue a in flavor f by 2 cpu (to 3)");
}

TEST(Explain, FindsWhoCouldLendMore) {
  const std::string text = flavor() + queue("a", "2", "cohortName: k, ") +
                           queue("b", "9, lendingLimit: 1", "cohortName: k, ") +
                           workload("w", "a", "5");
  // 2 own and 1 lent; 2 more are needed.
  EXPECT_EQ(remedies(text, "team/w").at("raise-lending-limit"),
            "raise lendingLimit of ClusterQueue b in flavor f by 2 cpu (to 3)");
  // Nobody lends more than is his own.
  EXPECT_FALSE(remedies(flavor() + queue("a", "2", "cohortName: k, ") +
                            queue("b", "2, lendingLimit: 1", "cohortName: k, ") +
                            workload("w", "a", "5"),
                        "team/w")
                   .contains("raise-lending-limit"));
}

TEST(Explain, RaisesWhatIsShortTogether) {
  const std::string text =
      flavor() +
      "---\n{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: q}, spec: "
      "{namespaceSelector: {}, resourceGroups: [{coveredResources: [cpu, memory], flavors: [{name: "
      "f, resources: [{name: cpu, nominalQuota: 2}, {name: memory, nominalQuota: 1Gi}]}]}]}}\n"
      "---\n{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: q, namespace: "
      "team}, spec: {clusterQueue: q}}\n" +
      workload("w", "q", "3, memory: 3Gi");
  EXPECT_EQ(remedies(text, "team/w").at("raise-quota"),
            "raise nominalQuota of ClusterQueue q in flavor f by 1 cpu (to 3) and 2Gi memory (to "
            "3Gi)");
}

TEST(Explain, ResumesAStoppedQueue) {
  const std::string text =
      flavor() + queue("q", "4", "stopPolicy: Hold, ") + workload("w", "q", "1");
  EXPECT_EQ(remedies(text, "team/w").at("resume-queue"), "set stopPolicy None on ClusterQueue q");
}

TEST(Explain, SuggestsTheTolerationForATaintedFlavor) {
  const std::string text =
      "---\n{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: f}, spec: "
      "{nodeTaints: "
      "[{key: pool, value: batch, effect: NoSchedule}]}}\n" +
      queue("q", "4") + workload("w", "q", "1");
  EXPECT_EQ(remedies(text, "team/w").at("use-flavor"),
            "let pod set main run on flavor f: tolerate taint pool=batch:NoSchedule");
}

TEST(Explain, AReservedWorkloadNamesTheChecksItWaitsFor) {
  const std::string text =
      "---\n{apiVersion: kueue.x-k8s.io/v1beta2, kind: AdmissionCheck, metadata: {name: approve}, "
      "spec: {controllerName: example.com/approve}, status: {conditions: [{type: Active, status: "
      "\"True\", reason: Ok, lastTransitionTime: \"2026-01-01T08:00:00Z\"}]}}\n" +
      flavor() +
      queue("q", "4", "admissionChecksStrategy: {admissionChecks: [{name: approve}]}, ") +
      workload("w", "q", "1");
  Options options;
  options.explain = "team/w";
  options.output = "table";
  EXPECT_EQ(run_text(text, options).out,
            "Workload team/w is reserved in ClusterQueue q.\n"
            "Waits for admission check approve (Pending)\n");
}

TEST(Explain, AnAdmittedWorkloadNeedsNothing) {
  Options options;
  options.explain = "team/one";
  options.output = "table";
  EXPECT_EQ(run_text(kTwoWait, options).out, "Workload team/one is admitted in ClusterQueue q.\n");
}

}  // namespace
}  // namespace quorate::simulate
