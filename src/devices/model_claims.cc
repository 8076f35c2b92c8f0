// Claims: what was seen of them, and what is assumed until it is seen.

#include <algorithm>

#include "src/base/check.h"
#include "src/devices/model.h"

namespace quorate::devices {

void Model::charge(cluster::Model& cluster, Journal& journal, const std::vector<DeviceUse>& uses,
                   int sign) {
  std::set<std::string> nodes;
  bool wide = false;
  for (const DeviceUse& use : uses) {
    if (sign > 0) {
      ledger_.take(journal, use);
    } else {
      ledger_.give_back(journal, use);
    }
    if (use.device >= homes_.size()) continue;  // nobody publishes it
    const Home& home = homes_[use.device];
    wide = wide || home.wide;
    if (!home.node.empty()) nodes.insert(home.node);
  }
  if (wide) {
    touch_all(cluster, journal);
  } else {
    for (const std::string& node : nodes) touch(cluster, journal, node);
  }
}

// Slots that only an allocation kept alive.
void Model::reclaim(const std::vector<DeviceUse>& uses) {
  for (const DeviceUse& use : uses) ledger_.reclaim(use.device);
}

void Model::apply(cluster::Model& cluster, Journal& journal, ClaimObject object) {
  const ObjectKey key = object.key;
  ClaimId id = find_claim(key);
  if (id && claims_.at(id).seen->uid != object.uid) {
    claim_gone(cluster, journal, key, claims_.at(id).seen->uid);
    id = {};
  }
  if (!id) {
    id = claims_.insert({});
    claims_by_key_.emplace(key, id);
  }
  Claim& claim = claims_.at(id);
  const bool was_allocated = claim.seen != nullptr && claim.allocation() != nullptr;
  std::vector<DeviceUse> uses;
  if (object.status.allocation) uses = uses_of(*object.status.allocation, ledger_, texts_);
  // Take before giving back, so that a device that stays is never free in between.
  charge(cluster, journal, uses, 1);
  std::vector<DeviceUse> before = std::exchange(claim.uses, std::move(uses));
  charge(cluster, journal, before, -1);
  if (object.status.allocation && claim.assumed != nullptr) {
    charge(cluster, journal, claim.assumed->uses, -1);
    reclaim(claim.assumed->uses);
    claim.assumed = nullptr;
  }
  if (object.extended && object.status.allocation) {
    forget_extended(cluster, journal, object.owner_uid);
  }
  std::erase_if(claim.consumers, [&](const dra::Consumer& each) {
    return std::ranges::any_of(object.status.reserved_for,
                               [&](const dra::Consumer& seen) { return seen.uid == each.uid; });
  });
  claim.shape = shapes_.intern(object.spec);
  if (object.extended) extended_by_owner_[object.owner_uid] = id;
  claim.seen = std::make_shared<const ClaimObject>(std::move(object));
  reclaim(before);
  // Where the claim can be used changed, which matters to whoever shares it.
  if (claim.shareable() && was_allocated != (claim.allocation() != nullptr)) {
    touch_all(cluster, journal);
  }
}

void Model::claim_gone(cluster::Model& cluster, Journal& journal, const ObjectKey& key,
                       std::string_view uid) {
  const ClaimId id = find_claim(key);
  if (!id || claims_.at(id).seen->uid != uid) return;
  const Claim claim = claims_.at(id);
  charge(cluster, journal, claim.uses, -1);
  if (claim.assumed != nullptr) charge(cluster, journal, claim.assumed->uses, -1);
  if (claim.seen->extended) extended_by_owner_.erase(claim.seen->owner_uid);
  claims_by_key_.erase(key);
  claims_.erase(id);
  reclaim(claim.uses);
  if (claim.assumed != nullptr) reclaim(claim.assumed->uses);
}

void Model::set_assumed(cluster::Model& cluster, Journal& journal, ClaimId id,
                        std::shared_ptr<const Allocated> assumed) {
  Claim& claim = claims_.at(id);
  const std::shared_ptr<const Allocated> before = claim.assumed;
  if (assumed != nullptr) charge(cluster, journal, assumed->uses, 1);
  if (before != nullptr) charge(cluster, journal, before->uses, -1);
  claim.assumed = std::move(assumed);
  if (journal.recording()) {
    journal.action([this, id, before] { claims_.at(id).assumed = before; });
  } else if (before != nullptr) {
    reclaim(before->uses);
  }
}

void Model::set_consumers(Journal& journal, ClaimId id, std::vector<dra::Consumer> consumers) {
  Claim& claim = claims_.at(id);
  std::vector<dra::Consumer> before = std::exchange(claim.consumers, std::move(consumers));
  if (!journal.recording()) return;
  journal.action([this, id, before] { claims_.at(id).consumers = before; });
}

void Model::take(cluster::Model& cluster, Journal& journal, const cluster::Hold& hold) {
  for (const ClaimDecision& each : static_cast<const PodDevices&>(hold).claims) {
    if (each.allocated == nullptr) continue;
    if (each.own || !each.id) {
      charge(cluster, journal, each.allocated->uses, 1);
    } else {
      // Whoever shares it is bound to it from now on.
      set_assumed(cluster, journal, each.id, each.allocated);
      touch_all(cluster, journal);
    }
  }
}

void Model::give_back(cluster::Model& cluster, Journal& journal, const cluster::Hold& hold) {
  for (const ClaimDecision& each : static_cast<const PodDevices&>(hold).claims) {
    if (each.allocated == nullptr) continue;
    if (each.own || !each.id) {
      charge(cluster, journal, each.allocated->uses, -1);
    } else if (const Claim* claim = claims_.find(each.id);
               claim != nullptr && claim->assumed == each.allocated && claim->consumers.empty()) {
      set_assumed(cluster, journal, each.id, nullptr);
      touch_all(cluster, journal);
    }
  }
}

void Model::assume(cluster::Model& cluster, Journal& journal, const ClaimDecision& decision,
                   dra::Consumer consumer) {
  if (!decision.id) {
    if (decision.allocated == nullptr) return;
    charge(cluster, journal, decision.allocated->uses, 1);
    extended_assumed_[consumer.uid] = {decision.allocated, decision.extended};
    if (journal.recording()) {
      journal.action([this, uid = consumer.uid] { extended_assumed_.erase(uid); });
    }
    return;
  }
  const Claim& claim = claims_.at(decision.id);
  if (claim.allocation() == nullptr) {
    check(decision.allocated != nullptr, "assume: a claim without an allocation");
    set_assumed(cluster, journal, decision.id, decision.allocated);
    if (!decision.own) touch_all(cluster, journal);
  }
  if (claim.reserved_for(consumer.uid)) return;
  std::vector<dra::Consumer> consumers = claim.consumers;
  consumers.push_back(std::move(consumer));
  set_consumers(journal, decision.id, std::move(consumers));
}

void Model::forget(cluster::Model& cluster, Journal& journal, ClaimId id,
                   std::string_view consumer_uid) {
  const Claim* claim = claims_.find(id);
  if (claim == nullptr) return;
  std::vector<dra::Consumer> consumers = claim->consumers;
  std::erase_if(consumers, [&](const dra::Consumer& each) { return each.uid == consumer_uid; });
  const bool last = consumers.empty();
  set_consumers(journal, id, std::move(consumers));
  if (!last || claim->assumed == nullptr) return;
  set_assumed(cluster, journal, id, nullptr);
  if (claim->shareable()) touch_all(cluster, journal);
}

const ExtendedClaim* Model::extended_of(const std::string& pod_uid) const {
  const auto found = extended_assumed_.find(pod_uid);
  return found == extended_assumed_.end() ? nullptr : &found->second;
}

void Model::forget_extended(cluster::Model& cluster, Journal& journal, const std::string& pod_uid) {
  const auto found = extended_assumed_.find(pod_uid);
  if (found == extended_assumed_.end()) return;
  charge(cluster, journal, found->second.allocated->uses, -1);
  extended_assumed_.erase(found);
}

// --- trials ---

bool Model::try_out(cluster::Model& cluster, Journal& journal, cluster::NodeId node,
                    std::shared_ptr<const PodClaims> claims, std::size_t member) {
  const auto chosen = choose(cluster, node, *claims);
  if (chosen) {
    take(cluster, journal, **chosen);
    trial_.push_back({node, std::move(claims), *chosen, member});
    journal.action([this] { trial_.pop_back(); });
    return true;
  }
  // Others of the trial on the node may be content with other devices.
  const std::vector<std::size_t> entries = entries_on(node);
  const auto together = choose_together(cluster, node, entries, *claims);
  if (!together) return false;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const std::size_t i = entries[k];
    auto changed = std::make_shared<PodDevices>(*trial_[i].devices);
    for (std::size_t d = 0; d < changed->claims.size(); ++d) {
      ClaimDecision& decision = changed->claims[d];
      if (decision.allocated == nullptr || !decision.own) continue;
      const std::shared_ptr<const Allocated>& other = (*together)[k]->claims[d].allocated;
      charge(cluster, journal, other->uses, 1);
      charge(cluster, journal, decision.allocated->uses, -1);
      decision.allocated = other;
    }
    journal.action([this, i, before = trial_[i].devices] { trial_[i].devices = before; });
    trial_[i].devices = std::move(changed);
  }
  take(cluster, journal, *together->back());
  trial_.push_back({node, std::move(claims), together->back(), member});
  journal.action([this] { trial_.pop_back(); });
  return true;
}

std::shared_ptr<const PodDevices> Model::tried_out(std::size_t member) const {
  const auto entry = std::ranges::find(trial_, member, &TrialEntry::member);
  return entry == trial_.end() ? nullptr : entry->devices;
}

}  // namespace quorate::devices
