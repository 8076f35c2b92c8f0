#include "src/kube/reflector.h"

#include <gmock/gmock.h>

#include <map>
#include <random>
#include <vector>

#include "src/http/fault_transport.h"
#include "src/http/handler_transport.h"
#include "src/http/manual_loop.h"
#include "src/kube/testing/fake_api_server.h"

namespace quorate::kube {
namespace {

using http::Fault;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// Remembers what it was told, and that it was told only what makes sense.
class Copy final : public Sink<std::string> {
 public:
  std::map<std::string, std::string> state;  // key -> resourceVersion
  std::vector<std::string> told;
  std::vector<std::string> troubles;
  int synced = 0;
  bool nonsense = false;

  void on_upsert(const Meta& meta, std::string) override {
    told.push_back("+" + meta.key.text());
    std::string& version = state[meta.key.text()];
    if (version == meta.resource_version) nonsense = true;  // the same state twice
    version = meta.resource_version;
  }
  void on_delete(const Meta& meta, std::optional<std::string> last) override {
    told.push_back("-" + meta.key.text() + (last ? "!" : ""));
    if (state.erase(meta.key.text()) == 0) nonsense = true;  // it had not been told
  }
  void on_invalid(const Meta& meta, const Error& error) override {
    told.push_back("?" + meta.key.text() + " " + error.message);
    state[meta.key.text()] = meta.resource_version;
  }
  void on_synced() override {
    ++synced;
    told.push_back("synced");
  }
  void on_trouble(const Error& error) override { troubles.push_back(error.message); }

  std::vector<std::string> take() { return std::exchange(told, {}); }
  std::vector<std::string> objects() const {
    std::vector<std::string> out;
    for (const auto& [key, version] : state) out.push_back(key + "=" + version);
    return out;
  }
};

Outcome<std::string> decode(const RawObject& object) {
  if (object.bytes.find("\"poison\"") != std::string_view::npos) {
    return error(Errc::Invalid, "spec: cannot be understood");
  }
  return std::string(object.bytes);
}

class ReflectorTest : public testing::Test {
 protected:
  http::ManualLoop loop_;
  FakeApiServer server_;
  http::ScriptedFaults faults_;
  http::FaultPlan plan_ = faults_.plan();
  std::shared_ptr<http::HttpTransport> transport_ = http::make_fault_transport(
      http::make_handler_transport(
          [this](const http::Request& request) { return server_.handle(request); }, loop_),
      loop_, [this](const http::Request& r, bool is_stream) { return plan_(r, is_stream); });
  Client client_{transport_, loop_, {}};
  Copy copy_;
  std::unique_ptr<Reflector<std::string>> reflector_;

