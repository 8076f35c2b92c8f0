#include "src/objects/encode.h"
#include "src/objects/write.h"

namespace quorate::objects {
namespace {

// Member `name` that turns map `have` into `want`; nothing when they are equal. True if written.
bool write_map_change(JsonWriter& out, std::string_view name, const Labels& have,
                      const std::optional<Labels>& want) {
  if (!want || *want == have) return false;
  out.key(name).open();
  // One pass over both, so that keys come sorted.
  auto old = have.begin();
  auto next = want->begin();
  while (old != have.end() || next != want->end()) {
    if (next == want->end() || (old != have.end() && old->first < next->first)) {
      out.key(old->first).null();
      ++old;
    } else {
      const bool known = old != have.end() && old->first == next->first;
      if (!known || old->second != next->second) {
        out.field(next->first, std::string_view(next->second));
      }
      if (known) ++old;
      ++next;
    }
  }
  out.close();
  return true;
}

// Appends object `name` made by `write` unless that wrote nothing. True if appended.
template <class Write>
bool write_if_any(JsonWriter& out, std::string_view name, Write write) {
  JsonWriter inner;
  inner.open();
  const bool any = write(inner);
  inner.close();
  if (any) out.key(name).raw(inner.str());
  return any;
}

bool write_pod_spec_change(JsonWriter& out, const PodTemplate& have, const JobChange& change) {
  bool any = write_map_change(out, "nodeSelector", have.node_selector, change.node_selector);
  if (change.scheduling_gates && *change.scheduling_gates != have.scheduling_gates) {
    out.key("schedulingGates").open_list();
    for (const std::string& gate : *change.scheduling_gates) {
      out.open().field("name", std::string_view(gate)).close();
    }
    out.close_list();
    any = true;
  }
  if (change.tolerations && *change.tolerations != have.tolerations) {
    out.key("tolerations").open_list();
    for (const Toleration& each : *change.tolerations) write_toleration(out, each);
    out.close_list();
    any = true;
  }
  return any;
}

bool write_spec_change(JsonWriter& out, const Job& current, const JobChange& change) {
  bool any = false;
  const auto number = [&](std::string_view name, const std::optional<std::int32_t>& have,
                          const std::optional<std::int32_t>& want) {
    if (!want || want == have) return;
    out.field(name, *want);
    any = true;
  };
  number("completions", current.completions, change.completions);
  number("parallelism", current.parallelism, change.parallelism);
  if (change.suspend && *change.suspend != current.suspend) {
    out.field("suspend", *change.suspend);
    any = true;
  }
  const PodTemplate& have = *current.pod_template.parsed;
  const bool in_template = write_if_any(out, "template", [&](JsonWriter& pod_template) {
    const bool in_meta = write_if_any(pod_template, "metadata", [&](JsonWriter& meta) {
      const bool notes =
          write_map_change(meta, "annotations", have.annotations, change.template_annotations);
      return write_map_change(meta, "labels", have.labels, change.template_labels) || notes;
    });
    return write_if_any(
               pod_template, "spec",
               [&](JsonWriter& spec) { return write_pod_spec_change(spec, have, change); }) ||
           in_meta;
  });
  return any || in_template;
}

}  // namespace

std::string job_patch(const Job& current, std::string_view resource_version,
                      const JobChange& change) {
  JsonWriter meta;
  meta.open();
  const bool in_meta =
      write_map_change(meta, "annotations", current.meta.annotations, change.annotations);
  JsonWriter spec;
  spec.open();
  const bool in_spec = write_spec_change(spec, current, change);
  spec.close();

  JsonWriter out;
  out.open();
  if (!in_meta && !in_spec) return out.close().take();
  meta.field_unless_empty("resourceVersion", resource_version).close();
  if (in_meta || !resource_version.empty()) out.key("metadata").raw(meta.str());
  if (in_spec) out.key("spec").raw(spec.str());
  return out.close().take();
}

std::string job_clear_start_patch(std::string_view resource_version) {
  JsonWriter out = open_patch(resource_version);
  out.key("status").open().key("startTime").null();
  return out.close().close().take();
}

}  // namespace quorate::objects
