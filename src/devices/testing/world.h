#pragma once

// A small cluster of devices for tests: builders with defaults, and answers as short texts.

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/devices/model.h"

namespace quorate::devices {

// Selectors of these tests, which need no expression language:
// "any"; "driver d"; "<attribute>=<text>", which fails without the attribute;
// "<attribute>?=<text>", which is false without it.
class TestSelector final : public Selector {
 public:
  explicit TestSelector(std::string text) : text_(std::move(text)) {}

  Outcome<bool> matches(std::string_view driver, const dra::Device& device) const override {
    if (text_ == "any") return true;
    if (text_.starts_with("driver ")) return driver == std::string_view(text_).substr(7);
    const std::size_t equals = text_.find('=');
    const bool optional = text_[equals - 1] == '?';
    const std::string name = text_.substr(0, optional ? equals - 1 : equals);
    const auto found = device.attributes.find(name);
    if (found == device.attributes.end()) {
      if (optional) return false;
      return error(Errc::Invalid, "CEL runtime error: no such key: " + name);
    }
    const dra::Attribute& attribute = found->second;
    const std::string value =
        attribute.texts.empty() ? std::to_string(attribute.numbers.at(0)) : attribute.texts.at(0);
    return value == text_.substr(equals + 1);
  }

 private:
  std::string text_;
};

inline Outcome<std::shared_ptr<const Selector>> compile_for_tests(std::string_view text) {
  if (text == "broken") return error(Errc::Invalid, "CEL compilation failed");
  return std::make_shared<const TestSelector>(std::string(text));
}

inline dra::Attribute text_value(std::string text) {
  return {dra::Attribute::Type::Text, false, {}, {std::move(text)}};
}
inline dra::Attribute int_value(std::int64_t number) {
  return {dra::Attribute::Type::Int, false, {number}, {}};
}
inline dra::Attribute int_list(std::vector<std::int64_t> numbers) {
  return {dra::Attribute::Type::Int, true, std::move(numbers), {}};
}
inline ExactQuantity amount(std::string_view text) { return *parse_exact_quantity(text); }

struct DeviceArgs {
  std::map<std::string, dra::Attribute> attributes = {};
  std::map<std::string, std::string> capacity = {};
  std::map<std::string, dra::CapacityPolicy> policies = {};
  std::vector<Taint> taints = {};
  std::vector<dra::CounterConsumption> consumes = {};
  bool shared = false;
  std::vector<std::string> binding = {};  // condition; with "<condition>Failed" beside it
  bool binds_to_node = false;
};

inline dra::Device dev(std::string name, DeviceArgs args = {}) {
  dra::Device device;
  device.name = std::move(name);
  device.attributes = std::move(args.attributes);
  for (const auto& [key, value] : args.capacity) {
    dra::Capacity& capacity = device.capacity[key];
    capacity.value = amount(value);
    if (args.policies.contains(key)) capacity.policy = args.policies.at(key);
  }
  for (Taint& taint : args.taints) device.taints.push_back({std::move(taint), std::nullopt});
  device.consumes = std::move(args.consumes);
  device.allow_multiple = args.shared;
  device.binding_conditions = args.binding;
  for (const std::string& each : args.binding) {
    device.binding_failure_conditions.push_back(each + "Failed");
  }
  device.binds_to_node = args.binds_to_node;
  return device;
}

// A complete slice of pool `node`, of driver d.
inline SliceObject sl(const std::string& node, std::vector<dra::Device> devices) {
  SliceObject slice{"slice-" + node, {}};
  slice.spec.driver = "d";
  slice.spec.pool = node;
  slice.spec.node_name = node;
  slice.spec.devices = std::move(devices);
  return slice;
}

struct RequestArgs {
  std::int64_t count = 1;
  std::string device_class = "c";
  std::vector<std::string> selectors = {};
  std::string mode = "ExactCount";
  bool admin = false;
  std::vector<Toleration> tolerations = {};
  std::map<std::string, std::string> capacity = {};
};

inline dra::Alternative way(std::string name, RequestArgs args = {}) {
  dra::Alternative out;
  out.name = std::move(name);
  out.device_class = std::move(args.device_class);
  out.selectors = std::move(args.selectors);
  out.mode = std::move(args.mode);
  out.count = out.mode == "All" ? 0 : args.count;
  out.admin_access = args.admin;
  out.tolerations = std::move(args.tolerations);
  for (const auto& [key, value] : args.capacity) out.capacity[key] = amount(value);
  return out;
}
inline dra::Request req(std::string name, RequestArgs args = {}) {
  return {std::move(name), false, {way("", std::move(args))}};
}
inline dra::Request first_of(std::string name, std::vector<dra::Alternative> ways) {
  return {std::move(name), true, std::move(ways)};
}
inline dra::Constraint match(std::string attribute, std::vector<std::string> requests = {}) {
  return {std::move(requests), std::move(attribute), ""};
}
inline dra::Constraint distinct(std::string attribute, std::vector<std::string> requests = {}) {
  return {std::move(requests), "", std::move(attribute)};
}
inline dra::ClaimSpec claim(std::vector<dra::Request> requests,
                            std::vector<dra::Constraint> constraints = {}) {
  return {std::move(requests), std::move(constraints), {}};
}

// Nodes, devices and claims; every pod has one claim of its own name.
class DeviceWorld {
 public:
  explicit DeviceWorld(Order order = Order::AsListed) {
    auto model = std::make_unique<Model>(compile_for_tests);
    devices = model.get();
    devices->set_order(order);
    cluster.attach(std::move(model));
    add_class("c", {"driver d"});
    node("n1");
  }

