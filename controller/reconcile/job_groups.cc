#include "controller/reconcile/job_groups.h"

#include <algorithm>
#include <utility>

#include "controller/reconcile/job_workload.h"
#include "src/objects/names.h"

namespace quorate::controller {

std::string group_name(const objects::Job& job) {
  const PodTemplate& pod = *job.pod_template.parsed;
  if (!pod.scheduling_group.empty()) return pod.scheduling_group;
  return std::string(objects::value_of(pod.labels, objects::names::kFallbackPodGroup));
}

GroupPlan plan_group(const objects::Job& job, const std::vector<objects::PodGroup>& groups,
                     std::int32_t count, const ReconcileSettings& settings) {
  GroupPlan plan;
  const std::string name = group_name(job);
  count = std::min(count, pods_left(job));
  if (name.empty() || count < 1) return plan;
  const bool native = !job.pod_template.parsed->scheduling_group.empty();

  for (const objects::PodGroup& group : groups) {
    const bool same_kind = (group.api != objects::PodGroupApi::Fallback) == native;
    if (group.meta.key.name != name || !same_kind) continue;
    const objects::OwnerReference* owner = objects::controller_of(group.meta);
    if (owner != nullptr && owner->uid != job.meta.uid) {
      plan.blocked = true;
      // A namesake's group goes when the garbage collector has come round.
      const bool going = owner->kind == "Job" && owner->name == job.meta.key.name;
      if (!going) {
        plan.why =
            "PodGroup " + group.meta.key.text() + " belongs to " + owner->kind + " " + owner->name;
      }
      return plan;
    }
    if (group.meta.deleted) {
      plan.blocked = true;
      return plan;
    }
    if (owner != nullptr && group.min_count && *group.min_count != count) {
      SetGroupMinimum change{group.api, group.meta.key, group.meta.resource_version, count};
      if (job.suspend || count > *group.min_count) {
        plan.writes.push_back(std::move(change));
      } else if (job.status.active > job.status.ready) {
        plan.later.push_back(std::move(change));
      }
    }
    return plan;
  }

  objects::PodGroup group;
  group.api = native ? settings.native_groups : objects::PodGroupApi::Fallback;
  group.meta.key = {job.meta.key.ns, name};
  group.meta.owners = {{.api_version = "batch/v1",
                        .kind = "Job",
                        .name = job.meta.key.name,
                        .uid = job.meta.uid,
                        .controller = true,
                        .block_owner_deletion = true}};
  group.min_count = count;
  group.priority_class = job.pod_template.parsed->priority_class;
  plan.writes.push_back(CreatePodGroup{std::move(group)});
  return plan;
}

}  // namespace quorate::controller
