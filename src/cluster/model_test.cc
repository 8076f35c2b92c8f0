#include "src/cluster/model.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

namespace quorate::cluster {
namespace {

NodeSpec node_spec(const std::string& name, std::int64_t cpu = 4000, Labels labels = {}) {
  NodeSpec node;
  node.name = name;
  node.uid = "uid-" + name;
  node.labels = std::move(labels);
  node.labels["kubernetes.io/hostname"] = name;
  node.allocatable = {{"cpu", Quantity{cpu}}, {"pods", Quantity{10}}};
  return node;
}

PodSpec pod_spec(const std::string& name, const std::string& node = "", std::int64_t cpu = 1000,
                 const std::string& uid = "") {
  auto spec = std::make_shared<PodTemplate>();
  spec->containers = {{.name = "c", .requests = {{"cpu", Quantity{cpu}}}}};
  spec->containers[0].host_ports = {{"", "TCP", static_cast<std::int32_t>(1000 + cpu)}};
  PodSpec pod;
  pod.key = {"ns", name};
  pod.uid = uid.empty() ? "uid-" + name : uid;
  pod.requests = pod_requests(*spec);
  pod.spec = std::move(spec);
  pod.node = node;
  return pod;
}

std::string digest(const Model& model) {
  Digest digest;
  model.digest(digest);
  return digest.hex();
}

class ModelTest : public testing::Test {
 protected:
  std::int64_t cpu(const std::string& node) { return model.used(model.find_node(node), kCpu); }
  std::int64_t pods(const std::string& node) { return model.used(model.find_node(node), kPods); }
  PodId pod(const std::string& name) { return model.find_pod({"ns", name}); }

