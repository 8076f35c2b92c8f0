#include "src/engine/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "src/engine/event_codec.h"
#include "src/engine/sample_events.h"
#include "src/engine/toy_cluster.h"

namespace quorate::engine {
namespace {

using testing::IsEmpty;

Time at(std::int64_t seconds) { return Time::from_seconds(seconds); }

// All events that a story tells, in order.
std::vector<Event> events_of(const std::function<void(ToyCluster&)>& story) {
  std::vector<Event> events;
  ToyCluster cluster({}, [&](const Record& record) {
    if (const auto* event = std::get_if<Event>(&record)) events.push_back(*event);
  });
  story(cluster);
  return events;
}

TEST(Engine, DecidesNothingBeforeTheListsAreComplete) {
  ToyCluster cluster;
  tell_quickstart(cluster);
  Engine engine = cluster.engine().fork();
  EXPECT_THAT(engine.step(at(5)), IsEmpty());
  EXPECT_FALSE(engine.busy());
  EXPECT_EQ(engine.next_wakeup(), std::nullopt);
  EXPECT_EQ(engine.decision_hash(), Engine(Roles{}).decision_hash());
  engine.apply(Synced{});
  EXPECT_TRUE(engine.busy());
  EXPECT_THAT(engine.step(at(5)), testing::Not(IsEmpty()));
}

TEST(Engine, ShuffledListsGiveTheSameBytes) {
  const std::uint64_t seed = 11;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  std::vector<Event> events = events_of(tell_quickstart);
  std::optional<std::pair<std::uint64_t, std::uint64_t>> first;
  for (int i = 0; i < 50; ++i) {
    Engine engine{Roles{}};
    for (const Event& event : events) engine.apply(event);
    engine.apply(Synced{});
    for (int step = 0; step < 5; ++step) engine.step(at(5));
    const std::pair hashes(engine.decision_hash(), engine.state_hash());
    if (!first) first = hashes;
    ASSERT_EQ(hashes, *first) << "order " << i;
    std::shuffle(events.begin(), events.end(), random);
  }
}

TEST(Engine, SayingAThingTwiceChangesNothing) {
  const std::vector<Event> events = events_of(tell_quickstart);
  Engine once{Roles{}};
  Engine twice{Roles{}};
  for (const Event& event : events) once.apply(event);
  for (int i = 0; i < 2; ++i) {
    for (const Event& event : events) twice.apply(event);
  }
  once.apply(Synced{});
  twice.apply(Synced{});
  EXPECT_EQ(once.step(at(5)), twice.step(at(5)));
  EXPECT_EQ(once.state_hash(), twice.state_hash());
}

TEST(Engine, TimeNeverRunsBackwards) {
  ToyCluster cluster;
  tell_quickstart(cluster);
  cluster.tell(Synced{});
  Engine straight = cluster.engine().fork();
  Engine jumpy = cluster.engine().fork();
  straight.apply(Tick{at(100)});
  jumpy.apply(Tick{at(100)});
  jumpy.apply(Tick{at(50)});
  straight.step(at(100));
  jumpy.step(at(60));
  EXPECT_EQ(straight.decision_hash(), jumpy.decision_hash());
}

TEST(Engine, AForkGoesItsOwnWay) {
  ToyCluster cluster;
  tell_quickstart(cluster);
  cluster.tell(Synced{});
  cluster.settle(at(5));
  const std::uint64_t decisions = cluster.engine().decision_hash();
  const std::uint64_t state = cluster.engine().state_hash();

  Engine what_if = cluster.engine().fork();
  EXPECT_EQ(what_if.state_hash(), state);
  admission::ClusterQueueSpec larger;
  larger.name = "language";
  larger.cohort = "research";
  larger.namespace_selector.emplace();
  larger.resource_groups = {
      {{"nvidia.com/gpu"}, {{"h100", {{"nvidia.com/gpu", Quantity{64}, {}, {}}}}}}};
  what_if.apply(larger);
  for (int i = 1; i <= 4; ++i) {
    cluster::NodeSpec node;
    node.name = "more-" + std::to_string(i);
    node.labels = {{"example.com/gpu-model", "h100"}};
    node.allocatable = {
        {"cpu", Quantity{64000}}, {"pods", Quantity{110}}, {"nvidia.com/gpu", Quantity{8}}};
    what_if.apply(node);
  }
  std::vector<std::string> decided;
  for (int second = 6; second < 12; ++second) {
    for (const Decision& decision : what_if.step(at(second))) decided.push_back(text_of(decision));
  }
  EXPECT_THAT(
      decided,
      testing::Contains("Admit team-language/finetune in language: main nvidia.com/gpu=h100 x4"));

  EXPECT_EQ(cluster.engine().decision_hash(), decisions);
  EXPECT_EQ(cluster.engine().state_hash(), state);
  EXPECT_FALSE(cluster.admitted("team-language", "finetune"));
}

// A random life: jobs come and finish, nodes come and go, quota changes.
void live(ToyCluster& cluster, std::mt19937_64& random, std::int64_t second, int& jobs) {
  const std::vector<std::string> teams = {"vision", "language", "speech"};
  const std::string& team = teams[random() % teams.size()];
  switch (random() % 6) {
    case 0:
    case 1:
      cluster.submit("team-" + team, "job-" + std::to_string(jobs++),
                     static_cast<std::int32_t>(1 + random() % 6),
                     static_cast<std::int64_t>(1 + random() % 8), at(second));
      break;
    case 2:
      for (int i = 0; i < jobs; ++i) {
        const std::string job = "job-" + std::to_string(i);
        if (cluster.running("team-" + team, job)) {
          cluster.finish("team-" + team, job, at(second));
          break;
        }
      }
      break;
    case 3:
      cluster.tell(NodeGone{"gpu-" + std::to_string(1 + random() % 8)});
      break;
    case 4:
      cluster.node("gpu-" + std::to_string(1 + random() % 8),
                   static_cast<std::int64_t>(4 + random() % 8),
                   {{"example.com/gpu-model", "h100"}});
      break;
    default:
      cluster.cluster_queue(team, "research", "h100", static_cast<std::int64_t>(random() % 40));
  }
}

TEST(Engine, AForkDecidesLikeItsOriginal) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    std::vector<Record> after_fork;
    std::optional<Engine> fork;
    ToyCluster cluster({}, [&](Record record) {
      if (fork) after_fork.push_back(std::move(record));
    });
    tell_quickstart(cluster);
    cluster.tell(Synced{});
    int jobs = 0;
    for (int second = 10; second < 50; ++second) {
      live(cluster, random, second, jobs);
      cluster.settle(at(second));
    }
    fork = cluster.engine().fork();
    const std::uint64_t at_fork = fork->decision_hash();
    for (int second = 50; second < 90; ++second) {
      live(cluster, random, second, jobs);
      cluster.settle(at(second));
    }
    for (const Record& record : after_fork) {
      if (const auto* event = std::get_if<Event>(&record)) fork->apply(*event);
      if (const auto* step = std::get_if<Step>(&record)) {
        fork->step(step->now, step->budget);
        ASSERT_EQ(fork->decision_hash(), step->decision_hash);
      }
    }
    EXPECT_EQ(fork->state_hash(), cluster.engine().state_hash());
    EXPECT_NE(fork->decision_hash(), at_fork) << "nothing was decided after the fork";
  }
}

