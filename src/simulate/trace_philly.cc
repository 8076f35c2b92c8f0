#include <cmath>
#include <map>

#include "quota/wide.h"
#include "src/simulate/csv.h"
#include "src/simulate/trace_common.h"

namespace quorate::simulate {
namespace {

constexpr std::int64_t kPhillyGpus = 2490;  // Jeon et al., USENIX ATC 2019, section 2
constexpr const char* kFlavor = "gpu";

// "2017-10-09 07:01:55", taken as UTC.
Outcome<Time> trace_time(std::string_view text) {
  std::string rfc3339(text);
  if (rfc3339.size() == 19 && rfc3339[10] == ' ') {
    rfc3339[10] = 'T';
    rfc3339 += 'Z';
  }
  return parse_time(rfc3339);
}

std::string job_name(std::size_t number) {
  std::string digits = std::to_string(number);
  return "job-" + std::string(digits.size() < 6 ? 6 - digits.size() : 0, '0') + digits;
}

// Whole GPUs in proportion to `weights`, at least one each, the largest remainders first.
std::map<std::string, std::int64_t> divide(std::int64_t gpus,
                                           const std::map<std::string, std::int64_t>& weights) {
  std::int64_t total = 0;
  for (const auto& [name, weight] : weights)
    total = (Quantity{total} + Quantity{weight}).base_units();
  std::map<std::string, std::int64_t> parts;
  std::vector<std::pair<std::int64_t, std::string>> remainders;
  std::int64_t left = gpus;
  for (const auto& [name, weight] : weights) {
    const auto share = static_cast<quota::Wide>(weight) * gpus;
    const auto whole = total == 0 ? 0 : static_cast<std::int64_t>(share / total);
    parts[name] = std::max<std::int64_t>(whole, 1);
    left -= parts[name];
    if (whole >= 1) {
      remainders.emplace_back(-static_cast<std::int64_t>(share % total), name);
    }
  }
  std::ranges::sort(remainders);
  for (std::size_t i = 0; left > 0 && i < remainders.size(); ++i, --left) {
    ++parts[remainders[i].second];
  }
  return parts;
}

}  // namespace

Outcome<Trace> read_philly(std::istream& jobs, const TraceOptions& options) {
  Trace trace;
  std::map<std::string, std::int64_t> gpu_seconds;
  std::int64_t skipped = 0;
  std::size_t number = 0;
  const Outcome<void> read =
      read_csv(jobs, {"timestamp", "duration", "num_gpus", "cluster"},
               [&](const CsvRow& row) -> Outcome<void> {
                 ++number;
                 if (options.limit > 0 &&
                     static_cast<std::int64_t>(trace.arrivals.size()) >= options.limit) {
                   return {};
                 }
                 const Outcome<Time> at = trace_time(row["timestamp"]);
                 if (!at) return within("timestamp", at.error());
                 const Outcome<double> duration = row.number("duration");
                 if (!duration) return tl::unexpected(duration.error());
                 const Outcome<std::int64_t> gpus = row.integer("num_gpus");
                 if (!gpus) return tl::unexpected(gpus.error());
                 if (*duration <= 0 || *duration > 1e9 || *gpus <= 0 || *gpus > 1'000'000) {
                   ++skipped;
                   return {};
                 }
                 PodTemplate pod;
                 ContainerResources& container = pod.containers.emplace_back();
                 container.name = "c";
                 container.requests[kGpu] = Quantity{1};
                 const std::string queue = "vc-" + std::string(row["cluster"]);
                 Arrival& arrival = trace.arrivals.emplace_back();
                 arrival.at = *at;
                 arrival.runtime = Duration::millis(std::llround(*duration * 1000));
                 arrival.workload = workload_of(job_name(number), queue,
                                                static_cast<std::int32_t>(*gpus), std::move(pod));
                 arrival.workload.meta.labels["class"] = std::to_string(*gpus) + " gpu";
                 std::int64_t& total = gpu_seconds[queue];
                 const std::int64_t seconds = std::max<std::int64_t>(std::llround(*duration), 1);
                 total = (Quantity{total} + Quantity{seconds} * *gpus).base_units();
                 return {};
               });
  if (!read) return within("jobs", read.error());

  const std::int64_t gpus = options.gpus > 0 ? options.gpus : kPhillyGpus;
  objects::ResourceFlavor flavor;
  flavor.meta = named(kFlavor);
  trace.objects.of<objects::ResourceFlavor>().emplace(flavor.meta.key, std::move(flavor));
  for (const auto& [name, share] : divide(gpus, gpu_seconds)) {
    objects::ClusterQueue queue;
    queue.meta = named(name);
    queue.cohort = "philly";
    queue.resource_groups = {{{kGpu}, {{kFlavor, {{kGpu, Quantity{share}}}}}}};
    queue.preemption.reclaim_within_cohort = objects::PreemptionPolicy::Any;
    add_queue(trace.objects, std::move(queue));
  }
  sort_arrivals(trace.arrivals);
  trace.notes.push_back(std::to_string(gpus) +
                        " GPUs divided by the GPU time of each virtual cluster");
  if (skipped > 0)
    trace.notes.push_back(std::to_string(skipped) + " jobs without GPUs or time left out");
  return trace;
}

}  // namespace quorate::simulate
