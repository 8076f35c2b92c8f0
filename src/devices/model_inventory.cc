// Classes, slices, taint rules and templates: what devices there are.

#include <algorithm>

#include "src/devices/model.h"

namespace quorate::devices {
namespace {

bool selects(const dra::TaintRuleSpec& rule, const dra::SliceSpec& slice,
             const dra::Device& device) {
  if (!rule.selector) return false;
  const auto says = [](const std::string& wanted, const std::string& has) {
    return wanted.empty() || wanted == has;
  };
  return says(rule.selector->driver, slice.driver) && says(rule.selector->pool, slice.pool) &&
         says(rule.selector->device, device.name);
}

bool repels(const Taint& taint) {
  return taint.effect == "NoSchedule" || taint.effect == "NoExecute";
}

// The fully qualified name of an attribute.
std::string full_name(const std::string& driver, const std::string& name) {
  return name.find('/') == std::string::npos ? driver + "/" + name : name;
}

void add_attribute(Slice& slice, std::uint32_t name, const dra::Attribute& attribute,
                   Texts& texts) {
  const auto begin = static_cast<std::uint32_t>(slice.values.size());
  for (const std::int64_t number : attribute.numbers) slice.values.push_back(number);
  for (const std::string& text : attribute.texts) slice.values.push_back(texts.intern(text).slot);
  slice.attributes.push_back({name, attribute.type, attribute.list, begin,
                              static_cast<std::uint32_t>(slice.values.size())});
}

}  // namespace

std::shared_ptr<const Slice> Model::build(const SliceObject& object) {
  auto slice = std::make_shared<Slice>();
  slice->name = object.name;
  slice->spec = object.spec;
  const std::string& driver = slice->spec.driver;
  for (const dra::Device& device : slice->spec.devices) {
    Published& published = slice->devices.emplace_back();
    published.spec = &device;
    published.attributes_begin = static_cast<std::uint32_t>(slice->attributes.size());
    for (const auto& [name, attribute] : device.attributes) {
      if (attribute.numbers.empty() && attribute.texts.empty()) continue;
      // The exact name comes before the bare one.
      const std::string full = full_name(driver, name);
      if (full != name && device.attributes.contains(full)) continue;
      add_attribute(*slice, texts_.intern(full).slot, attribute, texts_);
    }
    published.attributes_end = static_cast<std::uint32_t>(slice->attributes.size());
    for (const auto& [name, capacity] : device.capacity) {
      published.capacities.push_back(texts_.intern(name).slot);
    }
    for (const dra::DeviceTaint& taint : device.taints) {
      if (repels(taint.taint)) published.taints.push_back(taint.taint);
    }
    for (const auto& [name, rule] : rules_) {
      if (repels(rule->spec.taint.taint) && selects(rule->spec, slice->spec, device)) {
        published.taints.push_back(rule->spec.taint.taint);
      }
    }
    published.device = ledger_.slot({driver, slice->spec.pool, device.name});
    ledger_.publish(published.device);
    if (free_entries_.empty()) {
      published.entry = next_entry_++;
    } else {
      published.entry = free_entries_.back();
      free_entries_.pop_back();
    }
    tables_.forget_entry(published.entry);

    const std::string node =
        slice->spec.per_device_nodes ? device.node_name : slice->spec.node_name;
    if (published.device >= homes_.size()) homes_.resize(published.device + 1);
    Home& home = homes_[published.device];
    home.wide = node.empty() || (home.wide || (!home.node.empty() && home.node != node));
    home.node = node;
  }
  return slice;
}

void Model::touch(cluster::Model& cluster, Journal& journal, const std::string& name) {
  const cluster::NodeId node = cluster.find_node(name);
  if (!node) return;
  versions_.bump(journal, node.slot);
  cluster.note_change(journal, node);
}

void Model::touch_all(cluster::Model& cluster, Journal& journal) {
  for (const cluster::NodeId node : cluster.nodes()) {
    versions_.bump(journal, node.slot);
    cluster.note_change(journal, node);
  }
}

// Slices of the pool were added or removed.
void Model::rebuild_pool(cluster::Model& cluster, Journal& journal, const PoolName& name) {
  std::set<std::string> nodes;
  bool wide = false;
  if (const auto old = pools_.find(name); old != pools_.end()) {
    nodes = old->second->nodes;
    wide = !old->second->node_local;
    for (const std::string& node : old->second->nodes) {
      const auto named = pools_of_node_.find(node);
      named->second.erase(name);
      if (named->second.empty()) pools_of_node_.erase(named);
    }
    wide_pools_.erase(name);
    pools_.erase(old);
  }
  auto pool = std::make_shared<Pool>();
  pool->name = name;
  for (const auto& [slice_name, slice] : slices_) {
    if (slice->spec.driver != name.first || slice->spec.pool != name.second) continue;
    pool->slices.push_back(slice);
  }
  for (const auto& slice : pool->slices) {
    if (slice->spec.node_name.empty()) {
      pool->node_local = false;
    } else {
      pool->nodes.insert(slice->spec.node_name);
    }
  }
  nodes.insert(pool->nodes.begin(), pool->nodes.end());
  wide = wide || !pool->node_local;
  if (!pool->slices.empty()) {
    for (const std::string& node : pool->nodes) pools_of_node_[node].insert(name);
    if (!pool->node_local) wide_pools_.insert(name);
    pools_.emplace(name, std::move(pool));
  }
  if (wide) {
    for (OnNode& each : nodes_) each.valid = false;
    touch_all(cluster, journal);
    return;
  }
  for (const std::string& node : nodes) {
    const cluster::NodeId id = cluster.find_node(node);
    if (id && id.slot < nodes_.size()) nodes_[id.slot].valid = false;
    touch(cluster, journal, node);
  }
}

void Model::publish(cluster::Model& cluster, Journal& journal, std::shared_ptr<const Slice> slice) {
  const PoolName name{slice->spec.driver, slice->spec.pool};
  slices_[slice->name] = std::move(slice);
  rebuild_pool(cluster, journal, name);
}

void Model::withdraw(cluster::Model& cluster, Journal& journal, const std::string& name) {
  const auto found = slices_.find(name);
  if (found == slices_.end()) return;
  const std::shared_ptr<const Slice> slice = found->second;
  slices_.erase(found);
  rebuild_pool(cluster, journal, {slice->spec.driver, slice->spec.pool});
  for (const Published& device : slice->devices) {
    free_entries_.push_back(device.entry);
    ledger_.withdraw(device.device);
    if (!ledger_.is_published(device.device)) homes_[device.device] = {};
  }
}

void Model::apply(cluster::Model& cluster, Journal& journal, SliceObject object) {
  const auto known = slices_.find(object.name);
  if (known != slices_.end() && known->second->spec == object.spec) return;
  std::shared_ptr<const Slice> slice = build(object);
  withdraw(cluster, journal, object.name);
  publish(cluster, journal, std::move(slice));
}

void Model::slice_gone(cluster::Model& cluster, Journal& journal, std::string_view name) {
  withdraw(cluster, journal, std::string(name));
}

// Rules came, went or changed: the slices that they select are made again.
void Model::taint_anew(cluster::Model& cluster, Journal& journal,
                       const std::vector<const TaintRuleObject*>& rules) {
  std::vector<SliceObject> affected;
  for (const auto& [name, slice] : slices_) {
    const auto& spec = slice->spec;
    const bool selected = std::ranges::any_of(spec.devices, [&](const dra::Device& device) {
      return std::ranges::any_of(rules, [&](const TaintRuleObject* rule) {
        return rule != nullptr && selects(rule->spec, spec, device);
      });
    });
    if (selected) affected.push_back({name, spec});
  }
  for (const SliceObject& object : affected) {
    std::shared_ptr<const Slice> slice = build(object);
    withdraw(cluster, journal, object.name);
    publish(cluster, journal, std::move(slice));
  }
}

void Model::apply(cluster::Model& cluster, Journal& journal, TaintRuleObject object) {
  auto& known = rules_[object.name];
  const std::shared_ptr<const TaintRuleObject> before = known;
  if (before != nullptr && *before == object) return;
  known = std::make_shared<const TaintRuleObject>(std::move(object));
  taint_anew(cluster, journal, {before.get(), known.get()});
}

void Model::rule_gone(cluster::Model& cluster, Journal& journal, std::string_view name) {
  const auto found = rules_.find(name);
  if (found == rules_.end()) return;
  const std::shared_ptr<const TaintRuleObject> before = found->second;
  rules_.erase(found);
  taint_anew(cluster, journal, {before.get()});
}

void Model::classes_changed(cluster::Model& cluster, Journal& journal) {
  ++classes_version_;
  tables_.clear();
  // Of several classes that serve one resource the newest counts, of equally old ones the first.
  class_by_resource_.clear();
  for (const auto& [name, object] : classes_) {
    if (object.spec.extended_resource.empty()) continue;
    const auto [known, added] = class_by_resource_.try_emplace(object.spec.extended_resource, name);
    if (!added && object.created > classes_.find(known->second)->second.created) {
      known->second = name;
    }
  }
  touch_all(cluster, journal);
}

void Model::apply(cluster::Model& cluster, Journal& journal, ClassObject object) {
  const auto known = classes_.find(object.name);
  if (known != classes_.end() && known->second == object) return;
  std::string name = object.name;
  classes_.insert_or_assign(std::move(name), std::move(object));
  classes_changed(cluster, journal);
}

void Model::class_gone(cluster::Model& cluster, Journal& journal, std::string_view name) {
  const auto known = classes_.find(name);
  if (known == classes_.end()) return;
  classes_.erase(known);
  classes_changed(cluster, journal);
}

const std::string* Model::class_for(std::string_view resource) const {
  constexpr std::string_view kImplicit = "deviceclass.resource.kubernetes.io/";
  if (resource.starts_with(kImplicit)) {
    const auto found = classes_.find(resource.substr(kImplicit.size()));
    return found == classes_.end() ? nullptr : &found->first;
  }
  const auto found = class_by_resource_.find(resource);
  return found == class_by_resource_.end() ? nullptr : &found->second;
}

void Model::apply(TemplateObject object) { templates_[object.key] = std::move(object.spec); }
void Model::template_gone(const ObjectKey& key) { templates_.erase(key); }

}  // namespace quorate::devices
