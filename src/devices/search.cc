#include "src/devices/search.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "src/devices/preference.h"

namespace quorate::devices {
namespace {

constexpr std::int64_t kLimit = dra::kMostResults;

using Amounts = std::vector<std::pair<std::uint32_t, ExactQuantity>>;

// --- capacity (KEP-5075) ---

// The smallest min + n * step that is not below `wanted`.
ExactQuantity up_to_step(ExactQuantity wanted, const dra::CapacityPolicy::Range& range) {
  if (wanted < range.min) return range.min;
  if (!range.step || range.step->billionths() <= 0) return wanted;
  const Int128 step = range.step->billionths();
  const Int128 above = wanted.billionths() - range.min.billionths();
  return ExactQuantity{range.min.billionths() + (above + step - 1) / step * step};
}

// What an allocation that asks for `wanted` takes of a capacity; nullopt: the policy forbids it.
std::optional<ExactQuantity> consumption(const dra::Capacity& capacity,
                                         const ExactQuantity* wanted) {
  const auto& policy = capacity.policy;
  if (wanted == nullptr) {
    return policy && policy->fallback ? *policy->fallback : capacity.value;
  }
  if (!policy) return *wanted;
  if (policy->fallback && *policy->fallback == *wanted) return *wanted;
  if (policy->valid_range) {
    const ExactQuantity taken = up_to_step(*wanted, *policy->valid_range);
    if (policy->valid_range->max && taken > *policy->valid_range->max) return std::nullopt;
    return taken;
  }
  if (!policy->valid_values.empty()) {
    const auto value =
        std::ranges::find_if(policy->valid_values, [&](ExactQuantity v) { return v >= *wanted; });
    if (value == policy->valid_values.end()) return std::nullopt;
    return *value;
  }
  return *wanted;
}

bool tolerated(const std::vector<Toleration>& tolerations, const Taint& taint) {
  return std::ranges::any_of(tolerations, [&](const Toleration& each) {
    if (!each.effect.empty() && each.effect != taint.effect) return false;
    if (!each.key.empty() && each.key != taint.key) return false;
    if (each.op == "Exists") return true;
    return (each.op.empty() || each.op == "Equal") && each.value == taint.value;
  });
}

// How a branch of the search ended.
enum class End : std::uint8_t { Found, Dead, Stopped };

class Search {
 public:
  explicit Search(const SearchInput& input) : in_(input), picks_(input.devices.devices.size(), 0) {
    for (const PoolOnNode& pool : in_.devices.pools) {
      left_.push_back(pool.totals.empty() ? std::vector<Int128>{}
                                          : counters_left(pool, in_.ledger));
    }
  }

  SearchResult run() {
    for (const ClaimToPlace& claim : in_.claims) {
      if (!claim.shape->fault.empty()) {
        fail("claim " + std::string(claim.name) + ", " + claim.shape->fault);
        return finish(End::Stopped);
      }
    }
    return finish(claim_at(0));
  }

 private:
  SearchResult finish(End end) {
    using Outcome = SearchResult::Outcome;
    result_.work = work_;
    if (end == End::Found) {
      result_.outcome = Outcome::Placed;
      result_.chosen = std::move(chosen_);
      std::ranges::stable_sort(result_.chosen, [](const Chosen& a, const Chosen& b) {
        return std::tie(a.claim, a.request, a.candidate) <
               std::tie(b.claim, b.request, b.candidate);
      });
    } else if (!result_.message.empty()) {
      result_.outcome = Outcome::Failed;
    } else {
      result_.outcome = end == End::Dead ? Outcome::Impossible : Outcome::BudgetEnded;
    }
    return std::move(result_);
  }

  End fail(std::string message) {
    result_.message = std::move(message);
    return End::Stopped;
  }
  std::string name_of(std::uint32_t claim) const {
    return "claim " + std::string(in_.claims[claim].name);
  }

  End claim_at(std::uint32_t claim) {
    if (claim == in_.claims.size()) return End::Found;
    const std::size_t outer = claim_begin_;
    claim_begin_ = chosen_.size();
    const End end = request_at(claim, 0);
    claim_begin_ = outer;
    return end;
  }

  End request_at(std::uint32_t claim, std::uint32_t request) {
    const Shape& shape = *in_.claims[claim].shape;
    if (request == shape.requests.size()) return claim_at(claim + 1);
    const std::size_t begin = request_begin_;
    request_begin_ = chosen_.size();
    for (std::uint32_t way = 0; way < shape.requests[request].size(); ++way) {
      const End end = alternative_at({claim, request, way}, shape.requests[request][way]);
      if (end == End::Dead) continue;
      request_begin_ = begin;
      return end;
    }
    request_begin_ = begin;
    return End::Dead;
  }

