#pragma once

// resource.k8s.io/v1 as values: what drivers publish, what claims ask for, what was allocated.
// Names and rules are those of the API (KEP-4381 and its successors); the objects that carry them
// are in src/objects, what is decided with them in src/devices.

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/base/exact_quantity.h"
#include "src/base/pod_template.h"
#include "src/base/time.h"

namespace quorate::dra {

// Parameters that only the driver understands; JSON text.
struct Opaque {
  std::string driver;
  std::string parameters;

  friend bool operator==(const Opaque&, const Opaque&) = default;
};

struct DeviceClassSpec {
  std::vector<std::string> selectors;  // CEL; a device belongs when all hold
  std::vector<Opaque> config;
  std::string extended_resource;  // containers may ask for a device by this resource name; "": no

  friend bool operator==(const DeviceClassSpec&, const DeviceClassSpec&) = default;
};

// The value of a device attribute, or a list of values of one type (KEP-5491).
struct Attribute {
  enum class Type : std::uint8_t { Int, Bool, Text, Version };
  Type type = Type::Int;
  bool list = false;
  std::vector<std::int64_t> numbers;  // of Int and Bool
  std::vector<std::string> texts;     // of Text and Version

  friend bool operator==(const Attribute&, const Attribute&) = default;
};

// How much of a shared device's capacity one allocation takes (KEP-5075).
struct CapacityPolicy {
  struct Range {
    ExactQuantity min;
    std::optional<ExactQuantity> max;
    std::optional<ExactQuantity> step;

    friend bool operator==(const Range&, const Range&) = default;
  };
  std::optional<ExactQuantity> fallback;  // `default`
  std::vector<ExactQuantity> valid_values;
  std::optional<Range> valid_range;

  friend bool operator==(const CapacityPolicy&, const CapacityPolicy&) = default;
};

struct Capacity {
  ExactQuantity value;
  std::optional<CapacityPolicy> policy;

  friend bool operator==(const Capacity&, const Capacity&) = default;
};

struct CounterConsumption {
  std::string counter_set;
  ExactAmounts counters;

  friend bool operator==(const CounterConsumption&, const CounterConsumption&) = default;
};

struct DeviceTaint {
  Taint taint;  // effect None, NoSchedule, NoExecute
  std::optional<Time> added;

  friend bool operator==(const DeviceTaint&, const DeviceTaint&) = default;
};

using NodeTerms = std::vector<NodeSelectorTerm>;

struct Device {
  std::string name;
  std::map<std::string, Attribute> attributes;  // by name as published
  std::map<std::string, Capacity> capacity;
  std::vector<CounterConsumption> consumes;
  // Where it can be used; only of slices with per_device_nodes.
  std::string node_name;
  std::optional<NodeTerms> node_selector;
  bool all_nodes = false;
  std::vector<DeviceTaint> taints;
  bool binds_to_node = false;
  std::vector<std::string> binding_conditions;
  std::vector<std::string> binding_failure_conditions;
  bool allow_multiple = false;  // allowMultipleAllocations

  friend bool operator==(const Device&, const Device&) = default;
};

struct CounterSet {
  std::string name;
  ExactAmounts counters;

  friend bool operator==(const CounterSet&, const CounterSet&) = default;
};

struct SliceSpec {
  std::string driver;
  std::string pool;
  std::int64_t generation = 0;
  std::int64_t slice_count = 1;
  // Where its devices can be used: exactly one of these four.
  std::string node_name;
  std::optional<NodeTerms> node_selector;
  bool all_nodes = false;
  bool per_device_nodes = false;
  std::vector<Device> devices;
  std::vector<CounterSet> counters;

  friend bool operator==(const SliceSpec&, const SliceSpec&) = default;
};

struct TaintRuleSpec {
  struct Selector {
    std::string driver, pool, device;  // "": any

    friend bool operator==(const Selector&, const Selector&) = default;
  };
  std::optional<Selector> selector;  // absent: no device
  DeviceTaint taint;

