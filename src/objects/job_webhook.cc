#include "src/objects/job_webhook.h"

#include "src/base/digest.h"
#include "src/objects/admission_review.h"
#include "src/objects/job_rules.h"
#include "src/objects/json_writer.h"
#include "src/objects/names.h"
#include "src/objects/read.h"

namespace quorate::objects {
namespace {

constexpr std::string_view kStockScheduler = "default-scheduler";
constexpr std::size_t kMaxLabelValue = 63;

bool ask(const std::function<bool(std::string_view)>& question, std::string_view ns) {
  return question && question(ns);
}

std::string json_text(std::string_view text) {
  JsonWriter out;
  return out.text(text).take();
}

// A name that fits a label's value: what is too long is cut and told apart by a hash of the whole.
std::string as_label(std::string name) {
  if (name.size() <= kMaxLabelValue) return name;
  const std::string hash = Digest().text(name).hex();
  name.resize(kMaxLabelValue - 1 - hash.size());
  return name + "-" + hash;
}

// One defaulting of one Job.
class Defaulting {
 public:
  Defaulting(Json object, const ReviewRequest& request, const JobWebhookSettings& settings,
             const JobWebhookView& view, std::string_view suffix)
      : object_(object), settings_(settings), view_(view), suffix_(suffix) {
    read(object, "batch/v1", job_);
    if (job_.meta.key.ns.empty()) job_.meta.key.ns = request.ns;
  }

  JsonPatch take() && {
    const std::string& ns = job_.meta.key.ns;
    const OwnerReference* owner = controller_of(job_.meta);
    const bool owned = owner != nullptr && view_.owner_managed && view_.owner_managed(ns, *owner);
    const bool selected = ask(view_.namespace_selected, ns);

    std::string queue(value_of(job_.meta.labels, names::kQueueName));
    if (queue.empty() && !owned && selected && ask(view_.has_default_queue, ns)) {
      queue = "default";
      label(names::kQueueName, queue);
    }
    if (settings_.gates.enabled("WorkloadPriorityClassDefaulting") && !owned &&
        value_of(job_.meta.labels, names::kPriorityClass).empty() &&
        view_.has_default_priority_class && view_.has_default_priority_class()) {
      label(names::kPriorityClass, "default");
    }
    const bool managed =
        selected && !owned && (!queue.empty() || settings_.manage_jobs_without_queue_name);
    if (managed) manage();
    return std::move(patch_);
  }

 private:
  void label(std::string_view key, std::string_view value) {
    patch_.set_entry(object_, {"metadata", "labels"}, key, value);
  }

  void manage() {
    if (!job_.suspend) patch_.add({"spec", "suspend"}, "true");
    // Without a pod template the Job is refused anyway.
    if (!object_["spec"]["template"]["spec"].is_object()) return;
    if (settings_.gates.enabled("ElasticJobsViaWorkloadSlices") &&
        value_of(job_.meta.annotations, names::kElasticJob) == "true") {
      gate(names::kElasticGate);
    }
    if (settings_.gang_placement) place_as_gang();
  }

  void gate(std::string_view name) {
    const PodTemplate& pod = *job_.pod_template.parsed;
    for (const std::string& each : pod.scheduling_gates) {
      if (each == name) return;
    }
    const std::string entry = R"({"name":)" + json_text(name) + "}";
    if (pod.scheduling_gates.empty()) {
      patch_.add({"spec", "template", "spec", "schedulingGates"}, "[" + entry + "]");
    } else {
      patch_.add({"spec", "template", "spec", "schedulingGates", "-"}, entry);
    }
  }

  void place_as_gang() {
    const PodTemplate& pod = *job_.pod_template.parsed;
    if (pod.scheduler_name.empty() || pod.scheduler_name == kStockScheduler) {
      patch_.add({"spec", "template", "spec", "schedulerName"},
                 json_text(settings_.scheduler_name));
    } else if (pod.scheduler_name != settings_.scheduler_name) {
      return;  // its owner chose another scheduler, which knows nothing of our groups
    }
    // One pod is no gang. With a scheduling block the Job controller makes the group itself.
    const bool grouped =
        !pod.scheduling_group.empty() || !value_of(pod.labels, names::kFallbackPodGroup).empty();
    if (grouped || job_.has_scheduling_block || pod_count(job_) < 2 || !view_.group_name) return;

    std::string name = job_.meta.key.name;
    const bool unnamed = name.empty();
    if (unnamed) name = job_.meta.generate_name + std::string(suffix_);
    std::string group = view_.group_name(name);
    if (!settings_.native_groups) group = as_label(std::move(group));
    if (unnamed) {
      patch_.set_entry(object_, {"metadata", "annotations"}, names::kJobPodGroup, group);
    }
    if (settings_.native_groups) {
      patch_.add({"spec", "template", "spec", "schedulingGroup"},
                 R"({"podGroupName":)" + json_text(group) + "}");
    } else {
      patch_.set_entry(object_, {"spec", "template", "metadata", "labels"},
                       names::kFallbackPodGroup, group);
    }
  }

  Json object_;
  const JobWebhookSettings& settings_;
  const JobWebhookView& view_;
  std::string_view suffix_;
  Job job_;
  JsonPatch patch_;
};

std::string undecodable(const ReviewRequest& request, std::string_view why) {
  return answer_refused(request.uid, 400, "BadRequest", why);
}

}  // namespace

Outcome<std::string> mutate_job(std::string_view text, const JobWebhookSettings& settings,
                                const JobWebhookView& view, std::string_view suffix) {
  JsonDocument document;
  const Outcome<ReviewRequest> request = read_review(text, document);
  if (!request) return tl::unexpected(request.error());
  if (request->operation != "CREATE") return answer_allowed(request->uid);
  const Json object = review_object(document);
  if (!object.is_object()) return undecodable(*request, "request.object: must be an object");
  JsonPatch patch = Defaulting(object, *request, settings, view, suffix).take();
  if (document.fault()) return undecodable(*request, *document.fault());
  return answer_allowed(request->uid, patch);
}

Outcome<std::string> validate_job(std::string_view text, const JobWebhookSettings& settings,
                                  const JobWebhookView& view) {
  JsonDocument document;
  const Outcome<ReviewRequest> request = read_review(text, document);
  if (!request) return tl::unexpected(request.error());
  if (request->operation == "DELETE") return answer_allowed(request->uid);
  const bool update = request->operation == "UPDATE";
  if (!update && request->operation != "CREATE") {
    return undecodable(*request, "unknown operation \"" + request->operation + "\"");
  }
  const Json object = review_object(document);
  if (!object.is_object()) return undecodable(*request, "request.object: must be an object");
  Job job;
  read(object, "batch/v1", job);
  std::optional<Job> before;
  if (update) read(review_old_object(document), "batch/v1", before.emplace());
  if (document.fault()) return undecodable(*request, *document.fault());

  const std::string& ns = job.meta.key.ns.empty() ? request->ns : job.meta.key.ns;
  const FieldErrors errors =
      job_faults(job, before ? &*before : nullptr, settings.gates, ask(view.has_default_queue, ns));
  if (errors.empty()) return answer_allowed(request->uid);
  return answer_refused(request->uid, 403, "Forbidden", join(errors));
}

}  // namespace quorate::objects
