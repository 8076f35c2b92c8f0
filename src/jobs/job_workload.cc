#include "src/jobs/job_workload.h"

#include <charconv>
#include <string_view>
#include <utility>

#include "src/jobs/template_text.h"
#include "src/jobs/topology_request.h"
#include "src/jobs/workload_name.h"
#include "src/objects/names.h"

namespace quorate::jobs {
namespace {

namespace names = objects::names;

std::optional<std::int32_t> positive(std::string_view text) {
  std::int32_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size() || value <= 0) return std::nullopt;
  return value;
}

std::string_view minimum_text(const objects::Job& job) {
  return objects::value_of(job.meta.annotations, names::kJobMinParallelism);
}

std::string ignored(std::string_view what, std::string_view key, std::string_view value,
                    std::string_view want) {
  return std::string(what) + " " + std::string(key) + " is ignored: \"" + std::string(value) +
         "\" is not " + std::string(want);
}

}  // namespace

bool is_elastic(const objects::Job& job, const DerivationSettings& settings) {
  return settings.elastic_jobs &&
         objects::value_of(job.meta.annotations, names::kElasticJob) == "true";
}

std::string queue_name(const objects::ObjectMeta& meta) {
  return std::string(objects::value_of(meta.labels, names::kQueueName));
}

std::optional<std::int32_t> time_limit(const objects::Job& job) {
  return positive(objects::value_of(job.meta.labels, names::kMaxExecTimeSeconds));
}

Outcome<objects::PodSet> job_pod_set(const objects::Job& job, const DerivationSettings& settings) {
  Outcome<objects::TemplateSource> source = workload_template(job.pod_template);
  if (!source) return tl::unexpected(source.error());
  objects::PodSet pods;
  pods.pod_template = std::move(*source);
  pods.count = objects::pod_count(job);
  if (settings.partial_admission && !is_elastic(job, settings)) {
    pods.min_count = positive(minimum_text(job));
    if (pods.min_count && *pods.min_count > pods.count) pods.min_count.reset();
  }
  if (settings.topology_aware) {
    pods.topology = topology_request(pods.pod_template.parsed->annotations,
                                     std::string(names::kJobCompletionIndex));
  }
  return pods;
}

Outcome<objects::Workload> workload_of(const objects::Job& job, const Priority& priority,
                                       const DerivationSettings& settings) {
  Outcome<objects::PodSet> pods = job_pod_set(job, settings);
  if (!pods) return tl::unexpected(pods.error());
  const bool elastic = is_elastic(job, settings);

  objects::Workload workload;
  workload.meta.key = {
      job.meta.key.ns,
      workload_name("Job", "batch", job.meta.key.name, job.meta.uid,
                    settings.short_names ? kShortName : kLongName,
                    elastic ? std::to_string(job.meta.generation) : std::string())};
  workload.meta.finalizers = {std::string(names::kResourceInUse)};
  workload.meta.labels[std::string(names::kJobUid)] = job.meta.uid;
  for (const std::string& key : settings.label_keys_to_copy) {
    if (const auto found = job.meta.labels.find(key); found != job.meta.labels.end()) {
      workload.meta.labels[key] = found->second;
    }
  }
  for (const auto& [key, value] : job.meta.annotations) {
    const bool kept = (settings.admission_gated_by && key == names::kAdmissionGatedBy) ||
                      (elastic && key == names::kElasticJob) ||
                      key.starts_with("provreq.kueue.x-k8s.io/");
    if (kept) workload.meta.annotations[key] = value;
  }
  workload.meta.owners = {{.api_version = "batch/v1",
                           .kind = "Job",
                           .name = job.meta.key.name,
                           .uid = job.meta.uid,
                           .controller = true,
                           .block_owner_deletion = true}};
  workload.queue_name = queue_name(job.meta);
  workload.pod_sets = {std::move(*pods)};
  workload.priority = priority.value;
  workload.priority_class = priority.source;
  workload.maximum_execution_seconds = time_limit(job);
  return workload;
}

Outcome<objects::Workload> workload_of(const objects::Job& job, const PriorityClasses& classes,
                                       const DerivationSettings& settings) {
  Outcome<Priority> priority =
      resolve_priority(classes, objects::value_of(job.meta.labels, names::kPriorityClass),
                       job.pod_template.parsed->priority_class);
  if (!priority) return tl::unexpected(priority.error());
  return workload_of(job, *priority, settings);
}

std::vector<std::string> ignored_parts(const objects::Job& job,
                                       const DerivationSettings& settings) {
  std::vector<std::string> parts;
  const std::string_view minimum = minimum_text(job);
  if (settings.partial_admission && !minimum.empty()) {
    if (is_elastic(job, settings)) {
      parts.push_back(ignored("annotation", names::kJobMinParallelism, minimum,
                              "combined with an elastic job"));
    } else if (const auto value = positive(minimum); !value) {
      parts.push_back(
          ignored("annotation", names::kJobMinParallelism, minimum, "a positive 32-bit integer"));
    } else if (*value > objects::pod_count(job)) {
      parts.push_back(ignored(
          "annotation", names::kJobMinParallelism, minimum,
          "at most the number of pods, which is " + std::to_string(objects::pod_count(job))));
    }
  }
  const std::string_view limit = objects::value_of(job.meta.labels, names::kMaxExecTimeSeconds);
  if (!limit.empty() && !time_limit(job)) {
    parts.push_back(
        ignored("label", names::kMaxExecTimeSeconds, limit, "a positive 32-bit integer"));
  }
  return parts;
}

}  // namespace quorate::jobs
