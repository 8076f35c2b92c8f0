#include <algorithm>
#include <charconv>

#include "src/objects/encode.h"
#include "src/objects/read.h"

namespace quorate::objects {
namespace {

// The whole of `text` as a non-negative number.
std::optional<std::int32_t> index_of(std::string_view text) {
  std::int32_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, value);
  if (fault != std::errc{} || stop != end || value < 0) return std::nullopt;
  return value;
}

}  // namespace

std::int32_t pod_count(const Job& job) {
  const std::int32_t parallelism = job.parallelism.value_or(1);
  return job.completions ? std::min(parallelism, *job.completions) : parallelism;
}

std::int32_t index_count(std::string_view indexes, std::int32_t completions) {
  std::int64_t count = 0;
  while (!indexes.empty()) {
    const std::size_t comma = indexes.find(',');
    const std::string_view part = indexes.substr(0, comma);
    indexes.remove_prefix(comma == std::string_view::npos ? indexes.size() : comma + 1);
    const std::size_t dash = part.find('-');
    const std::optional<std::int32_t> first = index_of(part.substr(0, dash));
    const std::optional<std::int32_t> last =
        dash == std::string_view::npos ? first : index_of(part.substr(dash + 1));
    if (!first || !last) continue;
    count += std::max<std::int64_t>(
        0, std::min<std::int64_t>(*last, std::int64_t{completions} - 1) - *first + 1);
  }
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(count, 0, completions));
}

void read(Json json, std::string_view, Job& job) {
  job.meta = read_meta(json["metadata"]);
  const Json spec = json["spec"];
  job.suspend = spec["suspend"].boolean();
  job.parallelism = spec["parallelism"].maybe_int32();
  job.completions = spec["completions"].maybe_int32();
  job.indexed = spec["completionMode"].text() == "Indexed";
  job.backoff_limit = spec["backoffLimit"].maybe_int32();
  job.active_deadline_seconds = spec["activeDeadlineSeconds"].maybe_int64();
  job.managed_by = spec["managedBy"].text();
  job.has_scheduling_block = spec["scheduling"].present();
  job.pod_template = read_template(spec["template"]);

  const Json status = json["status"];
  job.status.active = status["active"].int32();
  job.status.ready = status["ready"].int32();
  job.status.terminating = status["terminating"].int32();
  job.status.succeeded = status["succeeded"].int32();
  job.status.failed = status["failed"].int32();
  const Json uncounted = status["uncountedTerminatedPods"];
  job.status.uncounted_succeeded = static_cast<std::int32_t>(uncounted["succeeded"].size());
  job.status.uncounted_failed = static_cast<std::int32_t>(uncounted["failed"].size());
  job.status.completed_indexes = status["completedIndexes"].text();
  job.status.failed_indexes = status["failedIndexes"].text();
  job.status.started = status["startTime"].maybe_time();
  job.status.completed = status["completionTime"].maybe_time();
  job.status.conditions = read_conditions(status["conditions"]);
}

Outcome<TemplateSource> parse_template(std::string_view text) {
  JsonDocument document;
  if (const Outcome<void> parsed = document.parse(text); !parsed) {
    return tl::unexpected(parsed.error());
  }
  if (!document.root().is_object()) return error(Errc::Invalid, "a pod template must be an object");
  TemplateSource source = read_template(document.root());
  if (document.fault()) return error(Errc::Invalid, *document.fault());
  return source;
}

}  // namespace quorate::objects
