#include "src/jobs/job_workload.h"

#include <charconv>

#include "src/jobs/workload_name.h"
#include "src/objects/json.h"
#include "src/objects/names.h"

namespace quorate::jobs {
namespace {

namespace names = objects::names;

std::optional<std::int32_t> number(std::string_view text) {
  std::int32_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::int32_t> positive(std::string_view text) {
  const std::optional<std::int32_t> value = number(text);
  return value && *value > 0 ? value : std::nullopt;
}

std::optional<std::string> maybe(const Labels& labels, std::string_view key) {
  const std::string_view value = objects::value_of(labels, key);
  return value.empty() ? std::nullopt : std::optional<std::string>(value);
}

// What the annotations of a pod template ask of the topology. The index label alone is a request
// too: it says how ranks are told apart where topology counts.
objects::TopologyRequest topology_of(const Labels& annotations) {
  objects::TopologyRequest request;
  request.required = maybe(annotations, names::kRequiredTopology);
  request.preferred = maybe(annotations, names::kPreferredTopology);
  if (objects::value_of(annotations, names::kUnconstrainedTopology) == "true") {
    request.unconstrained = true;
  }
  request.slice_required_topology = maybe(annotations, names::kSliceRequiredTopology);
  request.slice_size = number(objects::value_of(annotations, names::kSliceSize));
  request.pod_set_group_name = maybe(annotations, names::kPodSetGroupName);
  if (const auto text = maybe(annotations, names::kSliceConstraints)) {
    objects::JsonDocument document;
    if (document.parse(*text)) {
      document.root().each([&](objects::Json layer) {
        request.slice_constraints.push_back({layer["topology"].text(), layer["size"].int32()});
      });
    }
  }
  request.pod_index_label = std::string(names::kJobCompletionIndex);
  return request;
}

Outcome<void> set_priority(const objects::Job& job, const PriorityClasses& classes,
                           objects::Workload& workload) {
  workload.priority = 0;
  const std::string_view wanted = objects::value_of(job.meta.labels, names::kPriorityClass);
  if (!wanted.empty()) {
    const auto found = classes.workload.find(wanted);
    if (found == classes.workload.end()) {
      return error(Errc::NotFound,
                   "WorkloadPriorityClass \"" + std::string(wanted) + "\" not found");
    }
    workload.priority = found->second;
    workload.priority_class =
        objects::PriorityClassRef{"kueue.x-k8s.io", "WorkloadPriorityClass", found->first};
    return {};
  }
  std::string name = job.pod_template.parsed->priority_class;
  if (name.empty()) name = classes.pod_default;
  if (name.empty()) return {};
  const auto found = classes.pod.find(name);
  if (found == classes.pod.end()) {
    return error(Errc::NotFound, "PriorityClass \"" + name + "\" not found");
  }
  workload.priority = found->second;
  workload.priority_class = objects::PriorityClassRef{"scheduling.k8s.io", "PriorityClass", name};
  return {};
}

}  // namespace

PriorityClasses priority_classes(
    const std::map<ObjectKey, objects::WorkloadPriorityClass>& workload,
    const std::map<ObjectKey, objects::PriorityClass>& pod) {
  PriorityClasses classes;
  for (const auto& [key, each] : workload) classes.workload[key.name] = each.value;
  for (const auto& [key, each] : pod) {
    classes.pod[key.name] = each.value;
    if (each.global_default &&
        (classes.pod_default.empty() || each.value < classes.pod[classes.pod_default])) {
      classes.pod_default = key.name;
    }
  }
  return classes;
}

Outcome<objects::Workload> workload_of(const objects::Job& job, const PriorityClasses& classes,
                                       const DerivationSettings& settings) {
  objects::Workload workload;
  workload.meta.key = {job.meta.key.ns,
                       workload_name("Job", "batch", job.meta.key.name, job.meta.uid,
                                     settings.short_names ? 63 : 253)};
  workload.meta.finalizers = {std::string(names::kResourceInUse)};
  workload.meta.labels[std::string(names::kJobUid)] = job.meta.uid;
  for (const std::string& key : settings.label_keys_to_copy) {
    if (const auto found = job.meta.labels.find(key); found != job.meta.labels.end()) {
      workload.meta.labels[key] = found->second;
    }
  }
  for (const auto& [key, value] : job.meta.annotations) {
    const bool gated = settings.admission_gated_by && key == names::kAdmissionGatedBy;
    if (gated || key.starts_with("provreq.kueue.x-k8s.io/")) workload.meta.annotations[key] = value;
  }
  workload.meta.owners = {{.api_version = "batch/v1",
                           .kind = "Job",
                           .name = job.meta.key.name,
                           .uid = job.meta.uid,
                           .controller = true,
                           .block_owner_deletion = true}};
  workload.meta.created = job.meta.created;
  workload.queue_name = objects::value_of(job.meta.labels, names::kQueueName);
  workload.maximum_execution_seconds =
      positive(objects::value_of(job.meta.labels, names::kMaxExecTimeSeconds));

  objects::PodSet& pods = workload.pod_sets.emplace_back();
  pods.pod_template = job.pod_template;
  pods.count = objects::pod_count(job);
  if (settings.partial_admission) {
    pods.min_count = positive(objects::value_of(job.meta.annotations, names::kJobMinParallelism));
    if (pods.min_count && *pods.min_count > pods.count) pods.min_count.reset();
  }
  if (settings.topology_aware) pods.topology = topology_of(pods.pod_template.parsed->annotations);

  if (const Outcome<void> found = set_priority(job, classes, workload); !found) {
    return tl::unexpected(found.error());
  }
  return workload;
}

}  // namespace quorate::jobs
