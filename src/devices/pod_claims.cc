// Which claims a pod has, and whether they let it be tried.

#include "src/devices/pod_claims.h"

#include <algorithm>

#include "src/base/digest.h"
#include "src/devices/model.h"

namespace quorate::devices {
namespace {

const PodClaim* shared_entry(const GroupClaims* group, const PodClaim& entry) {
  if (group == nullptr) return nullptr;
  const auto found = std::ranges::find(group->entries, entry);
  return found == group->entries.end() ? nullptr : &*found;
}

// Made for this pod, or for its group.
bool made_for(const ClaimObject& claim, const cluster::PodSpec& pod, const GroupClaims* group) {
  if (claim.owner_kind == "Pod") return claim.owner_uid == pod.uid;
  return group != nullptr && claim.owner_kind == "PodGroup" &&
         claim.owner_group == "scheduling.k8s.io" && claim.owner_name == group->name;
}

// A class that a request names and that is not there: "request r: device class c does not exist".
std::string missing_class(const Shape& shape, const MatchTables::Classes& classes) {
  for (const dra::Request& request : shape.spec.requests) {
    for (const dra::Alternative& way : request.alternatives) {
      if (classes.contains(way.device_class)) continue;
      const std::string name =
          request.first_available ? request.name + "/" + way.name : request.name;
      return "request " + name + ": device class " + way.device_class + " does not exist";
    }
  }
  return "";
}

// The name of the claim of an entry that names a template.
const std::string* generated_name(const cluster::PodSpec& pod, const GroupClaims* group,
                                  const PodClaim& entry, bool shared) {
  if (const auto own = pod.claim_names.find(entry.name); own != pod.claim_names.end()) {
    return &own->second;
  }
  if (!shared) return nullptr;
  const auto of_group = group->claim_names.find(entry.name);
  return of_group == group->claim_names.end() ? nullptr : &of_group->second;
}

}  // namespace

void Model::add_use(PodClaims& claims, PodClaims::Use use) const {
  const bool known = std::ranges::any_of(
      claims.uses, [&](const PodClaims::Use& each) { return use.id && each.id == use.id; });
  if (!known) claims.uses.push_back(std::move(use));
}

std::shared_ptr<const PodClaims> Model::claims_of(const cluster::PodSpec& pod,
                                                  const GroupClaims* group) const {
  auto claims = std::make_shared<PodClaims>();
  for (const PodClaim& entry : pod.spec->resource_claims) {
    const bool shared = shared_entry(group, entry) != nullptr;
    const bool generated = entry.claim.empty();
    ObjectKey key{pod.key.ns, entry.claim};
    if (generated) {
      const std::string* name = generated_name(pod, group, entry, shared);
      if (name == nullptr) {
        claims->waits_for = "claim of entry " + entry.name + " is not created yet";
        break;
      }
      if (name->empty()) continue;
      key.name = *name;
    }
    const ClaimId id = find_claim(key);
    const Claim* claim = id ? claims_.find(id) : nullptr;
    if (claim == nullptr || claim->seen->terminating) {
      claims->waits_for =
          "claim " + key.text() + (claim == nullptr ? " does not exist" : " is being deleted");
      break;
    }
    if (generated && !made_for(*claim->seen, pod, group)) {
      claims->waits_for = "claim " + key.text() + " was not created for the pod";
      break;
    }
    const dra::Allocation* allocation = claim->allocation();
    const bool own = generated && !claim->shareable() && allocation == nullptr;
    add_use(*claims, {id, claim->shape, key.text(), own, shared});
    if (!claims->unresolvable.empty()) continue;
    const std::string& consumer = shared ? group->uid : pod.uid;
    const std::size_t consumers = claim->seen->status.reserved_for.size() + claim->consumers.size();
    if (!claim->reserved_for(consumer) && consumers >= dra::kMostConsumers) {
      claims->unresolvable = "resourceclaim " + key.text() + " is reserved for " +
                             std::to_string(consumers) + " consumers, the most it can have";
    } else if (allocation == nullptr) {
      claims->unresolvable = missing_class(*claim->shape, classes_);
    }
  }
  add_extended(*claims, *pod.spec);
  const auto leftover = extended_by_owner_.find(pod.uid);
  if (leftover != extended_by_owner_.end() && !claims->extended.empty()) {
    // Of an earlier attempt.
    const Claim& claim = claims_.at(leftover->second);
    add_use(*claims, {leftover->second, claim.shape, claim.seen->key.text(), false, false});
    claims->extended.clear();
  }
  seal(*claims);
  return claims;
}

std::shared_ptr<const PodClaims> Model::claims_of(std::string_view ns,
                                                  const PodTemplate& pod) const {
  auto claims = std::make_shared<PodClaims>();
  for (const PodClaim& entry : pod.resource_claims) {
    const ObjectKey key{std::string(ns), entry.claim.empty() ? entry.claim_template : entry.claim};
    PodClaims::Use use{{}, nullptr, key.text(), false, false};
    if (entry.claim.empty()) {
      const auto found = templates_.find(key);
      if (found == templates_.end()) {
        claims->unresolvable = "resourceclaim template " + key.text() + " does not exist";
        break;
      }
      use.shape = shapes_.intern(found->second);
      use.own = true;
    } else {
      use.id = find_claim(key);
      if (!use.id) {
        claims->unresolvable = "resourceclaim " + key.text() + " does not exist";
        break;
      }
      use.shape = claims_.at(use.id).shape;
    }
    const bool allocated = use.id && claims_.at(use.id).allocation() != nullptr;
    if (!allocated && claims->unresolvable.empty()) {
      claims->unresolvable = missing_class(*use.shape, classes_);
    }
    add_use(*claims, std::move(use));
  }
  add_extended(*claims, pod);
  seal(*claims);
  return claims;
}

// Requests of containers for resources that a class serves. App containers and sidecars add up;
// ordinary init containers run before them and reuse their devices, so that of those only the
// largest shortfall is asked for besides.
void Model::add_extended(PodClaims& claims, const PodTemplate& pod) const {
  if (classes_.empty()) return;
  std::map<std::string, std::int64_t> standing;  // by resource: of containers that live on
  struct Ordinary {
    std::size_t container, request;
    std::int64_t count;
  };
  std::map<std::string, Ordinary> largest;
  const std::size_t inits = pod.init_containers.size();
  for (std::size_t i = 0; i < inits + pod.containers.size(); ++i) {
    const bool init = i < inits;
    const ContainerResources& container = init ? pod.init_containers[i] : pod.containers[i - inits];
    std::size_t j = 0;
    for (const auto& [resource, amount] : container.requests) {
      const std::string* device_class = class_for(resource);
      if (device_class == nullptr || amount <= Quantity{}) continue;
      const std::size_t request = j++;
      if (init && !container.sidecar) {
        const auto [known, added] =
            largest.try_emplace(resource, Ordinary{i, request, amount.base_units()});
        if (!added && amount.base_units() > known->second.count) {
          known->second = {i, request, amount.base_units()};
        }
        continue;
      }
      standing[resource] += amount.base_units();
      claims.extended.push_back(
          {"container-" + std::to_string(i) + "-request-" + std::to_string(request), resource,
           *device_class, amount.base_units()});
    }
  }
  for (const auto& [resource, ordinary] : largest) {
    const std::int64_t missing = ordinary.count - standing[resource];
    if (missing <= 0) continue;
    claims.extended.push_back({"container-" + std::to_string(ordinary.container) + "-request-" +
                                   std::to_string(ordinary.request),
                               resource, *class_for(resource), missing});
  }
  std::ranges::sort(claims.extended, {}, &ExtendedRequest::name);
}

std::shared_ptr<const Shape> Model::extended_shape(
    const std::vector<ExtendedRequest>& requests) const {
  dra::ClaimSpec spec;
  for (const ExtendedRequest& each : requests) {
    dra::Alternative way;
    way.device_class = each.device_class;
    way.count = each.count;
    spec.requests.push_back({each.name, false, {way}});
  }
  return shapes_.intern(spec);
}

void Model::seal(PodClaims& claims) const {
  std::vector<std::uint64_t> key{classes_version_};
  for (const PodClaims::Use& use : claims.uses) {
    if (use.own) {
      key.insert(key.end(), {1, use.shape->serial});
    } else {
      key.insert(key.end(), {2, use.id.slot, use.id.generation, use.by_group ? 1u : 0u});
    }
  }
  Digest rest;
  for (const ExtendedRequest& each : claims.extended) {
    rest.text(each.name).text(each.resource).number(each.count);
  }
  rest.text(claims.unresolvable);
  key.push_back(rest.value());
  constexpr std::size_t kKept = 1u << 16;
  if (pod_shapes_.size() >= kKept) pod_shapes_.clear();
  const auto [known, added] = pod_shapes_.try_emplace(std::move(key), next_pod_shape_);
  if (added) ++next_pod_shape_;
  claims.id = known->second;
}

}  // namespace quorate::devices
