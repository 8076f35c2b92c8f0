#include "topology/inventory.h"

#include <gtest/gtest.h>

#include "topology/placement.h"

namespace quorate::topology {
namespace {

struct World {
  World() {
    inventory.set_model(&model);
    inventory.put_topology("racks", {"rack", kHostname});
    inventory.put_flavor("gpu", "racks", {{"pool", "gpu"}});
    inventory.put_flavor("all", "racks", {});
  }
  void node(const std::string& name, const std::string& pool, int cpu, bool ready = true) {
    cluster::NodeSpec spec;
    spec.name = name;
    spec.labels = {{"rack", "r1"}, {"pool", pool}, {kHostname, name}};
    spec.ready = ready;
    spec.allocatable = {{"cpu", Quantity{1000 * cpu}}, {"pods", Quantity{10}}};
    inventory.observe(model.apply(journal, spec));
  }
  void pod(const std::string& name, const std::string& where, int cpu, bool by_workload = false,
           cluster::PodPhase phase = cluster::PodPhase::Running) {
    cluster::PodSpec spec;
    spec.key = {"ns", name};
    spec.uid = name;
    auto pod = std::make_shared<PodTemplate>();
    if (by_workload) pod->annotations["kueue.x-k8s.io/podset-unconstrained-topology"] = "true";
    spec.spec = std::move(pod);
    spec.requests = {{"cpu", Quantity{1000 * cpu}}};
    spec.node = where;
    spec.phase = phase;
    inventory.observe(model.apply(journal, spec));
  }
  // Free of a host in cores; -1000 if it takes no part.
  std::int64_t free(const std::string& flavor, const std::string& host,
                    const std::string& resource = "cpu") {
    Tree& tree = *inventory.tree(flavor);
    tree.settle();
    const std::uint32_t leaf = tree.find_leaf({host});
    if (leaf == Tree::kNone) return -1000;
    const Amounts one = tree.amounts({{resource, Quantity{1}}});
    const auto at = std::find_if(one.begin(), one.end(), [&](const auto& amount) {
      return tree.resource_name(amount.first) == resource;
    });
    return tree.free(leaf, at->first, false) / (resource == "cpu" ? 1000 : 1);
  }

  Journal journal;
  cluster::Model model;
  Inventory inventory;
};

TEST(InventoryTest, FollowsNodesAndForeignPods) {
  World world;
  world.node("n1", "gpu", 8);
  world.node("n2", "cpu", 4);
  EXPECT_EQ(world.free("gpu", "n1"), 8);
  EXPECT_EQ(world.free("gpu", "n2"), -1000);
  EXPECT_EQ(world.free("all", "n2"), 4);

  world.pod("daemon", "n1", 1);
  world.pod("placed", "n1", 2, true);  // counted as usage of its workload, not here
  EXPECT_EQ(world.free("gpu", "n1"), 7);
  EXPECT_EQ(world.free("gpu", "n1", "pods"), 9);
  world.pod("daemon", "n1", 1, false, cluster::PodPhase::Succeeded);
  EXPECT_EQ(world.free("gpu", "n1"), 8);

  // A pod seen before its node, and a node that fails and comes back.
  world.pod("early", "n3", 3);
  world.node("n3", "gpu", 5);
  EXPECT_EQ(world.free("gpu", "n3"), 2);
  world.node("n3", "gpu", 5, false);
  EXPECT_EQ(world.free("gpu", "n3"), -1000);
  world.node("n3", "gpu", 6);
  EXPECT_EQ(world.free("gpu", "n3"), 3);
  world.inventory.observe(world.model.pod_gone(world.journal, {"ns", "early"}, "early"));
  EXPECT_EQ(world.free("gpu", "n3"), 6);
  world.inventory.observe(world.model.node_gone(world.journal, "n3"));
  EXPECT_EQ(world.free("gpu", "n3"), -1000);
}

TEST(InventoryTest, AHostIsOneWhateverFlavorUsesIt) {
  World world;
  world.node("n1", "gpu", 8);
  const Assignment place{{kHostname}, {{{"n1"}, 2}}};
  world.inventory.charge(world.journal, "gpu", place, {{"cpu", Quantity{3000}}}, 1);
  EXPECT_EQ(world.free("gpu", "n1"), 2);
  EXPECT_EQ(world.free("all", "n1"), 2);
  world.inventory.charge(world.journal, "gpu", place, {{"cpu", Quantity{3000}}}, -1);
  EXPECT_EQ(world.free("all", "n1"), 8);
  world.inventory.share_hosts(false);
  world.inventory.charge(world.journal, "gpu", place, {{"cpu", Quantity{3000}}}, 1);
  EXPECT_EQ(world.free("all", "n1"), 8);
}

TEST(InventoryTest, ATopologyMayComeAndChangeAfterItsFlavor) {
  World world;
  world.node("n1", "gpu", 8);
  world.inventory.put_flavor("late", "zones", {});
  EXPECT_EQ(world.inventory.tree("late"), nullptr);
  world.inventory.put_topology("zones", {"zone"});
  ASSERT_NE(world.inventory.tree("late"), nullptr);
  EXPECT_EQ(world.inventory.tree("late")->leaves(), 0u);
  world.inventory.put_topology("zones", {"rack"});
  EXPECT_EQ(world.inventory.tree("late")->leaves(), 1u);
  EXPECT_TRUE(world.inventory.take_rebuilt());
  EXPECT_FALSE(world.inventory.take_rebuilt());
  world.inventory.remove_topology("zones");
  EXPECT_EQ(world.inventory.tree("late"), nullptr);
}

// A tree that followed all events equals one built from the end state.
TEST(InventoryTest, ForkAndRebuildAnswerAlike) {
  World world;
  for (int i = 0; i < 20; ++i) world.node("n" + std::to_string(i), i % 3 == 0 ? "cpu" : "gpu", i);
  for (int i = 0; i < 30; ++i) world.pod("p" + std::to_string(i), "n" + std::to_string(i % 20), 1);
  for (int i = 0; i < 20; i += 2) world.node("n" + std::to_string(i), "gpu", i + 1, i % 4 == 0);
  Inventory fork = world.inventory;
  Inventory fresh;
  fresh.put_topology("racks", {"rack", kHostname});
  fresh.put_flavor("gpu", "racks", {{"pool", "gpu"}});
  fresh.set_model(&world.model);
  for (Inventory* inventory : {&fork, &fresh}) {
    Tree& tree = *inventory->tree("gpu");
    Tree& own = *world.inventory.tree("gpu");
    tree.settle();
    own.settle();
    ASSERT_EQ(tree.leaves(), own.leaves());
    Ask ask;
    ask.wish.unconstrained = true;
    ask.pods = 40;
    ask.pod = tree.amounts({{"cpu", Quantity{1000}}});
    Ask same = ask;
    same.pod = own.amounts({{"cpu", Quantity{1000}}});
    EXPECT_EQ(std::get<Placed>(place(tree, ask, {})), std::get<Placed>(place(own, same, {})));
  }
}

}  // namespace
}  // namespace quorate::topology
