#include "topology/tree.h"

#include <gtest/gtest.h>

namespace quorate::topology {
namespace {

std::shared_ptr<cluster::NodeSpec> node(const std::string& name, Labels labels, int cpu) {
  auto spec = std::make_shared<cluster::NodeSpec>();
  spec->name = name;
  spec->labels = std::move(labels);
  spec->labels[kHostname] = name;
  spec->allocatable = {{"cpu", Quantity{1000 * cpu}}, {"pods", Quantity{20}}};
  return spec;
}

std::int64_t cpu_free(Tree& tree, std::uint32_t rank) {
  tree.settle();
  return tree.free(rank, tree.amounts({{"cpu", Quantity{1}}}).front().first, false);
}

TEST(TreeTest, OnlyNodesWithAllLabelsThatCanRunPodsTakePart) {
  Tree tree("t", {"rack", kHostname}, {{"pool", "gpu"}});
  tree.put_node(node("n1", {{"rack", "r1"}, {"pool", "gpu"}}, 1), 0, {});
  const auto sick = node("n2", {{"rack", "r1"}, {"pool", "gpu"}}, 1);
  sick->ready = false;
  tree.put_node(sick, 0, {});
  const auto cordoned = node("n3", {{"rack", "r1"}, {"pool", "gpu"}}, 1);
  cordoned->unschedulable = true;
  tree.put_node(cordoned, 0, {});
  tree.put_node(node("n4", {{"pool", "gpu"}}, 1), 0, {});
  tree.put_node(node("n5", {{"rack", "r0"}, {"pool", "cpu"}}, 1), 0, {});
  tree.put_node(node("n6", {{"rack", "r0"}, {"pool", "gpu"}}, 1), 0, {});
  tree.settle();
  ASSERT_EQ(tree.leaves(), 2u);
  ASSERT_EQ(tree.size(0), 2u);
  EXPECT_EQ(tree.values(1, 0), (std::vector<std::string>{"r0", "n6"}));
  EXPECT_EQ(tree.values(1, 1), (std::vector<std::string>{"r1", "n1"}));
}

TEST(TreeTest, NodesOfOneLeafAddUpAndLeaveWithTheirForeignPods) {
  Tree tree("t", {"rack"}, {});
  tree.put_node(node("n1", {{"rack", "r1"}}, 4), 0, {});
  tree.put_node(node("n2", {{"rack", "r1"}}, 3), 0, {{"cpu", Quantity{500}}});
  EXPECT_EQ(cpu_free(tree, 0), 6500);
  tree.add_foreign("n1", {{"cpu", Quantity{1000}}}, 1);
  EXPECT_EQ(cpu_free(tree, 0), 5500);
  tree.remove_node("n2");
  EXPECT_EQ(cpu_free(tree, 0), 3000);
  tree.add_foreign("n1", {{"cpu", Quantity{1000}}}, -1);
  EXPECT_EQ(cpu_free(tree, 0), 4000);
  tree.remove_node("n1");
  tree.settle();
  EXPECT_EQ(tree.leaves(), 0u);
  EXPECT_EQ(tree.size(0), 0u);
}

// A node that fails and comes back finds its usage; a trial leaves none.
TEST(TreeTest, UsageOutlivesTheNodeAndIsUndone) {
  Tree tree("t", {kHostname}, {});
  Journal journal;
  const Amounts pod = tree.amounts({{"cpu", Quantity{1000}}});
  tree.charge(journal, {"n1"}, pod, 3);
  tree.put_node(node("n1", {}, 4), 0, {});
  EXPECT_EQ(cpu_free(tree, 0), 1000);
  tree.remove_node("n1");
  tree.put_node(node("n1", {}, 5), 0, {});
  EXPECT_EQ(cpu_free(tree, 0), 2000);
  {
    Transaction trial(journal);
    tree.charge(journal, {"n1"}, pod, 2);
    tree.charge(journal, {"n9"}, pod, 1);
    EXPECT_EQ(cpu_free(tree, 0), 0);
  }
  EXPECT_EQ(cpu_free(tree, 0), 2000);
  EXPECT_EQ(tree.used({"n9"}, "cpu"), 0);
}

// However nodes came, the order is that of their values.
TEST(TreeTest, OrderIsByValuesWhateverTheOrderOfEvents) {
  Tree one("t", {"block", "rack", kHostname}, {});
  Tree other("t", {"block", "rack", kHostname}, {});
  std::vector<std::shared_ptr<cluster::NodeSpec>> nodes;
  for (int i = 0; i < 60; ++i) {
    nodes.push_back(
        node("n" + std::to_string(i * 7 % 60),
             {{"block", "b" + std::to_string(i % 3)}, {"rack", "r" + std::to_string(i % 12)}}, i));
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    one.put_node(nodes[i], 0, {});
    one.settle();
    other.put_node(nodes[nodes.size() - 1 - i], 0, {});
  }
  // Nodes that move and leave.
  for (int i = 0; i < 10; ++i) {
    nodes[static_cast<std::size_t>(i)]->labels["rack"] = "r99";
    for (Tree* tree : {&one, &other}) {
      tree->put_node(nodes[static_cast<std::size_t>(i)], 0, {});
      tree->remove_node(nodes[static_cast<std::size_t>(20 + i)]->name);
      tree->settle();
    }
  }
  ASSERT_EQ(one.leaves(), 50u);
  for (std::size_t level = 0; level < 3; ++level) {
    ASSERT_EQ(one.size(level), other.size(level));
    for (std::uint32_t i = 0; i < one.size(level); ++i) {
      EXPECT_EQ(one.values(level, i), other.values(level, i));
      if (i > 0) {
        EXPECT_LT(one.values(level, i - 1), one.values(level, i));
      }
      if (level > 0) {
        const auto parent = one.values(level - 1, one.parent(level, i));
        EXPECT_TRUE(std::equal(parent.begin(), parent.end(), one.values(level, i).begin()));
      }
    }
  }
  for (std::uint32_t leaf = 0; leaf < one.leaves(); ++leaf) {
    EXPECT_EQ(one.find_leaf(one.assignment_values(leaf)), leaf);
    EXPECT_EQ(one.values(0, one.ancestor(0, leaf)).front(), one.values(2, leaf).front());
  }
}

}  // namespace
}  // namespace quorate::topology
