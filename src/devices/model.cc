#include "src/devices/model.h"

#include <algorithm>

namespace quorate::devices {

Model::Model(Compile compile) : shapes_(texts_), tables_(classes_, std::move(compile)) {}

// Caches start empty: they hold addresses of the original's parts.
Model::Model(const Model& other)
    : texts_(other.texts_),
      shapes_(texts_, other.shapes_),
      classes_(other.classes_),
      tables_(classes_, other.tables_.compiler()),
      class_by_resource_(other.class_by_resource_),
      classes_version_(other.classes_version_),
      templates_(other.templates_),
      rules_(other.rules_),
      slices_(other.slices_),
      pools_(other.pools_),
      pools_of_node_(other.pools_of_node_),
      wide_pools_(other.wide_pools_),
      homes_(other.homes_),
      next_entry_(other.next_entry_),
      free_entries_(other.free_entries_),
      ledger_(other.ledger_),
      claims_(other.claims_),
      claims_by_key_(other.claims_by_key_),
      extended_by_owner_(other.extended_by_owner_),
      extended_assumed_(other.extended_assumed_),
      versions_(other.versions_),
      order_(other.order_),
      next_pod_shape_(other.next_pod_shape_) {}

std::unique_ptr<cluster::Extension> Model::clone() const {
  return std::unique_ptr<cluster::Extension>(new Model(*this));
}

bool Claim::reserved_for(std::string_view uid) const {
  return std::ranges::any_of(seen->status.reserved_for,
                             [&](const dra::Consumer& each) { return each.uid == uid; }) ||
         std::ranges::any_of(consumers, [&](const dra::Consumer& each) { return each.uid == uid; });
}

void Model::Versions::count(std::size_t node) {
  if (node >= counts_.size()) counts_.resize(node + 1, 0);
  ++counts_[node];
}

void Model::Versions::bump(Journal& journal, std::uint32_t node) {
  count(node);
  journal.cell(this, node, 0);
}

ClaimId Model::find_claim(const ObjectKey& key) const {
  const auto found = claims_by_key_.find(key);
  return found == claims_by_key_.end() ? ClaimId{} : found->second;
}

std::vector<ObjectKey> Model::holders(const dra::DeviceName& device) const {
  std::vector<ObjectKey> keys;
  for (const auto& [key, id] : claims_by_key_) {
    const dra::Allocation* allocation = claims_.at(id).allocation();
    if (allocation == nullptr) continue;
    const bool holds =
        std::ranges::any_of(allocation->devices, [&](const dra::AllocatedDevice& each) {
          return each.device == device && !each.admin_access;
        });
    if (holds) keys.push_back(key);
  }
  return keys;
}

std::vector<Collision> Model::collisions() const {
  std::map<dra::DeviceName, std::vector<ObjectKey>> exclusive, shared;
  for (const auto& [key, id] : claims_by_key_) {
    const dra::Allocation* allocation = claims_.at(id).allocation();
    if (allocation == nullptr) continue;
    for (const dra::AllocatedDevice& each : allocation->devices) {
      if (each.admin_access) continue;
      (each.share_id.empty() ? exclusive : shared)[each.device].push_back(key);
    }
  }
  std::vector<Collision> found;
  for (auto& [device, keys] : exclusive) {
    if (const auto shares = shared.find(device); shares != shared.end()) {
      keys.insert(keys.end(), shares->second.begin(), shares->second.end());
    }
    if (keys.size() < 2) continue;
    std::ranges::sort(keys);
    found.push_back({device, std::move(keys)});
  }
  return found;
}

void Model::digest(Digest& digest) const {
  digest.text("slices").number(static_cast<std::int64_t>(slices_.size()));
  for (const auto& [name, slice] : slices_) {
    digest.text(name).text(slice->spec.driver).text(slice->spec.pool);
    digest.number(slice->spec.generation);
    for (const dra::Device& device : slice->spec.devices) digest.text(device.name);
  }
  digest.text("classes").number(static_cast<std::int64_t>(classes_.size()));
  for (const auto& [name, object] : classes_) {
    digest.text(name);
    for (const std::string& selector : object.spec.selectors) digest.text(selector);
  }
  digest.text("rules");
  for (const auto& [name, rule] : rules_) digest.text(name).text(rule->spec.taint.taint.key);
  digest.text("claims").number(static_cast<std::int64_t>(claims_.size()));
  for (const auto& [key, id] : claims_by_key_) {
    const Claim& claim = claims_.at(id);
    digest.text(key.ns).text(key.name).text(claim.seen->uid);
    digest.number(claim.assumed != nullptr ? 1 : 0);
    if (const dra::Allocation* allocation = claim.allocation()) {
      for (const dra::AllocatedDevice& each : allocation->devices) {
        digest.text(each.request).text(each.device.text()).text(each.share_id);
      }
    }
    for (const dra::Consumer& each : claim.seen->status.reserved_for) digest.text(each.uid);
    for (const dra::Consumer& each : claim.consumers) digest.text(each.uid);
  }
  // Usage as it was charged, reservations included.
  std::map<dra::DeviceName, std::pair<std::int64_t, std::int64_t>> used;
  for (std::uint32_t slot = 0; slot < ledger_.slots(); ++slot) {
    if (!ledger_.allocated(slot)) continue;
    used[ledger_.name(slot)] = {ledger_.exclusive(slot), ledger_.shares(slot)};
  }
  digest.text("used");
  for (const auto& [name, counts] : used) {
    digest.text(name.text()).number(counts.first).number(counts.second);
  }
}

Model* of(cluster::Model& cluster) { return static_cast<Model*>(cluster.extension()); }
const Model* of(const cluster::Model& cluster) {
  return static_cast<const Model*>(cluster.extension());
}

}  // namespace quorate::devices
