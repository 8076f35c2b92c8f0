// Counts that follow the usage equal counts made anew.

#include "topology/counts.h"

#include <gtest/gtest.h>

#include <random>

#include "topology/placement.h"
#include "topology/resolve.h"

namespace quorate::topology {
namespace {

// Blocks of racks of four hosts; every seventh host is tainted.
Tree hosts(int nodes) {
  Tree tree("t", {"block", "rack", kHostname}, {});
  for (int i = 0; i < nodes; ++i) {
    auto spec = std::make_shared<cluster::NodeSpec>();
    spec->name = "n" + std::to_string(i);
    spec->labels = {{"block", "b" + std::to_string(i / 12)},
                    {"rack", "r" + std::to_string(i / 4)},
                    {kHostname, spec->name}};
    spec->allocatable = {
        {"cpu", Quantity{8000}}, {"gpu", Quantity{4}}, {"pods", Quantity{i % 5 == 0 ? 3 : 20}}};
    if (i % 7 == 0) spec->taints.push_back({"busy", "", "NoSchedule"});
    tree.put_node(std::move(spec), static_cast<std::uint32_t>(i), {});
  }
  tree.settle();
  return tree;
}

std::vector<std::int64_t> numbers(const Tree& tree, const Counts& counts) {
  std::vector<std::int64_t> all;
  for (const std::vector<Count>& level : counts.levels) {
    for (const Count& one : level) {
      all.insert(all.end(), {one.pods, one.slices, one.pods_with_leader, one.slices_with_leader,
                             one.leaders, one.affinity});
    }
  }
  for (const auto& [why, leaves] : excluded(tree, counts)) all.push_back(leaves);
  return all;
}

class RecountTest : public ::testing::TestWithParam<unsigned> {};

TEST_P(RecountTest, EqualsACountMadeAnew) {
  std::mt19937 random(GetParam());
  const auto below = [&](std::uint32_t most) -> std::int64_t {
    return static_cast<std::int64_t>(random() % most);
  };
  constexpr int kHosts = 40;
  Tree tree = hosts(kHosts);
  Ask ask;
  ask.pods = 12;
  ask.pod = tree.amounts({{"cpu", Quantity{1000 + 500 * below(3)}}, {"gpu", Quantity{below(2)}}});
  if (below(2) == 0) ask.leader = tree.amounts({{"cpu", Quantity{3000}}});
  ask.wish = {below(2) == 0 ? "" : "rack", "", false, {}};
  if (below(2) == 0) ask.wish.layers = {{"rack", 4}, {kHostname, 2}};
  Options options;
  options.empty = below(4) == 0;
  const Plan plan = std::get<Plan>(resolve(tree, ask, {}));
  Journal journal;
  Assumed assumed;
  options.assumed = &assumed;
  Counter kept(tree, ask, plan, options, Counter::Use::Again);
  const auto use = [&](std::int64_t count) {
    const std::string host = "n" + std::to_string(below(kHosts + 2));  // also hosts that are gone
    tree.charge(journal, {host}, ask.pod, count);
  };
  for (int i = 0; i < 30; ++i) {
    Transaction trial(journal);
    for (std::int64_t n = below(4); n-- > 0;) use(below(6) - 1);
    if (below(2) == 0) trial.commit();
    if (below(3) == 0) assumed.clear();
    if (below(3) == 0) add(assumed[static_cast<std::uint32_t>(below(kHosts))], ask.pod, below(4));
    kept.recount(&assumed);
    const Counter anew(tree, ask, plan, options, Counter::Use::Once);
    ASSERT_EQ(numbers(tree, kept.counts()), numbers(tree, anew.counts()))
        << "seed " << GetParam() << " turn " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RecountTest, ::testing::Range(1u, 21u));

}  // namespace
}  // namespace quorate::topology
