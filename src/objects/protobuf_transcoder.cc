#include "src/objects/protobuf_transcoder.h"

#include <map>
#include <protozero/pbf_writer.hpp>
#include <stdexcept>

namespace quorate::objects::testing_support {
namespace {

// "text", "int", "bool", "time", "quantity", or the name of a message; a trailing * is a list, a
// leading @ a map from text.
struct Field {
  std::uint32_t number;
  std::string_view type;
};
using Message = std::map<std::string_view, Field>;

const std::map<std::string_view, Message>& schema() {
  // clang-format off
  static const std::map<std::string_view, Message> kSchema{
      {"ObjectMeta",
       {{"name", {1, "text"}}, {"generateName", {2, "text"}}, {"namespace", {3, "text"}},
        {"uid", {5, "text"}}, {"resourceVersion", {6, "text"}}, {"generation", {7, "int"}},
        {"creationTimestamp", {8, "time"}}, {"deletionTimestamp", {9, "time"}},
        {"deletionGracePeriodSeconds", {10, "int"}}, {"labels", {11, "@text"}},
        {"annotations", {12, "@text"}}, {"ownerReferences", {13, "OwnerReference*"}},
        {"finalizers", {14, "text*"}}, {"managedFields", {17, "ManagedFields*"}}}},
      {"OwnerReference",
       {{"kind", {1, "text"}}, {"name", {3, "text"}}, {"uid", {4, "text"}},
        {"apiVersion", {5, "text"}}, {"controller", {6, "bool"}},
        {"blockOwnerDeletion", {7, "bool"}}}},
      {"ManagedFields", {{"manager", {1, "text"}}, {"time", {4, "time"}}}},
      {"ListMeta",
       {{"resourceVersion", {2, "text"}}, {"continue", {3, "text"}},
        {"remainingItemCount", {4, "int"}}}},
      {"Pod", {{"metadata", {1, "ObjectMeta"}}, {"spec", {2, "PodSpec"}}, {"status", {3, "PodStatus"}}}},
      {"PodSpec",
       {{"containers", {2, "Container*"}}, {"restartPolicy", {3, "text"}},
        {"terminationGracePeriodSeconds", {4, "int"}}, {"nodeSelector", {7, "@text"}},
        {"nodeName", {10, "text"}}, {"hostNetwork", {11, "bool"}}, {"affinity", {18, "Affinity"}},
        {"schedulerName", {19, "text"}}, {"initContainers", {20, "Container*"}},
        {"tolerations", {22, "Toleration*"}}, {"priorityClassName", {24, "text"}},
        {"priority", {25, "int"}}, {"runtimeClassName", {29, "text"}},
        {"preemptionPolicy", {31, "text"}}, {"overhead", {32, "@quantity"}},
        {"schedulingGates", {38, "Named*"}}, {"resourceClaims", {39, "PodClaim*"}},
        {"resources", {40, "Resources"}},
        {"schedulingGroup", {43, "Group"}}}},
      {"PodClaim",
       {{"name", {1, "text"}}, {"resourceClaimName", {3, "text"}},
        {"resourceClaimTemplateName", {4, "text"}}}},
      {"Container",
       {{"name", {1, "text"}}, {"image", {2, "text"}}, {"args", {4, "text*"}},
        {"ports", {6, "Port*"}}, {"resources", {8, "Resources"}}, {"stdin", {16, "bool"}},
        {"restartPolicy", {24, "text"}}}},
      {"Port",
       {{"name", {1, "text"}}, {"hostPort", {2, "int"}}, {"containerPort", {3, "int"}},
        {"protocol", {4, "text"}}, {"hostIP", {5, "text"}}}},
      {"Resources", {{"limits", {1, "@quantity"}}, {"requests", {2, "@quantity"}}}},
      {"Named", {{"name", {1, "text"}}}},
      {"Group", {{"podGroupName", {1, "text"}}}},
      {"Toleration",
       {{"key", {1, "text"}}, {"operator", {2, "text"}}, {"value", {3, "text"}},
        {"effect", {4, "text"}}, {"tolerationSeconds", {5, "int"}}}},
      {"Affinity", {{"nodeAffinity", {1, "NodeAffinity"}}}},
      {"NodeAffinity",
       {{"requiredDuringSchedulingIgnoredDuringExecution", {1, "NodeSelector"}},
        {"preferredDuringSchedulingIgnoredDuringExecution", {2, "Preferred*"}}}},
      {"NodeSelector", {{"nodeSelectorTerms", {1, "Term*"}}}},
      {"Term", {{"matchExpressions", {1, "Requirement*"}}, {"matchFields", {2, "Requirement*"}}}},
      {"Requirement", {{"key", {1, "text"}}, {"operator", {2, "text"}}, {"values", {3, "text*"}}}},
      {"Preferred", {{"weight", {1, "int"}}, {"preference", {2, "Term"}}}},
      {"PodStatus",
       {{"phase", {1, "text"}}, {"conditions", {2, "PodCondition*"}}, {"message", {3, "text"}},
        {"reason", {4, "text"}}, {"podIP", {6, "text"}}, {"startTime", {7, "time"}},
        {"containerStatuses", {8, "ContainerStatus*"}},
        {"initContainerStatuses", {10, "ContainerStatus*"}}, {"nominatedNodeName", {11, "text"}}}},
      {"ContainerStatus", {{"name", {1, "text"}}, {"ready", {4, "bool"}}, {"restartCount", {5, "int"}}}},
      {"PodCondition",
       {{"type", {1, "text"}}, {"status", {2, "text"}}, {"lastProbeTime", {3, "time"}},
        {"lastTransitionTime", {4, "time"}}, {"reason", {5, "text"}}, {"message", {6, "text"}},
        {"observedGeneration", {7, "int"}}}},
      {"Node", {{"metadata", {1, "ObjectMeta"}}, {"spec", {2, "NodeSpec"}}, {"status", {3, "NodeStatus"}}}},
      {"NodeSpec",
       {{"podCIDR", {1, "text"}}, {"unschedulable", {4, "bool"}}, {"taints", {5, "Taint*"}}}},
      {"Taint",
       {{"key", {1, "text"}}, {"value", {2, "text"}}, {"effect", {3, "text"}},
        {"timeAdded", {4, "time"}}}},
      {"NodeStatus",
       {{"capacity", {1, "@quantity"}}, {"allocatable", {2, "@quantity"}},
        {"conditions", {4, "NodeCondition*"}}}},
      {"NodeCondition",
       {{"type", {1, "text"}}, {"status", {2, "text"}}, {"lastHeartbeatTime", {3, "time"}},
        {"lastTransitionTime", {4, "time"}}, {"reason", {5, "text"}}, {"message", {6, "text"}}}},
      {"Namespace", {{"metadata", {1, "ObjectMeta"}}, {"status", {3, "NamespaceStatus"}}}},
      {"NamespaceStatus", {{"phase", {1, "text"}}}},
      {"PriorityClass",
       {{"metadata", {1, "ObjectMeta"}}, {"value", {2, "int"}}, {"globalDefault", {3, "bool"}},
        {"description", {4, "text"}}, {"preemptionPolicy", {5, "text"}}}},
      {"ResourceSlice", {{"metadata", {1, "ObjectMeta"}}, {"spec", {2, "SliceSpec"}}}},
      {"SliceSpec",
       {{"driver", {1, "text"}}, {"pool", {2, "Pool"}}, {"nodeName", {3, "text"}},
        {"nodeSelector", {4, "NodeSelector"}}, {"allNodes", {5, "bool"}}, {"devices", {6, "Device*"}},
        {"perDeviceNodeSelection", {7, "bool"}}, {"sharedCounters", {8, "CounterSet*"}}}},
      {"Pool", {{"name", {1, "text"}}, {"generation", {2, "int"}}, {"resourceSliceCount", {3, "int"}}}},
      {"CounterSet", {{"name", {1, "text"}}, {"counters", {2, "@Counter"}}}},
      {"Counter", {{"value", {1, "quantity"}}}},
      {"Device",
       {{"name", {1, "text"}}, {"attributes", {2, "@Attribute"}}, {"capacity", {3, "@Capacity"}},
        {"consumesCounters", {4, "Consumption*"}}, {"taints", {8, "DeviceTaint*"}},
        {"bindsToNode", {9, "bool"}}, {"bindingConditions", {10, "text*"}},
        {"bindingFailureConditions", {11, "text*"}}, {"allowMultipleAllocations", {12, "bool"}}}},
      {"Attribute",
       {{"int", {2, "int"}}, {"bool", {3, "bool"}}, {"string", {4, "text"}}, {"version", {5, "text"}},
        {"ints", {6, "int*"}}}},
      {"Capacity", {{"value", {1, "quantity"}}, {"requestPolicy", {2, "Policy"}}}},
      {"Policy", {{"default", {1, "quantity"}}, {"validRange", {4, "Range"}}}},
      {"Range", {{"min", {1, "quantity"}}, {"max", {2, "quantity"}}, {"step", {3, "quantity"}}}},
      {"Consumption", {{"counterSet", {1, "text"}}, {"counters", {2, "@Counter"}}}},
      {"DeviceTaint",
       {{"key", {1, "text"}}, {"value", {2, "text"}}, {"effect", {3, "text"}},
        {"timeAdded", {4, "time"}}}},
      {"ResourceClaim",
       {{"metadata", {1, "ObjectMeta"}}, {"spec", {2, "ClaimSpec"}}, {"status", {3, "ClaimStatus"}}}},
      {"ClaimSpec", {{"devices", {1, "DeviceClaim"}}}},
      {"DeviceClaim", {{"requests", {1, "Request*"}}, {"constraints", {2, "Constraint*"}}}},
      {"Request",
       {{"name", {1, "text"}}, {"exactly", {2, "Exactly"}}, {"firstAvailable", {3, "Sub*"}}}},
      {"Exactly",
       {{"deviceClassName", {1, "text"}}, {"selectors", {2, "Selector*"}}, {"count", {4, "int"}},
        {"adminAccess", {5, "bool"}}, {"tolerations", {6, "Toleration*"}},
        {"capacity", {7, "Requirements"}}}},
      {"Sub",
       {{"name", {1, "text"}}, {"deviceClassName", {2, "text"}}, {"allocationMode", {4, "text"}}}},
      {"Requirements", {{"requests", {1, "@quantity"}}}},
      {"Selector", {{"cel", {1, "Cel"}}}},
      {"Cel", {{"expression", {1, "text"}}}},
      {"Constraint", {{"requests", {1, "text*"}}, {"matchAttribute", {2, "text"}}}},
      {"ClaimStatus",
       {{"allocation", {1, "Allocation"}}, {"reservedFor", {2, "Consumer*"}},
        {"devices", {4, "DeviceStatus*"}}}},
      {"DeviceStatus",
       {{"driver", {1, "text"}}, {"pool", {2, "text"}}, {"device", {3, "text"}},
        {"conditions", {4, "MetaCondition*"}}}},
      {"MetaCondition",
       {{"type", {1, "text"}}, {"status", {2, "text"}}, {"reason", {5, "text"}}}},
      {"Allocation",
       {{"devices", {1, "AllocationDevices"}}, {"nodeSelector", {3, "NodeSelector"}},
        {"allocationTimestamp", {5, "time"}}}},
      {"AllocationDevices", {{"results", {1, "AllocationResult*"}}}},
      {"AllocationResult",
       {{"request", {1, "text"}}, {"driver", {2, "text"}}, {"pool", {3, "text"}},
        {"device", {4, "text"}}, {"adminAccess", {5, "bool"}}, {"shareID", {9, "text"}},
        {"consumedCapacity", {10, "@quantity"}}}},
      {"Consumer",
       {{"apiGroup", {1, "text"}}, {"resource", {3, "text"}}, {"name", {4, "text"}},
        {"uid", {5, "text"}}}},
      {"Status",
       {{"status", {2, "text"}}, {"message", {3, "text"}}, {"reason", {4, "text"}},
        {"details", {5, "StatusDetails"}}, {"code", {6, "int"}}}},
      {"StatusDetails", {{"name", {1, "text"}}, {"retryAfterSeconds", {5, "int"}}}},
  };
  // clang-format on
  return kSchema;
}

void write_value(protozero::pbf_writer& out, const Field& field, std::string_view type, Json json) {
  if (type == "text") {
    out.add_string(field.number, json.text());
  } else if (type == "int") {
    out.add_int64(field.number, json.int64());
  } else if (type == "bool") {
    out.add_bool(field.number, json.boolean());
  } else if (type == "time") {
    protozero::pbf_writer time(out, field.number);
    time.add_int64(1, json.maybe_time().value().nanos / 1'000'000'000);
    time.add_int32(2, 0);
  } else if (type == "quantity") {
    const std::string canonical = json.canonical();
    protozero::pbf_writer quantity(out, field.number);
    quantity.add_string(1, json.is_text() ? json.text() : canonical);
  } else {
    out.add_message(field.number, to_message(json, type));
  }
}

}  // namespace

std::string to_message(Json json, std::string_view message) {
  const Message& fields = schema().at(message);
  std::string bytes;
  protozero::pbf_writer out(bytes);
  json.members([&](std::string_view key, Json value) {
    if (key == "apiVersion" && message != "OwnerReference") return;
    if (key == "kind" && message != "OwnerReference") return;
    const auto field = fields.find(key);
    if (field == fields.end()) throw std::logic_error("no field " + std::string(key));
    std::string_view type = field->second.type;
    if (type.starts_with('@')) {
      type.remove_prefix(1);
      value.members([&](std::string_view name, Json each) {
        protozero::pbf_writer entry(out, field->second.number);
        entry.add_string(1, name.data(), name.size());
        write_value(entry, {2, type}, type, each);
      });
    } else if (type.ends_with('*')) {
      type.remove_suffix(1);
      value.each([&](Json each) { write_value(out, field->second, type, each); });
    } else {
      write_value(out, field->second, type, value);
    }
  });
  return bytes;
}

std::string to_body(std::string_view text, std::string_view api_version, std::string_view kind) {
  JsonDocument document;
  if (!document.parse(text)) throw std::logic_error("bad JSON in a test");
  const Json json = document.root();
  std::string raw;
  std::string_view item_kind = kind;
  if (item_kind.ends_with("List")) {
    item_kind.remove_suffix(4);
    protozero::pbf_writer list(raw);
    list.add_message(1, to_message(json["metadata"], "ListMeta"));
    json["items"].each([&](Json item) { list.add_message(2, to_message(item, item_kind)); });
  } else {
    raw = to_message(json, kind);
  }
  std::string body("k8s\0", 4);
  protozero::pbf_writer unknown(body);
  {
    protozero::pbf_writer type(unknown, 1);
    type.add_string(1, api_version.data(), api_version.size());
    type.add_string(2, kind.data(), kind.size());
  }
  unknown.add_bytes(2, raw);
  unknown.add_string(3, "");
  unknown.add_string(4, "");
  return body;
}

std::string to_frame(std::string_view type, std::string_view body) {
  std::string frame;
  protozero::pbf_writer event(frame);
  event.add_string(1, type.data(), type.size());
  protozero::pbf_writer extension(event, 2);
  extension.add_bytes(1, body.data(), body.size());
  return frame;
}

std::string framed(std::string_view frame) {
  const auto size = static_cast<std::uint32_t>(frame.size());
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(size >> shift & 0xff);
  return out.append(frame);
}

}  // namespace quorate::objects::testing_support
