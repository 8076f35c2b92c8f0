// The rules of resource.k8s.io/v1 objects, one function per kind.

#include <algorithm>
#include <set>

#include "src/objects/device_class.h"
#include "src/objects/device_rules.h"
#include "src/objects/resource_claim.h"
#include "src/objects/resource_slice.h"
#include "src/objects/webhook_kueue.h"

namespace quorate::objects {
namespace {

using Kind = FieldError::Kind;

std::string shown(ExactQuantity amount) { return quoted(format_exact_quantity("", amount)); }

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Identifiers after '-' or '+', joined by dots.
bool identifiers(std::string_view text, bool no_leading_zeros) {
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t dot = std::min(text.find('.', start), text.size());
    const std::string_view part = text.substr(start, dot - start);
    const bool shaped = !part.empty() && std::ranges::all_of(part, [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
    });
    if (!shaped) return false;
    if (no_leading_zeros && is_digits(part) && part.size() > 1 && part.front() == '0') return false;
    start = dot + 1;
  }
  return true;
}

// Strict semver 2.0.0.
bool is_semver(std::string_view text) {
  if (const std::size_t plus = text.find('+'); plus != std::string_view::npos) {
    if (!identifiers(text.substr(plus + 1), false)) return false;
    text = text.substr(0, plus);
  }
  if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
    if (!identifiers(text.substr(dash + 1), true)) return false;
    text = text.substr(0, dash);
  }
  for (int part = 0; part < 3; ++part) {
    const std::size_t dot = part < 2 ? text.find('.') : text.size();
    if (dot == std::string_view::npos) return false;
    const std::string_view digits = text.substr(0, dot);
    if (!is_digits(digits) || (digits.size() > 1 && digits.front() == '0')) return false;
    text = part < 2 ? text.substr(dot + 1) : std::string_view{};
  }
  return true;
}

bool on_grid(ExactQuantity value, const dra::CapacityPolicy::Range& range) {
  if (!range.step || range.step->billionths() <= 0) return true;
  return (value.billionths() - range.min.billionths()) % range.step->billionths() == 0;
}

