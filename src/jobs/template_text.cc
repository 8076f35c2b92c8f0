#include "src/jobs/template_text.h"

#include <array>
#include <map>
#include <vector>

#include "src/objects/encode.h"
#include "src/objects/json.h"
#include "src/objects/json_writer.h"

namespace quorate::jobs {
namespace {

using objects::Json;
using objects::JsonWriter;

constexpr std::array<std::string_view, 3> kJobControllerLabels = {
    "controller-uid", "job-name", "batch.kubernetes.io/controller-uid"};

bool is_job_controller_label(std::string_view key) {
  for (const std::string_view label : kJobControllerLabels) {
    if (key == label) return true;
  }
  return false;
}

// Most templates stay as they are; that is seen without parsing them again.
bool nothing_to_drop(std::string_view json) {
  const auto has = [&](std::string_view text) { return json.find(text) != std::string_view::npos; };
  return !has("\"creationTimestamp\"") && !has("controller-uid") && !has("\"job-name\"") &&
         !has("\"env\"");
}

// Copies an object member by member; `replace` may write a member itself and answer true.
template <class Replace>
void copy_object(JsonWriter& out, const Json& object, Replace replace) {
  out.open();
  object.members([&](std::string_view key, const Json& value) {
    if (!value.present() || replace(key, value)) return;
    out.key(key).raw(value.canonical());
  });
  out.close();
}

// A list of env entries without those that a later one of the same name replaces.
void write_env(JsonWriter& out, const Json& env) {
  std::map<std::string, std::size_t> last;
  std::size_t position = 0;
  env.each([&](const Json& entry) { last[entry["name"].text()] = position++; });
  position = 0;
  out.open_list();
  env.each([&](const Json& entry) {
    if (last[entry["name"].text()] == position++) out.raw(entry.canonical());
  });
  out.close_list();
}

void write_containers(JsonWriter& out, const Json& containers) {
  out.open_list();
  containers.each([&](const Json& container) {
    copy_object(out, container, [&](std::string_view key, const Json& value) {
      if (key != "env" || !value.is_array()) return false;
      out.key(key);
      write_env(out, value);
      return true;
    });
  });
  out.close_list();
}

void write_requirement(JsonWriter& out, const Requirement& requirement) {
  static constexpr std::array<const char*, 6> kOps = {"In",           "NotIn", "Exists",
                                                      "DoesNotExist", "Gt",    "Lt"};
  out.open().field("key", requirement.key);
  out.field("operator", kOps[static_cast<std::size_t>(requirement.op)]);
  if (!requirement.values.empty()) out.texts("values", requirement.values);
  out.close();
}

void write_term(JsonWriter& out, const NodeSelectorTerm& term) {
  out.open();
  if (!term.match_expressions.empty()) {
    out.key("matchExpressions").open_list();
    for (const Requirement& requirement : term.match_expressions)
      write_requirement(out, requirement);
    out.close_list();
  }
  if (!term.match_fields.empty()) {
    out.key("matchFields").open_list();
    for (const Requirement& requirement : term.match_fields) write_requirement(out, requirement);
    out.close_list();
  }
  out.close();
}

void write_affinity(JsonWriter& out, const NodeAffinity& affinity) {
  if (!affinity.required && affinity.preferred.empty()) return;
  out.key("affinity").open().key("nodeAffinity").open();
  if (affinity.required) {
    out.key("requiredDuringSchedulingIgnoredDuringExecution").open();
    out.key("nodeSelectorTerms").open_list();
    for (const NodeSelectorTerm& term : *affinity.required) write_term(out, term);
    out.close_list().close();
  }
  if (!affinity.preferred.empty()) {
    out.key("preferredDuringSchedulingIgnoredDuringExecution").open_list();
    for (const auto& [weight, term] : affinity.preferred) {
      out.open().field("weight", weight).key("preference");
      write_term(out, term);
      out.close();
    }
    out.close_list();
  }
  out.close().close();
}

void write_toleration(JsonWriter& out, const Toleration& toleration) {
  out.open();
  out.field_unless_empty("key", toleration.key);
  out.field_unless_empty("operator", toleration.op);
  out.field_unless_empty("value", toleration.value);
  out.field_unless_empty("effect", toleration.effect);
  out.maybe("tolerationSeconds", toleration.toleration_seconds);
  out.close();
}

void write_container(JsonWriter& out, const ContainerResources& container, bool init) {
  out.open().field("name", container.name);
  if (!container.requests.empty() || !container.limits.empty()) {
    out.key("resources").open();
    if (!container.requests.empty()) out.resources("requests", container.requests);
    if (!container.limits.empty()) out.resources("limits", container.limits);
    out.close();
  }
  if (!container.host_ports.empty()) {
    out.key("ports").open_list();
    for (const HostPort& port : container.host_ports) {
      // The container's own port is not known here and does not matter for placement.
      out.open().field("containerPort", port.port).field("hostPort", port.port);
      out.field_unless_empty("hostIP", port.host_ip);
      out.field("protocol", port.protocol.empty() ? "TCP" : port.protocol.c_str());
      out.close();
    }
    out.close_list();
  }
  if (init && container.sidecar) out.field("restartPolicy", "Always");
  out.close();
}

}  // namespace

Outcome<objects::TemplateSource> workload_template(const objects::TemplateSource& of_job) {
  if (nothing_to_drop(*of_job.json)) return of_job;
  objects::JsonDocument document;
  if (Outcome<void> parsed = document.parse(*of_job.json); !parsed) {
    return within("spec.template", parsed.error());
  }
  JsonWriter out;
  copy_object(out, document.root(), [&](std::string_view section, const Json& value) {
    if (section == "metadata") {
      out.key(section);
      copy_object(out, value, [&](std::string_view key, const Json& member) {
        if (key == "creationTimestamp") return true;
        if (key != "labels") return false;
        out.key(key);
        copy_object(out, member, [](std::string_view label, const Json&) {
          return is_job_controller_label(label);
        });
        return true;
      });
      return true;
    }
    if (section == "spec") {
      out.key(section);
      copy_object(out, value, [&](std::string_view key, const Json& member) {
        if ((key != "containers" && key != "initContainers") || !member.is_array()) return false;
        out.key(key);
        write_containers(out, member);
        return true;
      });
      return true;
    }
    return false;
  });
  return objects::parse_template(out.str());
}

std::string shape_text(const PodTemplate& pod) {
  JsonWriter out;
  out.open().key("metadata").open().close().key("spec").open();
  write_affinity(out, pod.node_affinity);
  out.key("containers").open_list();
  for (const ContainerResources& container : pod.containers) write_container(out, container, false);
  out.close_list();
  if (pod.host_network) out.field("hostNetwork", true);
  if (!pod.init_containers.empty()) {
    out.key("initContainers").open_list();
    for (const ContainerResources& container : pod.init_containers) {
      write_container(out, container, true);
    }
    out.close_list();
  }
  if (!pod.node_selector.empty()) out.map("nodeSelector", pod.node_selector);
  if (!pod.overhead.empty()) out.resources("overhead", pod.overhead);
  out.field_unless_empty("preemptionPolicy", pod.preemption_policy);
  out.maybe("priority", pod.priority);
  out.field_unless_empty("priorityClassName", pod.priority_class);
  if (pod.pod_requests || pod.pod_limits) {
    out.key("resources").open();
    if (pod.pod_requests) out.resources("requests", *pod.pod_requests);
    if (pod.pod_limits) out.resources("limits", *pod.pod_limits);
    out.close();
  }
  out.field_unless_empty("runtimeClassName", pod.runtime_class);
  out.field_unless_empty("schedulerName", pod.scheduler_name);
  if (!pod.tolerations.empty()) {
    out.key("tolerations").open_list();
    for (const Toleration& toleration : pod.tolerations) write_toleration(out, toleration);
    out.close_list();
  }
  out.close().close();
  return out.take();
}

}  // namespace quorate::jobs
