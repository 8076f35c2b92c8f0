#include "src/scheduler/gang_search.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace quorate::scheduler {
namespace {

bool scored_only(std::uint32_t resource) {
  return resource == cluster::kScoredCpu || resource == cluster::kScoredMemory;
}

// Resources that some member asks for, sorted.
std::vector<std::uint32_t> relevant(const PlanTrial& trial) {
  std::vector<std::uint32_t> resources;
  for (std::size_t s = 0; s < trial.shapes(); ++s) {
    for (const cluster::Charge& charge : trial.demand(s).charges) {
      if (!scored_only(charge.resource)) resources.push_back(charge.resource);
    }
  }
  std::ranges::sort(resources);
  resources.erase(std::unique(resources.begin(), resources.end()), resources.end());
  return resources;
}

// Parts per million of `whole`; amounts far beyond what nodes have do not matter here.
std::int64_t ppm(std::int64_t part, std::int64_t whole) {
  if (whole <= 0 || part <= 0) return 0;
  return part > whole / 1'000'000 && whole > 1'000'000
             ? part / (whole / 1'000'000)
             : (Quantity{part} * 1'000'000).base_units() / whole;
}

}  // namespace

std::vector<std::size_t> GangSearch::largest_first(const PlanTrial& trial) {
  const cluster::Model& model = trial.input().model;
  std::map<std::uint32_t, std::int64_t> most;  // by resource: the roomiest node
  for (const std::uint32_t resource : relevant(trial)) {
    for (const cluster::NodeId node : trial.input().nodes) {
      most[resource] = std::max(most[resource], model.allocatable(node, resource));
    }
  }
  std::vector<std::pair<std::int64_t, std::size_t>> sizes;
  for (std::size_t s = 0; s < trial.shapes(); ++s) {
    std::int64_t size = 0;
    for (const cluster::Charge& charge : trial.demand(s).charges) {
      if (scored_only(charge.resource)) continue;
      size = std::max(size, ppm(charge.amount, most[charge.resource]));
    }
    sizes.emplace_back(-size, s);  // equal sizes: the shape met first
  }
  std::ranges::sort(sizes);
  std::vector<std::size_t> order;
  for (const auto& [size, shape] : sizes) order.push_back(shape);
  return order;
}

std::vector<std::size_t> GangSearch::fullest_first(const PlanTrial& trial) {
  const GroupPlanInput& input = trial.input();
  std::vector<std::uint32_t> resources = relevant(trial);
  std::erase(resources, cluster::kPods);
  std::vector<std::pair<std::int64_t, std::size_t>> rooms;
  for (std::size_t i = 0; i < input.nodes.size(); ++i) {
    bool of_use = false;
    for (std::size_t s = 0; s < trial.shapes(); ++s) of_use |= trial.evaluation(s).feasible(i);
    if (!of_use) continue;
    std::int64_t room = 0;
    for (const std::uint32_t resource : resources) {
      room += ppm(input.model.free(input.nodes[i], resource),
                  input.model.allocatable(input.nodes[i], resource));
    }
    rooms.emplace_back(room, i);  // equal room: the earlier name
  }
  std::ranges::sort(rooms);
  std::vector<std::size_t> order;
  for (const auto& [room, node] : rooms) order.push_back(node);
  return order;
}

GangSearch::GangSearch(PlanTrial& trial, std::int64_t needed, std::int64_t budget)
    : trial_(trial),
      needed_(needed),
      work_limit_(trial.work() + budget),
      shapes_(largest_first(trial)),
      nodes_(fullest_first(trial)) {
  behind_.assign(shapes_.size() + 1, 0);
  for (std::size_t d = shapes_.size(); d-- > 0;) {
    behind_[d] = behind_[d + 1] + static_cast<std::int64_t>(trial.members(shapes_[d]).size());
  }
  used_of_.assign(trial.shapes(), 0);
  taken_.assign(nodes_.size(), 0);
  alike_.resize(nodes_.size());
  std::iota(alike_.begin(), alike_.end(), std::size_t{0});

  bool comparable = true;
  bool ports = false;
  for (std::size_t s = 0; s < trial.shapes(); ++s) {
    comparable &= trial.evaluation(s).same_within_class();
    ports |= !trial.demand(s).ports.empty();
  }
  if (!comparable) return;
  const std::vector<std::uint32_t> resources = relevant(trial);
  const cluster::Model& model = trial.input().model;
  std::map<std::tuple<std::uint32_t, std::vector<std::int64_t>>, std::size_t> groups;
  for (std::size_t p = 0; p < nodes_.size(); ++p) {
    const cluster::NodeId id = trial.input().nodes[nodes_[p]];
    if (ports && !model.node(id).ports.empty()) continue;  // alike only itself
    std::vector<std::int64_t> used;
    for (const std::uint32_t resource : resources) used.push_back(model.used(id, resource));
    const std::tuple key(model.node(id).node_class.slot, std::move(used));
    alike_[p] = groups.try_emplace(key, p).first->second;
  }
}

