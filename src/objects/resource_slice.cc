#include "src/objects/resource_slice.h"

#include "src/objects/read.h"
#include "src/objects/read_devices.h"

namespace quorate::objects {
namespace {

using dra::Attribute;

// The member that says the value, of the eight there are.
Attribute read_attribute(Json json) {
  Attribute attribute;
  int said = 0;
  const auto value = [&](const char* name, Attribute::Type type, bool list) {
    const Json member = json[name];
    if (!member.present()) return;
    ++said;
    attribute = {.type = type, .list = list};
    const auto one = [&](Json each) {
      switch (type) {
        case Attribute::Type::Int:
          attribute.numbers.push_back(each.int64());
          break;
        case Attribute::Type::Bool:
          attribute.numbers.push_back(each.boolean() ? 1 : 0);
          break;
        case Attribute::Type::Text:
        case Attribute::Type::Version:
          attribute.texts.push_back(each.text());
          break;
      }
    };
    if (list) {
      member.each(one);
    } else {
      one(member);
    }
  };
  value("int", Attribute::Type::Int, false);
  value("bool", Attribute::Type::Bool, false);
  value("string", Attribute::Type::Text, false);
  value("version", Attribute::Type::Version, false);
  value("ints", Attribute::Type::Int, true);
  value("bools", Attribute::Type::Bool, true);
  value("strings", Attribute::Type::Text, true);
  value("versions", Attribute::Type::Version, true);
  if (said != 1) {
    json.fail("Invalid value: must specify exactly one of: `int`, `bool`, `string`, `version`");
  }
  return attribute;
}

ExactQuantity quantity(Json json) { return json.maybe_exact().value_or(ExactQuantity{}); }

dra::Capacity read_capacity(Json json) {
  dra::Capacity capacity;
  capacity.value = quantity(json["value"]);
  const Json policy = json["requestPolicy"];
  if (!policy.present()) return capacity;
  capacity.policy.emplace();
  capacity.policy->fallback = policy["default"].maybe_exact();
  policy["validValues"].each(
      [&](Json each) { capacity.policy->valid_values.push_back(quantity(each)); });
  if (const Json range = policy["validRange"]; range.present()) {
    capacity.policy->valid_range = dra::CapacityPolicy::Range{
        quantity(range["min"]), range["max"].maybe_exact(), range["step"].maybe_exact()};
  }
  return capacity;
}

ExactAmounts read_counters(Json json) {
  ExactAmounts counters;
  json.members([&](std::string_view name, Json each) {
    counters[std::string(name)] = quantity(each["value"]);
  });
  return counters;
}

dra::Device read_device(Json json) {
  dra::Device device;
  device.name = json["name"].text();
  json["attributes"].members([&](std::string_view name, Json each) {
    device.attributes[std::string(name)] = read_attribute(each);
  });
  json["capacity"].members([&](std::string_view name, Json each) {
    device.capacity[std::string(name)] = read_capacity(each);
  });
  json["consumesCounters"].each([&](Json each) {
    device.consumes.push_back({each["counterSet"].text(), read_counters(each["counters"])});
  });
  device.node_name = json["nodeName"].text();
  if (const Json selector = json["nodeSelector"]; selector.present()) {
    device.node_selector = read_node_terms(selector);
  }
  device.all_nodes = json["allNodes"].boolean();
  json["taints"].each([&](Json each) { device.taints.push_back(read_device_taint(each)); });
  device.binds_to_node = json["bindsToNode"].boolean();
  device.binding_conditions = json["bindingConditions"].texts();
  device.binding_failure_conditions = json["bindingFailureConditions"].texts();
  device.allow_multiple = json["allowMultipleAllocations"].boolean();
  return device;
}

}  // namespace

dra::NodeTerms read_node_terms(Json json) {
  dra::NodeTerms terms;
  json["nodeSelectorTerms"].each([&](Json each) { terms.push_back(read_node_term(each)); });
  return terms;
}

void read(Json json, std::string_view, ResourceSlice& slice) {
  slice.meta = read_meta(json["metadata"]);
  const Json spec = json["spec"];
  slice.spec.driver = spec["driver"].text();
  const Json pool = spec["pool"];
  slice.spec.pool = pool["name"].text();
  slice.spec.generation = pool["generation"].int64();
  slice.spec.slice_count = pool["resourceSliceCount"].int64();
  slice.spec.node_name = spec["nodeName"].text();
  if (const Json selector = spec["nodeSelector"]; selector.present()) {
    slice.spec.node_selector = read_node_terms(selector);
  }
  slice.spec.all_nodes = spec["allNodes"].boolean();
  slice.spec.per_device_nodes = spec["perDeviceNodeSelection"].boolean();
  spec["devices"].each([&](Json each) { slice.spec.devices.push_back(read_device(each)); });
  spec["sharedCounters"].each([&](Json each) {
    slice.spec.counters.push_back({each["name"].text(), read_counters(each["counters"])});
  });
}

}  // namespace quorate::objects
