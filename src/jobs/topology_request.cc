#include "src/jobs/topology_request.h"

#include <charconv>

#include "src/objects/json.h"
#include "src/objects/meta.h"
#include "src/objects/names.h"

namespace quorate::jobs {
namespace {

namespace names = objects::names;

std::optional<std::string> annotation(const Labels& annotations, std::string_view key) {
  const std::string_view value = objects::value_of(annotations, key);
  return value.empty() ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace

std::optional<objects::TopologyRequest> topology_request(const Labels& annotations,
                                                         std::string pod_index_label) {
  objects::TopologyRequest request;
  request.required = annotation(annotations, names::kRequiredTopology);
  request.preferred = annotation(annotations, names::kPreferredTopology);
  if (annotation(annotations, names::kUnconstrainedTopology) == "true")
    request.unconstrained = true;
  request.slice_required_topology = annotation(annotations, names::kSliceRequiredTopology);
  if (const auto size = annotation(annotations, names::kSliceSize)) {
    std::int32_t value = 0;
    const auto [end, failed] = std::from_chars(size->data(), size->data() + size->size(), value);
    if (failed == std::errc{} && end == size->data() + size->size()) request.slice_size = value;
  }
  request.pod_set_group_name = annotation(annotations, names::kPodSetGroupName);
  if (const auto text = annotation(annotations, names::kSliceConstraints)) {
    objects::JsonDocument document;
    if (document.parse(*text)) {
      document.root().each([&](const objects::Json& layer) {
        request.slice_constraints.push_back({layer["topology"].text(), layer["size"].int32()});
      });
    }
  }
  if (!pod_index_label.empty()) request.pod_index_label = std::move(pod_index_label);
  if (request == objects::TopologyRequest{}) return std::nullopt;
  return request;
}

}  // namespace quorate::jobs