  struct At {
    std::uint32_t claim, request, alternative;
  };

  End alternative_at(At at, const CompiledAlternative& way) {
    if (const std::string& fault = in_.tables.fault(in_.keys, way.table); !fault.empty()) {
      return fail(name_of(at.claim) + ": " + fault);
    }
    const auto in_claim = static_cast<std::int64_t>(chosen_.size() - claim_begin_);
    if (way.spec->mode == "All") {
      std::vector<std::uint32_t> list;
      if (const End end = all_of(at, way, list); end != End::Found) return end;
      if (in_claim + static_cast<std::int64_t>(list.size()) > kLimit) {
        // Nothing but alternatives can help: the list is what it is.
        if (in_claim > 0 && at.alternative + 1 < alternatives(at)) return End::Dead;
        return fail(name_of(at.claim) + ", request " + way.request + ": adding " +
                    std::to_string(list.size()) + " devices exceeds the claim limit of " +
                    std::to_string(kLimit) + ", with " + std::to_string(in_claim) +
                    " already accounted for");
      }
      return listed_at(at, way, list, 0);
    }
    if (in_claim + way.spec->count > kLimit) return End::Dead;
    return device_at(at, way, candidates(way), 0, 0);
  }

  std::size_t alternatives(At at) const {
    return in_.claims[at.claim].shape->requests[at.request].size();
  }

  // --- All ---

  End all_of(At at, const CompiledAlternative& way, std::vector<std::uint32_t>& list) {
    const NodeDevices& devices = in_.devices;
    const std::string where = name_of(at.claim) + ", request " + way.request;
    if (!devices.incomplete.empty()) {
      return fail(where + ": asks for all devices, but resource pool " + devices.incomplete +
                  " is currently being updated");
    }
    if (!devices.invalid.empty()) {
      return fail(where + ": asks for all devices, but resource pool " + devices.invalid +
                  " is invalid");
    }
    for (std::uint32_t i = 0; i < devices.devices.size(); ++i) {
      const Candidate& candidate = devices.devices[i];
      ++work_;
      switch (in_.tables.match(in_.keys, way.table, *candidate.slice, *candidate.published)) {
        case Match::Failed:
          return fail(name_of(at.claim) + ": " +
                      in_.tables.failure(way.table, candidate.published->entry));
        case Match::Yes: {
          Amounts ignored;
          if (capacity_fits(candidate, i, way, true, ignored)) list.push_back(i);
          break;
        }
        case Match::No:
        case Match::Unknown:
          break;
      }
    }
    if (!list.empty()) return End::Found;
    stuck(at, way, 0, 1);
    return End::Dead;
  }

  End listed_at(At at, const CompiledAlternative& way, const std::vector<std::uint32_t>& list,
                std::size_t k) {
    if (k == list.size()) return request_at(at.claim, at.request + 1);
    if (++work_ > in_.budget) return End::Stopped;
    Chosen pick{at.claim, at.request, at.alternative, list[k], false, {}};
    const std::optional<Refusal> refusal = usable(way, list[k], pick);
    if (refusal == Refusal::Constraint) {
      return fail(name_of(at.claim) + ", request " + way.request + ": cannot add device " +
                  text_of(list[k]) + " because a claim constraint would not be satisfied");
    }
    if (refusal) {
      stuck(at, way, static_cast<std::int64_t>(k), static_cast<std::int64_t>(list.size()));
      return End::Dead;
    }
    take(pick);
    const End end = listed_at(at, way, list, k + 1);
    if (end != End::Found) undo();
    return end;
  }

  // --- ExactCount ---

  // Devices that the class and the selectors choose (or fail on), in the order to try them.
  const std::vector<std::uint32_t>& candidates(const CompiledAlternative& way) {
    const auto [known, added] = orders_.try_emplace(&way);
    std::vector<std::uint32_t>& order = known->second;
    if (!added) return order;
    bool failed = false;
    for (std::uint32_t i = 0; i < in_.devices.devices.size(); ++i) {
      const Candidate& candidate = in_.devices.devices[i];
      // A device in use is not looked at, and so its selectors cannot fail.
      if (in_use(candidate, way)) continue;
      ++work_;
      const Match match =
          in_.tables.match(in_.keys, way.table, *candidate.slice, *candidate.published);
      if (match == Match::No) continue;
      failed = failed || match == Match::Failed;
      order.push_back(i);
    }
    // Where a selector fails the outcome depends on the order: it is the listed one.
    if (!failed && in_.order == Order::LeastRemainder) {
      order_by_remainder(in_.devices, in_.ledger, way.spec->count, order);
    }
    return order;
  }