  friend bool operator==(const TaintRuleSpec&, const TaintRuleSpec&) = default;
};

// One way to satisfy a request: `exactly`, or an entry of `firstAvailable`.
struct Alternative {
  std::string name;  // "" of `exactly`
  std::string device_class;
  std::vector<std::string> selectors;  // CEL
  std::string mode = "ExactCount";     // or All
  std::int64_t count = 1;              // of ExactCount
  bool admin_access = false;
  std::vector<Toleration> tolerations;
  ExactAmounts capacity;
  bool derived_attributes = false;  // asks for attributes that nobody computes yet

  friend bool operator==(const Alternative&, const Alternative&) = default;
};

struct Request {
  std::string name;
  bool first_available = false;
  std::vector<Alternative> alternatives;  // one unless first_available

  friend bool operator==(const Request&, const Request&) = default;
};

struct Constraint {
  std::vector<std::string> requests;  // "req" or "req/sub"; none: all
  std::string match_attribute;        // fully qualified; wins if both are set
  std::string distinct_attribute;

  friend bool operator==(const Constraint&, const Constraint&) = default;
};

struct ClaimConfig {
  std::vector<std::string> requests;
  Opaque opaque;

  friend bool operator==(const ClaimConfig&, const ClaimConfig&) = default;
};

struct ClaimSpec {
  std::vector<Request> requests;
  std::vector<Constraint> constraints;
  std::vector<ClaimConfig> config;

  friend bool operator==(const ClaimSpec&, const ClaimSpec&) = default;
};

// A device of one pool of one driver.
struct DeviceName {
  std::string driver, pool, device;

  std::string text() const { return driver + "/" + pool + "/" + device; }
  friend bool operator==(const DeviceName&, const DeviceName&) = default;
  friend auto operator<=>(const DeviceName&, const DeviceName&) = default;
};

struct AllocatedDevice {
  std::string request;  // "req" or "req/sub"
  DeviceName device;
  bool admin_access = false;
  std::vector<Toleration> tolerations;
  std::vector<std::string> binding_conditions;
  std::vector<std::string> binding_failure_conditions;
  std::string share_id;   // a lower-case UUID; "" unless the device is shared
  ExactAmounts consumed;  // of a shared device

  friend bool operator==(const AllocatedDevice&, const AllocatedDevice&) = default;
};

struct AllocatedConfig {
  bool from_class = false;  // else from the claim
  std::vector<std::string> requests;
  Opaque opaque;

  friend bool operator==(const AllocatedConfig&, const AllocatedConfig&) = default;
};

struct Allocation {
  std::vector<AllocatedDevice> devices;
  std::vector<AllocatedConfig> config;
  std::optional<NodeTerms> node_selector;  // absent: usable everywhere
  std::optional<Time> allocated_at;

  friend bool operator==(const Allocation&, const Allocation&) = default;
};

// Who may use a claim: a pod, or a PodGroup with all its pods.
struct Consumer {
  std::string api_group;
  std::string resource;
  std::string name;
  std::string uid;

  friend bool operator==(const Consumer&, const Consumer&) = default;
};

// What a driver says about an allocated device.
struct DeviceCondition {
  DeviceName device;
  std::string share_id;
  std::string type;
  bool is_true = false;
  std::string reason, message;

  friend bool operator==(const DeviceCondition&, const DeviceCondition&) = default;
};

struct ClaimStatus {
  std::optional<Allocation> allocation;
  std::vector<Consumer> reserved_for;
  std::vector<DeviceCondition> conditions;  // of status.devices

  friend bool operator==(const ClaimStatus&, const ClaimStatus&) = default;
};

inline constexpr std::size_t kMostResults = 32;      // devices of one claim
inline constexpr std::size_t kMostConsumers = 256;   // entries of reservedFor
inline constexpr std::size_t kMostAlternatives = 8;  // of one request

}  // namespace quorate::dra