  void start(ReflectorOptions options = {.watch_list = false}) {
    reflector_ = std::make_unique<Reflector<std::string>>(client_, jobs(), options, decode, copy_);
    reflector_->start();
    loop_.run();
  }
  void put(const char* name, const std::string& body = "") {
    server_.put(jobs(), {"ns", name}, body);
    loop_.run();
  }
  void erase(const char* name) {
    server_.erase(jobs(), {"ns", name});
    loop_.run();
  }
  void fail_stream(Fault fault, int times = 1) {
    faults_.add({.fault = fault, .times = times, .streams = true});
  }
  void expect_in_step() {
    EXPECT_EQ(copy_.objects(), server_.objects(jobs()));
    EXPECT_FALSE(copy_.nonsense);
  }
};

TEST_F(ReflectorTest, ListsThenFollows) {
  put("a");
  put("b");
  start();
  EXPECT_THAT(copy_.take(), ElementsAre("+ns/a", "+ns/b", "synced"));
  EXPECT_TRUE(reflector_->synced());
  put("c");
  put("a", R"("spec":{"n":2})");
  erase("b");
  EXPECT_THAT(copy_.take(), ElementsAre("+ns/c", "+ns/a", "-ns/b!"));
  expect_in_step();
  EXPECT_THAT(copy_.troubles, IsEmpty());
  EXPECT_EQ(reflector_->stats().objects, 2u);
}

TEST_F(ReflectorTest, PagesAndSelectorsGoIntoTheRequests) {
  for (const char* name : {"a", "b", "c"}) put(name);
  start({.ns = "ns", .label_selector = "x=y", .watch_list = false, .page_size = 2});
  const std::vector<std::string> requests = server_.requests();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_EQ(requests[0], "GET /apis/batch/v1/namespaces/ns/jobs?labelSelector=x%3Dy&limit=2");
  EXPECT_THAT(requests[1], HasSubstr("limit=2&continue=103%3Ans%2Fb"));
  EXPECT_THAT(requests[2], HasSubstr("?watch=true&allowWatchBookmarks=true&labelSelector=x%3Dy&"
                                     "resourceVersion=103&timeoutSeconds="));
  EXPECT_EQ(copy_.state.size(), 3u);
}

TEST_F(ReflectorTest, AnEndedOrBrokenWatchResumesWithoutAList) {
  put("a");
  start();
  server_.end_watches();
  put("b");
  server_.break_watches();
  loop_.run();
  put("c");
  loop_.advance(Duration::seconds(1));
  EXPECT_EQ(reflector_->stats().lists, 1u);
  expect_in_step();
  EXPECT_THAT(copy_.take(), ElementsAre("+ns/a", "synced", "+ns/b", "+ns/c"));
}

TEST_F(ReflectorTest, ABreakInMidEventLosesAndDoublesNothing) {
  start();
  for (std::size_t after = 1; after < 400; after += 7) {
    fail_stream({.kind = Fault::Kind::CutStream, .after_bytes = after});
    server_.break_watches();
    loop_.advance(Duration::seconds(1));
    put("a", "\"n\":" + std::to_string(after));
    put("b", "\"n\":" + std::to_string(after));
    loop_.advance(Duration::seconds(60));
    expect_in_step();
  }
  EXPECT_EQ(reflector_->stats().lists, 1u);
}

TEST_F(ReflectorTest, GoneMeansListAgainWithExactDeletions) {
  put("a");
  put("b");
  put("c");
  start();
  copy_.take();
  fail_stream({.kind = Fault::Kind::DisconnectBeforeSend}, 3);  // the watch cannot come back
  server_.break_watches();
  loop_.run();
  server_.erase(jobs(), {"ns", "a"});
  server_.erase(jobs(), {"ns", "b"});
  server_.put(jobs(), {"ns", "b"}, "");  // another object of that name
  server_.put(jobs(), {"ns", "d"}, "");
  server_.compact();
  loop_.advance(Duration::seconds(60));
  EXPECT_THAT(copy_.take(), ElementsAre("-ns/b", "+ns/b", "+ns/d", "-ns/a"));
  EXPECT_EQ(copy_.synced, 1);
  expect_in_step();
}

TEST_F(ReflectorTest, GoneAsAStatusMeansListAgainToo) {
  put("a");
  start();
  fail_stream({.kind = Fault::Kind::Status, .status = 410});
  server_.end_watches();
  put("b");
  loop_.advance(Duration::seconds(10));
  EXPECT_EQ(reflector_->stats().lists, 2u);
  expect_in_step();
}

TEST_F(ReflectorTest, BookmarksMoveThePositionWithoutBeingTold) {
  put("a");
  start();
  server_.put(nodes(), {"", "n"}, "");  // other kinds move the version
  server_.send_bookmarks();
  loop_.run();
  const std::string position = std::to_string(server_.version());
  server_.end_watches();
  loop_.advance(Duration::seconds(10));
  EXPECT_THAT(server_.requests().back(), HasSubstr("resourceVersion=" + position + "&"));
  EXPECT_THAT(copy_.take(), ElementsAre("+ns/a", "synced"));
}

TEST_F(ReflectorTest, AnExpiredContinueTokenListsFromTheStart) {
  for (const char* name : {"a", "b", "c"}) put(name);
  faults_.add(
      {.target_contains = "continue=", .fault = {.kind = Fault::Kind::Status, .status = 410}});
  start({.watch_list = false, .page_size = 2});
  loop_.advance(Duration::seconds(10));
  EXPECT_THAT(copy_.take(), ElementsAre("+ns/a", "+ns/b", "+ns/c", "synced"));
  expect_in_step();
}

TEST_F(ReflectorTest, AServerThatIsDownIsAskedLessAndLessOften) {
  faults_.add({.fault = {.kind = Fault::Kind::DisconnectBeforeSend}, .times = 1000});
  start();
  loop_.advance(Duration::seconds(1));
  const int early = 1000 - faults_.remaining();
  loop_.advance(Duration::seconds(299));
  const int late = 1000 - faults_.remaining() - early;
  // 0.2 s doubled to 30 s, half to whole of it: at most 4 in the first second, then at least
  // (300 - 51) / 30 and at most 8 + 300 / 15.
  EXPECT_LE(early, 4);
  EXPECT_GE(late, 8);
  EXPECT_LE(late, 28);
  EXPECT_FALSE(reflector_->synced());
  EXPECT_THAT(copy_.troubles.front(), HasSubstr("list jobs.batch: connection reset"));
}

TEST_F(ReflectorTest, AHalfOpenWatchIsLeftWhenItsTimeIsOver) {
  start();
  fail_stream({.kind = Fault::Kind::HalfOpen, .delay = Duration::seconds(150)});
  server_.end_watches();
  loop_.advance(Duration::seconds(1));
  put("a");
  EXPECT_THAT(copy_.objects(), IsEmpty());
  loop_.advance(Duration::seconds(160));
  expect_in_step();
  EXPECT_EQ(copy_.state.size(), 1u);
}

TEST_F(ReflectorTest, WatchListIsTriedAndReplacesTheList) {
  put("a");
  put("b");
  server_.serve_watch_list(true);
  start({.watch_list = true});
  EXPECT_THAT(copy_.take(), ElementsAre("+ns/a", "+ns/b", "synced"));
  put("c");
  EXPECT_THAT(copy_.take(), ElementsAre("+ns/c"));
  ASSERT_EQ(server_.requests().size(), 1u);
  EXPECT_THAT(server_.requests()[0],
              HasSubstr("sendInitialEvents=true&resourceVersionMatch=NotOlderThan"));
}

TEST_F(ReflectorTest, AWatchListThatBreaksBeforeItsEndIsNotResumed) {
  for (const char* name : {"a", "b", "c"}) put(name);
  server_.serve_watch_list(true);
  fail_stream({.kind = Fault::Kind::CutStream, .after_bytes = 150});  // behind the first object
  start({.watch_list = true});
  EXPECT_FALSE(reflector_->synced());
  EXPECT_THAT(copy_.take(), ElementsAre("+ns/a"));
  server_.erase(jobs(), {"ns", "a"});
  loop_.advance(Duration::seconds(10));
  EXPECT_THAT(copy_.take(), ElementsAre("+ns/b", "+ns/c", "-ns/a", "synced"));
  expect_in_step();
}

TEST_F(ReflectorTest, WatchListFallsBackWhereItIsRefused) {
  put("a");
  start({.watch_list = true});
  EXPECT_THAT(copy_.take(), ElementsAre("+ns/a", "synced"));
  EXPECT_THAT(copy_.troubles, IsEmpty());
  server_.compact();
  server_.break_watches();
  loop_.run();
  server_.compact();
  put("b");
  loop_.advance(Duration::seconds(60));
  expect_in_step();
  int tries = 0;
  for (const std::string& request : server_.requests()) {
    tries += request.find("sendInitialEvents") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(tries, 1);
}

TEST_F(ReflectorTest, ProtobufIsReadWhereServed) {
  put("a");
  server_.serve_protobuf(true);
  server_.serve_watch_list(true);
  for (const bool watch_list : {false, true}) {
    copy_ = {};
    start({.format = Format::Protobuf, .watch_list = watch_list});
    put("b", "\"n\":" + std::to_string(watch_list));
    erase("b");
    EXPECT_THAT(copy_.take(), ElementsAre("+ns/a", "synced", "+ns/b", "-ns/b!"));
    reflector_.reset();
  }
}

TEST_F(ReflectorTest, AnObjectThatDoesNotDecodeIsToldAndTheRestGoesOn) {
  put("a");
  put("b", R"("poison":1)");
  start();
  put("c");
  EXPECT_THAT(copy_.take(),
              ElementsAre("+ns/a", "?ns/b spec: cannot be understood", "synced", "+ns/c"));
  erase("b");
  EXPECT_THAT(copy_.take(), ElementsAre("-ns/b"));
}

TEST_F(ReflectorTest, UnauthorisedIsTroubleUntilItIsNot) {
  put("a");
  faults_.add({.fault = {.kind = Fault::Kind::Status, .status = 403}, .times = 3});
  start();
  EXPECT_THAT(copy_.troubles, ElementsAre(StartsWith("list jobs.batch: injected fault (403")));
  loop_.advance(Duration::seconds(10));
  expect_in_step();
  EXPECT_EQ(copy_.synced, 1);
}

TEST_F(ReflectorTest, StopEndsTheWatchAndTellsNothingMore) {
  start();
  EXPECT_EQ(server_.open_watches(), 1);
  reflector_->stop();
  loop_.run();
  EXPECT_EQ(server_.open_watches(), 0);
  put("a");
  loop_.advance(Duration::seconds(600));
  EXPECT_THAT(copy_.take(), ElementsAre("synced"));
}

// Whatever goes wrong: after the faults end the copy equals the cluster, and on the way nothing was
// told twice or deleted unseen.
class ReflectorPropertyTest : public ReflectorTest, public testing::WithParamInterface<int> {};

TEST_P(ReflectorPropertyTest, NothingIsLostOrDoubledUnderFaults) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  std::mt19937_64 random(seed);
  server_.serve_watch_list(seed % 2 == 0);
  server_.serve_protobuf(seed % 3 == 0);
  plan_ = http::seeded_faults(seed, {.disconnect_before_send = 0.1,
                                     .lost_answer = 0.1,
                                     .too_many_requests = 0.1,
                                     .internal_error = 0.05,
                                     .slow = 0.1,
                                     .cut_stream = 0.35,
                                     .gone_in_watch = 0.2});
  start({.format = seed % 3 == 0 ? Format::Protobuf : Format::Json,
         .watch_list = seed % 2 == 0,
         .page_size = 3,
         .seed = seed});
  for (int step = 0; step < 600; ++step) {
    const ObjectKey key{"ns", std::string(1, static_cast<char>('a' + random() % 12))};
    switch (random() % 8) {
      case 0:
      case 1:
        server_.erase(jobs(), key);
        break;
      case 2:
        if (random() % 4 == 0) server_.compact();
        if (random() % 4 == 0) server_.break_watches();
        if (random() % 4 == 0) server_.send_bookmarks();
        break;
      default:
        server_.put(jobs(), key, "\"step\":" + std::to_string(step));
    }
    loop_.advance(Duration::millis(static_cast<std::int64_t>(random() % 400)));
  }
  plan_ = [](const http::Request&, bool) { return Fault{}; };
  server_.break_watches();  // those that still carry an injected fault
  loop_.advance(Duration::seconds(120));
  expect_in_step();
  EXPECT_EQ(copy_.synced, 1);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ReflectorPropertyTest, testing::Range(1, 101));

}  // namespace
}  // namespace quorate::kube