  End device_at(At at, const CompiledAlternative& way, const std::vector<std::uint32_t>& order,
                std::int64_t k, std::size_t from) {
    if (k == way.spec->count) return request_at(at.claim, at.request + 1);
    const auto left = static_cast<std::int64_t>(order.size() - from);
    if (left < way.spec->count - k) {
      stuck(at, way, k, way.spec->count);
      return End::Dead;
    }
    std::vector<std::uint32_t> tried;  // here, in vain
    bool any = false;
    for (std::size_t p = from; p < order.size(); ++p) {
      if (++work_ > in_.budget) return End::Stopped;
      const Candidate& candidate = in_.devices.devices[order[p]];
      Chosen pick{at.claim, at.request, at.alternative, order[p], false, {}};
      if (!picked(way, order[p]) && in_.tables.match(in_.keys, way.table, *candidate.slice,
                                                     *candidate.published) == Match::Failed) {
        return fail(name_of(at.claim) + ": " +
                    in_.tables.failure(way.table, candidate.published->entry));
      }
      if (usable(way, order[p], pick)) continue;
      any = true;
      if (std::ranges::any_of(tried, [&](std::uint32_t t) { return same(t, order[p]); })) continue;
      take(pick);
      const End end = device_at(at, way, order, k + 1, p + 1);
      if (end != End::Dead) {
        if (end == End::Stopped) undo();
        return end;
      }
      undo();
      tried.push_back(order[p]);
    }
    if (!any) stuck(at, way, k, way.spec->count);
    return End::Dead;
  }

  // --- one candidate ---

  bool in_use(const Candidate& candidate, const CompiledAlternative& way) const {
    if (way.spec->admin_access) return false;
    const std::uint32_t device = candidate.published->device;
    if (in_.ledger.exclusive(device) > 0) return true;
    return in_.ledger.shares(device) > 0 && !candidate.spec().allow_multiple;
  }

  // Chosen before in this attempt, so that the request cannot have it too.
  bool picked(const CompiledAlternative& way, std::uint32_t index) const {
    if (picks_[index] == 0) return false;
    const bool shared = in_.devices.devices[index].spec().allow_multiple;
    if (!way.spec->admin_access && !shared) return true;
    // A shared device serves several requests, each once; admin access has it once in a claim.
    const std::size_t begin = way.spec->admin_access ? claim_begin_ : request_begin_;
    for (std::size_t i = begin; i < chosen_.size(); ++i) {
      if (chosen_[i].candidate == index) return true;
    }
    return false;
  }

  // nullopt: it will do, and `pick` says what it takes.
  std::optional<Refusal> usable(const CompiledAlternative& way, std::uint32_t index, Chosen& pick) {
    const Candidate& candidate = in_.devices.devices[index];
    if (in_use(candidate, way) || picked(way, index)) return Refusal::InUse;
    if (!capacity_fits(candidate, index, way, false, pick.consumed)) return Refusal::Capacity;
    pick.shared = candidate.spec().allow_multiple;
    if (!pick.shared) pick.consumed.clear();
    if (!counters_fit(candidate, index)) return Refusal::Counters;
    for (const Taint& taint : candidate.published->taints) {
      if (!tolerated(way.spec->tolerations, taint)) return Refusal::Tainted;
    }
    for (const std::uint32_t constraint : way.constraints) {
      if (!holds(pick.claim, constraint, index)) return Refusal::Constraint;
    }
    return std::nullopt;
  }

  // `alone`: as if nobody used it.
  bool capacity_fits(const Candidate& candidate, std::uint32_t index,
                     const CompiledAlternative& way, bool alone, Amounts& consumed) const {
    const dra::Device& device = candidate.spec();
    for (const auto& [name, wanted] : way.spec->capacity) {
      if (!device.capacity.contains(name)) return false;
    }
    std::size_t i = 0;
    for (const auto& [name, capacity] : device.capacity) {
      const std::uint32_t id = candidate.published->capacities[i++];
      const auto wanted = way.spec->capacity.find(name);
      const bool asked = wanted != way.spec->capacity.end();
      if (!asked && !device.allow_multiple) continue;
      const auto taken = consumption(capacity, asked ? &wanted->second : nullptr);
      if (!taken) return false;
      ExactQuantity sum = *taken;
      if (device.allow_multiple && !alone) {
        sum = sum + in_.ledger.consumed(candidate.published->device, id);
        if (picks_[index] > 0) sum = sum + picked_capacity(index, id);
      }
      if (sum > capacity.value) return false;
      if (device.allow_multiple) consumed.emplace_back(id, *taken);
    }
    return true;
  }