TEST(Engine, EventsAboutTheUnknownChangeNothing) {
  ToyCluster cluster;
  tell_quickstart(cluster);
  cluster.tell(Synced{});
  cluster.settle(at(5));
  const std::uint64_t state = cluster.engine().state_hash();
  for (const Event& event : std::vector<Event>{
           FlavorGone{"x"}, ClusterQueueGone{"x"}, CohortGone{"x"}, LocalQueueGone{{"x", "x"}},
           AdmissionCheckGone{"x"}, NamespaceGone{"x"}, LimitRangeGone{{"x", "x"}},
           RuntimeClassGone{"x"}, WorkloadGone{{"team-vision", "pretrain"}, "earlier"},
           WorkloadGone{{"x", "x"}, "x"}, NodeGone{"x"}, PodGone{{"x", "x"}, "x"},
           PodGone{{"team-vision", "pretrain-0"}, "earlier"}, PodGroupGone{{"x", "x"}, "x"},
           AdmissionWritten{{"x", "x"}, "x"},
           AdmissionWritten{{"team-vision", "pretrain"}, "earlier", false, true, ""},
           BindWritten{{"x", "x"}, "x", "x", scheduler::BindResult::Failed, ""},
           BindWritten{{"team-vision", "pretrain-0"},
                       "earlier",
                       "x",
                       scheduler::BindResult::Elsewhere,
                       ""}}) {
    cluster.tell(event);
    EXPECT_EQ(cluster.engine().state_hash(), state) << "event kind " << event.index();
  }
  EXPECT_THAT(cluster.settle(at(5)), IsEmpty());
}

