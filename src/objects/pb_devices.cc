// resource.k8s.io/v1 from protobuf. Its messages are deep and rarely hot, so they are rewritten as
// the JSON they stand for, by a table of the fields, and read by the JSON readers.

#include <map>
#include <string>
#include <vector>

#include "src/objects/json_writer.h"
#include "src/objects/pb_fields.h"
#include "src/objects/pb_read.h"
#include "src/objects/read.h"

namespace quorate::objects {
namespace {

using namespace pb;  // NOLINT: the spelling of fields

// A type is "text", "int", "bool", "time", "quantity", "json", or a message. Before it: '*' a list,
// '@' a map from text, '^' a message whose members stand in the outer one.
struct Field {
  std::uint32_t number;
  std::string_view name;
  std::string_view type;
};
using Message = std::vector<Field>;

const std::map<std::string_view, Message>& schema() {
  // clang-format off
  static const std::map<std::string_view, Message> kSchema{
      {"ResourceSlice", {{2, "spec", "SliceSpec"}}},
      {"SliceSpec",
       {{1, "driver", "text"}, {2, "pool", "Pool"}, {3, "nodeName", "text"},
        {4, "nodeSelector", "NodeSelector"}, {5, "allNodes", "bool"}, {6, "devices", "*Device"},
        {7, "perDeviceNodeSelection", "bool"}, {8, "sharedCounters", "*CounterSet"}}},
      {"Pool", {{1, "name", "text"}, {2, "generation", "int"}, {3, "resourceSliceCount", "int"}}},
      {"CounterSet", {{1, "name", "text"}, {2, "counters", "@Counter"}}},
      {"Counter", {{1, "value", "quantity"}}},
      {"Device",
       {{1, "name", "text"}, {2, "attributes", "@Attribute"}, {3, "capacity", "@Capacity"},
        {4, "consumesCounters", "*Consumption"}, {5, "nodeName", "text"},
        {6, "nodeSelector", "NodeSelector"}, {7, "allNodes", "bool"}, {8, "taints", "*Taint"},
        {9, "bindsToNode", "bool"}, {10, "bindingConditions", "*text"},
        {11, "bindingFailureConditions", "*text"}, {12, "allowMultipleAllocations", "bool"}}},
      {"Attribute",
       {{2, "int", "int"}, {3, "bool", "bool"}, {4, "string", "text"}, {5, "version", "text"},
        {6, "ints", "*int"}, {7, "bools", "*bool"}, {8, "strings", "*text"},
        {9, "versions", "*text"}}},
      {"Capacity", {{1, "value", "quantity"}, {2, "requestPolicy", "Policy"}}},
      {"Policy",
       {{1, "default", "quantity"}, {3, "validValues", "*quantity"}, {4, "validRange", "Range"}}},
      {"Range", {{1, "min", "quantity"}, {2, "max", "quantity"}, {3, "step", "quantity"}}},
      {"Consumption", {{1, "counterSet", "text"}, {2, "counters", "@Counter"}}},
      {"Taint",
       {{1, "key", "text"}, {2, "value", "text"}, {3, "effect", "text"}, {4, "timeAdded", "time"}}},
      {"NodeSelector", {{1, "nodeSelectorTerms", "*Term"}}},
      {"Term", {{1, "matchExpressions", "*Requirement"}, {2, "matchFields", "*Requirement"}}},
      {"Requirement", {{1, "key", "text"}, {2, "operator", "text"}, {3, "values", "*text"}}},

      {"ResourceClaim", {{2, "spec", "ClaimSpec"}, {3, "status", "ClaimStatus"}}},
      {"ClaimSpec", {{1, "devices", "DeviceClaim"}}},
      {"DeviceClaim",
       {{1, "requests", "*Request"}, {2, "constraints", "*Constraint"}, {3, "config", "*Config"}}},
      {"Request", {{1, "name", "text"}, {2, "exactly", "Exactly"}, {3, "firstAvailable", "*Sub"}}},
      {"Exactly",
       {{1, "deviceClassName", "text"}, {2, "selectors", "*Selector"},
        {3, "allocationMode", "text"}, {4, "count", "int"}, {5, "adminAccess", "bool"},
        {6, "tolerations", "*Toleration"}, {7, "capacity", "Requirements"},
        {8, "derivedAttributes", "*Derived"}}},
      {"Sub",
       {{1, "name", "text"}, {2, "deviceClassName", "text"}, {3, "selectors", "*Selector"},
        {4, "allocationMode", "text"}, {5, "count", "int"}, {6, "tolerations", "*Toleration"},
        {7, "capacity", "Requirements"}, {8, "derivedAttributes", "*Derived"}}},
      {"Derived", {{1, "name", "text"}}},
      {"Requirements", {{1, "requests", "@quantity"}}},
      {"Selector", {{1, "cel", "Cel"}}},
      {"Cel", {{1, "expression", "text"}}},
      {"Constraint",
       {{1, "requests", "*text"}, {2, "matchAttribute", "text"}, {3, "distinctAttribute", "text"}}},
      {"Toleration",
       {{1, "key", "text"}, {2, "operator", "text"}, {3, "value", "text"}, {4, "effect", "text"},
        {5, "tolerationSeconds", "int"}}},
      {"Config", {{1, "requests", "*text"}, {2, "", "^Configuration"}}},
      {"Configuration", {{1, "opaque", "Opaque"}}},
      {"Opaque", {{1, "driver", "text"}, {2, "parameters", "json"}}},
      {"ClaimStatus",
       {{1, "allocation", "Allocation"}, {2, "reservedFor", "*Consumer"},
        {4, "devices", "*DeviceStatus"}}},
      {"Consumer",
       {{1, "apiGroup", "text"}, {3, "resource", "text"}, {4, "name", "text"}, {5, "uid", "text"}}},
      {"Allocation",
       {{1, "devices", "Allocated"}, {3, "nodeSelector", "NodeSelector"},
        {5, "allocationTimestamp", "time"}}},
      {"Allocated", {{1, "results", "*Result"}, {2, "config", "*AllocatedConfig"}}},
      {"Result",
       {{1, "request", "text"}, {2, "driver", "text"}, {3, "pool", "text"}, {4, "device", "text"},
        {5, "adminAccess", "bool"}, {6, "tolerations", "*Toleration"},
        {7, "bindingConditions", "*text"}, {8, "bindingFailureConditions", "*text"},
        {9, "shareID", "text"}, {10, "consumedCapacity", "@quantity"}}},
      {"AllocatedConfig",
       {{1, "source", "text"}, {2, "requests", "*text"}, {3, "", "^Configuration"}}},
      {"DeviceStatus",
       {{1, "driver", "text"}, {2, "pool", "text"}, {3, "device", "text"},
        {4, "conditions", "*Condition"}, {7, "shareID", "text"}}},
      {"Condition",
       {{1, "type", "text"}, {2, "status", "text"}, {3, "observedGeneration", "int"},
        {4, "lastTransitionTime", "time"}, {5, "reason", "text"}, {6, "message", "text"}}},
  };
  // clang-format on
  return kSchema;
}

// One occurrence of a field on the wire.
struct Occurrence {
  std::string_view bytes;
  std::uint64_t number = 0;
};

void write_members(JsonWriter& out, std::string_view message, std::string_view type, int depth);

void write_json(JsonWriter& out, std::string_view extension) {
  std::string_view raw;
  pbf_reader from = reader(extension);
  while (from.next(1, protozero::pbf_wire_type::length_delimited)) raw = view(from);
  JsonDocument document;
  if (document.parse(raw)) {
    out.raw(document.root().canonical());
  } else {
    out.null();
  }
}

void write_value(JsonWriter& out, const Occurrence& value, std::string_view type, int depth) {
  if (type == "text") {
    out.text(value.bytes);
  } else if (type == "int") {
    out.number(static_cast<std::int64_t>(value.number));
  } else if (type == "bool") {
    out.boolean(value.number != 0);
  } else if (type == "time") {
    if (const std::optional<Time> time = pb_time(value.bytes)) {
      out.text(format_time(*time));
    } else {
      out.null();
    }
  } else if (type == "quantity") {
    std::string_view text = "0";
    pbf_reader from = reader(value.bytes);
    while (from.next(1, protozero::pbf_wire_type::length_delimited)) text = view(from);
    out.text(text);
  } else if (type == "json") {
    write_json(out, value.bytes);
  } else {
    out.open();
    write_members(out, value.bytes, type, depth);
    out.close();
  }
}

bool is_number(std::string_view type) { return type == "int" || type == "bool"; }

void write_entries(JsonWriter& out, const std::vector<Occurrence>& entries, std::string_view type,
                   int depth) {
  std::map<std::string_view, Occurrence> by_key;
  for (const Occurrence& entry : entries) {
    std::string_view key;
    Occurrence value;
    pbf_reader from = reader(entry.bytes);
    while (from.next()) {
      switch (from.tag_and_type()) {
        case bytes(1):
          key = view(from);
          break;
        case bytes(2):
          value.bytes = view(from);
          break;
        default:
          from.skip();
      }
    }
    by_key[key] = value;
  }
  out.open();
  for (const auto& [key, value] : by_key) {
    out.key(key);
    write_value(out, value, type, depth);
  }
  out.close();
}

void write_field(JsonWriter& out, const Field& field, const std::vector<Occurrence>& found,
                 int depth) {
  std::string_view type = field.type;
  const char prefix = type.front();
  if (prefix == '*' || prefix == '@' || prefix == '^') type.remove_prefix(1);
  if (prefix == '^') {
    for (const Occurrence& each : found) write_members(out, each.bytes, type, depth);
    return;
  }
  out.key(field.name);
  if (prefix == '*') {
    out.open_list();
    for (const Occurrence& each : found) write_value(out, each, type, depth);
    out.close_list();
  } else if (prefix == '@') {
    write_entries(out, found, type, depth);
  } else if (found.size() == 1 || !schema().contains(type)) {
    write_value(out, found.back(), type, depth);
  } else {
    // A message that occurs again is merged, which is what its bytes in a row mean.
    std::string merged;
    for (const Occurrence& each : found) merged.append(each.bytes);
    write_value(out, {merged, 0}, type, depth);
  }
}

void write_members(JsonWriter& out, std::string_view message, std::string_view type, int depth) {
  if (depth > 32) throw PbFault{"", "nested too deep"};
  const Message& fields = schema().at(type);
  std::map<std::uint32_t, std::vector<Occurrence>> found;
  pbf_reader from = reader(message);
  while (from.next()) {
    const Field* known = nullptr;
    for (const Field& field : fields) {
      if (field.number == from.tag()) known = &field;
    }
    if (known == nullptr) {
      from.skip();
      continue;
    }
    std::string_view item = known->type;
    const bool list = item.front() == '*';
    if (list) item.remove_prefix(1);
    using Wire = protozero::pbf_wire_type;
    if (is_number(item)) {
      if (from.wire_type() == Wire::varint) {
        found[known->number].push_back({{}, from.get_uint64()});
      } else if (list && from.wire_type() == Wire::length_delimited) {
        for (const std::uint64_t each : from.get_packed_uint64()) {
          found[known->number].push_back({{}, each});
        }
      } else {
        from.skip();
      }
    } else if (from.wire_type() == Wire::length_delimited) {
      found[known->number].push_back({view(from), 0});
    } else {
      from.skip();
    }
  }
  for (const Field& field : fields) {
    if (const auto each = found.find(field.number); each != found.end()) {
      write_field(out, field, each->second, depth + 1);
    }
  }
}

template <class T>
void read_as_json(std::string_view message, std::string_view type, T& object) {
  ObjectMeta meta;
  pbf_reader from = reader(message);
  while (from.next(1, protozero::pbf_wire_type::length_delimited)) {
    pb_at("metadata", [&] { pb_read(view(from), meta); });
  }
  JsonWriter out;
  out.open();
  write_members(out, message, type, 0);
  JsonDocument document;
  const Outcome<void> parsed = document.parse(out.close().str());
  if (!parsed) throw PbFault{"", parsed.error().message};
  read(document.root(), "", object);
  if (document.fault()) throw PbFault{"", *document.fault()};
  object.meta = std::move(meta);
}

}  // namespace

void pb_read(std::string_view message, ResourceSlice& slice) {
  read_as_json(message, "ResourceSlice", slice);
}

void pb_read(std::string_view message, ResourceClaim& claim) {
  read_as_json(message, "ResourceClaim", claim);
}

}  // namespace quorate::objects
