#include "src/objects/job_rules.h"

#include <charconv>

#include "src/objects/names.h"
#include "src/objects/webhook_kueue.h"

namespace quorate::objects {
namespace {

using Kind = FieldError::Kind;

std::string label_path(std::string_view key) { return at("metadata.labels", key); }
std::string annotation_path(std::string_view key) { return at("metadata.annotations", key); }

const std::string* find(const Labels& map, std::string_view key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

bool suspended(const Job& job) {
  return job.suspend && value_of(job.meta.annotations, names::kStopping) != "true";
}

template <class T>
Outcome<T> parsed(std::string_view function, std::string_view text) {
  T value{};
  std::string_view digits = text;
  if (digits.size() > 1 && digits.front() == '+' && digits[1] != '-') digits.remove_prefix(1);
  const char* end = digits.data() + digits.size();
  const auto [stop, fault] = std::from_chars(digits.data(), end, value);
  if (fault == std::errc{} && stop == end) return value;
  const bool range = fault == std::errc::result_out_of_range && stop == end;
  return error(Errc::Invalid, "strconv." + std::string(function) + ": parsing " + quoted(text) +
                                  (range ? ": value out of range" : ": invalid syntax"));
}

// One look at one Job.
class Look {
 public:
  Look(const Job& now, const Job* before, const FeatureGates& gates, bool default_queue)
      : now_(now),
        before_(before),
        gates_(gates),
        default_queue_(default_queue),
        elastic_(is_elastic(now)) {}

  FieldErrors take() && {
    common();
    min_parallelism();
    sync_completions();
    topology();
    if (before_ != nullptr) {
      common_update();
      job_update();
    }
    return std::move(errors_);
  }

 private:
  void add(std::string path, Kind kind, std::string value, std::string detail) {
    errors_.push_back({std::move(path), kind, std::move(value), std::move(detail)});
  }
  void refuse(std::string path, std::string_view value, std::string detail) {
    errors_.push_back(invalid_text(std::move(path), value, std::move(detail)));
  }
  void subdomain(const std::string& path, const std::string& name) {
    for (const std::string& fault : dns_subdomain_faults(name)) refuse(path, name, fault);
  }
  bool is_elastic(const Job& job) const {
    return gates_.enabled("ElasticJobsViaWorkloadSlices") &&
           value_of(job.meta.annotations, names::kElasticJob) == "true";
  }
  bool by_annotation(const Job& job) const {
    return gates_.enabled("WorkloadIdentifierAnnotations") &&
           find(job.meta.annotations, names::kPrebuiltWorkload) != nullptr;
  }
  std::string_view prebuilt(const Job& job) const {
    return value_of(by_annotation(job) ? job.meta.annotations : job.meta.labels,
                    names::kPrebuiltWorkload);
  }
  std::string prebuilt_path(const Job& job) const {
    return by_annotation(job) ? annotation_path(names::kPrebuiltWorkload)
                              : label_path(names::kPrebuiltWorkload);
  }

  void common();
  void min_parallelism();
  void sync_completions();
  void topology();
  void common_update();
  void job_update();

  const Job& now_;
  const Job* before_;
  const FeatureGates& gates_;
  bool default_queue_;
  bool elastic_;
  FieldErrors errors_;
};

void Look::common() {
  if (const std::string* queue = find(now_.meta.labels, names::kQueueName)) {
    subdomain(label_path(names::kQueueName), *queue);
  }
  const bool has_prebuilt =
      by_annotation(now_) || find(now_.meta.labels, names::kPrebuiltWorkload) != nullptr;
  if (has_prebuilt) subdomain(prebuilt_path(now_), std::string(prebuilt(now_)));
  if (const std::string* text = find(now_.meta.labels, names::kMaxExecTimeSeconds)) {
    const std::string path = label_path(names::kMaxExecTimeSeconds);
    if (const Outcome<std::int64_t> seconds = go_atoi(*text); !seconds) {
      refuse(path, *text, seconds.error().message);
    } else if (*seconds <= 0) {
      add(path, Kind::Invalid, std::to_string(*seconds), "should be greater than 0");
    }
  }
  if (gates_.enabled("AdmissionGatedBy")) {
    append(errors_, gated_by_faults(now_.meta.annotations, nullptr));
  }
}

void Look::min_parallelism() {
  const std::string* text = find(now_.meta.annotations, names::kJobMinParallelism);
  if (text == nullptr) return;
  const std::string path = annotation_path(names::kJobMinParallelism);
  const std::string* old =
      before_ == nullptr ? nullptr : find(before_->meta.annotations, names::kJobMinParallelism);
  if (old == nullptr || *old != *text) {
    const std::int32_t count = pod_count(now_);
    if (const Outcome<std::int64_t> minimum = go_atoi(*text); !minimum) {
      refuse(path, *text, minimum.error().message);
    } else if (*minimum <= 0 || *minimum >= count) {
      add(path, Kind::Invalid, std::to_string(*minimum),
          "should be between 0 and " + std::to_string(std::int64_t{count} - 1));
    }
  }
  if (elastic_) {
    refuse(path, *text, "partial admission and elastic job cannot be used together");
  }
}

void Look::sync_completions() {
  const std::string* text = find(now_.meta.annotations, names::kJobCompletionsEqualParallelism);
  if (text == nullptr) return;
  const std::string path = annotation_path(names::kJobCompletionsEqualParallelism);
  const Outcome<bool> sync = go_bool(*text);
  if (!sync) return refuse(path, *text, sync.error().message);
  if (!*sync) return;
  if (!now_.indexed) {
    refuse(path, *text, "should not be enabled for NonIndexed jobs");
  }
  if (now_.completions.value_or(1) != now_.parallelism.value_or(1)) {
    add("spec.completions", Kind::Invalid, std::to_string(now_.completions.value_or(1)),
        "should be equal to parallelism when " +
            std::string(names::kJobCompletionsEqualParallelism) + " annotation is true");
  }
}

void Look::topology() {
  const std::string path = "spec.template.metadata.annotations";
  const Labels& annotations = now_.pod_template.parsed->annotations;
  if (gates_.enabled("TopologyAwareScheduling")) {
    append(errors_, topology_faults(annotations, path, pod_count(now_), gates_));
  }
  if (!elastic_) return;
  for (const auto& [key, word] : {std::pair{names::kRequiredTopology, "required"},
                                  std::pair{names::kPreferredTopology, "preferred"}}) {
    if (find(annotations, key) == nullptr) continue;
    add(path + "." + std::string(key), Kind::Forbidden, "",
        std::string(word) + " topology is not supported with elastic jobs");
  }
}

void Look::common_update() {
  const std::string queue(value_of(now_.meta.labels, names::kQueueName));
  const std::string old_queue(value_of(before_->meta.labels, names::kQueueName));
  if (!suspended(now_) && queue != old_queue) {
    errors_.push_back(immutable(label_path(names::kQueueName), quoted(queue)));
  }
  if (!old_queue.empty() && queue.empty() && default_queue_) {
    refuse(label_path(names::kQueueName), "",
           "queue-name must not be empty in namespace with default queue");
  }
  if (!suspended(now_) && !is_elastic(*before_) && prebuilt(now_) != prebuilt(*before_)) {
    errors_.push_back(immutable(prebuilt_path(now_), quoted(prebuilt(now_))));
  }
  const std::string seconds(value_of(now_.meta.labels, names::kMaxExecTimeSeconds));
  if (!(suspended(now_) && suspended(*before_)) &&
      seconds != value_of(before_->meta.labels, names::kMaxExecTimeSeconds)) {
    errors_.push_back(immutable(label_path(names::kMaxExecTimeSeconds), quoted(seconds)));
  }
  const std::string priority(value_of(now_.meta.labels, names::kPriorityClass));
  const bool had_priority = !value_of(before_->meta.labels, names::kPriorityClass).empty();
  if (!had_priority && !priority.empty() && !suspended(now_)) {
    refuse(label_path(names::kPriorityClass), priority,
           "WorkloadPriorityClass cannot be added to a non-suspended workload");
  }
  if (had_priority && priority.empty()) {
    refuse(label_path(names::kPriorityClass), priority,
           "WorkloadPriorityClass cannot be removed from a workload");
  }
  if (elastic_ != is_elastic(*before_)) {
    errors_.push_back(immutable(annotation_path(names::kElasticJob),
                                quoted(value_of(now_.meta.annotations, names::kElasticJob))));
  }
  if (gates_.enabled("AdmissionGatedBy")) {
    // The format was looked at before; what is left is what an update adds.
    FieldErrors changes = gated_by_faults(now_.meta.annotations, &before_->meta.annotations);
    std::erase_if(changes, [](const FieldError& e) { return e.kind != Kind::Forbidden; });
    append(errors_, std::move(changes));
  }
}

void Look::job_update() {
  if (find(before_->meta.annotations, names::kJobMinParallelism) != nullptr &&
      !suspended(*before_) && now_.parallelism != before_->parallelism) {
    add("spec.parallelism", Kind::Forbidden, "",
        "cannot change when partial admission is enabled and the job is not suspended");
  }
  const auto sync = [](const Job& job) {
    return value_of(job.meta.annotations, names::kJobCompletionsEqualParallelism);
  };
  if (!suspended(now_) && !suspended(*before_) && sync(now_) != sync(*before_)) {
    add(annotation_path(names::kJobCompletionsEqualParallelism), Kind::Forbidden, "",
        "field is immutable while the job is not suspended");
  }
}

}  // namespace

Outcome<std::int64_t> go_atoi(std::string_view text) { return parsed<std::int64_t>("Atoi", text); }
Outcome<std::int32_t> go_int32(std::string_view text) {
  return parsed<std::int32_t>("ParseInt", text);
}
Outcome<bool> go_bool(std::string_view text) {
  for (const std::string_view yes : {"1", "t", "T", "TRUE", "true", "True"}) {
    if (text == yes) return true;
  }
  for (const std::string_view no : {"0", "f", "F", "FALSE", "false", "False"}) {
    if (text == no) return false;
  }
  return error(Errc::Invalid, "strconv.ParseBool: parsing " + quoted(text) + ": invalid syntax");
}

FieldErrors job_faults(const Job& job, const Job* before, const FeatureGates& gates,
                       bool default_queue) {
  return Look(job, before, gates, default_queue).take();
}

}  // namespace quorate::objects
