#include "controller/reconcile/testing.h"

#include <algorithm>
#include <iterator>

#include "src/base/check.h"
#include "src/jobs/template_text.h"
#include "src/objects/json.h"
#include "src/objects/json_writer.h"
#include "src/objects/names.h"
#include "src/translate/variants.h"

namespace quorate::controller::testing {

namespace names = objects::names;

objects::TemplateSource source_of(const PodTemplate& pod) {
  // shape_text() lacks what does not decide about placement.
  objects::JsonDocument shape;
  check(shape.parse(jobs::shape_text(pod)).has_value(), "a shape is JSON");
  objects::JsonWriter out;
  out.open().key("metadata").open();
  out.map("annotations", pod.annotations).map("labels", pod.labels);
  out.close().key("spec").open();
  shape.root()["spec"].members([&](std::string_view key, const objects::Json& value) {
    out.key(key).raw(value.canonical());
  });
  if (!pod.scheduling_gates.empty()) {
    out.key("schedulingGates").open_list();
    for (const std::string& gate : pod.scheduling_gates) out.open().field("name", gate).close();
    out.close_list();
  }
  if (!pod.scheduling_group.empty()) {
    out.key("schedulingGroup").open().field("podGroupName", pod.scheduling_group).close();
  }
  out.close().close();
  auto source = objects::parse_template(out.str());
  check(source.has_value(), "a built template parses");
  return *source;
}

PodTemplate gpu_pod(std::int64_t gpus) {
  PodTemplate pod;
  pod.containers = {{.name = "main", .requests = {{"example.com/gpu", Quantity{gpus}}}}};
  return pod;
}

objects::Job gpu_job(std::int32_t count) {
  objects::Job job;
  job.meta.key = {"team", "train"};
  job.meta.uid = "job-uid";
  job.meta.resource_version = "1";
  job.meta.labels[std::string(names::kQueueName)] = "main";
  job.suspend = true;
  job.parallelism = count;
  job.completions = count;
  job.pod_template = source_of(gpu_pod());
  return job;
}

objects::ResourceFlavor flavor(const std::string& name, Labels node_labels,
                               std::vector<Toleration> tolerations) {
  objects::ResourceFlavor made;
  made.meta.key.name = name;
  made.node_labels = std::move(node_labels);
  made.tolerations = std::move(tolerations);
  return made;
}

admission::Admit admit(const objects::Workload& workload, std::optional<std::int32_t> count) {
  admission::Admit decision;
  decision.workload = workload.meta.key;
  decision.uid = workload.meta.uid;
  decision.admission.cluster_queue = "cluster";
  for (const objects::PodSet& pod_set : workload.pod_sets) {
    admission::PodSetAssignment assignment;
    assignment.name = pod_set.name;
    assignment.flavors = {{"example.com/gpu", "a100"}};
    assignment.count = count.value_or(pod_set.count);
    assignment.usage = {{"example.com/gpu", Quantity{assignment.count}}};
    decision.admission.pod_sets.push_back(std::move(assignment));
  }
  decision.message = "Quota reserved in ClusterQueue cluster";
  return decision;
}

admission::Evict evict(const objects::Workload& workload, const std::string& reason,
                       const std::string& message) {
  admission::Evict decision;
  decision.workload = workload.meta.key;
  decision.uid = workload.meta.uid;
  decision.reason = reason;
  decision.message = message;
  return decision;
}

objects::Pod member(const std::string& name, const std::string& group, const PodTemplate& pod,
                    Time created) {
  objects::Pod made;
  made.meta.key = {"team", name};
  made.meta.uid = "uid-" + name;
  made.meta.created = created;
  PodTemplate spec = pod.containers.empty() ? gpu_pod() : pod;
  spec.scheduling_group = group;
  made.spec = std::make_shared<const PodTemplate>(std::move(spec));
  return made;
}

std::vector<std::string> World::settle(const std::function<Plan()>& look) {
  std::vector<std::string> written;
  for (int i = 0; i < 10; ++i) {
    Plan plan = look();
    for (Write& write : plan.later) plan.writes.push_back(std::move(write));
    if (plan.writes.empty()) return written;
    for (const Write& write : plan.writes) {
      written.push_back(describe(write));
      carry_out(write);
    }
  }
  written.emplace_back("and so on without end");
  return written;
}

std::vector<std::string> World::settle_job() {
  return settle([this] {
    JobView view;
    view.job = job;
    view.namespace_selected = namespace_selected;
    std::ranges::copy_if(workloads, std::back_inserter(view.workloads),
                         [](const auto& one) { return !translate::is_variant(one); });
    view.flavors = flavors;
    view.groups = groups;
    view.priority = priority;
    for (const objects::Pod& pod : pods) {
      view.pods.push_back(std::make_shared<const objects::Pod>(pod));
    }
    return reconcile(view, settings, now);
  });
}

std::vector<std::string> World::settle_group() {
  return settle([this] {
    GroupView view;
    view.key = group_key;
    view.group = group;
    view.namespace_selected = namespace_selected;
    view.workloads = workloads;
    view.pods = pods;
    view.priority = priority;
    return reconcile(view, settings, now);
  });
}

std::vector<std::string> World::settle_family() {
  return settle([this] {
    FamilyView view;
    view.queue = queue;
    for (const objects::Workload& one : workloads) {
      if (translate::is_variant(one)) {
        view.variants.push_back(one);
      } else {
        view.parent = one;
      }
    }
    return reconcile(view, settings, now);
  });
}

void World::decide(const StatusChange& change) {
  objects::Workload* target = workload(workload_of(change));
  check(target != nullptr, "the decision is about a Workload that is there");
  apply(*target, change, {now, std::nullopt});
}

objects::Workload& World::only_workload() {
  check(workloads.size() == 1, "there is one Workload");
  return workloads.front();
}

objects::Workload* World::workload(const ObjectKey& key) {
  const auto found =
      std::ranges::find(workloads, key, [](const objects::Workload& one) { return one.meta.key; });
  return found == workloads.end() ? nullptr : &*found;
}

void World::carry_out(const Write& write) {
  if (const auto* create = std::get_if<CreateWorkload>(&write)) {
    objects::Workload made = create->workload;
    made.meta.uid = "workload-uid-" + std::to_string(++uids_);
    made.meta.generation = 1;
    made.meta.created = now + Duration::seconds(uids_ - 1);  // one after the other
    workloads.push_back(std::move(made));
  } else if (const auto* spec = std::get_if<PatchWorkloadSpec>(&write)) {
    objects::Workload* target = workload(spec->key);
    const objects::WorkloadSpecChange& change = spec->change;
    if (change.active) target->active = *change.active;
    if (change.queue_name) target->queue_name = *change.queue_name;
    if (change.priority) target->priority = *change.priority;
    if (change.priority_class) target->priority_class = *change.priority_class;
    if (change.pod_sets) target->pod_sets = *change.pod_sets;
    ++target->meta.generation;
  } else if (const auto* remove = std::get_if<DeleteWorkload>(&write)) {
    objects::Workload* target = workload(remove->key);
    if (target == nullptr) return;
    target->meta.deleted = now;
    if (target->meta.finalizers.empty()) {
      std::erase_if(workloads, [&](const auto& one) { return one.meta.key == remove->key; });
    }
  } else if (const auto* status = std::get_if<ApplyWorkloadStatus>(&write)) {
    objects::Workload* target = workload(status->key);
    for (const objects::Condition& condition : status->status.conditions) {
      objects::set_condition(target->status.conditions, condition, now);
    }
    if (!status->status.reclaimable_pods.empty()) {
      target->status.reclaimable_pods = status->status.reclaimable_pods;
    }
  } else if (const auto* release = std::get_if<ReleaseQuota>(&write)) {
    decide(*release);
  } else if (const auto* follow = std::get_if<FollowFamily>(&write)) {
    decide(*follow);
  } else if (const auto* label = std::get_if<SetLabel>(&write)) {
    objects::Workload* target = workload(label->key);
    if (label->value.empty()) {
      target->meta.labels.erase(label->name);
    } else {
      target->meta.labels[label->name] = label->value;
    }
  } else if (const auto* finalizers = std::get_if<SetFinalizers>(&write)) {
    objects::Workload* target = workload(finalizers->key);
    target->meta.finalizers = finalizers->finalizers;
    if (target->meta.deleted && target->meta.finalizers.empty()) {
      std::erase_if(workloads, [&](const auto& one) { return one.meta.key == finalizers->key; });
    }
  } else if (const auto* patch = std::get_if<PatchJob>(&write)) {
    const objects::JobChange& change = patch->change;
    PodTemplate pod = *job.pod_template.parsed;
    if (change.suspend) job.suspend = *change.suspend;
    if (change.parallelism) job.parallelism = *change.parallelism;
    if (change.completions) job.completions = *change.completions;
    if (change.annotations) job.meta.annotations = *change.annotations;
    if (change.template_labels) pod.labels = *change.template_labels;
    if (change.template_annotations) pod.annotations = *change.template_annotations;
    if (change.node_selector) pod.node_selector = *change.node_selector;
    if (change.tolerations) pod.tolerations = *change.tolerations;
    if (change.scheduling_gates) pod.scheduling_gates = *change.scheduling_gates;
    job.pod_template = source_of(pod);
  } else if (std::holds_alternative<ClearJobStart>(write)) {
    job.status.started.reset();
  } else if (const auto* made_group = std::get_if<CreatePodGroup>(&write)) {
    groups.push_back(made_group->group);
  } else if (const auto* minimum = std::get_if<SetGroupMinimum>(&write)) {
    for (objects::PodGroup& one : groups) {
      if (one.meta.key == minimum->key) one.min_count = minimum->minimum;
    }
  } else if (const auto* pod = std::get_if<DeletePod>(&write)) {
    std::erase_if(pods, [&](const objects::Pod& one) { return one.meta.key == pod->key; });
  } else if (const auto* ungate = std::get_if<UngatePod>(&write)) {
    for (objects::Pod& one : pods) {
      if (one.meta.key != ungate->key) continue;
      PodTemplate shape = *one.spec;
      for (const std::string& gate : ungate->gates) std::erase(shape.scheduling_gates, gate);
      one.spec = std::make_shared<const PodTemplate>(std::move(shape));
    }
  } else if (const auto* annotation = std::get_if<SetAnnotation>(&write)) {
    objects::Workload* target = workload(annotation->key);
    if (annotation->value.empty()) {
      target->meta.annotations.erase(annotation->name);
    } else {
      target->meta.annotations[annotation->name] = annotation->value;
    }
  }
}

}  // namespace quorate::controller::testing
