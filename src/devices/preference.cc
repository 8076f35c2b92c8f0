#include "src/devices/preference.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace quorate::devices {
namespace {

constexpr std::size_t kLevels = std::tuple_size_v<decltype(Candidate::groups)>;

struct Rank {
  bool late = false;
  std::uint32_t kind = 0;
  bool untouched = false;
  bool breaks_parent = false;
  std::int64_t lost = 0;  // size of the partitions that become impossible
  // By level: whether the group is too small, its room (negative if too small), its first device.
  std::array<std::tuple<bool, std::int64_t, std::uint32_t>, kLevels> groups{};
  std::uint32_t position = 0;

  auto key() const {
    return std::tie(late, kind, untouched, breaks_parent, lost, groups, position);
  }
};

// A device's share of its pool's counters, in thousandths, summed over counters.
std::int64_t size_of(const PoolOnNode& pool, std::uint32_t begin, std::uint32_t end) {
  std::int64_t size = 0;
  for (std::uint32_t i = begin; i < end; ++i) {
    const Int128 total = pool.totals[pool.uses[i].counter];
    if (total > 0) size += static_cast<std::int64_t>(pool.uses[i].amount * 1000 / total);
  }
  return size;
}

class Partitions {
 public:
  Partitions(const PoolOnNode& pool, const Ledger& ledger)
      : pool_(&pool), left_(counters_left(pool, ledger)) {
    for (std::uint32_t c = 0; c < pool.consumers.size(); ++c) {
      const PoolOnNode::Consumer& consumer = pool.consumers[c];
      const bool possible = !ledger.allocated(consumer.device) && fits(consumer, {});
      if (possible) possible_[parent_of(consumer.uses_begin)].push_back(c);
    }
  }

  void rate(const Candidate& candidate, Rank& rank) const {
    bool intact = true;
    bool all = true;
    for (std::uint32_t i = candidate.uses_begin; i < candidate.uses_end; ++i) {
      const CounterUse& use = pool_->uses[i];
      if (use.amount == 0) continue;
      intact = intact && left_[use.counter] == pool_->totals[use.counter];
      all = all && use.amount == pool_->totals[use.counter];
    }
    rank.breaks_parent = intact && !all;
    const auto others = possible_.find(parent_of(candidate.uses_begin));
    if (others == possible_.end()) return;
    for (const std::uint32_t c : others->second) {
      const PoolOnNode::Consumer& other = pool_->consumers[c];
      if (other.device == candidate.published->device || fits(other, candidate)) continue;
      rank.lost += size_of(*pool_, other.uses_begin, other.uses_end);
    }
  }

 private:
  // Partitions of one parent draw on its counter set.
  std::uint32_t parent_of(std::uint32_t use) const {
    return pool_->set_of[pool_->uses[use].counter];
  }
  // Would the consumer fit beside the candidate?
  bool fits(const PoolOnNode::Consumer& consumer, const Candidate& candidate) const {
    for (std::uint32_t i = consumer.uses_begin; i < consumer.uses_end; ++i) {
      Int128 left = left_[pool_->uses[i].counter];
      for (std::uint32_t j = candidate.uses_begin; j < candidate.uses_end; ++j) {
        if (pool_->uses[j].counter == pool_->uses[i].counter) left -= pool_->uses[j].amount;
      }
      if (pool_->uses[i].amount > left) return false;
    }
    return true;
  }

  const PoolOnNode* pool_;
  std::vector<Int128> left_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> possible_;  // by parent
};

void rank_groups(const NodeDevices& devices, std::int64_t count, std::vector<Rank>& ranks) {
  struct Group {
    std::int64_t room = 0;
    std::uint32_t first = 0;
  };
  // By pool kind and value: groups of different kinds of device are not compared.
  std::array<std::map<std::pair<std::uint32_t, std::uint64_t>, Group>, kLevels> groups;
  for (const Rank& rank : ranks) {
    const Candidate& candidate = devices.devices[rank.position];
    for (std::size_t level = 0; level < kLevels; ++level) {
      if (candidate.groups[level] == 0) continue;
      const auto [group, added] =
          groups[level].try_emplace({rank.kind, candidate.groups[level]}, Group{0, rank.position});
      ++group->second.room;
    }
  }
  for (Rank& rank : ranks) {
    const Candidate& candidate = devices.devices[rank.position];
    for (std::size_t level = 0; level < kLevels; ++level) {
      if (candidate.groups[level] == 0) continue;
      const Group& group = groups[level].at({rank.kind, candidate.groups[level]});
      const bool small = group.room < count;
      rank.groups[level] = {small, small ? -group.room : group.room, group.first};
    }
  }
}

}  // namespace

std::vector<Int128> counters_left(const PoolOnNode& pool, const Ledger& ledger) {
  std::vector<Int128> left = pool.totals;
  for (const PoolOnNode::Consumer& consumer : pool.consumers) {
    if (!ledger.allocated(consumer.device)) continue;
    for (std::uint32_t i = consumer.uses_begin; i < consumer.uses_end; ++i) {
      left[pool.uses[i].counter] -= pool.uses[i].amount;
    }
  }
  return left;
}

void order_by_remainder(const NodeDevices& devices, const Ledger& ledger, std::int64_t count,
                        std::vector<std::uint32_t>& candidates) {
  if (candidates.size() < 2) return;
  std::vector<Rank> ranks;
  ranks.reserve(candidates.size());
  std::map<std::int64_t, std::uint32_t> kinds;     // by size, in the order of the list
  std::map<std::uint32_t, Partitions> partitions;  // by pool
  bool grouped = false;
  for (const std::uint32_t position : candidates) {
    const Candidate& candidate = devices.devices[position];
    Rank& rank = ranks.emplace_back();
    rank.position = position;
    rank.late = devices.pools[candidate.pool].late;
    rank.untouched =
        candidate.spec().allow_multiple && ledger.shares(candidate.published->device) == 0;
    for (const std::uint64_t group : candidate.groups) grouped = grouped || group != 0;
    const PoolOnNode& pool = devices.pools[candidate.pool];
    const bool partition = candidate.uses_begin != candidate.uses_end;
    const std::int64_t size =
        partition ? size_of(pool, candidate.uses_begin, candidate.uses_end) : -1;
    rank.kind = kinds.try_emplace(size, static_cast<std::uint32_t>(kinds.size())).first->second;
    if (!partition) continue;
    partitions.try_emplace(candidate.pool, pool, ledger).first->second.rate(candidate, rank);
  }
  if (grouped) rank_groups(devices, count, ranks);
  std::ranges::sort(ranks, [](const Rank& a, const Rank& b) { return a.key() < b.key(); });
  for (std::size_t i = 0; i < ranks.size(); ++i) candidates[i] = ranks[i].position;
}

}  // namespace quorate::devices
