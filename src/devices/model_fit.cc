// What would fit where.

#include <algorithm>

#include "src/devices/model.h"
#include "src/devices/preference.h"

namespace quorate::devices {
namespace {

constexpr std::size_t kVerdictsPerNode = 8;
constexpr std::string_view kExtendedName = "<extended-resources>";

}  // namespace

Model::OnNode& Model::on_node(const cluster::Model& cluster, cluster::NodeId node) const {
  if (node.slot >= nodes_.size()) nodes_.resize(node.slot + 1);
  OnNode& here = nodes_[node.slot];
  const cluster::NodeSpec& spec = *cluster.node(node).spec;
  if (here.valid && here.node == node && here.spec == &spec) return here;
  std::vector<std::shared_ptr<const Pool>> pools;
  if (const auto named = pools_of_node_.find(spec.name); named != pools_of_node_.end()) {
    for (const PoolName& name : named->second) pools.push_back(pools_.at(name));
  }
  for (const PoolName& name : wide_pools_) {
    const auto& pool = pools_.at(name);
    // One that has slices of the node as well is there already.
    if (!pool->nodes.contains(spec.name)) pools.push_back(pool);
  }
  here = {};
  here.node = node;
  here.spec = &spec;
  here.devices = quorate::devices::devices_on(spec, pools, texts_);
  here.valid = true;
  return here;
}

const NodeDevices& Model::devices_of(const cluster::Model& cluster, cluster::NodeId node) const {
  return on_node(cluster, node).devices;
}

SearchInput Model::input(const NodeDevices& devices, std::span<const ClaimToPlace> claims,
                         Order order) const {
  return {.devices = devices,
          .ledger = ledger_,
          .tables = tables_,
          .keys = shapes_.tables(),
          .texts = texts_,
          .claims = claims,
          .order = order};
}

Model::ToAllocate Model::to_allocate(const cluster::Model& cluster, cluster::NodeId node,
                                     const PodClaims& claims, bool own_only) const {
  ToAllocate todo;
  for (const PodClaims::Use& use : claims.uses) {
    if (own_only && !use.own) continue;
    if (!use.own && use.id) {
      const Claim* claim = claims_.find(use.id);
      if (claim != nullptr && claim->allocation() != nullptr) continue;
    }
    todo.claims.push_back({use.shape.get(), use.name});
    todo.uses.push_back(&use);
  }
  std::vector<ExtendedRequest> served;
  for (const ExtendedRequest& request : claims.extended) {
    const cluster::ResourceId resource = cluster.resources().find(request.resource);
    if (resource && cluster.allocatable(node, resource.slot) > 0) continue;  // by a device plugin
    served.push_back(request);
  }
  if (!served.empty()) {
    todo.extended = extended_shape(served);
    todo.claims.push_back({todo.extended.get(), kExtendedName});
  }
  return todo;
}

std::optional<Verdict> Model::not_here(const cluster::Model& cluster, cluster::NodeId node,
                                       const PodClaims& claims) const {
  const cluster::NodeSpec& spec = *cluster.node(node).spec;
  for (const PodClaims::Use& use : claims.uses) {
    const Claim* claim = use.id ? claims_.find(use.id) : nullptr;
    const dra::Allocation* allocation = claim == nullptr ? nullptr : claim->allocation();
    if (allocation == nullptr) continue;
    if (allocation->node_selector && !selects(*allocation->node_selector, spec)) {
      return Verdict{Verdict::Kind::NotHere, ""};
    }
    for (const dra::DeviceCondition& condition : claim->seen->status.conditions) {
      if (!condition.is_true) continue;
      const bool failed =
          std::ranges::any_of(allocation->devices, [&](const dra::AllocatedDevice& each) {
            return each.device == condition.device && each.share_id == condition.share_id &&
                   std::ranges::count(each.binding_failure_conditions, condition.type) > 0;
          });
      if (failed) return Verdict{Verdict::Kind::NotHere, ""};
    }
  }
  return std::nullopt;
}

std::vector<std::size_t> Model::entries_on(cluster::NodeId node) const {
  std::vector<std::size_t> entries;
  for (std::size_t i = 0; i < trial_.size(); ++i) {
    if (trial_[i].node == node) entries.push_back(i);
  }
  return entries;
}

// What the entries got in the trial for themselves, to be chosen again; what they share stays.
std::vector<Model::ToAllocate> Model::of_entries(const std::vector<std::size_t>& entries) const {
  std::vector<ToAllocate> all;
  for (const std::size_t i : entries) {
    const TrialEntry& entry = trial_[i];
    ToAllocate& todo = all.emplace_back();
    for (const ClaimDecision& decision : entry.devices->claims) {
      if (decision.allocated == nullptr || !decision.own) continue;
      if (decision.extended != nullptr) {
        todo.extended = decision.extended;
        continue;
      }
      const auto use = std::ranges::find_if(entry.claims->uses, [&](const PodClaims::Use& each) {
        return each.id == decision.id && each.own == decision.own &&
               std::ranges::find(todo.uses, &each) == todo.uses.end();
      });
      todo.claims.push_back({use->shape.get(), use->name});
      todo.uses.push_back(&*use);
    }
    if (todo.extended != nullptr) todo.claims.push_back({todo.extended.get(), kExtendedName});
  }
  return all;
}

SearchResult Model::search_together(const NodeDevices& devices, const std::vector<ToAllocate>& pods,
                                    const std::vector<std::size_t>& entries, Order order,
                                    bool explain) const {
  std::vector<ClaimToPlace> claims;
  for (const ToAllocate& pod : pods) {
    claims.insert(claims.end(), pod.claims.begin(), pod.claims.end());
  }
  Journal scratch;
  Transaction meanwhile(scratch);
  for (const std::size_t i : entries) {
    for (const ClaimDecision& each : trial_[i].devices->claims) {
      if (each.allocated == nullptr || !each.own) continue;
      for (const DeviceUse& use : each.allocated->uses) ledger_.give_back(scratch, use);
    }
  }
  SearchInput with = input(devices, claims, order);
  with.explain = explain;
  return search(with);
}

Verdict Model::judge(const cluster::Model& cluster, cluster::NodeId node, const PodClaims& claims,
                     std::int64_t& alternatives) const {
  if (auto verdict = not_here(cluster, node, claims)) return *verdict;
  std::vector<ToAllocate> pods;
  pods.push_back(to_allocate(cluster, node, claims));
  if (pods.front().claims.empty()) return {};
  const NodeDevices& devices = devices_of(cluster, node);
  SearchResult result = search_together(devices, pods, {}, Order::AsListed);
  if (result.outcome == SearchResult::Outcome::Placed) {
    for (const Chosen& each : result.chosen) {
      const Shape& shape = *pods.front().claims[each.claim].shape;
      if (!shape.spec.requests[each.request].first_available) continue;
      // Once per request.
      const bool first = &each == result.chosen.data() || (&each)[-1].claim != each.claim ||
                         (&each)[-1].request != each.request;
      if (first)
        alternatives += static_cast<std::int64_t>(dra::kMostAlternatives) - each.alternative;
    }
  } else if (result.outcome != SearchResult::Outcome::Failed) {
    const std::vector<std::size_t> entries = entries_on(node);
    if (!entries.empty()) {
      std::vector<ToAllocate> together = of_entries(entries);
      together.push_back(std::move(pods.front()));
      result = search_together(devices, together, entries, Order::AsListed);
    }
  }
  switch (result.outcome) {
    case SearchResult::Outcome::Placed:
      return {};
    case SearchResult::Outcome::Failed:
      return {Verdict::Kind::Failed, result.message};
    case SearchResult::Outcome::BudgetEnded:
      return {Verdict::Kind::TimedOut, ""};
    case SearchResult::Outcome::Impossible:
      return {devices.invalid.empty() ? Verdict::Kind::NoDevices : Verdict::Kind::InvalidPools, ""};
  }
  return {};
}

const Model::CachedVerdict& Model::verdict(const cluster::Model& cluster, cluster::NodeId node,
                                           const PodClaims& claims) const {
  OnNode& here = on_node(cluster, node);
  const std::uint64_t version = versions_.of(node.slot);
  CachedVerdict* slot = nullptr;
  for (CachedVerdict& each : here.verdicts) {
    if (each.claims != claims.id) continue;
    if (each.version == version) return each;
    slot = &each;
  }
  CachedVerdict fresh{claims.id, version, {}, 0};
  fresh.verdict = judge(cluster, node, claims, fresh.alternatives);
  if (slot == nullptr) {
    if (here.verdicts.size() < kVerdictsPerNode) {
      slot = &here.verdicts.emplace_back();
    } else {
      slot = &here.verdicts[here.next++ % kVerdictsPerNode];
    }
  }
  *slot = std::move(fresh);
  return *slot;
}

const Verdict& Model::fits(const cluster::Model& cluster, cluster::NodeId node,
                           const PodClaims& claims) const {
  return verdict(cluster, node, claims).verdict;
}

std::int64_t Model::alternative_score(const cluster::Model& cluster, cluster::NodeId node,
                                      const PodClaims& claims) const {
  return verdict(cluster, node, claims).alternatives;
}

std::int64_t Model::copies(const cluster::Model& cluster, cluster::NodeId node,
                           const PodClaims& claims, std::int64_t most) const {
  if (most <= 0 || fits(cluster, node, claims).kind != Verdict::Kind::Fits) return 0;
  const std::vector<std::size_t> entries = entries_on(node);
  std::vector<ToAllocate> pods = of_entries(entries);
  pods.push_back(to_allocate(cluster, node, claims));
  ToAllocate own = to_allocate(cluster, node, claims, true);
  if (own.claims.empty()) return most;
  const NodeDevices& devices = devices_of(cluster, node);
  std::int64_t fit = 1;
  while (fit < most) {
    pods.push_back(own);
    const SearchResult result = search_together(devices, pods, entries, Order::AsListed);
    if (result.outcome == SearchResult::Outcome::Impossible) return fit;
    // Not found and not disproved counts as possible: the count is a bound.
    ++fit;
    if (result.outcome != SearchResult::Outcome::Placed) return most;
  }
  return fit;
}

std::shared_ptr<const PodDevices> Model::decide(const SearchInput& input,
                                                const SearchResult& result, const PodClaims& claims,
                                                const ToAllocate& todo, std::uint32_t first,
                                                std::string_view node) const {
  auto devices = std::make_shared<PodDevices>();
  for (const PodClaims::Use& use : claims.uses) {
    const auto wanted = std::ranges::find(todo.uses, &use);
    ClaimDecision decision{use.id, use.own, use.by_group, nullptr, nullptr};
    if (wanted != todo.uses.end()) {
      const auto index = first + static_cast<std::uint32_t>(wanted - todo.uses.begin());
      const Claim* claim = use.id ? claims_.find(use.id) : nullptr;
      const std::string_view uid =
          claim == nullptr ? std::string_view(use.name) : std::string_view(claim->seen->uid);
      decision.allocated = std::make_shared<const Allocated>(
          make_allocation(input, result.chosen, index, uid, classes_, node));
    }
    devices->claims.push_back(std::move(decision));
  }
  if (todo.extended != nullptr) {
    const auto index = first + static_cast<std::uint32_t>(todo.claims.size()) - 1;
    devices->claims.push_back({ClaimId{}, true, false,
                               std::make_shared<const Allocated>(make_allocation(
                                   input, result.chosen, index, kExtendedName, classes_, node)),
                               todo.extended});
  }
  return devices;
}

Outcome<std::vector<std::shared_ptr<const PodDevices>>> Model::choose_together(
    const cluster::Model& cluster, cluster::NodeId node, const std::vector<std::size_t>& entries,
    const PodClaims& claims) const {
  std::vector<ToAllocate> pods = of_entries(entries);
  pods.push_back(to_allocate(cluster, node, claims));
  const NodeDevices& devices = devices_of(cluster, node);
  SearchResult result = search_together(devices, pods, entries, order_);
  if (result.outcome == SearchResult::Outcome::BudgetEnded && order_ != Order::AsListed) {
    result = search_together(devices, pods, entries, Order::AsListed);
  }
  if (result.outcome == SearchResult::Outcome::Failed) {
    return error(Errc::Invalid, result.message);
  }
  if (result.outcome != SearchResult::Outcome::Placed) {
    return error(Errc::Invalid, "cannot allocate all claims");
  }
  std::vector<ClaimToPlace> all;
  for (const ToAllocate& pod : pods) all.insert(all.end(), pod.claims.begin(), pod.claims.end());
  const SearchInput with = input(devices, all, order_);
  const std::string& name = cluster.node(node).spec->name;
  std::vector<std::shared_ptr<const PodDevices>> decisions;
  std::uint32_t first = 0;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const PodClaims& whose = i < entries.size() ? *trial_[entries[i]].claims : claims;
    decisions.push_back(decide(with, result, whose, pods[i], first, name));
    first += static_cast<std::uint32_t>(pods[i].claims.size());
  }
  return decisions;
}

