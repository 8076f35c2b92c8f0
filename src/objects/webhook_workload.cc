#include <algorithm>
#include <charconv>
#include <map>

#include "src/objects/json.h"
#include "src/objects/json_writer.h"
#include "src/objects/names.h"
#include "src/objects/webhook_kueue.h"
#include "src/objects/write.h"

namespace quorate::objects {
namespace {

using Kind = FieldError::Kind;

bool elastic(const Workload& workload) {
  return value_of(workload.meta.annotations, names::kElasticJob) == "true";
}

// One look at one Workload, rule by rule.
class Look {
 public:
  Look(const Workload& now, const Workload* before, const FeatureGates& gates)
      : now_(now), before_(before), gates_(gates) {
    for (const PodSet& set : now.pod_sets) sets_[set.name] = &set;
  }

  FieldErrors take() && {
    pod_sets();
    admission();
    conditions();
    reclaimable();
    check_updates();
    if (gates_.enabled("AdmissionGatedBy")) {
      append(errors_, gated_by_faults(now_.meta.annotations, nullptr));
    }
    if (gates_.enabled("PriorityBoost")) priority_boost();
    if (before_ != nullptr) update();
    return std::move(errors_);
  }

 private:
  void add(std::string path, Kind kind, std::string value, std::string detail) {
    errors_.push_back({std::move(path), kind, std::move(value), std::move(detail)});
  }
  static bool reserved(const Workload& workload) {
    return is_true(workload.status.conditions, conditions::kQuotaReserved);
  }
  std::vector<std::string> set_names() const {
    std::vector<std::string> all;
    for (const PodSet& set : now_.pod_sets) all.push_back(set.name);
    return all;
  }

  void pod_sets();
  void amounts(const ResourceList& list, const std::string& path);
  void container(const ContainerResources& container, const std::string& path);
  void topology(const TopologyRequest& request, const std::string& path);
  void admission();
  void conditions();
  void reclaimable();
  void check_updates();
  void priority_boost();
  void update();
  void update_pod_sets();
  void update_reclaimable();
  void update_admission();
  void update_checks();