  Model model;
  Journal journal;
};

TEST_F(ModelTest, PodsAreChargedWhereTheyRunUntilTheyEnd) {
  model.apply(journal, node_spec("n"));
  model.apply(journal, pod_spec("p", "n"));
  EXPECT_EQ(cpu("n"), 1000);
  EXPECT_EQ(model.free(model.find_node("n"), kCpu), 3000);
  PodSpec ending = pod_spec("p", "n");
  ending.terminating = true;
  model.apply(journal, ending);
  EXPECT_EQ(cpu("n"), 1000);
  ending.phase = PodPhase::Failed;
  const PodChange change = model.apply(journal, ending);
  EXPECT_EQ(cpu("n"), 0);
  EXPECT_EQ(change.freed, model.find_node("n"));
  EXPECT_TRUE(model.node(model.find_node("n")).ports.empty());
}

TEST_F(ModelTest, ResizeIsChargedAnew) {
  model.apply(journal, node_spec("n"));
  model.apply(journal, pod_spec("p", "n", 1000));
  model.apply(journal, pod_spec("p", "n", 300));
  EXPECT_EQ(cpu("n"), 300);
}

TEST_F(ModelTest, AssumptionLastsUntilItIsSeenOrForgotten) {
  model.apply(journal, node_spec("n"));
  model.apply(journal, pod_spec("p"));
  model.assume(journal, pod("p"), model.find_node("n"));
  EXPECT_EQ(cpu("n"), 1000);
  model.apply(journal, pod_spec("p"));  // an update from before the bind
  EXPECT_TRUE(model.pod(pod("p")).assumed);
  model.apply(journal, pod_spec("p", "n"));
  EXPECT_FALSE(model.pod(pod("p")).assumed);
  EXPECT_EQ(cpu("n"), 1000);
  model.forget(journal, pod("p"));  // not an assumption any more
  EXPECT_EQ(cpu("n"), 1000);
}

TEST_F(ModelTest, AssumedHereButSeenThere) {
  model.apply(journal, node_spec("n1"));
  model.apply(journal, node_spec("n2"));
  model.apply(journal, pod_spec("p"));
  model.assume(journal, pod("p"), model.find_node("n1"));
  model.apply(journal, pod_spec("p", "n2"));
  EXPECT_EQ(cpu("n1"), 0);
  EXPECT_EQ(cpu("n2"), 1000);
}

TEST_F(ModelTest, UnknownNodeIsAPlaceholderUntilItComes) {
  model.apply(journal, pod_spec("p", "late"));
  EXPECT_TRUE(model.nodes().empty());
  EXPECT_FALSE(model.find_node("late"));
  model.apply(journal, node_spec("late"));
  EXPECT_EQ(cpu("late"), 1000);
  model.node_gone(journal, "late");
  EXPECT_TRUE(model.nodes().empty());
  EXPECT_TRUE(model.pod(pod("p")).node);
  model.pod_gone(journal, {"ns", "p"}, "uid-p");  // the placeholder goes with its last pod
  model.apply(journal, node_spec("late"));
  EXPECT_EQ(cpu("late"), 0);
}

TEST_F(ModelTest, LateEventsOfDeadPodsChangeNothing) {
  model.apply(journal, node_spec("n"));
  model.apply(journal, pod_spec("p", "n", 1000, "u1"));
  const PodChange change = model.apply(journal, pod_spec("p", "n", 500, "u2"));
  ASSERT_NE(change.replaced_pod, nullptr);
  EXPECT_EQ(change.replaced_pod->spec.uid, "u1");
  EXPECT_EQ(cpu("n"), 500);
  EXPECT_TRUE(model.apply(journal, pod_spec("p", "n", 1000, "u1")).ignored);
  EXPECT_TRUE(model.pod_gone(journal, {"ns", "p"}, "u1").ignored);
  EXPECT_EQ(cpu("n"), 500);
  model.pod_gone(journal, {"ns", "p"}, "u2");
  EXPECT_TRUE(model.apply(journal, pod_spec("p", "n", 500, "u2")).ignored);
  EXPECT_EQ(pods("n"), 0);
}

TEST_F(ModelTest, NodesThatDifferOnlyInNameShareAClass) {
  model.apply(journal, node_spec("a", 4000, {{"zone", "z"}}));
  model.apply(journal, node_spec("b", 4000, {{"zone", "z"}}));
  model.apply(journal, node_spec("c", 4000, {{"zone", "y"}}));
  model.apply(journal, node_spec("d", 8000, {{"zone", "z"}}));
  const auto class_of = [&](const char* n) { return model.node(model.find_node(n)).node_class; };
  EXPECT_EQ(class_of("a"), class_of("b"));
  EXPECT_NE(class_of("a"), class_of("c"));
  EXPECT_NE(class_of("a"), class_of("d"));
  model.apply(journal, node_spec("b", 4000, {{"zone", "y"}}));
  EXPECT_EQ(class_of("b"), class_of("c"));
  EXPECT_EQ(model.node_class(class_of("a")).members, 1u);
}

TEST_F(ModelTest, NodesAreReadInTheOrderOfTheirNames) {
  for (const char* name : {"c", "a", "b"}) model.apply(journal, node_spec(name));
  model.node_gone(journal, "b");
  std::vector<std::string> names;
  for (const NodeId id : model.nodes()) names.push_back(model.node(id).spec->name);
  EXPECT_THAT(names, testing::ElementsAre("a", "c"));
}

TEST_F(ModelTest, ReservationCountsAsUsageAndIsTakenPodByPod) {
  model.apply(journal, node_spec("a"));
  model.apply(journal, node_spec("b"));
  const PodSpec like = pod_spec("x");
  const auto demand = std::make_shared<const Demand>(model.demand(like.spec, like.requests));
  const std::string empty = digest(model);
  model.reserve(journal, "w",
                {{"ns", "job"},
                 {{"main", demand, model.find_node("a")}, {"main", demand, model.find_node("b")}}});
  EXPECT_EQ(cpu("a"), 1000);
  EXPECT_EQ(*model.reservation_of({"ns", "job"}), "w");
  const std::string reserved = digest(model);
  {
    Transaction trial(journal);
    EXPECT_TRUE(model.consume(journal, "w", "main", model.find_node("b")));
    EXPECT_EQ(cpu("b"), 0);
    EXPECT_TRUE(model.consume(journal, "w", "main", model.find_node("b")));
    EXPECT_EQ(model.reservation("w"), nullptr);
    EXPECT_FALSE(model.consume(journal, "w", "main", {}));
  }
  EXPECT_EQ(digest(model), reserved);
  EXPECT_FALSE(model.consume(journal, "w", "other", {}));
  model.drop_reservation(journal, "w");
  EXPECT_EQ(digest(model), empty);
}

TEST_F(ModelTest, ReservationOfARecreatedWorkloadReplacesTheOldOne) {
  model.apply(journal, node_spec("a"));
  const PodSpec like = pod_spec("x");
  const auto demand = std::make_shared<const Demand>(model.demand(like.spec, like.requests));
  const Reservation one{{"ns", "job"}, {{"main", demand, model.find_node("a")}}};
  model.reserve(journal, "old", one);
  {
    Transaction trial(journal);
    model.reserve(journal, "new", one);
    EXPECT_EQ(cpu("a"), 1000);
    EXPECT_EQ(*model.reservation_of({"ns", "job"}), "new");
  }
  EXPECT_EQ(*model.reservation_of({"ns", "job"}), "old");
  EXPECT_EQ(model.reservation("new"), nullptr);
}

// Random cluster, random trial: undone means never done, and a fork keeps its own way.
TEST_F(ModelTest, UndoneMeansNeverDoneAndForksAreIndependent) {
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto pick = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    Model m;
    Journal j;
    for (int i = 0; i < 6; ++i) m.apply(j, node_spec("n" + std::to_string(i)));
    for (int i = 0; i < 20; ++i) {
      const std::string node = pick(2) == 0 ? "n" + std::to_string(pick(8)) : "";
      m.apply(j, pod_spec("p" + std::to_string(i), node, 100 * (1 + pick(5))));
    }
    const PodSpec like = pod_spec("x");
    const auto demand = std::make_shared<const Demand>(m.demand(like.spec, like.requests));
    m.reserve(j, "w0", {{"ns", "w0"}, {{"a", demand, m.nodes()[0]}, {"b", demand, m.nodes()[1]}}});
    const auto change = [&](Model& target, Journal& log) {
      for (int i = 0; i < 15; ++i) {
        const PodId id = target.find_pod({"ns", "p" + std::to_string(pick(20))});
        const NodeId node = target.nodes()[pick(6)];
        switch (pick(5)) {
          case 0:
            if (!target.pod(id).node) target.assume(log, id, node);
            break;
          case 1:
            target.forget(log, id);
            break;
          case 2:
            target.charge(log, node, *demand);
            break;
          case 3:
            target.reserve(log, "w" + std::to_string(pick(3)),
                           {{"ns", "w" + std::to_string(pick(2))}, {{"a", demand, node}}});
            break;
          case 4:
            target.consume(log, "w" + std::to_string(pick(3)), "a", node);
            break;
        }
      }
    };
    const std::string before = digest(m);
    const std::uint64_t freed = m.reservations_freed();
    Model fork = m;
    {
      Transaction outer(j);
      change(m, j);
      const std::string middle = digest(m);
      {
        Transaction inner(j);
        change(m, j);
      }
      ASSERT_EQ(digest(m), middle);
      Transaction kept(j);
      change(m, j);
      kept.commit();
    }
    ASSERT_EQ(digest(m), before);
    ASSERT_EQ(m.reservations_freed(), freed);
    change(m, j);
    ASSERT_EQ(digest(fork), before);
    Journal other;
    change(fork, other);
    for (const std::string name : {"n0", "n6", "n7"}) fork.node_gone(other, name);
  }
}

TEST_F(ModelTest, OrderOfUnrelatedEventsLeavesNoTrace) {
  std::vector<std::variant<NodeSpec, PodSpec>> events;
  for (int i = 0; i < 5; ++i) events.emplace_back(node_spec("n" + std::to_string(i), 1000 + i % 2));
  for (int i = 0; i < 12; ++i) {
    const std::string node = i % 3 == 0 ? "" : "n" + std::to_string(i % 7);
    events.emplace_back(pod_spec("p" + std::to_string(i), node, 100 + i));
  }
  std::string want;
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    std::shuffle(events.begin(), events.end(), random);
    Model m;
    Journal j;
    for (const auto& event : events) {
      std::visit([&](const auto& spec) { m.apply(j, spec); }, event);
    }
    if (want.empty()) want = digest(m);
    ASSERT_EQ(digest(m), want) << "seed " << seed;
  }
}

}  // namespace
}  // namespace quorate::cluster