Outcome<std::shared_ptr<const PodDevices>> Model::choose(const cluster::Model& cluster,
                                                         cluster::NodeId node,
                                                         const PodClaims& claims) const {
  if (not_here(cluster, node, claims)) {
    return error(Errc::Invalid, "resourceclaim not available on the node");
  }
  auto decisions = choose_together(cluster, node, {}, claims);
  if (!decisions) return tl::unexpected(decisions.error());
  return decisions->front();
}

std::shared_ptr<const PodDevices> Model::for_pod(const PodDevices& devices,
                                                 const PodClaims& claims) {
  auto own = std::make_shared<PodDevices>(devices);
  for (std::size_t i = 0; i < own->claims.size() && i < claims.uses.size(); ++i) {
    ClaimDecision& decision = own->claims[i];
    if (decision.extended != nullptr) continue;
    decision.id = claims.uses[i].id;
    decision.own = claims.uses[i].own;
    decision.by_group = claims.uses[i].by_group;
  }
  return own;
}

std::string Model::shortfall(const cluster::Model& cluster, std::span<const cluster::NodeId> nodes,
                             const PodClaims& claims, std::size_t most) const {
  if (!claims.unresolvable.empty()) return claims.unresolvable;
  std::string best;
  std::int64_t best_missing = 0;
  for (std::size_t i = 0; i < nodes.size() && i < most; ++i) {
    if (not_here(cluster, nodes[i], claims)) continue;
    std::vector<ToAllocate> pods;
    pods.push_back(to_allocate(cluster, nodes[i], claims));
    if (pods.front().claims.empty()) continue;
    const SearchResult result =
        search_together(devices_of(cluster, nodes[i]), pods, {}, Order::AsListed, true);
    if (result.outcome != SearchResult::Outcome::Impossible) continue;
    const std::int64_t missing = result.shortfall.need - result.shortfall.have;
    if (result.shortfall.request.empty() || (!best.empty() && missing >= best_missing)) continue;
    best = "node " + cluster.node(nodes[i]).spec->name + ": " + result.shortfall.text();
    best_missing = missing;
  }
  return best;
}

std::int64_t Model::used_share(const cluster::Model& cluster, cluster::NodeId node,
                               const PodClaims& claims) const {
  const NodeDevices& devices = devices_of(cluster, node);
  std::int64_t all = 0;
  std::int64_t used = 0;
  const ToAllocate todo = to_allocate(cluster, node, claims);
  for (const Candidate& candidate : devices.devices) {
    const bool wanted = std::ranges::any_of(todo.claims, [&](const ClaimToPlace& claim) {
      return std::ranges::any_of(claim.shape->requests, [&](const auto& ways) {
        return std::ranges::any_of(ways, [&](const CompiledAlternative& way) {
          return tables_.match(shapes_.tables(), way.table, *candidate.slice,
                               *candidate.published) == Match::Yes;
        });
      });
    });
    if (!wanted) continue;
    ++all;
    if (ledger_.allocated(candidate.published->device)) ++used;
  }
  return all == 0 ? 0 : used * 100 / all;
}

}  // namespace quorate::devices
