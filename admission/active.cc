#include "admission/active.h"

#include <algorithm>
#include <set>

namespace quorate::admission {
namespace {

constexpr const char* kMultiKueue = "kueue.x-k8s.io/multikueue";
constexpr const char* kProvisioning = "kueue.x-k8s.io/provisioning-request";

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

// Problems in the order in which they count: the first gives the reason, all the message.
class Problems {
 public:
  void add(const std::string& reason, const std::string& text) {
    if (reason_.empty()) reason_ = reason;
    text_ += (text_.empty() ? "" : ", ") + text;
  }
  void add_names(const std::string& reason, const std::string& text,
                 const std::vector<std::string>& names) {
    if (!names.empty()) add(reason, text + join(names));
  }
  ActiveView view() const {
    if (reason_.empty()) return {true, "Ready", "Can admit new workloads"};
    return {false, reason_, "Can't admit new workloads: " + text_ + "."};
  }

 private:
  std::string reason_, text_;
};

std::vector<std::string> all_flavors(const ClusterQueueSpec& spec) {
  std::vector<std::string> names;
  for (const quota::ResourceGroup& group : spec.resource_groups) {
    for (const quota::FlavorQuotas& flavor : group.flavors) names.push_back(flavor.flavor);
  }
  return names;
}

}  // namespace

ActiveView active_of(const ClusterQueueSpec& spec, bool in_cohort_cycle,
                     const std::function<bool(const std::string&)>& flavor_exists,
                     const std::function<std::string(const std::string&)>& missing_topology,
                     const std::map<std::string, AdmissionCheckSpec>& checks) {
  if (spec.terminating) {
    return {false, "Terminating", "Can't admit new workloads; clusterQueue is terminating"};
  }
  if (!spec.defect.empty()) {
    return {false, "Unknown", "Can't admit new workloads: " + spec.defect + "."};
  }
  std::vector<std::string> missing_flavors, missing, inactive, multi_kueue, per_flavor,
      provisioning;
  for (const std::string& flavor : all_flavors(spec)) {
    if (!flavor_exists(flavor)) missing_flavors.push_back(flavor);
  }
  for (const AdmissionCheckRule& rule : spec.admission_checks) {
    const auto check = checks.find(rule.check);
    if (check == checks.end()) {
      missing.push_back(rule.check);
      continue;
    }
    if (!check->second.active) inactive.push_back(rule.check);
    if (check->second.controller_name == kProvisioning) provisioning.push_back(rule.check);
    if (check->second.controller_name != kMultiKueue) continue;
    multi_kueue.push_back(rule.check);
    if (!rule.on_flavors.empty()) per_flavor.push_back(rule.check);
  }
  for (auto* names :
       {&missing_flavors, &missing, &inactive, &multi_kueue, &per_flavor, &provisioning}) {
    std::sort(names->begin(), names->end());
  }

  Problems problems;
  if (spec.stop_policy != StopPolicy::None) problems.add("Stopped", "is stopped");
  problems.add_names("FlavorNotFound", "references missing ResourceFlavor(s): ", missing_flavors);
  problems.add_names("AdmissionCheckNotFound", "references missing AdmissionCheck(s): ", missing);
  problems.add_names("AdmissionCheckInactive", "references inactive AdmissionCheck(s): ", inactive);
  if (multi_kueue.size() > 1) {
    problems.add(
        "MultipleMultiKueueAdmissionChecks",
        "Cannot use multiple MultiKueue AdmissionChecks on the same ClusterQueue, found: " +
            join(multi_kueue));
  }
  problems.add_names("MultiKueueAdmissionCheckAppliedPerFlavor",
                     "Cannot specify MultiKueue AdmissionCheck per flavor, found: ", per_flavor);
  if (!multi_kueue.empty() && !provisioning.empty()) {
    problems.add("MultiKueueWithProvisioningRequest",
                 "Cannot use both MultiKueue and ProvisioningRequest AdmissionChecks together, "
                 "found: " +
                     join(multi_kueue) + ", " + join(provisioning));
  }
  // With MultiKueue the places are chosen where the pods run.
  for (const std::string& flavor : all_flavors(spec)) {
    const std::string topology = multi_kueue.empty() ? missing_topology(flavor) : "";
    if (topology.empty()) continue;
    problems.add("TopologyNotFound",
                 "there is no Topology \"" + topology + "\" for TAS flavor \"" + flavor + "\"");
  }
  // Not a reason of Kueue's, which shows such a queue as ready although nothing of it is admitted.
  if (in_cohort_cycle) {
    problems.add("CohortCycle", "cohort " + spec.cohort + " is below a cycle among cohorts");
  }
  return problems.view();
}

bool refers_to(const ClusterQueueSpec& spec, const std::string& name) {
  const std::vector<std::string> flavors = all_flavors(spec);
  return std::find(flavors.begin(), flavors.end(), name) != flavors.end() ||
         std::any_of(spec.admission_checks.begin(), spec.admission_checks.end(),
                     [&](const AdmissionCheckRule& rule) { return rule.check == name; });
}

std::vector<std::string> required_checks(const ClusterQueueSpec& spec, const Admission* admission) {
  const std::vector<std::string> flavors = all_flavors(spec);
  std::set<std::string> assigned;
  if (admission != nullptr) {
    for (const PodSetAssignment& pods : admission->pod_sets) {
      for (const auto& [resource, flavor] : pods.flavors) assigned.insert(flavor);
    }
  }
  std::set<std::string> names;
  for (const AdmissionCheckRule& rule : spec.admission_checks) {
    const std::vector<std::string>& on = rule.on_flavors.empty() ? flavors : rule.on_flavors;
    const auto named = [&](const std::string& flavor) {
      return std::find(on.begin(), on.end(), flavor) != on.end();
    };
    const bool applies = admission == nullptr
                             ? std::all_of(flavors.begin(), flavors.end(), named)
                             : std::any_of(assigned.begin(), assigned.end(), named);
    if (applies) names.insert(rule.check);
  }
  return {names.begin(), names.end()};
}

}  // namespace quorate::admission
