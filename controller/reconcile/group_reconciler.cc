#include "controller/reconcile/group_reconciler.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "controller/reconcile/job_reconciler.h"
#include "controller/reconcile/pods_ready.h"
#include "src/jobs/template_text.h"
#include "src/jobs/topology_request.h"
#include "src/jobs/workload_name.h"
#include "src/objects/names.h"

namespace quorate::controller {
namespace {

namespace conditions = objects::conditions;
namespace names = objects::names;
using objects::is_true;
using objects::Pod;
using objects::PodSet;
using objects::Workload;

constexpr std::size_t kMostShapes = 18;
// Members are made one by one: a group that has its minimum is counted when no member has joined
// for this long. Creation times have whole seconds.
constexpr Duration kSettle = Duration::seconds(1);

bool bound(const Pod& pod) { return !pod.node_name.empty(); }

std::string group_of_kind(const objects::PodGroup& group) {
  return std::string(objects::kind_of(group.api).group);
}

bool same_counts(const Workload& workload, const std::vector<PodSet>& pod_sets) {
  if (workload.pod_sets.size() != pod_sets.size()) return false;
  for (const PodSet& wanted : pod_sets) {
    const auto kept = std::ranges::find(workload.pod_sets, wanted.name, &PodSet::name);
    if (kept == workload.pod_sets.end() || kept->count != wanted.count) return false;
  }
  return true;
}

class GroupLook {
 public:
  GroupLook(const GroupView& seen, const ReconcileSettings& settings, Time now)
      : seen_(seen), settings_(settings), now_(now) {
    for (const Pod& pod : seen.pods) {
      if (pod.ended()) {
        ++ended_;
        if (pod.phase == objects::PodPhase::Succeeded) ++succeeded_;
      } else {
        if (bound(pod)) ++running_;
        if (is_true(pod.conditions, "Ready")) ++ready_;
        if (!pod.terminating()) members_.push_back(pod);
      }
    }
  }

  Plan take() && {
    run();
    return std::move(plan_);
  }

 private:
  void run();
  std::size_t minimum() const;
  bool unsettled();
  void derive();
  void follow(const Workload& workload);
  void joined(const Workload& workload);
  void record_readiness(const Workload& workload);
  void remove(const Workload& workload, std::string why);
  void stop_members();

  void write(Write write) { plan_.writes.push_back(std::move(write)); }
  void event(kube::EventType type, std::string_view reason, std::string note);
  void drop_workload_finalizer(const Workload& workload) {
    if (objects::has_finalizer(workload.meta, names::kResourceInUse))
      write(drop_finalizer(workload));
  }