class SliceRules : public DeviceRules {
 public:
  void slice(const dra::SliceSpec& spec) {
    driver("spec.driver", spec.driver);
    pool("spec.pool.name", spec.pool);
    if (spec.slice_count <= 0) {
      add("spec.pool.resourceSliceCount", Kind::Invalid, std::to_string(spec.slice_count),
          "must be greater than zero");
    }
    if (spec.generation < 0) {
      add("spec.pool.generation", Kind::Invalid, std::to_string(spec.generation),
          "must be greater than or equal to zero");
    }
    const int choices = (spec.node_name.empty() ? 0 : 1) + (spec.node_selector ? 1 : 0) +
                        (spec.all_nodes ? 1 : 0) + (spec.per_device_nodes ? 1 : 0);
    if (choices != 1) {
      add("spec", choices == 0 ? Kind::Required : Kind::Invalid, choices == 0 ? "" : "{}",
          "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is "
          "required");
    }
    if (!spec.node_name.empty()) subdomain("spec.nodeName", spec.node_name);
    if (spec.node_selector) node_terms("spec.nodeSelector", *spec.node_selector, true);
    if (!spec.devices.empty() && !spec.counters.empty()) {
      add("spec", Kind::Invalid, "{}", "only one of `sharedCounters`, `devices` is allowed");
    }
    const bool special = std::ranges::any_of(spec.devices, [](const dra::Device& device) {
      return !device.taints.empty() || !device.consumes.empty() ||
             std::ranges::any_of(device.attributes,
                                 [](const auto& each) { return each.second.list; });
    });
    at_most("spec.devices", spec.devices.size(), special ? 64 : 128);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < spec.devices.size(); ++i) {
      device(at("spec.devices", i), spec.devices[i], spec.per_device_nodes);
      names.push_back(spec.devices[i].name);
    }
    unique("spec.devices", names);
    at_most("spec.sharedCounters", spec.counters.size(), 8);
    names.clear();
    for (std::size_t i = 0; i < spec.counters.size(); ++i) {
      const dra::CounterSet& set = spec.counters[i];
      label(at("spec.sharedCounters", i) + ".name", set.name);
      counters(at("spec.sharedCounters", i) + ".counters", set.counters);
      names.push_back(set.name);
    }
    unique("spec.sharedCounters", names);
  }

 private:
  void counters(const std::string& path, const ExactAmounts& amounts) {
    if (amounts.empty()) return required(path);
    at_most(path, amounts.size(), 32);
    for (const auto& [name, amount] : amounts) label(at(path, name), name);
  }

  void device(const std::string& path, const dra::Device& device, bool per_device) {
    label(path + ".name", device.name);
    if (device.attributes.size() + device.capacity.size() > 32) {
      add(path, Kind::Invalid, std::to_string(device.attributes.size() + device.capacity.size()),
          "the total number of attributes and capacities must not exceed 32");
    }
    for (const auto& [name, value] : device.attributes) {
      const std::string here = at(path + ".attributes", name);
      qualified(here, name, false);
      attribute(here, value);
    }
    for (const auto& [name, value] : device.capacity) {
      const std::string here = at(path + ".capacity", name);
      qualified(here, name, false);
      if (!value.policy) continue;
      if (!device.allow_multiple) {
        add(here + ".requestPolicy", Kind::Forbidden, "", "allowMultipleAllocations must be true");
      } else {
        policy(here + ".requestPolicy", value);
      }
    }
    at_most(path + ".consumesCounters", device.consumes.size(), 2);
    std::vector<std::string> sets;
    for (std::size_t i = 0; i < device.consumes.size(); ++i) {
      const std::string here = at(path + ".consumesCounters", i);
      label(here + ".counterSet", device.consumes[i].counter_set);
      counters(here + ".counters", device.consumes[i].counters);
      sets.push_back(device.consumes[i].counter_set);
    }
    unique(path + ".consumesCounters", sets);
    const int choices = (device.node_name.empty() ? 0 : 1) + (device.node_selector ? 1 : 0) +
                        (device.all_nodes ? 1 : 0);
    if (per_device && choices != 1) {
      add(path, choices == 0 ? Kind::Required : Kind::Invalid, choices == 0 ? "" : "{}",
          "exactly one of `nodeName`, `nodeSelector`, `allNodes` is required when "
          "`perDeviceNodeSelection` is set to true");
    } else if (!per_device && choices != 0) {
      add(path, Kind::Invalid, "{}",
          "`nodeName`, `nodeSelector`, `allNodes` may be set only when "
          "`perDeviceNodeSelection` is set to true");
    }
    if (device.node_selector) node_terms(path + ".nodeSelector", *device.node_selector, false);
    at_most(path + ".taints", device.taints.size(), 16);
    for (std::size_t i = 0; i < device.taints.size(); ++i) {
      taint(at(path + ".taints", i), device.taints[i]);
    }
    binding(path, device);
  }

  void attribute(const std::string& path, const dra::Attribute& attribute) {
    for (const std::string& text : attribute.texts) {
      if (text.size() > 64) {
        add(path, Kind::TooLong, "", "may not be more than 64 bytes");
      } else if (attribute.type == dra::Attribute::Type::Version && !is_semver(text)) {
        invalid(path + ".version", text, "must be a string compatible with semver.org spec 2.0.0");
      }
    }
  }

  void binding(const std::string& path, const dra::Device& device) {
    at_most(path + ".bindingConditions", device.binding_conditions.size(), 4);
    at_most(path + ".bindingFailureConditions", device.binding_failure_conditions.size(), 4);
    if (device.binding_conditions.empty() != device.binding_failure_conditions.empty()) {
      const bool no_failure = device.binding_failure_conditions.empty();
      invalid(path + (no_failure ? ".bindingFailureConditions" : ".bindingConditions"), "",
              no_failure ? "bindingFailureConditions are required to use bindingConditions"
                         : "bindingConditions are required to use bindingFailureConditions");
    }
    for (std::size_t i = 0; i < device.binding_failure_conditions.size(); ++i) {
      const std::string& type = device.binding_failure_conditions[i];
      if (std::ranges::find(device.binding_conditions, type) == device.binding_conditions.end()) {
        continue;
      }
      invalid(at(path + ".bindingFailureConditions", i), type,
              "bindingFailureConditions must not overlap with bindingConditions");
    }
  }

  void policy(const std::string& path, const dra::Capacity& capacity) {
    const dra::CapacityPolicy& policy = *capacity.policy;
    if (!policy.valid_values.empty() && policy.valid_range) {
      add(path, Kind::Invalid, "{}", "exactly one policy can be specified");
      return;
    }
    const bool has_form = !policy.valid_values.empty() || policy.valid_range;
    if (has_form && !policy.fallback) return required(path + ".default");
    if (!policy.valid_values.empty()) {
      at_most(path + ".validValues", policy.valid_values.size(), 10);
      bool found = false;
      for (std::size_t i = 0; i < policy.valid_values.size(); ++i) {
        const ExactQuantity value = policy.valid_values[i];
        const std::string here = at(path + ".validValues", i);
        found |= value == *policy.fallback;
        if (value > capacity.value) {
          add(here, Kind::Invalid, shown(value), "option is larger than capacity value");
        }
        if (i == 0 || policy.valid_values[i - 1] < value) continue;
        if (policy.valid_values[i - 1] == value) {
          add(here, Kind::Duplicate, shown(value), "");
        } else {
          add(here, Kind::Invalid, shown(value), "values must be sorted in ascending order");
        }
      }
      if (!found) {
        add(path + ".default", Kind::Invalid, shown(*policy.fallback),
            "default value is not valid according to the requestPolicy");
      }
    } else if (policy.valid_range) {
      range(path, capacity);
    }
  }

  void range(const std::string& path, const dra::Capacity& capacity) {
    const dra::CapacityPolicy::Range& range = *capacity.policy->valid_range;
    const ExactQuantity fallback = *capacity.policy->fallback;
    const std::string here = path + ".validRange";
    const ExactQuantity most = range.max.value_or(capacity.value);
    if (range.min > capacity.value) {
      add(here + ".min", Kind::Invalid, shown(range.min), "min is larger than capacity value");
    }
    if (range.max && *range.max > capacity.value) {
      add(here + ".max", Kind::Invalid, shown(*range.max), "max is larger than capacity value");
    }
    if (range.max && range.min > *range.max) {
      add(here + ".min", Kind::Invalid, shown(range.min), "min is larger than max");
    }
    if (range.step && range.step->billionths() <= 0) {
      add(here + ".step", Kind::Invalid, shown(*range.step), "must be greater than zero");
    }
    if (range.max && !on_grid(*range.max, range)) {
      add(here + ".max", Kind::Invalid, shown(*range.max),
          "value is not a multiple of a given step");
    }
    if (fallback < range.min || fallback > most || !on_grid(fallback, range)) {
      add(path + ".default", Kind::Invalid, shown(fallback),
          "default value is not valid according to the requestPolicy");
    }
  }
};