  void node(const std::string& name, Labels labels = {}) {
    cluster::NodeSpec spec;
    spec.name = name;
    spec.labels = std::move(labels);
    spec.allocatable["pods"] = Quantity{110};
    cluster.apply(journal, std::move(spec));
  }
  void add_class(const std::string& name, std::vector<std::string> selectors = {},
                 std::vector<dra::Opaque> config = {}) {
    devices->apply(cluster, journal,
                   ClassObject{name, {}, {std::move(selectors), std::move(config), ""}});
  }
  void slice(SliceObject object) { devices->apply(cluster, journal, std::move(object)); }

  // A claim made for the pod of the same name.
  void add_claim(const std::string& name, dra::ClaimSpec spec, dra::ClaimStatus status = {}) {
    ClaimObject object;
    object.key = {"ns", name};
    object.uid = "uid-" + name;
    object.owner_kind = "Pod";
    object.owner_name = name;
    object.owner_uid = "pod-" + name;
    object.spec = std::move(spec);
    object.status = std::move(status);
    devices->apply(cluster, journal, std::move(object));
  }
  // A claim that somebody allocated: "device" of driver d in the pool.
  void in_use(const std::string& name, const std::string& device, const std::string& pool = "n1") {
    dra::ClaimStatus status;
    status.allocation.emplace();
    dra::AllocatedDevice& result = status.allocation->devices.emplace_back();
    result.request = "r";
    result.device = {"d", pool, device};
    add_claim(name, claim({req("r")}), status);
  }

  cluster::PodSpec pod_of(const std::string& name) const {
    cluster::PodSpec pod;
    pod.key = {"ns", name};
    pod.uid = "pod-" + name;
    auto spec = std::make_shared<PodTemplate>();
    spec->resource_claims.push_back({"claim", "", "template"});
    pod.spec = std::move(spec);
    pod.claim_names["claim"] = name;
    return pod;
  }
  std::shared_ptr<const PodClaims> claims_of(const std::string& name) const {
    return devices->claims_of(pod_of(name), nullptr);
  }

  // What the claim would get: "a b" (with "req/sub:" before a device of an alternative), or why
  // not.
  std::string choose(const std::string& name, const std::string& node = "n1") const {
    const auto claims = claims_of(name);
    if (!claims->unresolvable.empty()) return claims->unresolvable;
    const auto chosen = devices->choose(cluster, cluster.find_node(node), *claims);
    if (!chosen) return "no: " + chosen.error().message;
    const auto& allocated = chosen.value()->claims.at(0).allocated;
    if (allocated == nullptr) return "has its devices";
    std::string text;
    for (const dra::AllocatedDevice& each : allocated->allocation->devices) {
      text += text.empty() ? "" : " ";
      if (each.request.find('/') != std::string::npos) text += each.request + ":";
      text += each.device.device;
    }
    return text;
  }
  std::string choose(dra::ClaimSpec spec, const std::string& node = "n1") {
    add_claim("ask", std::move(spec));
    const std::string answer = choose(std::string("ask"), node);
    gone("ask");
    return answer;
  }
  dra::Allocation allocation(const std::string& name, const std::string& node = "n1") const {
    const auto chosen = devices->choose(cluster, cluster.find_node(node), *claims_of(name));
    return *chosen.value()->claims.at(0).allocated->allocation;
  }
  // The claim is allocated and reserved for its pod, as we do before a bind.
  std::string allocate(const std::string& name, const std::string& node = "n1") {
    const auto chosen = devices->choose(cluster, cluster.find_node(node), *claims_of(name));
    if (!chosen) return "no: " + chosen.error().message;
    const std::string text = choose(name, node);
    devices->assume(cluster, journal, chosen.value()->claims.at(0),
                    {"", "pods", name, "pod-" + name});
    return text;
  }
  std::string allocate(const std::string& name, dra::ClaimSpec spec,
                       const std::string& node = "n1") {
    add_claim(name, std::move(spec));
    return allocate(name, node);
  }
  void gone(const std::string& name) {
    devices->claim_gone(cluster, journal, {"ns", name}, "uid-" + name);
  }
  Verdict::Kind fits(const std::string& name, const std::string& node = "n1") const {
    return devices->fits(cluster, cluster.find_node(node), *claims_of(name)).kind;
  }
  std::string digest() const {
    Digest digest;
    devices->digest(digest);
    return digest.hex();
  }

  cluster::Model cluster;
  Journal journal;
  Model* devices = nullptr;
};

}  // namespace quorate::devices