// Specs with every field set, in any order and with anything missing around them.
TEST(Engine, SurvivesAnyOrderOfStrangeEvents) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    std::vector<Event> samples = samples::one_of_each();
    cluster::PodSpec no_spec = samples::sample_pod();
    no_spec.spec = nullptr;
    samples.emplace_back(no_spec);
    admission::WorkloadSpec no_pod = samples::sample_workload();
    no_pod.pod_sets.front().pod = nullptr;
    samples.emplace_back(no_pod);
    Engine engine{Roles{}};
    Engine again{Roles{}};
    for (int i = 0; i < 2000; ++i) {
      const Event& event = samples[random() % samples.size()];
      // What is stored of it is what it was.
      const Outcome<Event> stored = decode_event(encode(event));
      engine.apply(event);
      again.apply(*stored);
      if (random() % 8 != 0) continue;
      engine.step(at(i));
      again.step(at(i));
      ASSERT_EQ(engine.decision_hash(), again.decision_hash()) << "event " << i;
    }
    EXPECT_EQ(engine.state_hash(), again.state_hash());
  }
}

// A group with a queue of its own, seen by a scheduler that runs apart from the controller.
TEST(Engine, AManagedGroupWaitsForTheAdmissionThatTheApiShows) {
  Engine engine{Roles{.admission = false, .scheduler = true}};
  admission::FlavorSpec flavor;
  flavor.name = "h100";
  flavor.node_labels = {{"model", "h100"}};
  engine.apply(flavor);
  for (const std::string model : {"a100", "h100"}) {
    for (int i = 0; i < 2; ++i) {
      cluster::NodeSpec node;
      node.name = model + "-" + std::to_string(i);
      node.labels = {{"model", model}};
      node.allocatable = {{"pods", Quantity{10}}, {"gpu", Quantity{8}}};
      engine.apply(node);
    }
  }
  scheduler::PodGroupSpec group;
  group.key = {"ns", "g"};
  group.uid = "g-uid";
  group.min_count = 2;
  group.needs_admission = true;
  engine.apply(group);
  auto pod = std::make_shared<PodTemplate>();
  pod->scheduler_name = "quorate-scheduler";
  for (const std::string name : {"p0", "p1"}) {
    cluster::PodSpec member;
    member.key = {"ns", name};
    member.uid = name + "-uid";
    member.spec = pod;
    member.requests = {{"gpu", Quantity{8}}};
    member.group = "g";
    engine.apply(member);
  }
  engine.apply(Synced{});
  const auto binds = [&](std::int64_t second) {
    std::vector<std::string> texts;
    for (const Decision& decision : engine.step(at(second))) {
      const auto* half = std::get_if<scheduler::Decision>(&decision);
      if (half != nullptr && std::holds_alternative<scheduler::Bind>(*half)) {
        texts.push_back(text_of(decision));
      }
    }
    return texts;
  };
  EXPECT_THAT(binds(1), IsEmpty());
  EXPECT_EQ(engine.group_view({"ns", "g"})->state, scheduler::GroupView::State::WaitsForAdmission);

  admission::WorkloadSpec workload;
  workload.key = {"ns", "podgroup-g"};
  workload.uid = "w-uid";
  workload.owner_kind = "PodGroup";
  workload.owner_name = "g";
  workload.owner_uid = "g-uid";
  workload.admission = admission::Admission{"q", {{"main", {{"gpu", "h100"}}, {}, 2, {}}}};
  workload.conditions = {{"QuotaReserved", admission::ConditionView::Status::True, "", "", at(2)}};
  engine.apply(workload);
  EXPECT_THAT(binds(2), IsEmpty()) << "reserved is not admitted";

  workload.conditions.push_back(
      {"Admitted", admission::ConditionView::Status::True, "", "", at(3)});
  engine.apply(workload);
  std::vector<std::string> bound = binds(3);
  std::ranges::sort(bound);
  ASSERT_EQ(bound.size(), 2u);
  EXPECT_THAT(bound[0], testing::StartsWith("Bind ns/p0 to h100-"));
  EXPECT_THAT(bound[1], testing::StartsWith("Bind ns/p1 to h100-"));
}

