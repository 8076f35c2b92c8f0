#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "fairshare/decay.h"
#include "fairshare/share.h"
#include "fairshare/wide256.h"
#include "src/base/exact_quantity.h"
#include "src/base/time.h"

namespace quorate::fairshare {

// What a LocalQueue used of late, weighted: an exact fraction amount / weight. Infinite where the
// LocalQueue has no weight: it goes last.
class RecentUsage {
 public:
  RecentUsage() = default;
  // `amount` in billionths of billionths; `weight` in billionths, infinite if not positive.
  RecentUsage(const Wide256& amount, std::int64_t weight) : amount_(amount), weight_(weight) {}

  bool is_infinite() const { return weight_ <= 0; }
  // In billionths, rounded down; the largest number where it is infinite or beyond.
  Int128 billionths() const;

  friend std::strong_ordering operator<=>(const RecentUsage& a, const RecentUsage& b);
  friend bool operator==(const RecentUsage& a, const RecentUsage& b) { return (a <=> b) == 0; }

 private:
  Wide256 amount_;
  std::int64_t weight_ = kWeightOne;
};

using ResourceWeights = std::map<std::string, std::int64_t>;  // in billionths; 1 where not named

// The account of one LocalQueue for admission fair sharing: what it consumed, halved every
// half-life, and the penalties of workloads that got quota but are not counted as admitted yet.
//
// consumed := kept(t) * consumed + fresh(t) * admitted, with t since the last such update. The last
// update never moves back.
class UsageLedger {
 public:
  // The account opens with what the status says was consumed before, added to what may have been
  // settled already. Later calls change nothing.
  void open(const ExactAmounts& consumed, Time now);
  bool is_open() const { return open_; }

  // What a workload that just got quota counts until it is admitted; replaces an older entry.
  void expect(const std::string& workload, ExactAmounts penalty);
  // True if there was an entry.
  bool drop(const std::string& workload);
  bool has_penalties() const { return !penalties_.empty(); }
  bool expects(const std::string& workload) const { return penalties_.contains(workload); }

  // The workload is admitted: the account is brought up to now and its penalty becomes part of what
  // is consumed. Nothing happens if it is not expected.
  bool settle(const std::string& workload, const ExactAmounts& admitted, Duration half_life,
              Time now);
  // Brings the account up to now. True if what is consumed changed.
  bool refresh(const ExactAmounts& admitted, Duration half_life, Time now);

  const ExactAmounts& consumed() const { return consumed_; }
  std::optional<Time> updated() const { return updated_; }
  RecentUsage usage(const ResourceWeights& weights, std::int64_t weight) const;

  friend bool operator==(const UsageLedger&, const UsageLedger&) = default;

 private:
  bool open_ = false;
  ExactAmounts consumed_;
  std::optional<Time> updated_;
  std::map<std::string, ExactAmounts> penalties_;
};

// The penalty of a workload with these requests: what it would add in one sampling interval.
ExactAmounts penalty_of(const ExactAmounts& requests, Duration sampling_interval,
                        Duration half_life);

}  // namespace quorate::fairshare