  const GroupView& seen_;
  const ReconcileSettings& settings_;
  const Time now_;
  std::vector<Pod> members_;  // neither ended nor on their way out
  int ended_ = 0, succeeded_ = 0;
  int running_ = 0;  // bound and not ended
  int ready_ = 0;    // of those, ready
  Plan plan_;
};

void GroupLook::event(kube::EventType type, std::string_view reason, std::string note) {
  if (seen_.group) write(group_event(*seen_.group, type, reason, std::move(note)));
}

void GroupLook::run() {
  const bool present = seen_.group && !seen_.group->meta.deleted;
  if (!present) {
    // Running members outlive their group; so does their quota.
    for (const Workload& workload : seen_.workloads) {
      const bool over = is_true(workload.status.conditions, conditions::kFinished);
      if (!over && running_ > 0) continue;
      if (workload.meta.deleted) {
        drop_workload_finalizer(workload);
      } else if (!over) {
        write(finish_workload(workload, "OwnerNotFound", "The workload's owner no longer exists",
                              now_));
      }
    }
    return;
  }
  if (!seen_.workloads.empty()) return follow(seen_.workloads.front());
  if (!seen_.namespace_selected || queue_name(seen_.group->meta).empty()) return;
  derive();
}

std::size_t GroupLook::minimum() const {
  return static_cast<std::size_t>(std::max(seen_.group->min_count.value_or(1), 1));
}

bool GroupLook::unsettled() {
  Time newest;
  for (const Pod& pod : members_) newest = std::max(newest, pod.meta.created);
  const Duration age = now_ - newest;
  if (age >= kSettle) return false;
  plan_.look_again = Duration{kSettle.nanos - std::max<std::int64_t>(age.nanos, 0)};
  return true;
}

void GroupLook::derive() {
  const objects::PodGroup& group = *seen_.group;
  if (members_.size() < minimum() || unsettled()) return;
  Outcome<std::vector<PodSet>> pod_sets = group_pod_sets(members_);
  if (!pod_sets)
    return event(kube::EventType::Warning, "ErrWorkloadCompose", pod_sets.error().message);
  if (!seen_.priority) {
    return event(kube::EventType::Warning, "WorkloadPriorityClassNotFound",
                 seen_.priority.error().message);
  }

  Workload workload;
  const objects::KindInfo& kind = objects::kind_of(group.api);
  workload.meta.key = {
      seen_.key.ns,
      jobs::workload_name("PodGroup", group_of_kind(group), seen_.key.name, group.meta.uid,
                          settings_.short_names ? jobs::kShortName : jobs::kLongName)};
  workload.meta.finalizers = {std::string(names::kResourceInUse)};
  workload.meta.labels[std::string(names::kJobUid)] = group.meta.uid;
  for (const std::string& key : settings_.label_keys_to_copy) {
    if (const auto found = group.meta.labels.find(key); found != group.meta.labels.end()) {
      workload.meta.labels[key] = found->second;
    }
  }
  workload.meta.owners = {{.api_version = kind.api_version(),
                           .kind = "PodGroup",
                           .name = seen_.key.name,
                           .uid = group.meta.uid,
                           .controller = true,
                           .block_owner_deletion = true}};
  workload.queue_name = queue_name(group.meta);
  workload.pod_sets = std::move(*pod_sets);
  workload.priority = seen_.priority->value;
  workload.priority_class = seen_.priority->source;
  const std::string name = workload.meta.key.text();
  write(CreateWorkload{std::move(workload)});
  event(kube::EventType::Normal, "CreatedWorkload", "Created Workload: " + name);
}

// Stopping a plain pod means deleting it. Members without a node just wait on.
void GroupLook::stop_members() {
  for (const Pod& pod : members_) {
    if (bound(pod)) write(DeletePod{pod.meta.key, pod.meta.uid});
  }
}

void GroupLook::remove(const Workload& workload, std::string why) {
  drop_workload_finalizer(workload);
  if (!workload.meta.deleted) {
    write(DeleteWorkload{workload.meta.key, workload.meta.uid});
    event(kube::EventType::Normal, "DeletedWorkload", std::move(why) + workload.meta.key.text());
  }
}

void GroupLook::follow(const Workload& workload) {
  const auto& status = workload.status.conditions;
  if (is_true(status, conditions::kFinished)) {
    if (workload.meta.deleted) drop_workload_finalizer(workload);
    return;
  }
  if (workload.meta.deleted) {
    stop_members();
    if (running_ == 0) drop_workload_finalizer(workload);
    return;
  }
  const bool reserved = is_true(status, conditions::kQuotaReserved);
  if (is_true(status, conditions::kEvicted)) {
    stop_members();
    if (running_ == 0 && reserved) write(ReleaseQuota{workload.meta.key, workload.meta.uid});
    record_readiness(workload);
    if (reserved) return;
  }
  if (members_.empty() && running_ == 0) {
    if (ended_ == 0) return remove(workload, "Deleted Workload without pods: ");
    std::string message =
        "Pods succeeded: " + std::to_string(succeeded_) + "/" + std::to_string(ended_) + ".";
    write(finish_workload(workload, succeeded_ == ended_ ? "Succeeded" : "Failed",
                          std::move(message), now_));
    return event(kube::EventType::Normal, "FinishedWorkload",
                 "Workload '" + workload.meta.key.text() + "' is declared finished");
  }
  record_readiness(workload);
  if (ended_ == 0) joined(workload);
  if (!plan_.writes.empty() || reserved) return;

  const std::string queue = queue_name(seen_.group->meta);
  if (!queue.empty() && queue != workload.queue_name) {
    objects::WorkloadSpecChange change;
    change.queue_name = queue;
    write(PatchWorkloadSpec{workload.meta.key, workload.meta.resource_version, change});
  }
}

// All members of the Workload have to be there: the first one that is ready is not the group.
void GroupLook::record_readiness(const Workload& workload) {
  if (!settings_.wait_for_pods_ready) return;
  std::int32_t members = 0;
  for (const PodSet& pod_set : workload.pod_sets) members += pod_set.count;
  if (auto change = pods_ready_change(workload, ready_ + succeeded_ >= members, now_)) {
    write(std::move(*change));
  }
}

// Members that came after the Workload was made, or went before it was admitted.
void GroupLook::joined(const Workload& workload) {
  Outcome<std::vector<PodSet>> pod_sets = group_pod_sets(members_);
  if (!pod_sets) {
    return event(kube::EventType::Warning, "ErrWorkloadCompose", pod_sets.error().message);
  }
  if (same_counts(workload, *pod_sets)) return;
  const bool reserved = is_true(workload.status.conditions, conditions::kQuotaReserved);
  if (!reserved) {
    // Below its minimum the group waits for the missing ones outside of the queue.
    if (members_.size() < minimum()) return remove(workload, "Deleted not matching Workload: ");
    if (unsettled()) return;
    objects::WorkloadSpecChange change;
    change.pod_sets = std::move(*pod_sets);
    return write(PatchWorkloadSpec{workload.meta.key, workload.meta.resource_version, change});
  }
  std::int32_t charged = 0;
  for (const PodSet& pod_set : workload.pod_sets) charged += pod_set.count;
  if (static_cast<std::int32_t>(members_.size()) <= charged) return;  // one is being replaced
  if (running_ == 0) return remove(workload, "Deleted not matching Workload: ");

  // It runs already, so its quota cannot grow any more.
  std::ranges::sort(members_, [](const Pod& a, const Pod& b) {
    return std::tie(a.meta.created, a.meta.key.name) < std::tie(b.meta.created, b.meta.key.name);
  });
  std::int32_t excess = static_cast<std::int32_t>(members_.size()) - charged;
  for (auto pod = members_.rbegin(); pod != members_.rend() && excess > 0; ++pod) {
    if (bound(*pod)) continue;
    --excess;
    write(DeletePod{pod->meta.key, pod->meta.uid});
    kube::Event deleted;
    deleted.regarding = {"v1", "Pod", pod->meta.key, pod->meta.uid, ""};
    deleted.reason = "ExcessPodDeleted";
    deleted.note = "Excess pod deleted";
    write(std::move(deleted));
  }
}

}  // namespace

kube::Event group_event(const objects::PodGroup& group, kube::EventType type,
                        std::string_view reason, std::string note) {
  kube::Event event;
  event.regarding = {objects::kind_of(group.api).api_version(), "PodGroup", group.meta.key,
                     group.meta.uid, ""};
  event.type = type;
  event.reason = std::string(reason);
  event.note = std::move(note);
  return event;
}

Outcome<std::vector<PodSet>> group_pod_sets(const std::vector<Pod>& members) {
  std::map<std::string, std::pair<const Pod*, std::int32_t>> shapes;  // by name of the pod set
  for (const Pod& pod : members) {
    const std::string name = "shape-" + jobs::short_hash(jobs::shape_text(*pod.spec), 8);
    auto& [first, count] = shapes[name];
    if (first == nullptr) first = &pod;
    ++count;
  }
  if (shapes.size() > kMostShapes) {
    return error(Errc::Invalid,
                 "pod group can't include more than " + std::to_string(kMostShapes) + " roles");
  }
  std::vector<PodSet> pod_sets;
  for (const auto& [name, shape] : shapes) {
    PodSet pod_set;
    pod_set.name = name;
    pod_set.count = shape.second;
    Outcome<objects::TemplateSource> source =
        objects::parse_template(jobs::shape_text(*shape.first->spec));
    if (!source) return tl::unexpected(source.error());
    pod_set.pod_template = std::move(*source);
    pod_set.topology = jobs::topology_request(shape.first->meta.annotations, "");
    pod_sets.push_back(std::move(pod_set));
  }
  return pod_sets;
}

Plan reconcile(const GroupView& seen, const ReconcileSettings& settings, Time now) {
  return GroupLook(seen, settings, now).take();
}

}  // namespace quorate::controller