void object_name(DeviceRules& rules, const ObjectMeta& meta) {
  if (meta.key.name.empty() && meta.generate_name.empty()) {
    rules.add("metadata.name", Kind::Required, "", "name or generateName is required");
  } else if (!meta.key.name.empty()) {
    for (const std::string& fault : dns_subdomain_faults(meta.key.name)) {
      rules.invalid("metadata.name", meta.key.name, fault);
    }
  }
}

void allocation(DeviceRules& rules, const ResourceClaim& claim) {
  const std::string path = "status.allocation.devices";
  const dra::Allocation& allocation = *claim.status.allocation;
  rules.at_most(path + ".results", allocation.devices.size(), dra::kMostResults);
  std::set<std::string> requests;
  for (const dra::Request& request : claim.spec.requests) {
    requests.insert(request.name);
    for (const dra::Alternative& way : request.alternatives) {
      if (request.first_available) requests.insert(request.name + "/" + way.name);
    }
  }
  for (std::size_t i = 0; i < allocation.devices.size(); ++i) {
    const dra::AllocatedDevice& result = allocation.devices[i];
    const std::string here = at(path + ".results", i);
    if (!requests.contains(result.request)) {
      rules.invalid(here + ".request", result.request,
                    "must be the name of a request in the claim or the name of a request and a "
                    "subrequest separated by '/'");
    }
    rules.driver(here + ".driver", result.device.driver);
    rules.pool(here + ".pool", result.device.pool);
    rules.label(here + ".device", result.device.device);
  }
  rules.at_most(path + ".config", allocation.config.size(), 64);
  if (allocation.node_selector) {
    rules.node_terms("status.allocation.nodeSelector", *allocation.node_selector, false);
  }
}

}  // namespace

