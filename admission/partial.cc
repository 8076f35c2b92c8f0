// Partial admission: how many pods fewer would fit.

#include <algorithm>
#include <optional>

#include "admission/assigner.h"

namespace quorate::admission {

std::vector<std::int32_t> remaining_counts(const Facts& workload) {
  std::vector<std::int32_t> counts;
  for (const PodSetFacts& pods : workload.pod_sets) counts.push_back(pods.remaining);
  return counts;
}

Assignment assign_or_shrink(const AssignContext& context, const Facts& workload,
                            const Scan* resume) {
  Assignment full = assign(context, workload, remaining_counts(workload), resume);
  std::int64_t slack = 0;
  for (const PodSetFacts& pods : workload.pod_sets) {
    slack += pods.count - std::min(pods.count, pods.min_count.value_or(pods.count));
  }
  if (full.mode == Mode::Fit || slack == 0) return full;

  const auto counts_at = [&](std::int64_t k) {
    std::vector<std::int32_t> counts;
    for (const PodSetFacts& pods : workload.pod_sets) {
      const std::int64_t delta =
          pods.count - std::min(pods.count, pods.min_count.value_or(pods.count));
      counts.push_back(static_cast<std::int32_t>(pods.count - delta * k / slack));
    }
    return counts;
  };
  std::optional<Assignment> fitting;
  std::int64_t fitting_at = -1, low = 0, high = slack + 1;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    Assignment tried = assign(context, workload, counts_at(middle), resume);
    if (tried.mode == Mode::Fit) {
      high = middle;
      fitting = std::move(tried);
      fitting_at = middle;
    } else {
      low = middle + 1;
    }
  }
  return fitting && fitting_at == low ? std::move(*fitting) : full;
}

}  // namespace quorate::admission
