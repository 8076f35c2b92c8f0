#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "admission/config.h"
#include "admission/proof.h"
#include "admission/spec.h"

namespace quorate::admission {

// The LimitRanges of one namespace merged: lowest max, highest min, first default seen.
struct LimitSummary {
  struct Limits {
    ResourceList max, min, default_limits, default_requests;
    friend bool operator==(const Limits&, const Limits&) = default;
  };
  Limits container, pod;

  friend bool operator==(const LimitSummary&, const LimitSummary&) = default;
};
LimitSummary merge_limits(const std::vector<const LimitRangeSpec*>& ranges);

// What surrounds a pod template when its request is computed.
struct RequestContext {
  const Config* config = nullptr;
  const LimitSummary* limits = nullptr;  // of the namespace
  const std::map<std::string, RuntimeClassSpec>* runtime_classes = nullptr;
};

// A pod as it will be created: the overhead of its RuntimeClass, the defaults of the namespace, and
// limits standing in for requests that are not stated.
PodTemplate with_defaults(const PodTemplate& pod, const RequestContext& context);

// What one such pod counts against quota: the Kubernetes total without excluded resources, after
// transformations, nothing below zero. Zero amounts stay: they are requests too.
ResourceList quota_request(const PodTemplate& defaulted, const Config& config);

// What is wrong with such a pod, as a field error below spec.podSets[`index`].template.spec.
std::optional<InvalidInput> check_requests(const PodTemplate& defaulted, std::size_t index);
std::optional<InvalidInput> check_limits(const PodTemplate& defaulted, const LimitSummary& limits,
                                         std::size_t index);

// Scales amounts admitted for `admitted` pods to `count` pods, if that is fewer.
ResourceList rescale(const ResourceList& usage, std::int32_t admitted, std::int32_t count);

}  // namespace quorate::admission
