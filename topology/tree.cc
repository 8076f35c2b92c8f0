#include "topology/tree.h"

#include <algorithm>

#include "src/base/check.h"

namespace quorate::topology {
namespace {

bool repels(const Taint& taint) {
  return taint.effect == "NoSchedule" || taint.effect == "NoExecute";
}

std::int64_t plus(std::int64_t a, std::int64_t b) {
  return (Quantity{a} + Quantity{b}).base_units();
}

}  // namespace

void add(Amounts& amounts, const Amounts& more, std::int64_t times) {
  for (const auto& [resource, amount] : more) {
    const auto known =
        std::find_if(amounts.begin(), amounts.end(),
                     [&name = resource](const auto& one) { return one.first == name; });
    if (known == amounts.end()) {
      amounts.push_back({resource, amount * times});
    } else {
      known->second = plus(known->second, amount * times);
    }
  }
}

Tree::Tree(std::string topology, std::vector<std::string> levels, Labels node_labels)
    : topology_(std::move(topology)),
      levels_(std::move(levels)),
      node_labels_(std::move(node_labels)) {
  check(!levels_.empty(), "a topology without levels");
  build_levels();
}

std::size_t Tree::level_of(std::string_view key) const {
  return static_cast<std::size_t>(std::find(levels_.begin(), levels_.end(), key) - levels_.begin());
}

bool Tree::takes_part(const cluster::NodeSpec& node) const {
  if (!node.ready || node.unschedulable) return false;
  const auto has = [&](const std::string& key) { return node.labels.contains(key); };
  return std::all_of(levels_.begin(), levels_.end(), has) &&
         std::all_of(node_labels_.begin(), node_labels_.end(), [&](const auto& label) {
           const auto found = node.labels.find(label.first);
           return found != node.labels.end() && found->second == label.second;
         });
}

// --- nodes ---

std::uint32_t Tree::resource(std::string_view name) {
  const std::uint32_t slot = resources_.intern(name).slot;
  while (capacity_.size() <= slot) {
    capacity_.emplace_back(leaves_.size(), 0);
    used_.emplace_back().grow(leaves_.size());
  }
  return slot;
}

std::uint32_t Tree::leaf_slot(const std::string& key) {
  const auto [at, added] = leaf_of_.emplace(key, static_cast<std::uint32_t>(leaves_.size()));
  if (added) {
    leaves_.emplace_back();
    for (auto& column : capacity_) column.resize(leaves_.size(), 0);
    for (Column& column : used_) column.grow(leaves_.size());
  }
  return at->second;
}

std::string Tree::key_of(const std::vector<std::string>& values) const {
  if (by_host()) return values.empty() ? std::string() : values.back();
  std::string key;
  for (const std::string& value : values) key.append(value).push_back('\0');
  return key;
}

void Tree::add(std::uint32_t leaf, std::uint32_t resource, std::int64_t amount) {
  ++revision_;
  std::int64_t& cell = capacity_[resource][leaf];
  cell = plus(cell, amount);
}

void Tree::put_node(std::shared_ptr<const cluster::NodeSpec> node, std::uint32_t node_class,
                    const ResourceList& foreign) {
  remove_node(node->name);
  if (!takes_part(*node)) return;
  std::vector<std::string> path;
  for (const std::string& level : levels_) path.push_back(node->labels.at(level));
  const std::uint32_t leaf = leaf_slot(key_of(path));
  std::uint32_t member = static_cast<std::uint32_t>(members_at_.size());
  if (free_members_.empty()) {
    members_at_.emplace_back();
  } else {
    member = free_members_.back();
    free_members_.pop_back();
  }
  members_.emplace(node->name, member);
  for (const auto& [name, amount] : node->allocatable) {
    add(leaf, resource(name), amount.base_units());
  }
  members_at_[member] = {std::move(node), leaf, node_class, {}};
  add_foreign(members_at_[member], foreign, 1);
  std::vector<std::uint32_t>& there = leaves_[leaf].members;
  const auto name = [&](std::uint32_t one) -> const std::string& {
    return members_at_[one].spec->name;
  };
  there.insert(
      std::lower_bound(there.begin(), there.end(), member,
                       [&](std::uint32_t a, std::uint32_t b) { return name(a) < name(b); }),
      member);
  renew(leaf);
}

void Tree::remove_node(std::string_view name) {
  const auto found = members_.find(std::string(name));
  if (found == members_.end()) return;
  const std::uint32_t member = found->second;
  members_.erase(found);
  Member& leaving = members_at_[member];
  const std::uint32_t leaf = leaving.leaf;
  for (const auto& [resource_name, amount] : leaving.spec->allocatable) {
    add(leaf, resource(resource_name), -amount.base_units());
  }
  for (const auto& [resource, amount] : leaving.foreign) add(leaf, resource, amount);
  std::vector<std::uint32_t>& there = leaves_[leaf].members;
  there.erase(std::find(there.begin(), there.end(), member));
  leaving = {};
  free_members_.push_back(member);
  renew(leaf);
}

void Tree::add_foreign(std::string_view node, const ResourceList& requests, std::int64_t sign) {
  const auto found = members_.find(std::string(node));
  if (found != members_.end()) add_foreign(members_at_[found->second], requests, sign);
}

void Tree::add_foreign(Member& member, const ResourceList& requests, std::int64_t sign) {
  for (const auto& [name, amount] : requests) {
    const std::uint32_t column = resource(name);
    const std::int64_t change = (amount * sign).base_units();
    const auto known = std::find_if(member.foreign.begin(), member.foreign.end(),
                                    [&](const auto& one) { return one.first == column; });
    if (known == member.foreign.end()) {
      member.foreign.push_back({column, change});
    } else {
      known->second = plus(known->second, change);
    }
    add(member.leaf, column, (Quantity{} - Quantity{change}).base_units());
  }
}

// Brings what is derived from the first member of a leaf up to date.
void Tree::renew(std::uint32_t at) {
  Leaf& leaf = leaves_[at];
  tainted_ -= leaf.tainted ? 1 : 0;
  leaf.tainted = false;
  ++revision_;
  changed_.push_back(at);
  if (leaf.members.empty()) return;
  const Member& first = members_at_[leaf.members.front()];
  leaf.node_class = first.node_class;
  leaf.tainted = std::any_of(first.spec->taints.begin(), first.spec->taints.end(), repels);
  tainted_ += leaf.tainted ? 1 : 0;
  leaf.path.clear();
  leaf.ids.clear();
  for (const std::string& level : levels_) {
    leaf.path.push_back(first.spec->labels.at(level));
    leaf.ids.push_back(value_ids_.intern(leaf.path.back()).slot);
  }
}

// --- order ---

void Tree::settle() {
  if (changed_.empty()) return;
  std::vector<bool> moved(leaves_.size(), false);
  for (const std::uint32_t at : changed_) moved[at] = true;
  std::erase_if(order_, [&](std::uint32_t at) { return moved[at]; });
  std::sort(changed_.begin(), changed_.end());
  changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
  std::erase_if(changed_, [&](std::uint32_t at) { return leaves_[at].members.empty(); });
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return leaves_[a].path < leaves_[b].path;
  };
  std::sort(changed_.begin(), changed_.end(), before);
  const auto middle = static_cast<std::ptrdiff_t>(order_.size());
  order_.insert(order_.end(), changed_.begin(), changed_.end());
  std::inplace_merge(order_.begin(), order_.begin() + middle, order_.end(), before);
  changed_.clear();
  build_levels();
}