GangSearch::Outcome GangSearch::run() {
  // One level of recursion per member.
  constexpr std::int64_t kDeepest = 5000;
  if (needed_ > kDeepest) return Outcome::BudgetEnded;
  const Outcome outcome = shape_at(0, needed_);
  if (outcome != Outcome::Found) trial_.clear();
  return outcome;
}

bool GangSearch::spent() { return trial_.work() > work_limit_; }

void GangSearch::take(std::size_t shape, std::size_t position) {
  trial_.charge(shape, nodes_[position]);
  ++taken_[position];
  places_.emplace_back(trial_.members(shape)[used_of_[shape]++], nodes_[position]);
}

void GangSearch::given_back(std::size_t shape, std::size_t position) {
  trial_.rolled_back(nodes_[position]);
  --taken_[position];
  --used_of_[shape];
  places_.pop_back();
}

// Decides how many members of the shape at this depth take part, the fewest first, as smaller
// members are easier to place.
GangSearch::Outcome GangSearch::shape_at(std::size_t depth, std::int64_t needed) {
  if (needed == 0) return Outcome::Found;
  if (spent()) return Outcome::BudgetEnded;
  // What the shapes from here on can place at most, each on its own.
  std::int64_t possible = 0;
  std::int64_t here = 0;
  for (std::size_t d = depth; d < shapes_.size(); ++d) {
    const auto members = static_cast<std::int64_t>(trial_.members(shapes_[d]).size());
    const std::int64_t copies = trial_.copies(shapes_[d], members);
    if (d == depth) here = copies;
    possible += copies;
  }
  if (possible < needed) return Outcome::Exhausted;
  const std::int64_t fewest = std::max<std::int64_t>(0, needed - behind_[depth + 1]);
  for (std::int64_t take_part = fewest; take_part <= std::min(here, needed); ++take_part) {
    const Outcome outcome = member_at(depth, take_part, 0, needed);
    if (outcome != Outcome::Exhausted) return outcome;
  }
  return Outcome::Exhausted;
}

// Places `left` more members of the shape on nodes from position `from` on.
GangSearch::Outcome GangSearch::member_at(std::size_t depth, std::int64_t left, std::size_t from,
                                          std::int64_t needed) {
  if (left == 0) return shape_at(depth + 1, needed);
  const std::size_t shape = shapes_[depth];
  const bool last = !trial_.claims() && (depth + 1 == shapes_.size() || needed == left);
  std::vector<std::size_t> seen_alike;
  for (std::size_t p = from; p < nodes_.size(); ++p) {
    trial_.add_work(1);
    if (spent()) return Outcome::BudgetEnded;
    if (!trial_.evaluation(shape).feasible(nodes_[p])) continue;
    if (taken_[p] == 0) {
      if (std::ranges::find(seen_alike, alike_[p]) != seen_alike.end()) continue;
      seen_alike.push_back(alike_[p]);
    }
    {
      Transaction step(trial_.input().journal);
      take(shape, p);
      const Outcome outcome = member_at(depth, left - 1, p, needed - 1);
      if (outcome != Outcome::Exhausted) {
        step.commit();
        return outcome;
      }
    }
    given_back(shape, p);
    // The count said that they fit: for the last shape the first feasible nodes always do.
    if (last) return Outcome::Exhausted;
  }
  return Outcome::Exhausted;
}

}  // namespace quorate::scheduler
