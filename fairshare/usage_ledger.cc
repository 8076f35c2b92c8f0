#include "fairshare/usage_ledger.h"

#include <algorithm>
#include <utility>

namespace quorate::fairshare {
namespace {

void add(ExactAmounts& sum, const ExactAmounts& more) {
  for (const auto& [resource, amount] : more) {
    ExactQuantity& at = sum[resource];
    at = at + amount;
  }
}

ExactAmounts parts_of(const ExactAmounts& amounts, DecimalFraction fraction) {
  ExactAmounts parts;
  for (const auto& [resource, amount] : amounts) {
    if (const ExactQuantity part = part_of(amount, fraction); part != ExactQuantity{}) {
      parts[resource] = part;
    }
  }
  return parts;
}

}  // namespace

Int128 RecentUsage::billionths() const {
  if (is_infinite()) return Wide256::most().narrow();
  return (amount_ / static_cast<std::uint64_t>(weight_)).narrow();
}

std::strong_ordering operator<=>(const RecentUsage& a, const RecentUsage& b) {
  if (a.is_infinite() || b.is_infinite()) return a.is_infinite() <=> b.is_infinite();
  if (a.weight_ == b.weight_) return a.amount_ <=> b.amount_;
  return a.amount_ * static_cast<std::uint64_t>(b.weight_) <=>
         b.amount_ * static_cast<std::uint64_t>(a.weight_);
}

void UsageLedger::open(const ExactAmounts& consumed, Time now) {
  if (std::exchange(open_, true)) return;
  add(consumed_, consumed);
  updated_ = std::max(updated_.value_or(now), now);
}

void UsageLedger::expect(const std::string& workload, ExactAmounts penalty) {
  penalties_[workload] = std::move(penalty);
}

bool UsageLedger::drop(const std::string& workload) { return penalties_.erase(workload) > 0; }

bool UsageLedger::settle(const std::string& workload, const ExactAmounts& admitted,
                         Duration half_life, Time now) {
  const auto found = penalties_.find(workload);
  if (found == penalties_.end()) return false;
  refresh(admitted, half_life, now);
  add(consumed_, found->second);
  penalties_.erase(found);
  return true;
}

bool UsageLedger::refresh(const ExactAmounts& admitted, Duration half_life, Time now) {
  const Duration elapsed = updated_ ? now - *updated_ : Duration{};
  updated_ = std::max(updated_.value_or(now), now);
  ExactAmounts sum;
  if (half_life.nanos > 0) {
    const Decay shares = decay(elapsed, half_life);
    sum = parts_of(consumed_, shares.kept);
    add(sum, parts_of(admitted, shares.fresh));
  }
  if (sum == consumed_) return false;
  consumed_ = std::move(sum);
  return true;
}

RecentUsage UsageLedger::usage(const ResourceWeights& weights, std::int64_t weight) const {
  Wide256 sum;
  const auto count = [&](const ExactAmounts& amounts) {
    for (const auto& [resource, amount] : amounts) {
      const auto found = weights.find(resource);
      const std::int64_t of = found == weights.end() ? kWeightOne : found->second;
      sum = sum + Wide256(amount.billionths()) *
                      static_cast<std::uint64_t>(std::max<std::int64_t>(of, 0));
    }
  };
  count(consumed_);
  for (const auto& [workload, penalty] : penalties_) count(penalty);
  return {sum, weight};
}

ExactAmounts penalty_of(const ExactAmounts& requests, Duration sampling_interval,
                        Duration half_life) {
  return parts_of(requests, decay(sampling_interval, half_life).fresh);
}

}  // namespace quorate::fairshare