// A queue of 4 gpu with a workload that fills it, and one of higher priority that wants in.
std::vector<Event> one_must_leave() {
  admission::ClusterQueueSpec queue;
  queue.name = "q";
  queue.namespace_selector.emplace();
  queue.within_cluster_queue = admission::PreemptionPolicy::LowerPriority;
  queue.resource_groups = {{{"gpu"}, {{"h100", {{"gpu", Quantity{4}, {}, {}}}}}}};
  auto pod = std::make_shared<PodTemplate>();
  pod->containers.push_back({"main", {{"gpu", Quantity{4}}}});
  const auto workload = [&](const std::string& name, std::int32_t priority) {
    admission::WorkloadSpec spec;
    spec.key = {"ns", name};
    spec.uid = name + "-uid";
    spec.queue_name = "lq";
    spec.priority = priority;
    spec.pod_sets = {{"main", 1, {}, pod, {}}};
    return spec;
  };
  admission::WorkloadSpec low = workload("low", 0);
  low.admission =
      admission::Admission{"q", {{"main", {{"gpu", "h100"}}, {{"gpu", Quantity{4}}}, 1, {}}}};
  for (const char* type : {"QuotaReserved", "Admitted"}) {
    low.conditions.push_back({type, admission::ConditionView::Status::True, type, "", at(1)});
  }
  return {admission::NamespaceSpec{"ns", {}},
          admission::FlavorSpec{"h100"},
          queue,
          admission::LocalQueueSpec{{"ns", "lq"}, "lq-uid", "q"},
          low,
          workload("high", 5),
          Synced{}};
}

TEST(Engine, APreemptionIsDecidedTheSameFromStoredEvents) {
  Engine engine{Roles{true, false}};
  Engine again{Roles{true, false}};
  for (const Event& event : one_must_leave()) {
    engine.apply(event);
    again.apply(*decode_event(encode(event)));
  }
  const std::vector<Decision> decided = engine.step(at(5));
  ASSERT_EQ(decided.size(), 2u);
  const auto& evict = std::get<admission::Evict>(std::get<admission::Decision>(decided[0]));
  EXPECT_EQ(evict.workload.name, "low");
  EXPECT_EQ(evict.preemption_reason, "InClusterQueue");
  EXPECT_EQ(evict.preemptor, (ObjectKey{"ns", "high"}));
  const auto& hold = std::get<admission::Hold>(std::get<admission::Decision>(decided[1]));
  EXPECT_EQ(hold.reason, "WaitingForPreemptedWorkloads");
  EXPECT_EQ(again.step(at(5)), decided);
  EXPECT_EQ(again.decision_hash(), engine.decision_hash());

  // A fork knows what was told already; a failed write makes both tell it again.
  Engine fork = engine.fork();
  EXPECT_THAT(fork.step(at(6)), IsEmpty());
  const AdmissionWritten failed{{"ns", "low"}, "low-uid", false, false, "conflict"};
  for (Engine* each : {&engine, &fork}) each->apply(failed);
  const std::vector<Decision> repeated = fork.step(at(7));
  EXPECT_THAT(repeated, testing::Contains(decided[0]));
  EXPECT_EQ(engine.step(at(7)), repeated);
}

}  // namespace
}  // namespace quorate::engine
