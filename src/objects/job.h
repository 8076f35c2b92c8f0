#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/base/pod_template.h"
#include "src/objects/meta.h"

namespace quorate::objects {

// A pod template twice: the whole as canonical JSON text (sorted keys, no nulls), to be copied
// into other objects, and what of it matters for a decision. Neither pointer is ever null.
struct TemplateSource {
  std::shared_ptr<const std::string> json = std::make_shared<const std::string>("{}");
  std::shared_ptr<const PodTemplate> parsed = std::make_shared<const PodTemplate>();

  friend bool operator==(const TemplateSource& a, const TemplateSource& b) {
    return *a.json == *b.json && *a.parsed == *b.parsed;
  }
};

struct JobStatus {
  std::int32_t active = 0;
  std::int32_t ready = 0;
  std::int32_t terminating = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  std::int32_t uncounted_succeeded = 0;  // pods in uncountedTerminatedPods
  std::int32_t uncounted_failed = 0;
  std::string completed_indexes;  // "0-3,7"
  std::string failed_indexes;
  std::optional<Time> started;
  std::optional<Time> completed;
  std::vector<Condition> conditions;

  friend bool operator==(const JobStatus&, const JobStatus&) = default;
};

// batch/v1 Job. The pod selector is the Job controller's own business and is not kept.
struct Job {
  ObjectMeta meta;
  bool suspend = false;
  std::optional<std::int32_t> parallelism;
  std::optional<std::int32_t> completions;
  bool indexed = false;  // completionMode: Indexed
  std::optional<std::int32_t> backoff_limit;
  std::optional<std::int64_t> active_deadline_seconds;
  std::string managed_by;
  bool has_scheduling_block = false;  // spec.scheduling: the Job controller makes the group itself
  TemplateSource pod_template;
  JobStatus status;

  friend bool operator==(const Job&, const Job&) = default;
};

// How many pods run at once: min(parallelism, completions). Unset parallelism is 1, as the server
// defaults it; unset completions bound nothing.
std::int32_t pod_count(const Job& job);

// How many distinct indexes a status text such as "0-3,7" lists below `completions`.
// Malformed parts count nothing.
std::int32_t index_count(std::string_view indexes, std::int32_t completions);

}  // namespace quorate::objects
