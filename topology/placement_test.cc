#include "topology/placement.h"

#include <gtest/gtest.h>

#include <sstream>

namespace quorate::topology {
namespace {

struct Case {
  std::string name;
  std::string levels;  // "rack>host"
  std::string nodes;   // "r1/n1:3 r1/n2:3", cpu behind the colon
  std::int64_t pods;
  Wish wish;
  std::string level;
  std::string want;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

struct World {
  World(const std::string& level_text, const std::string& node_text)
      : levels(split(level_text, '>')) {
    for (const std::string& text : split(node_text, ' ')) {
      const std::vector<std::string> pair = split(text, ':');
      const std::vector<std::string> values = split(pair[0], '/');
      cluster::NodeSpec node;
      node.name = values.back();
      for (std::size_t i = 0; i < levels.size(); ++i) node.labels[levels[i]] = values[i];
      node.allocatable = {{"cpu", Quantity{1000 * std::stoi(pair[1])}}, {"pods", Quantity{20}}};
      nodes.push_back(node);
    }
  }
  std::int64_t room(const Domain& leaf) const {
    std::int64_t pods = 0;
    for (const cluster::NodeSpec& node : nodes) {
      if (node.name != leaf.nodes.at(0)) continue;
      pods += fitting_pods(node.allocatable, {{"cpu", Quantity{1000}}, {"pods", Quantity{1}}});
    }
    return pods;
  }
  std::vector<std::string> levels;
  std::vector<cluster::NodeSpec> nodes;
};

class PlaceTest : public ::testing::TestWithParam<Case> {};

TEST_P(PlaceTest, Places) {
  const Case& given = GetParam();
  const World world(given.levels, given.nodes);
  const Tree tree(world.levels, {}, world.nodes);
  const auto at = std::find(world.levels.begin(), world.levels.end(), given.level);
  const Request request{static_cast<std::size_t>(at - world.levels.begin()), given.wish,
                        given.pods};
  const auto got = place(tree, request, [&](const Domain& leaf) { return world.room(leaf); });
  std::string text;
  if (const auto* placement = std::get_if<Placement>(&got)) {
    for (const auto& [values, pods] : *placement) {
      text += (text.empty() ? "" : " ") + values.back() + "=" + std::to_string(pods);
    }
  } else {
    text = failure_text("topo", std::get<TooSmall>(got), request);
  }
  EXPECT_EQ(text, given.want);
}

const char kRack[] = "r1/n1:3 r1/n2:3 r1/n3:2 r1/n4:1";
const char kRacks[] = "ra/a1:2 ra/a2:2 rb/b1:3 rb/b2:3";
const char kBlocks[] = "b1/r1/x1:2 b1/r1/x2:2 b1/r2/x3:2 b2/r3/y1:4 b2/r4/y2:1";

INSTANTIATE_TEST_SUITE_P(
    Vectors, PlaceTest,
    ::testing::ValuesIn(std::vector<Case>{
        // clang-format off
        {"TA01", "rack>host", kRack, 7, Wish::Required, "rack", "n1=3 n2=3 n4=1"},
        {"TA02", "rack>host", kRack, 7, Wish::Unconstrained, "host", "n1=3 n2=1 n3=2 n4=1"},
        {"TA03", "rack>host", kRack, 10, Wish::Required, "rack", "topology \"topo\" allows to fit only 9 out of 10 pod(s)"},
        {"TA04", "rack>host", kRacks, 4, Wish::Required, "rack", "a1=2 a2=2"},
        {"TA05", "rack>host", kRacks, 5, Wish::Required, "rack", "b1=3 b2=2"},
        {"TA06", "rack>host", kRacks, 7, Wish::Required, "rack", "topology \"topo\" allows to fit only 6 out of 7 pod(s)"},
        {"TA07", "rack>host", kRacks, 7, Wish::Preferred, "rack", "a1=1 b1=3 b2=3"},
        {"TA08", "block>rack>host", kBlocks, 5, Wish::Preferred, "rack", "y1=4 y2=1"},
        {"TA09", "block>rack>host", kBlocks, 6, Wish::Required, "block", "x1=2 x2=2 x3=2"},
        {"TA10", "block>rack>host", kBlocks, 5, Wish::Required, "block", "y1=4 y2=1"},
        {"TA11", "block>rack>host", kBlocks, 4, Wish::Preferred, "rack", "x1=2 x2=2"},
        {"TA12", "block>rack>host", kBlocks, 10, Wish::Preferred, "block", "x1=2 x2=2 x3=2 y1=4"},
        {"TA13", "host", "n1:3 n2:2 n3:5", 2, Wish::Required, "host", "n2=2"},
        {"TA14", "host", "n1:3 n2:2 n3:1", 1, Wish::Unconstrained, "host", "n3=1"},
        {"TA15", "host", "n1:3 n2:2 n3:1", 4, Wish::Unconstrained, "host", "n1=1 n2=2 n3=1"},
        {"NoRoom", "host", "n1:0", 1, Wish::Required, "host", "topology \"topo\" doesn't allow to fit any of 1 pod(s)"},
        // clang-format on
    }),
    [](const auto& test) { return test.param.name; });

TEST(TreeTest, OnlyNodesWithAllLabelsThatCanRunPodsTakePart) {
  World world("rack>host", "r1/n1:1 r1/n2:1 r2/n3:1 r2/n4:1 r3/n5:1");
  world.nodes[1].ready = false;
  world.nodes[2].unschedulable = true;
  world.nodes[4].labels.erase("rack");
  for (cluster::NodeSpec& node : world.nodes) node.labels["pool"] = "gpu";
  world.nodes[0].labels["pool"] = "cpu";
  const Tree all(world.levels, {}, world.nodes);
  ASSERT_EQ(all.at_level(0).size(), 2u);
  EXPECT_EQ(all.domain(all.at_level(0)[0]).values, std::vector<std::string>{"r1"});
  EXPECT_EQ(all.domain(all.at_level(1)[1]).nodes, std::vector<std::string>{"n4"});
  const Tree gpu(world.levels, {{"pool", "gpu"}}, world.nodes);
  ASSERT_EQ(gpu.at_level(0).size(), 1u);
  EXPECT_EQ(gpu.domain(gpu.at_level(0)[0]).values, std::vector<std::string>{"r2"});
}

TEST(FittingPodsTest, ScarcestResourceDecides) {
  const ResourceList free{{"cpu", Quantity{5000}}, {"gpu", Quantity{2}}, {"memory", Quantity{-1}}};
  EXPECT_EQ(fitting_pods(free, {{"cpu", Quantity{1000}}}), 5);
  EXPECT_EQ(fitting_pods(free, {{"cpu", Quantity{1000}}, {"gpu", Quantity{1}}}), 2);
  EXPECT_EQ(fitting_pods(free, {{"memory", Quantity{1}}}), 0);
  EXPECT_EQ(fitting_pods(free, {{"memory", Quantity{0}}, {"cpu", Quantity{5000}}}), 1);
  EXPECT_EQ(fitting_pods(free, {{"tpu", Quantity{1}}}), 0);
}

}  // namespace
}  // namespace quorate::topology
