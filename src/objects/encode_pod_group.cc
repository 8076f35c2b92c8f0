#include "src/objects/encode.h"
#include "src/objects/kinds.h"
#include "src/objects/names.h"
#include "src/objects/write.h"

namespace quorate::objects {
namespace {

void write_native_spec(JsonWriter& out, const PodGroup& group) {
  const bool old = group.api == PodGroupApi::V1alpha2;
  out.key("spec").open();
  if (old) {
    out.field("disruptionMode", group.disrupt_together ? "PodGroup" : "Pod");
  } else {
    out.key("disruptionMode").open().key(group.disrupt_together ? "all" : "single");
    out.open().close().close();
    out.field_unless_empty("parentCompositePodGroupName", group.parent);
  }
  if (old && !group.workload_name.empty()) {
    out.key("podGroupTemplateRef").open().key("workload").open();
    out.field("podGroupTemplateName", std::string_view(group.template_name));
    out.field("workloadName", std::string_view(group.workload_name)).close().close();
  }
  out.field_unless_empty("preemptionPolicy", group.preemption_policy);
  out.maybe("priority", group.priority);
  out.field_unless_empty("priorityClassName", group.priority_class);
  if (!group.topology_keys.empty()) {
    out.key("schedulingConstraints").open().key("topology").open_list();
    for (const std::string& key : group.topology_keys) {
      out.open().field("key", std::string_view(key)).close();
    }
    out.close_list().close();
  }
  out.key("schedulingPolicy").open();
  if (group.min_count) {
    out.key("gang").open().field("minCount", *group.min_count).close();
  } else {
    out.key("basic").open().close();
  }
  out.close();
  if (!old && !group.workload_name.empty()) {
    out.key("workloadRef").open().field("templateName", std::string_view(group.template_name));
    out.field("workloadName", std::string_view(group.workload_name)).close();
  }
  out.close();
}

void write_fallback_spec(JsonWriter& out, const PodGroup& group) {
  out.key("spec").open().maybe("minMember", group.min_count);
  out.resources("minResources", group.min_resources);
  out.maybe("scheduleTimeoutSeconds", group.schedule_timeout_seconds).close();
}

// The condition under the name that the group's version has for it.
std::vector<Condition> conditions_of(const PodGroup& group) {
  std::vector<Condition> conditions = group.conditions;
  if (group.api == PodGroupApi::V1alpha2) {
    for (Condition& each : conditions) {
      if (each.type == "PodGroupInitiallyScheduled") each.type = "PodGroupScheduled";
    }
  }
  return conditions;
}

void write_status(JsonWriter& out, const PodGroup& group) {
  out.key("status").open();
  write_conditions(out, "conditions", conditions_of(group));
  if (group.api == PodGroupApi::Fallback) out.field_unless_empty("phase", group.phase);
  out.close();
}

}  // namespace

std::string encode_json(const PodGroup& group, WithStatus with_status) {
  const KindInfo& kind = kind_of(group.api);
  JsonWriter out;
  out.open();
  write_type(out, kind.api_version(), kind.kind);
  if (group.api == PodGroupApi::Fallback) {
    ObjectMeta meta = group.meta;
    if (!group.topology_keys.empty()) {
      meta.annotations[std::string(names::kGroupTopologyKey)] = group.topology_keys.front();
    }
    if (group.disrupt_together) {
      meta.annotations[std::string(names::kGroupDisruptionMode)] = "all";
    }
    write_meta(out, meta);
    write_fallback_spec(out, group);
  } else {
    write_meta(out, group.meta);
    write_native_spec(out, group);
  }
  if (with_status == WithStatus::Yes) write_status(out, group);
  return out.close().take();
}

std::string pod_group_status_patch(const PodGroup& group) {
  JsonWriter out;
  out.open();
  write_status(out, group);
  return out.close().take();
}

}  // namespace quorate::objects
