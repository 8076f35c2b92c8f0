#include "src/engine/toy_cluster.h"

#include <algorithm>

#include "src/base/check.h"

namespace quorate::engine {
namespace {

using admission::ConditionView;

const std::string kGpu = "nvidia.com/gpu";

void set_condition(admission::WorkloadSpec& workload, const std::string& type, bool status,
                   const std::string& reason, const std::string& message, Time now) {
  const auto wanted = status ? ConditionView::Status::True : ConditionView::Status::False;
  const auto found = std::ranges::find(workload.conditions, type, &ConditionView::type);
  if (found == workload.conditions.end()) {
    workload.conditions.push_back({type, wanted, reason, message, now});
  } else {
    const Time since = found->status == wanted ? found->last_transition : now;
    *found = {type, wanted, reason, message, since};
  }
}

bool is_true(const admission::WorkloadSpec& workload, const std::string& type) {
  return std::ranges::any_of(workload.conditions, [&](const ConditionView& one) {
    return one.type == type && one.status == ConditionView::Status::True;
  });
}

struct TextOf {
  std::string operator()(const admission::Admit& d) const {
    std::string text = "Admit " + d.workload.text() + " in " + d.admission.cluster_queue + ":";
    for (const admission::PodSetAssignment& pods : d.admission.pod_sets) {
      text += " " + pods.name;
      for (const auto& [resource, flavor] : pods.flavors) text += " " + resource + "=" + flavor;
      text += " x" + std::to_string(pods.count);
    }
    return text;
  }
  std::string operator()(const admission::ConfirmAdmission& d) const {
    return "ConfirmAdmission " + d.workload.text();
  }
  std::string operator()(const admission::Hold& d) const {
    return "Hold " + d.workload.text() + ": " + d.message;
  }
  std::string operator()(const admission::Evict& d) const {
    return "Evict " + d.workload.text() + ": " + d.reason;
  }
  std::string operator()(const admission::Deactivate& d) const {
    return "Deactivate " + d.workload.text() + ": " + d.reason;
  }
  std::string operator()(const admission::Postpone& d) const {
    return "Postpone " + d.workload.text();
  }
  std::string operator()(const admission::ListChecks& d) const {
    return "ListChecks " + d.workload.text();
  }
  std::string operator()(const admission::Finish& d) const {
    return "Finish " + d.workload.text() + ": " + d.reason;
  }
  std::string operator()(const admission::DropReservation& d) const {
    return "DropReservation " + d.workload.text() + ": " + d.reason;
  }
  std::string operator()(const admission::Requeue& d) const {
    return "Requeue " + d.workload.text() + ": " + d.reason;
  }
  std::string operator()(const scheduler::Bind& d) const {
    return "Bind " + d.pod.text() + " to " + d.node;
  }
  std::string operator()(const scheduler::PodUnschedulable& d) const {
    return "PodUnschedulable " + d.pod.text() + ": " + d.message;
  }
  std::string operator()(const scheduler::GroupStatus& d) const {
    return "GroupStatus " + d.group.text() + ": " + d.reason;
  }
  std::string operator()(const scheduler::ReleaseClaim& d) const {
    return "ReleaseClaim " + d.claim.text();
  }
  std::string operator()(const scheduler::Evict& d) const {
    return "Evict " + d.pod.text() + ": " + d.event;
  }
  std::string operator()(const scheduler::Nominate& d) const {
    return "Nominate " + d.pod.text() + " for " + d.node;
  }
  std::string operator()(const scheduler::DeleteMember& d) const {
    return "DeleteMember " + d.pod.text() + ": " + d.message;
  }
};

}  // namespace

std::string text_of(const Decision& decision) {
  return std::visit([](const auto& half) { return std::visit(TextOf{}, half); }, decision);
}

ToyCluster::ToyCluster(Roles roles, RecordSink sink)
    : engine_(Session{"toy", roles, 0, Time{}}, std::move(sink)) {}

void ToyCluster::node(const std::string& name, std::int64_t gpus, Labels labels) {
  cluster::NodeSpec spec;
  spec.name = name;
  spec.uid = name + "-uid";
  spec.labels = std::move(labels);
  spec.labels["kubernetes.io/hostname"] = name;
  spec.allocatable = {{"cpu", Quantity{64000}}, {"pods", Quantity{110}}, {kGpu, Quantity{gpus}}};
  tell(std::move(spec));
}

void ToyCluster::flavor(const std::string& name, Labels node_labels) {
  admission::FlavorSpec spec;
  spec.name = name;
  spec.node_labels = std::move(node_labels);
  flavors_[name] = spec;
  tell(std::move(spec));
}

void ToyCluster::cluster_queue(const std::string& name, const std::string& cohort,
                               const std::string& flavor, std::int64_t gpus) {
  admission::ClusterQueueSpec spec;
  spec.name = name;
  spec.uid = name + "-uid";
  spec.cohort = cohort;
  spec.namespace_selector.emplace();
  spec.resource_groups = {{{kGpu}, {{flavor, {{kGpu, Quantity{gpus}, {}, {}}}}}}};
  tell(std::move(spec));
}

void ToyCluster::team(const std::string& ns, const std::string& cluster_queue) {
  tell(admission::NamespaceSpec{ns, {{"kubernetes.io/metadata.name", ns}}});
  tell(admission::LocalQueueSpec{{ns, "gpus"}, ns + "-lq-uid", cluster_queue});
}

void ToyCluster::submit(const std::string& ns, const std::string& name, std::int32_t pods,
                        std::int64_t gpus, Time created) {
  auto pod = std::make_shared<PodTemplate>();
  pod->scheduler_name = "quorate-scheduler";
  pod->containers = {{"worker", {{kGpu, Quantity{gpus}}}, {{kGpu, Quantity{gpus}}}}};
  pod->labels = {{"kueue.x-k8s.io/podset", "main"}};
  pod->annotations = {{"kueue.x-k8s.io/workload", name}};

  admission::WorkloadSpec workload;
  workload.key = {ns, name};
  workload.uid = ns + "-" + name + "-uid";
  workload.queue_name = "gpus";
  workload.created = created;
  workload.owner_api_version = "batch/v1";
  workload.owner_kind = "Job";
  workload.owner_name = name;
  admission::PodSetSpec& pod_set = workload.pod_sets.emplace_back();
  pod_set.name = "main";
  pod_set.count = pods;
  pod_set.pod = std::move(pod);
  write(workloads_[workload.key] = std::move(workload));
}

void ToyCluster::write(admission::WorkloadSpec& workload) { tell(workload); }

void ToyCluster::start(const admission::WorkloadSpec& workload) {
  scheduler::PodGroupSpec group;
  group.key = workload.key;
  group.uid = workload.uid + "-group";
  group.min_count = workload.pod_sets.front().count;
  group.created = workload.created;
  tell(groups_[group.key] = group);

  auto pod = std::make_shared<PodTemplate>(*workload.pod_sets.front().pod);
  for (const auto& [resource, flavor] : workload.admission->pod_sets.front().flavors) {
    for (const auto& [key, value] : flavors_.at(flavor).node_labels)
      pod->node_selector[key] = value;
  }
  for (std::int32_t i = 0; i < group.min_count; ++i) {
    cluster::PodSpec spec;
    spec.key = {workload.key.ns, workload.key.name + "-" + std::to_string(i)};
    spec.uid = spec.key.ns + "-" + spec.key.name + "-uid";
    spec.spec = pod;
    spec.requests = pod_requests(*pod);
    spec.created = workload.created;
    spec.group = group.key.name;
    tell(pods_[spec.key] = spec);
  }
}

void ToyCluster::finish(const std::string& ns, const std::string& name, Time now) {
  for (auto& [key, pod] : pods_) {
    if (key.ns != ns || pod.group != name) continue;
    pod.phase = cluster::PodPhase::Succeeded;
    tell(pod);
  }
  admission::WorkloadSpec& workload = workloads_.at({ns, name});
  set_condition(workload, "Finished", true, "Succeeded", "done", now);
  write(workload);
}

void ToyCluster::carry_out(const admission::Decision& decision, Time now) {
  const auto [key, uid] =
      std::visit([](const auto& d) { return std::pair(d.workload, d.uid); }, decision);
  admission::WorkloadSpec& workload = workloads_.at(key);
  check(workload.uid == uid, "a decision about a workload that is not there");
  if (const auto* admit = std::get_if<admission::Admit>(&decision)) {
    workload.admission = admit->admission;
    set_condition(workload, "QuotaReserved", true, "QuotaReserved", admit->message, now);
    set_condition(workload, "Admitted", admit->admitted, "Admitted", "", now);
  } else if (const auto* hold = std::get_if<admission::Hold>(&decision)) {
    set_condition(workload, "QuotaReserved", false, hold->reason, hold->message, now);
  }
  tell(AdmissionWritten{key, uid});
  write(workload);
  if (std::holds_alternative<admission::Admit>(decision)) start(workload);
}

void ToyCluster::carry_out(const scheduler::Decision& decision) {
  if (const auto* bind = std::get_if<scheduler::Bind>(&decision)) {
    cluster::PodSpec& pod = pods_.at(bind->pod);
    check(pod.uid == bind->pod_uid && pod.node.empty(), "a bind of a pod that is not waiting");
    pod.node = bind->node;
    pod.phase = cluster::PodPhase::Running;
    tell(BindWritten{bind->pod, bind->pod_uid, "", scheduler::BindResult::Bound, ""});
    tell(pod);
  } else if (const auto* held = std::get_if<scheduler::PodUnschedulable>(&decision)) {
    cluster::PodSpec& pod = pods_.at(held->pod);
    pod.unschedulable_reason = held->reason;
    pod.unschedulable_message = held->message;
    tell(pod);
  } else if (const auto* status = std::get_if<scheduler::GroupStatus>(&decision)) {
    scheduler::PodGroupSpec& group = groups_.at(status->group);
    group.initially_scheduled = status->scheduled;
    group.condition_reason = status->scheduled ? "" : status->reason;
    group.condition_message = status->scheduled ? "" : status->message;
    tell(group);
  } else if (const auto* nominated = std::get_if<scheduler::Nominate>(&decision)) {
    cluster::PodSpec& pod = pods_.at(nominated->pod);
    pod.nominated_node = nominated->node;
    tell(pod);
  } else {
    const auto* evicted = std::get_if<scheduler::Evict>(&decision);
    const ObjectKey key =
        evicted != nullptr ? evicted->pod : std::get<scheduler::DeleteMember>(decision).pod;
    tell(PodGone{key, pods_.at(key).uid});
    pods_.erase(key);
  }
}

void ToyCluster::carry_out(const Decision& decision, Time now) {
  if (const auto* half = std::get_if<admission::Decision>(&decision)) {
    carry_out(*half, now);
  } else {
    carry_out(std::get<scheduler::Decision>(decision));
  }
}

std::vector<std::string> ToyCluster::settle(Time now) {
  std::vector<std::string> decided;
  std::size_t quiet = 0;
  for (int i = 0; quiet < 2; ++i) {
    check(i < 1000, "the engine does not come to rest");
    const std::vector<Decision> decisions = engine_.step(now);
    quiet = decisions.empty() && !engine().busy() ? quiet + 1 : 0;
    for (const Decision& decision : decisions) {
      decided.push_back(text_of(decision));
      carry_out(decision, now);
    }
  }
  return decided;
}

bool ToyCluster::admitted(const std::string& ns, const std::string& name) const {
  return is_true(workloads_.at({ns, name}), "Admitted");
}

bool ToyCluster::running(const std::string& ns, const std::string& name) const {
  const auto found = workloads_.find({ns, name});
  return found != workloads_.end() && is_true(found->second, "Admitted") &&
         !is_true(found->second, "Finished");
}

std::vector<std::string> ToyCluster::nodes_of(const std::string& ns,
                                              const std::string& name) const {
  std::vector<std::string> nodes;
  for (const auto& [key, pod] : pods_) {
    if (key.ns == ns && pod.group == name && !pod.node.empty()) nodes.push_back(pod.node);
  }
  std::ranges::sort(nodes);
  return nodes;
}

void tell_quickstart(ToyCluster& cluster) {
  cluster.flavor("h100", {{"example.com/gpu-model", "h100"}});
  cluster.cluster_queue("vision", "research", "h100", 24);
  cluster.cluster_queue("language", "research", "h100", 24);
  cluster.cluster_queue("speech", "research", "h100", 16);
  cluster.team("team-vision", "vision");
  cluster.team("team-language", "language");
  cluster.team("team-speech", "speech");
  for (int i = 1; i <= 8; ++i) {
    cluster.node("gpu-" + std::to_string(i), 8, {{"example.com/gpu-model", "h100"}});
  }
  cluster.submit("team-vision", "pretrain", 6, 8, Time::from_seconds(1));
  cluster.submit("team-language", "finetune", 4, 8, Time::from_seconds(2));
  cluster.submit("team-speech", "transcribe", 2, 8, Time::from_seconds(3));
}

}  // namespace quorate::engine