void Tree::build_levels() {
  levels_at_.assign(levels_.size(), {});
  for (std::uint32_t rank = 0; rank < order_.size(); ++rank) {
    Leaf& leaf = leaves_[order_[rank]];
    leaf.rank = rank;
    std::size_t level = 0;  // the first level at which it differs from the one before
    if (rank > 0) {
      const Leaf& last = leaves_[order_[rank - 1]];
      while (level < lowest() && leaf.ids[level] == last.ids[level]) ++level;
    }
    for (; level < levels_.size(); ++level) {
      Level& here = levels_at_[level];
      if (level < lowest()) {
        here.first_child.push_back(
            static_cast<std::uint32_t>(levels_at_[level + 1].first_leaf.size()));
      }
      if (level > 0) {
        here.parent.push_back(
            static_cast<std::uint32_t>(levels_at_[level - 1].first_leaf.size() - 1));
      }
      here.first_leaf.push_back(rank);
    }
  }
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    levels_at_[level].first_leaf.push_back(static_cast<std::uint32_t>(order_.size()));
    if (level < lowest()) {
      // The next level has not got its end mark yet.
      levels_at_[level].first_child.push_back(
          static_cast<std::uint32_t>(levels_at_[level + 1].first_leaf.size()));
    }
  }
}

std::vector<std::string> Tree::values(std::size_t level, std::uint32_t domain) const {
  const std::vector<std::string>& path = leaf(first_leaf(level, domain)).path;
  return {path.begin(), path.begin() + static_cast<std::ptrdiff_t>(level) + 1};
}

std::vector<std::string> Tree::assignment_values(std::uint32_t rank) const {
  const std::vector<std::string>& path = leaf(rank).path;
  return by_host() ? std::vector<std::string>{path.back()} : path;
}

std::vector<std::string> Tree::assignment_levels() const {
  return by_host() ? std::vector<std::string>{levels_.back()} : levels_;
}

std::uint32_t Tree::find_leaf(const std::vector<std::string>& assignment_values) const {
  const auto found = leaf_of_.find(key_of(assignment_values));
  if (found == leaf_of_.end() || leaves_[found->second].members.empty()) return kNone;
  return leaves_[found->second].rank;
}

std::uint32_t Tree::ancestor(std::size_t level, std::uint32_t leaf) const {
  const std::vector<std::uint32_t>& first = levels_at_[level].first_leaf;
  const auto after = std::upper_bound(first.begin(), first.end() - 1, leaf);
  return static_cast<std::uint32_t>(after - first.begin()) - 1;
}

// --- usage ---

Amounts Tree::amounts(const ResourceList& requests) {
  Amounts amounts;
  bool pods = false;
  const auto put = [&](std::string_view name, std::int64_t amount) {
    if (amount > 0) amounts.push_back({resource(name), amount});
  };
  for (const auto& [name, amount] : requests) {
    if (!pods && name >= "pods") {
      put("pods", 1);
      pods = true;
    }
    if (name != "pods") put(name, amount.base_units());
  }
  if (!pods) put("pods", 1);
  return amounts;
}

void Tree::charge(Journal& journal, const std::vector<std::string>& values, const Amounts& pod,
                  std::int64_t count) {
  const std::uint32_t leaf = leaf_slot(key_of(values));
  for (const auto& [resource, amount] : pod) {
    Column& column = used_[resource];
    const Quantity sum = Quantity{column[leaf]} + Quantity{amount} * count;
    column.set(journal, leaf, sum.base_units());
  }
}

void Tree::clear_usage() {
  for (Column& column : used_) {
    for (std::size_t leaf = 0; leaf < column.size(); ++leaf) column.restore(leaf, 0);
  }
}

std::int64_t Tree::used(const std::vector<std::string>& values, std::string_view name) const {
  const auto found = leaf_of_.find(key_of(values));
  const auto resource = resources_.find(name);
  if (found == leaf_of_.end() || !resource) return 0;
  return used_[resource.slot][found->second];
}

}  // namespace quorate::topology
