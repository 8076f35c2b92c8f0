// Devices of pods: chosen for all that are placed together, written with their binds, given up.

#include <algorithm>

#include "src/devices/model.h"
#include "src/scheduler/scheduler_state.h"

namespace quorate::scheduler {
namespace {

dra::Consumer consumer_of(const cluster::PodSpec& pod, const devices::GroupClaims* group) {
  if (group == nullptr) return {"", "pods", pod.key.name, pod.uid};
  return {"scheduling.k8s.io", "podgroups", group->name, group->uid};
}

}  // namespace

// One transaction for all places: whoever was content with other devices gives way, so that every
// member has what its claims ask for, or nobody anything.
Status Scheduler::State::choose_devices(cluster::Model& model, Journal& journal,
                                        const Places& places, Chosen& chosen) const {
  devices::Model* devices = devices::of(model);
  if (devices == nullptr) return {};
  std::vector<std::shared_ptr<const devices::PodClaims>> claims;
  bool any = false;
  for (const auto& [key, node] : places) {
    claims.push_back(view(model, pods.at(key)).claims);
    any = any || claims.back() != nullptr;
  }
  if (!any) return {};
  Transaction together(journal);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (claims[i] == nullptr) continue;
    if (devices->try_out(model, journal, places[i].second, claims[i], i)) continue;
    return {Code::Error, "running Reserve plugin \"DynamicResources\": cannot allocate all claims"};
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    chosen.push_back(claims[i] == nullptr ? nullptr : devices->tried_out(i));
  }
  return {};
}

// What has to be written before the pod is bound.
std::vector<ClaimWrite> Scheduler::State::claim_writes(const cluster::Model& model,
                                                       const TrackedPod& pod) const {
  std::vector<ClaimWrite> writes;
  const devices::Model* devices = devices::of(model);
  const cluster::PodSpec& spec = model.pod(pod.id).info->spec;
  const auto claims = claims_of(model, spec);
  if (claims == nullptr) return writes;
  const std::optional<devices::GroupClaims> group = group_claims(spec);
  for (const devices::PodClaims::Use& use : claims->uses) {
    const devices::Claim& claim = *devices->find(use.id);
    dra::Consumer consumer = consumer_of(spec, use.by_group ? &*group : nullptr);
    const auto& reserved = claim.seen->status.reserved_for;
    const bool known = std::ranges::any_of(
        reserved, [&](const dra::Consumer& each) { return each.uid == consumer.uid; });
    if (known) continue;
    ClaimWrite& write = writes.emplace_back();
    write.claim = claim.seen->key;
    write.claim_uid = claim.seen->uid;
    if (!claim.seen->status.allocation) write.allocation = claim.assumed->allocation;
    write.consumer = std::move(consumer);
  }
  if (const devices::ExtendedClaim* extended = devices->extended_of(spec.uid)) {
    ClaimWrite& write = writes.emplace_back();
    write.claim.ns = spec.key.ns;
    write.allocation = extended->allocated->allocation;
    write.consumer = consumer_of(spec, nullptr);
    write.spec = std::make_shared<const dra::ClaimSpec>(extended->shape->spec);
  }
  return writes;
}

// The pod is not bound after all. What is assumed stays so until the host says that it was undone:
// the writes may have been carried out.
void Scheduler::State::release_claims(const cluster::Model& model, const TrackedPod& pod) {
  for (const ClaimWrite& write : pod.writes) {
    const bool of_group = write.consumer.resource == "podgroups";
    // The group keeps it while others of the group have a place.
    const bool needed =
        of_group && pod.group &&
        std::ranges::any_of(groups.at(*pod.group).members, [&](const ObjectKey& key) {
          const TrackedPod& other = pods.at(key);
          if (other.id == pod.id) return false;
          return other.flight.has_value() || static_cast<bool>(model.pod(other.id).node);
        });
    if (needed) continue;
    decisions.emplace_back(
        ReleaseClaim{write.claim, write.claim_uid, write.consumer.uid, write.claim.name.empty()});
  }
}

// PostFilter: one claim of the pod that keeps it where there is no room, and that nobody else has
// reserved, is allocated anew. "": there is none.
std::string Scheduler::State::free_a_claim(const cluster::Model& model, const PodView& pod) {
  if (pod.claims == nullptr) return "";
  const devices::Model* devices = devices::of(model);
  for (const devices::PodClaims::Use& use : pod.claims->uses) {
    const devices::Claim* claim = use.id ? devices->find(use.id) : nullptr;
    if (claim == nullptr || !claim->seen->status.allocation || !claim->consumers.empty()) continue;
    const auto& reserved = claim->seen->status.reserved_for;
    const bool by_others = std::ranges::any_of(reserved, [&](const dra::Consumer& each) {
      return claim->seen->owner_uid.empty() || each.uid != claim->seen->owner_uid;
    });
    if (by_others) continue;
    decisions.emplace_back(ReleaseClaim{claim->seen->key, claim->seen->uid,
                                        reserved.empty() ? "" : reserved.front().uid, true});
    return claim->seen->extended ? "deletion of ResourceClaim completed"
                                 : "deallocation of ResourceClaim completed";
  }
  return "";
}

void Scheduler::State::devices_changed(const ObjectKey* claim) {
  note(kDevices, {});
  const auto named = claim == nullptr ? users.end() : users.find(*claim);
  if (named == users.end()) return;
  for (const ObjectKey& key : named->second) {
    const TrackedPod& pod = pods.at(key);
    if (pod.group) {
      touch_group(*pod.group, true);
    } else {
      dirty_pods[key] |= true;
    }
  }
}

}  // namespace quorate::scheduler
