#include "src/objects/encode.h"

#include "src/objects/kinds.h"
#include "src/objects/write.h"

namespace quorate::objects {

void write_type(JsonWriter& out, std::string_view api_version, std::string_view kind) {
  out.field("apiVersion", api_version).field("kind", kind);
}

void write_meta(JsonWriter& out, const ObjectMeta& meta) {
  out.key("metadata").open();
  out.map("annotations", meta.annotations);
  out.texts("finalizers", meta.finalizers);
  out.field_unless_empty("generateName", meta.generate_name);
  out.map("labels", meta.labels);
  out.field_unless_empty("name", meta.key.name);
  out.field_unless_empty("namespace", meta.key.ns);
  if (!meta.owners.empty()) {
    out.key("ownerReferences").open_list();
    for (const OwnerReference& owner : meta.owners) {
      out.open().field("apiVersion", std::string_view(owner.api_version));
      if (owner.block_owner_deletion) out.field("blockOwnerDeletion", true);
      if (owner.controller) out.field("controller", true);
      out.field("kind", std::string_view(owner.kind));
      out.field("name", std::string_view(owner.name));
      out.field("uid", std::string_view(owner.uid)).close();
    }
    out.close_list();
  }
  out.field_unless_empty("resourceVersion", meta.resource_version);
  out.field_unless_empty("uid", meta.uid);
  out.close();
}

void write_condition(JsonWriter& out, const Condition& condition) {
  out.open();
  out.field("lastTransitionTime", std::string_view(format_time(condition.last_transition)));
  out.field("message", std::string_view(condition.message));
  if (condition.observed_generation != 0) {
    out.field("observedGeneration", condition.observed_generation);
  }
  out.field("reason", std::string_view(condition.reason));
  out.field("status", text_of(condition.status));
  out.field("type", std::string_view(condition.type));
  out.close();
}

void write_conditions(JsonWriter& out, std::string_view name,
                      const std::vector<Condition>& conditions) {
  if (conditions.empty()) return;
  out.key(name).open_list();
  for (const Condition& condition : conditions) write_condition(out, condition);
  out.close_list();
}

void write_toleration(JsonWriter& out, const Toleration& toleration) {
  out.open();
  out.field_unless_empty("effect", toleration.effect);
  out.field_unless_empty("key", toleration.key);
  out.field_unless_empty("operator", toleration.op);
  out.maybe("tolerationSeconds", toleration.toleration_seconds);
  out.field_unless_empty("value", toleration.value);
  out.close();
}

JsonWriter open_patch(std::string_view resource_version) {
  JsonWriter out;
  out.open();
  if (!resource_version.empty()) {
    out.key("metadata").open().field("resourceVersion", resource_version).close();
  }
  return out;
}

std::string finalizers_patch(std::string_view resource_version,
                             const std::vector<std::string>& finalizers) {
  JsonWriter out;
  out.open().key("metadata").open().key("finalizers").open_list();
  for (const std::string& each : finalizers) out.text(each);
  out.close_list().field_unless_empty("resourceVersion", resource_version);
  return out.close().close().take();
}

std::string pod_condition_patch(std::string_view uid, const std::vector<Condition>& conditions,
                                std::optional<std::string_view> nominated_node) {
  JsonWriter out;
  out.open();
  if (!uid.empty()) out.key("metadata").open().field("uid", uid).close();
  out.key("status").open();
  write_conditions(out, "conditions", conditions);
  if (nominated_node) {
    out.key("nominatedNodeName");
    if (nominated_node->empty()) {
      out.null();
    } else {
      out.text(*nominated_node);
    }
  }
  return out.close().close().take();
}

std::string encode_binding(const ObjectKey& pod, std::string_view uid, std::string_view node) {
  JsonWriter out;
  out.open();
  write_type(out, "v1", "Binding");
  out.key("metadata").open().field("name", std::string_view(pod.name));
  out.field("namespace", std::string_view(pod.ns)).field_unless_empty("uid", uid).close();
  out.key("target").open();
  write_type(out, "v1", "Node");
  return out.field("name", node).close().close().take();
}

std::string encode_delete_options(std::string_view uid, std::optional<std::int64_t> grace_seconds,
                                  std::string_view propagation) {
  JsonWriter out;
  out.open();
  write_type(out, "v1", "DeleteOptions");
  out.maybe("gracePeriodSeconds", grace_seconds);
  if (!uid.empty()) out.key("preconditions").open().field("uid", uid).close();
  return out.field_unless_empty("propagationPolicy", propagation).close().take();
}

}  // namespace quorate::objects