  ExactQuantity picked_capacity(std::uint32_t index, std::uint32_t capacity) const {
    ExactQuantity sum;
    for (const Chosen& each : chosen_) {
      if (each.candidate != index) continue;
      for (const auto& [id, amount] : each.consumed) {
        if (id == capacity) sum = sum + amount;
      }
    }
    return sum;
  }

  bool charges_counters(const Candidate& candidate, std::uint32_t index) const {
    if (candidate.uses_begin == candidate.uses_end || picks_[index] > 0) return false;
    // A shared device is charged with its first share.
    return in_.ledger.shares(candidate.published->device) == 0;
  }

  bool counters_fit(const Candidate& candidate, std::uint32_t index) const {
    if (!charges_counters(candidate, index)) return true;
    const PoolOnNode& pool = in_.devices.pools[candidate.pool];
    for (std::uint32_t i = candidate.uses_begin; i < candidate.uses_end; ++i) {
      if (pool.uses[i].amount > left_[candidate.pool][pool.uses[i].counter]) return false;
    }
    return true;
  }

  // --- constraints ---

  struct Value {
    const Slice* slice;
    const AttributeCell* cell;
    std::span<const std::int64_t> values() const {
      return {slice->values.data() + cell->begin, slice->values.data() + cell->end};
    }
  };
  std::optional<Value> value_of(std::uint32_t index, std::uint32_t attribute) const {
    const Candidate& candidate = in_.devices.devices[index];
    const AttributeCell* cell = candidate.slice->find(*candidate.published, attribute);
    if (cell == nullptr) return std::nullopt;
    return Value{candidate.slice, cell};
  }

  bool covered(const Chosen& each, std::uint32_t constraint) const {
    const auto& way =
        in_.claims[each.claim].shape->requests[each.request][each.alternative].constraints;
    return std::ranges::find(way, constraint) != way.end();
  }

  bool holds(std::uint32_t claim, std::uint32_t constraint, std::uint32_t index) const {
    const CompiledConstraint& rule = in_.claims[claim].shape->constraints[constraint];
    const std::optional<Value> mine = value_of(index, rule.attribute);
    if (!mine) return false;
    std::vector<std::int64_t> common;  // of all matched so far, once there are lists
    for (std::size_t i = claim_begin_; i < chosen_.size(); ++i) {
      if (!covered(chosen_[i], constraint)) continue;
      const Value other = *value_of(chosen_[i].candidate, rule.attribute);
      const bool same_type = other.cell->type == mine->cell->type;
      if (rule.distinct) {
        if (same_type && intersect(*mine, other)) return false;
        continue;
      }
      if (!same_type) return false;
      if (!other.cell->list && !mine->cell->list) {
        if (other.values()[0] != mine->values()[0]) return false;
        if (common.empty()) continue;
      }
      if (common.empty()) common.assign(mine->values().begin(), mine->values().end());
      std::erase_if(common, [&](std::int64_t v) { return !std::ranges::count(other.values(), v); });
      if (common.empty()) return false;
    }
    return true;
  }

  static bool intersect(const Value& a, const Value& b) {
    return std::ranges::any_of(
        a.values(), [&](std::int64_t v) { return std::ranges::count(b.values(), v) > 0; });
  }

  // --- doing and undoing ---

  void take(Chosen& pick) {
    const Candidate& candidate = in_.devices.devices[pick.candidate];
    charged_.push_back(charges_counters(candidate, pick.candidate));
    if (charged_.back()) change_counters(candidate, -1);
    ++picks_[pick.candidate];
    chosen_.push_back(std::move(pick));
  }

  void undo() {
    const std::uint32_t index = chosen_.back().candidate;
    --picks_[index];
    chosen_.pop_back();
    if (charged_.back()) change_counters(in_.devices.devices[index], 1);
    charged_.pop_back();
  }

  void change_counters(const Candidate& candidate, int sign) {
    const PoolOnNode& pool = in_.devices.pools[candidate.pool];
    for (std::uint32_t i = candidate.uses_begin; i < candidate.uses_end; ++i) {
      left_[candidate.pool][pool.uses[i].counter] += sign * pool.uses[i].amount;
    }
  }

