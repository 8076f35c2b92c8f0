#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/outcome.h"
#include "src/objects/job.h"
#include "src/objects/meta.h"
#include "src/objects/pod.h"
#include "src/objects/pod_group.h"
#include "src/objects/queues.h"
#include "src/objects/workload.h"

// Writing Kubernetes objects: compact JSON text with a stable order of keys, so equal values give
// equal bytes.
namespace quorate::objects {

// Whole objects, for create. Metadata carries name, namespace, generateName, labels, annotations,
// owners and finalizers; uid and resourceVersion only when set. `status` is written for the
// simulator and for tests; servers ignore it on create.
enum class WithStatus { No, Yes };
std::string encode_json(const Workload& workload, WithStatus status = WithStatus::No);
std::string encode_json(const PodGroup& group, WithStatus status = WithStatus::No);

// Body of a server-side apply of a Workload's status: exactly what `status` holds, so a field that
// the manager applied before and that is missing now is removed. With a resourceVersion the write
// is refused when the object has changed since.
std::string workload_status_apply(const ObjectKey& key, std::string_view uid,
                                  std::string_view resource_version, const WorkloadStatus& status);

// Merge patches (application/merge-patch+json). An empty resource_version patches whatever is
// there.
std::string workload_status_patch(std::string_view resource_version, const WorkloadStatus& status);
std::string cluster_queue_status_patch(std::string_view resource_version,
                                       const QueueStatus& status);
std::string local_queue_status_patch(std::string_view resource_version, const QueueStatus& status);
std::string cohort_status_patch(std::string_view resource_version,
                                std::optional<std::int64_t> weighted_share);
std::string finalizers_patch(std::string_view resource_version,
                             const std::vector<std::string>& finalizers);
// Fields that change after creation; nullopt leaves one as it is.
struct WorkloadSpecChange {
  std::optional<bool> active;
  std::optional<std::string> queue_name;  // "" removes it
  std::optional<std::int32_t> priority;
  std::optional<PriorityClassRef> priority_class;
  std::optional<std::vector<PodSet>> pod_sets;
};
std::string workload_spec_patch(std::string_view resource_version,
                                const WorkloadSpecChange& change);

// What a Job should look like; nullopt leaves a part as it is. Maps and lists are whole: keys that
// `current` has and the wanted map lacks are removed.
struct JobChange {
  std::optional<bool> suspend;
  std::optional<std::int32_t> parallelism;
  std::optional<std::int32_t> completions;
  std::optional<Labels> annotations;  // of the Job itself
  std::optional<Labels> template_labels;
  std::optional<Labels> template_annotations;
  std::optional<Labels> node_selector;
  std::optional<std::vector<Toleration>> tolerations;
  std::optional<std::vector<std::string>> scheduling_gates;
};
// The merge patch that turns `current` into it; "{}" if it is like that already.
std::string job_patch(const Job& current, std::string_view resource_version,
                      const JobChange& change);
// Merge patch of a Job's status subresource that clears startTime.
std::string job_clear_start_patch(std::string_view resource_version);

// Strategic merge patches of status subresources (built-in kinds only).
std::string pod_condition_patch(std::string_view uid, const std::vector<Condition>& conditions,
                                std::optional<std::string_view> nominated_node);
// Conditions of a group; a native one takes it as a strategic merge patch. For the fallback, a
// custom resource, it is a merge patch that holds the whole list and the phase.
std::string pod_group_status_patch(const PodGroup& group);

// Body of POST .../pods/{name}/binding.
std::string encode_binding(const ObjectKey& pod, std::string_view uid, std::string_view node);

// Body of DELETE. Empty uid: no precondition; propagation "" leaves the server's default.
std::string encode_delete_options(std::string_view uid, std::optional<std::int64_t> grace_seconds,
                                  std::string_view propagation);

// Reads a pod template (metadata and spec) from JSON text.
// Errors: Invalid - no JSON object, or a field of the wrong type.
Outcome<TemplateSource> parse_template(std::string_view json);

}  // namespace quorate::objects