  const Workload& now_;
  const Workload* before_;
  const FeatureGates& gates_;
  std::map<std::string, const PodSet*> sets_;
  FieldErrors errors_;
};

void Look::amounts(const ResourceList& list, const std::string& path) {
  for (const auto& [resource, amount] : list) {
    if (resource == "pods") {
      errors_.push_back(
          invalid_text(at(path, resource), resource, "the key is reserved for internal kueue use"));
    }
    if (amount < Quantity{} && gates_.enabled("WorkloadValidateResourcesAreNonNegative")) {
      errors_.push_back(invalid_text(at(path, resource), format_quantity(resource, amount),
                                     "must be greater than or equal to 0"));
    }
  }
}

void Look::container(const ContainerResources& container, const std::string& path) {
  amounts(container.requests, path + ".resources.requests");
  amounts(container.limits, path + ".resources.limits");
}

void Look::topology(const TopologyRequest& request, const std::string& path) {
  const std::string size = path + ".podSetSliceSize";
  if (gates_.enabled("TASValidateWorkloadSliceSize")) {
    if (request.slice_required_topology && !request.slice_size) {
      add(size, Kind::Required, "", "must be set when podSetSliceRequiredTopology is specified");
    }
    if (request.slice_size && *request.slice_size <= 0) {
      add(size, Kind::Invalid, std::to_string(*request.slice_size), "must be greater than 0");
    }
    if (request.slice_size && !request.slice_required_topology) {
      add(size, Kind::Forbidden, "",
          "may not be set when podSetSliceRequiredTopology is not specified");
    }
    for (std::size_t k = 0; k < request.slice_constraints.size(); ++k) {
      if (request.slice_constraints[k].size > 0) continue;
      add(at(path + ".podsetSliceRequiredTopologyConstraints", k) + ".size", Kind::Invalid,
          std::to_string(request.slice_constraints[k].size), "must be greater than 0");
    }
  }
}

void Look::pod_sets() {
  int shrinking = 0;
  for (std::size_t i = 0; i < now_.pod_sets.size(); ++i) {
    const PodSet& set = now_.pod_sets[i];
    const PodTemplate& pod = *set.pod_template.parsed;
    const std::string path = at("spec.podSets", i);
    if (gates_.enabled("WorkloadValidationForPodSetMetadata")) {
      append(errors_, labels_faults(pod.labels, path + ".template.metadata.labels"));
      append(errors_, annotations_faults(pod.annotations, path + ".template.metadata.annotations"));
    }
    const std::string spec = path + ".template.spec";
    for (std::size_t j = 0; j < pod.init_containers.size(); ++j) {
      container(pod.init_containers[j], at(spec + ".initContainers", j));
    }
    for (std::size_t j = 0; j < pod.containers.size(); ++j) {
      container(pod.containers[j], at(spec + ".containers", j));
    }
    if (pod.pod_requests) amounts(*pod.pod_requests, spec + ".resources.requests");
    if (pod.pod_limits) amounts(*pod.pod_limits, spec + ".resources.limits");
    if (set.topology) topology(*set.topology, path + ".topologyRequest");
    if (set.min_count) ++shrinking;
  }
  if (shrinking > 1) {
    add("spec.podSets", Kind::Invalid, std::to_string(shrinking),
        "at most one podSet can use minCount");
  }
  if (shrinking > 0 && elastic(now_) && gates_.enabled("ElasticJobsViaWorkloadSlices")) {
    add("spec.podSets", Kind::Invalid, std::to_string(shrinking),
        "partial admission and elastic job cannot be used together");
  }
}

void Look::admission() {
  if (!reserved(now_)) return;
  if (!now_.status.admission) {
    const bool so_before = before_ != nullptr && reserved(*before_) && !before_->status.admission;
    if (!so_before) {
      add("status.admission", Kind::Required, "",
          "must be set while the QuotaReserved condition is true");
    }
    return;
  }
  const auto& assignments = now_.status.admission->pod_sets;
  for (std::size_t i = 0; i < assignments.size(); ++i) {
    const std::string path = at("status.admission.podSetAssignments", i);
    if (!sets_.contains(assignments[i].name)) {
      add(path + ".name", Kind::NotFound, quoted(assignments[i].name), "");
    }
    const std::int32_t count = assignments[i].count.value_or(0);
    if (count <= 0) continue;
    for (const auto& [resource, amount] : assignments[i].usage) {
      if (amount.base_units() % count == 0) continue;
      errors_.push_back(invalid_text(at(path + ".resourceUsage", resource),
                                     format_quantity(resource, amount),
                                     "is not a multiple of " + std::to_string(count)));
    }
  }
}

void Look::conditions() {
  const std::string path = "status.conditions";
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < now_.status.conditions.size(); ++i) {
    const Condition& condition = now_.status.conditions[i];
    const std::string here = at(path, i);
    if (condition.type.empty()) {
      add(here + ".type", Kind::Required, "", "must be set");
    } else {
      for (const std::string& fault : label_key_faults(condition.type)) {
        errors_.push_back(invalid_text(here + ".type", condition.type, fault));
      }
      if (!seen.emplace(condition.type, i).second) {
        add(here + ".type", Kind::Duplicate, quoted(condition.type), "");
      }
    }
    if (condition.observed_generation < 0) {
      add(here + ".observedGeneration", Kind::Invalid,
          std::to_string(condition.observed_generation), "must be greater than or equal to zero");
    }
    if (condition.last_transition == Time{}) {
      add(here + ".lastTransitionTime", Kind::Required, "", "must be set");
    }
    if (condition.reason.empty()) add(here + ".reason", Kind::Required, "", "must be set");
    if (condition.message.size() > 32768) {
      add(here + ".message", Kind::TooLong, "", "may not be more than 32768 bytes");
    }
  }
}

void Look::reclaimable() {
  for (const ReclaimablePod& pods : now_.status.reclaimable_pods) {
    const std::string path = at("status.reclaimablePods", pods.name);
    const auto set = sets_.find(pods.name);
    if (set == sets_.end()) {
      errors_.push_back(not_supported(path + ".name", pods.name, set_names()));
      continue;
    }
    if (pods.count <= set->second->count) continue;
    // A scaled-down elastic workload may show for a moment what ended before.
    const bool stale = before_ != nullptr && elastic(now_) &&
                       gates_.enabled("ElasticJobsViaWorkloadSlices") &&
                       std::ranges::find(before_->status.reclaimable_pods, pods) !=
                           before_->status.reclaimable_pods.end();
    if (!stale) {
      add(path + ".count", Kind::Invalid, std::to_string(pods.count),
          "should be less or equal to " + std::to_string(set->second->count));
    }
  }
}

void Look::check_updates() {
  for (std::size_t i = 0; i < now_.status.admission_checks.size(); ++i) {
    const auto& updates = now_.status.admission_checks[i].pod_set_updates;
    for (std::size_t j = 0; j < updates.size(); ++j) {
      const PodSetUpdate& update = updates[j];
      const std::string path = at(at("status.admissionChecks", i) + ".podSetUpdates", j);
      if (!sets_.contains(update.name)) {
        errors_.push_back(not_supported(path + ".name", update.name, set_names()));
      }
      for (std::size_t k = 0; k < update.tolerations.size(); ++k) {
        if (update.tolerations[k].key.empty()) continue;
        for (const std::string& fault : label_key_faults(update.tolerations[k].key)) {
          errors_.push_back(invalid_text(at(path + ".tolerations", k) + ".key",
                                         update.tolerations[k].key, fault));
        }
      }
      append(errors_, annotations_faults(update.annotations, path + ".annotations"));
      append(errors_, labels_faults(update.node_selector, path + ".nodeSelector"));
      append(errors_, labels_faults(update.labels, path + ".labels"));
    }
  }
}

void Look::priority_boost() {
  const auto found = now_.meta.annotations.find(std::string(names::kPriorityBoost));
  if (found == now_.meta.annotations.end()) return;
  const std::string path = at("metadata.annotations", names::kPriorityBoost);
  const std::string& text = found->second;
  if (text.empty()) {
    errors_.push_back(invalid_text(path, text,
                                   "must be a valid signed integer; use \"0\" explicitly, empty "
                                   "string is not allowed"));
    return;
  }
  std::int32_t value = 0;
  const char* first = text.data() + (text.size() > 1 && text.front() == '+' ? 1 : 0);
  const auto [end, fault] = std::from_chars(first, text.data() + text.size(), value);
  if (fault != std::errc{} || end != text.data() + text.size()) {
    errors_.push_back(invalid_text(path, text, "must be a valid signed integer"));
  }
}

std::string json_of(const std::vector<PodSet>& sets, std::optional<std::size_t> index) {
  JsonWriter out;
  write_pod_sets(out, index ? std::vector{sets[*index]} : sets);
  std::string text = out.take();
  // Of "podSets":[...] the list, or its one element.
  const std::size_t from = text.find('[');
  text = from == std::string::npos ? text : text.substr(from);
  return index && text.size() >= 2 ? text.substr(1, text.size() - 2) : text;
}

void Look::update() {
  if (reserved(*before_)) update_pod_sets();
  if (reserved(now_) && reserved(*before_)) update_reclaimable();
  update_admission();
  update_checks();
  if (!now_.status.cluster_name.empty() && before_->status.cluster_name.empty()) {
    const auto& nominated = before_->status.nominated_cluster_names;
    const bool replaces =
        elastic(now_) && gates_.enabled("ElasticJobsViaWorkloadSlices") &&
        now_.meta.annotations.contains("kueue.x-k8s.io/workload-slice-replacement-for");
    if (!replaces && std::ranges::find(nominated, now_.status.cluster_name) == nominated.end()) {
      errors_.push_back(
          invalid_text("status.clusterName", now_.status.cluster_name,
                       "when setting clusterName it must be one of the nominatedClusterNames"));
    }
  }
  if (gates_.enabled("AdmissionGatedBy")) {
    // The format was looked at before; what is left is what an update adds.
    FieldErrors changes = gated_by_faults(now_.meta.annotations, &before_->meta.annotations);
    std::erase_if(changes, [](const FieldError& e) { return e.kind != Kind::Forbidden; });
    append(errors_, std::move(changes));
  }
}

void Look::update_pod_sets() {
  const bool may_shrink = gates_.enabled("ElasticJobsViaWorkloadSlices");
  if (now_.pod_sets.size() != before_->pod_sets.size()) {
    errors_.push_back(immutable("spec.podSets", json_of(now_.pod_sets, std::nullopt)));
    return;
  }
  for (std::size_t i = 0; i < now_.pod_sets.size(); ++i) {
    PodSet same = now_.pod_sets[i];
    if (may_shrink && same.count < before_->pod_sets[i].count)
      same.count = before_->pod_sets[i].count;
    if (same == before_->pod_sets[i]) continue;
    errors_.push_back(immutable("spec.podSets." + std::to_string(i), json_of(now_.pod_sets, i)));
  }
}

void Look::update_reclaimable() {
  const auto scaled_down = [&](const std::string& name) {
    if (!elastic(now_) || !gates_.enabled("ElasticJobsViaWorkloadSlices")) return false;
    const auto set = sets_.find(name);
    const auto old = std::ranges::find(before_->pod_sets, name, &PodSet::name);
    return set != sets_.end() && old != before_->pod_sets.end() && set->second->count < old->count;
  };
  for (const ReclaimablePod& old : before_->status.reclaimable_pods) {
    if (scaled_down(old.name)) continue;
    const std::string path = at("status.reclaimablePods", old.name);
    const auto found =
        std::ranges::find(now_.status.reclaimable_pods, old.name, &ReclaimablePod::name);
    if (found == now_.status.reclaimable_pods.end()) {
      add(path, Kind::Required, "", "cannot be removed");
    } else if (found->count < old.count) {
      add(path + ".count", Kind::Invalid, std::to_string(found->count),
          "cannot be less than " + std::to_string(old.count));
    }
  }
}

void Look::update_admission() {
  const auto& now = now_.status.admission;
  const auto& before = before_->status.admission;
  if (!now || !before || *now == *before) return;
  if (gates_.enabled("TopologyAwareScheduling") &&
      now->pod_sets.size() == before->pod_sets.size()) {
    Admission same = *now;
    for (std::size_t i = 0; i < same.pod_sets.size(); ++i) {
      same.pod_sets[i].topology = before->pod_sets[i].topology;
      same.pod_sets[i].delayed_topology_request = before->pod_sets[i].delayed_topology_request;
    }
    if (same == *before) return;
  }
  JsonWriter out;
  out.open().field("clusterQueue", std::string_view(now->cluster_queue)).close();
  errors_.push_back(immutable("status.admission", out.take()));
}

void Look::update_checks() {
  for (std::size_t i = 0; i < before_->status.admission_checks.size(); ++i) {
    const AdmissionCheckState& old = before_->status.admission_checks[i];
    const auto found =
        std::ranges::find(now_.status.admission_checks, old.name, &AdmissionCheckState::name);
    if (found == now_.status.admission_checks.end()) continue;
    if (old.state != CheckState::Ready || found->state != CheckState::Ready) continue;
    if (old.pod_set_updates == found->pod_set_updates) continue;
    errors_.push_back(immutable(at("status.admissionChecks", i) + ".podSetUpdates",
                                "[" + std::to_string(found->pod_set_updates.size()) + " items]"));
  }
}

}  // namespace

FieldErrors webhook_faults(const Workload& workload, const Workload* before,
                           const FeatureGates& gates) {
  return Look(workload, before, gates).take();
}

}  // namespace quorate::objects