  // Nothing of the search can tell the two apart, apart from their names.
  bool same(std::uint32_t a, std::uint32_t b) const {
    const Candidate& left = in_.devices.devices[a];
    const Candidate& right = in_.devices.devices[b];
    if (left.uses_begin != left.uses_end || right.uses_begin != right.uses_end) return false;
    if (left.spec().allow_multiple || right.spec().allow_multiple) return false;
    if (picks_[a] != picks_[b] || left.published->taints != right.published->taints) return false;
    if (left.spec().capacity != right.spec().capacity) return false;
    for (const ClaimToPlace& claim : in_.claims) {
      for (const CompiledConstraint& rule : claim.shape->constraints) {
        if (!same_value(value_of(a, rule.attribute), value_of(b, rule.attribute))) return false;
      }
      for (const auto& ways : claim.shape->requests) {
        for (const CompiledAlternative& way : ways) {
          if (in_use(left, way) != in_use(right, way)) return false;
          if (in_.tables.match(in_.keys, way.table, *left.slice, *left.published) !=
              in_.tables.match(in_.keys, way.table, *right.slice, *right.published)) {
            return false;
          }
        }
      }
    }
    return true;
  }
  static bool same_value(const std::optional<Value>& a, const std::optional<Value>& b) {
    if (!a || !b) return !a && !b;
    return a->cell->type == b->cell->type && std::ranges::equal(a->values(), b->values());
  }

  // --- why not ---

  std::string text_of(std::uint32_t index) const {
    return in_.ledger.name(in_.devices.devices[index].published->device).text();
  }

  // The search cannot go on at this request with what was chosen so far.
  void stuck(At at, const CompiledAlternative& way, std::int64_t have, std::int64_t need) {
    if (!in_.explain || (deepest_ && *deepest_ >= chosen_.size())) return;
    deepest_ = chosen_.size();
    Shortfall& why = result_.shortfall;
    why = {std::string(in_.claims[at.claim].name), way.request, have, need, {}, ""};
    for (std::uint32_t i = 0; i < in_.devices.devices.size(); ++i) {
      const Candidate& candidate = in_.devices.devices[i];
      bool own = false;
      for (std::size_t c = request_begin_; c < chosen_.size(); ++c) {
        own = own || chosen_[c].candidate == i;
      }
      if (own) continue;
      if (in_.tables.match(in_.keys, way.table, *candidate.slice, *candidate.published) !=
          Match::Yes) {
        ++why.refused[Refusal::NotSelected];
        continue;
      }
      Chosen pick{at.claim, at.request, at.alternative, i, false, {}};
      const std::optional<Refusal> refusal = usable(way, i, pick);
      if (!refusal) continue;
      ++why.refused[*refusal];
      if (*refusal != Refusal::Constraint || !why.constraint.empty()) continue;
      for (const std::uint32_t constraint : way.constraints) {
        if (holds(at.claim, constraint, i)) continue;
        const CompiledConstraint& rule = in_.claims[at.claim].shape->constraints[constraint];
        why.constraint = std::string(rule.distinct ? "distinctAttribute " : "matchAttribute ") +
                         in_.texts.name({rule.attribute, 0});
        break;
      }
    }
  }

  const SearchInput& in_;
  SearchResult result_;
  std::int64_t work_ = 0;
  std::vector<Chosen> chosen_;
  std::vector<bool> charged_;              // by chosen: whether it took counters
  std::vector<std::uint32_t> picks_;       // by candidate
  std::vector<std::vector<Int128>> left_;  // by pool: counters
  std::size_t claim_begin_ = 0;            // into chosen_
  std::size_t request_begin_ = 0;
  std::unordered_map<const CompiledAlternative*, std::vector<std::uint32_t>> orders_;
  std::optional<std::size_t> deepest_;
};

std::string_view text_of(Refusal refusal) {
  switch (refusal) {
    case Refusal::NotSelected:
      return "not selected";
    case Refusal::InUse:
      return "in use";
    case Refusal::Capacity:
      return "without the capacity";
    case Refusal::Counters:
      return "without the counters";
    case Refusal::Tainted:
      return "tainted";
    case Refusal::Constraint:
      return "against ";
  }
  return "";
}

}  // namespace

std::string Shortfall::text() const {
  if (request.empty()) return "";
  std::string out = "claim " + claim + ", request " + request + ": " + std::to_string(have) +
                    " of " + std::to_string(need) + " devices";
  std::string_view separator = "; others: ";
  for (const auto& [refusal, count] : refused) {
    out += separator;
    out += std::to_string(count) + " " + std::string(text_of(refusal));
    if (refusal == Refusal::Constraint) out += constraint;
    separator = ", ";
  }
  return out;
}

SearchResult search(const SearchInput& input) { return Search(input).run(); }

}  // namespace quorate::devices