FieldErrors validate(const ResourceSlice& slice) {
  SliceRules rules;
  object_name(rules, slice.meta);
  rules.slice(slice.spec);
  return std::move(rules.errors);
}

FieldErrors validate(const DeviceClass& device_class) {
  DeviceRules rules;
  object_name(rules, device_class.meta);
  const dra::DeviceClassSpec& spec = device_class.spec;
  rules.selectors("spec.selectors", spec.selectors);
  rules.at_most("spec.config", spec.config.size(), 32);
  for (std::size_t i = 0; i < spec.config.size(); ++i) {
    rules.opaque(at("spec.config", i) + ".opaque", spec.config[i]);
  }
  if (!spec.extended_resource.empty()) {
    const std::string path = "spec.extendedResourceName";
    if (spec.extended_resource.find('/') == std::string::npos ||
        spec.extended_resource.find("kubernetes.io/") != std::string::npos) {
      rules.invalid(path, spec.extended_resource, "must be a valid extended resource name");
    } else {
      for (const std::string& fault : label_key_faults(spec.extended_resource)) {
        rules.invalid(path, spec.extended_resource, fault);
      }
    }
  }
  return std::move(rules.errors);
}

FieldErrors validate(const DeviceTaintRule& rule) {
  DeviceRules rules;
  object_name(rules, rule.meta);
  if (rule.spec.selector) {
    const dra::TaintRuleSpec::Selector& selector = *rule.spec.selector;
    const std::string path = "spec.deviceSelector";
    if (!selector.driver.empty()) rules.driver(path + ".driver", selector.driver);
    if (!selector.pool.empty()) rules.pool(path + ".pool", selector.pool);
    if (!selector.device.empty()) rules.label(path + ".device", selector.device);
  }
  rules.taint("spec.taint", rule.spec.taint);
  return std::move(rules.errors);
}

FieldErrors validate(const ResourceClaimTemplate& claim_template) {
  DeviceRules rules;
  object_name(rules, claim_template.meta);
  rules.claim_spec("spec.spec", claim_template.spec);
  return std::move(rules.errors);
}

FieldErrors validate(const ResourceClaim& claim) {
  DeviceRules rules;
  object_name(rules, claim.meta);
  rules.claim_spec("spec", claim.spec);
  const dra::ClaimStatus& status = claim.status;
  if (status.allocation) {
    allocation(rules, claim);
  } else if (!status.reserved_for.empty()) {
    rules.add("status.reservedFor", Kind::Forbidden, "",
              "may not be specified when `allocated` is not set");
  }
  rules.at_most("status.reservedFor", status.reserved_for.size(), dra::kMostConsumers);
  std::set<std::string> uids;
  for (std::size_t i = 0; i < status.reserved_for.size(); ++i) {
    const dra::Consumer& consumer = status.reserved_for[i];
    const std::string here = at("status.reservedFor", i);
    if (consumer.resource.empty()) rules.required(here + ".resource");
    if (consumer.name.empty()) rules.required(here + ".name");
    if (consumer.uid.empty()) rules.required(here + ".uid");
    if (!uids.insert(consumer.uid).second) {
      rules.add(here, Kind::Duplicate, quoted(consumer.uid), "");
    }
  }
  return std::move(rules.errors);
}

}  // namespace quorate::objects
