#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "src/base/outcome.h"
#include "src/objects/feature_gates.h"
#include "src/objects/meta.h"

// The admission webhooks of batch/v1 Job as functions from review text to review text. They look at
// nothing but their arguments; equal arguments give equal bytes.
namespace quorate::objects {

// What the webhook must know about the cluster, as questions that the host answers from its caches.
// An empty function answers no.
struct JobWebhookView {
  std::function<bool(std::string_view ns)> namespace_selected;  // managedJobsNamespaceSelector
  std::function<bool(std::string_view ns)> has_default_queue;   // a LocalQueue named "default"
  std::function<bool()> has_default_priority_class;             // a WorkloadPriorityClass "default"
  std::function<bool(std::string_view ns, const OwnerReference& controller)> owner_managed;
  // Name of the PodGroup of a Job of that name. The group's name is what the pod template says in
  // the end: for the fallback, whose link is a label, a longer name is cut to 63 bytes.
  std::function<std::string(std::string_view job_name)> group_name;
};

struct JobWebhookSettings {
  bool manage_jobs_without_queue_name = false;
  bool gang_placement = false;
  bool native_groups = false;  // scheduling.k8s.io PodGroups are served; else the fallback's label
  std::string scheduler_name = "quorate-scheduler";
  FeatureGates gates;
};

// Defaults a Job: queue, priority class, suspension, and for gang placement schedulerName and
// group. The group of a Job that has no name yet (generateName) is named here and kept in the
// annotation quorate.dev/pod-group; `suffix`, lower-case alphanumeric, is drawn by the caller for
// that.
//
// Answers an AdmissionReview: allowed, with a JSON patch if the Job changes; code 400 if the Job
// cannot be decoded.
// Errors: Invalid - the text is no AdmissionReview with a uid, so there is nobody to answer.
Outcome<std::string> mutate_job(std::string_view review, const JobWebhookSettings& settings,
                                const JobWebhookView& view, std::string_view suffix);

// Answers an AdmissionReview: allowed, or refused with code 403 and all faults.
// Errors: as above.
Outcome<std::string> validate_job(std::string_view review, const JobWebhookSettings& settings,
                                  const JobWebhookView& view);

}  // namespace quorate::objects
