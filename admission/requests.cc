#include "admission/requests.h"

#include <algorithm>
#include <set>

#include "admission/decimal.h"

namespace quorate::admission {
namespace {

void keep_first(ResourceList& into, const ResourceList& from) {
  for (const auto& [resource, amount] : from) into.emplace(resource, amount);
}

void keep_smallest(ResourceList& into, const ResourceList& from) {
  for (const auto& [resource, amount] : from) {
    const auto [at, added] = into.emplace(resource, amount);
    if (!added) at->second = std::min(at->second, amount);
  }
}

void keep_largest(ResourceList& into, const ResourceList& from) {
  for (const auto& [resource, amount] : from) {
    const auto [at, added] = into.emplace(resource, amount);
    if (!added) at->second = std::max(at->second, amount);
  }
}

void apply_defaults(ContainerResources& container, const LimitSummary::Limits& limits) {
  keep_first(container.limits, limits.default_limits);
  keep_first(container.requests, limits.default_requests);
  keep_first(container.requests, container.limits);
}

// What transformations make of `total`, in exact decimals: outputs of different inputs may cancel
// each other, but never reduce what was asked for directly.
ResourceList transform(const ResourceList& total,
                       const std::vector<ResourceTransformation>& rules) {
  const auto rule_for = [&](const std::string& resource) {
    return std::find_if(rules.begin(), rules.end(),
                        [&](const ResourceTransformation& rule) { return rule.input == resource; });
  };
  ResourceList result;
  std::map<std::string, Decimal> generated;
  for (const auto& [resource, amount] : total) {
    const auto rule = rule_for(resource);
    if (rule == rules.end() || !rule->replace) result[resource] = amount;
    if (rule == rules.end()) continue;
    Decimal base = Decimal::of(resource, amount);
    if (const auto by = total.find(rule->multiply_by); by != total.end()) {
      base = base * Decimal::of(by->first, by->second);
    }
    for (const auto& [output, factor] : rule->outputs) {
      // A factor that cannot be read was refused with the configuration.
      const Outcome<Decimal> parsed = Decimal::parse(factor);
      if (!parsed) continue;
      const auto [at, added] = generated.emplace(output, base * *parsed);
      if (!added) at->second = at->second + base * *parsed;
    }
  }
  for (const auto& [output, amount] : generated) {
    result[output] += amount.negative() ? Quantity{} : amount.quantity(output);
  }
  return result;
}

std::string quoted_list(const std::vector<std::string>& names) {
  std::string text = "[";
  for (const std::string& name : names) {
    if (text.size() > 1) text += ',';
    text += '"' + name + '"';
  }
  return text + "]";
}

std::vector<std::string> above(const ResourceList& amounts, const ResourceList& limits) {
  std::vector<std::string> names;
  for (const auto& [resource, amount] : amounts) {
    const auto limit = limits.find(resource);
    if (limit != limits.end() && amount > limit->second) names.push_back(resource);
  }
  return names;
}

// Field errors are collected in the order of the pod template and shown together.
class FieldErrors {
 public:
  explicit FieldErrors(std::size_t pod_set)
      : base_("spec.podSets[" + std::to_string(pod_set) + "].template.spec") {}

  void add(const std::string& path, const std::vector<std::string>& resources,
           const std::string& detail) {
    if (resources.empty()) return;
    const std::string field = base_ + path;
    if (texts_.empty()) field_ = field;
    texts_.push_back(field + ": Invalid value: " + quoted_list(resources) + ": " + detail);
  }
  std::optional<InvalidInput> result() const {
    if (texts_.empty()) return std::nullopt;
    if (texts_.size() == 1) return InvalidInput{field_, texts_[0]};
    std::string all = "[";
    for (const std::string& text : texts_) all += (all.size() > 1 ? ", " : "") + text;
    return InvalidInput{field_, all + "]"};
  }

 private:
  std::string base_, field_;
  std::vector<std::string> texts_;
};

template <class Visit>
void each_container(const PodTemplate& pod, Visit visit) {
  for (std::size_t i = 0; i < pod.init_containers.size(); ++i) {
    visit(".initContainers[" + std::to_string(i) + "]", pod.init_containers[i]);
  }
  for (std::size_t i = 0; i < pod.containers.size(); ++i) {
    visit(".containers[" + std::to_string(i) + "]", pod.containers[i]);
  }
}

}  // namespace

LimitSummary merge_limits(const std::vector<const LimitRangeSpec*>& ranges) {
  LimitSummary merged;
  for (const LimitRangeSpec* range : ranges) {
    for (const LimitRangeItem& item : range->items) {
      LimitSummary::Limits& limits = item.for_pod ? merged.pod : merged.container;
      keep_smallest(limits.max, item.max);
      keep_largest(limits.min, item.min);
      keep_first(limits.default_limits, item.default_limits);
      keep_first(limits.default_requests, item.default_requests);
    }
  }
  return merged;
}

PodTemplate with_defaults(const PodTemplate& pod, const RequestContext& context) {
  PodTemplate full = pod;
  if (!full.runtime_class.empty() && full.overhead.empty()) {
    const auto found = context.runtime_classes->find(full.runtime_class);
    if (found != context.runtime_classes->end()) full.overhead = found->second.overhead;
  }
  for (ContainerResources& init : full.init_containers)
    apply_defaults(init, context.limits->container);
  for (ContainerResources& one : full.containers) apply_defaults(one, context.limits->container);
  if (full.pod_requests || full.pod_limits) {
    ResourceList limits = full.pod_limits.value_or(ResourceList{});
    ResourceList requests = full.pod_requests.value_or(ResourceList{});
    keep_first(limits, context.limits->pod.default_limits);
    keep_first(requests, context.limits->pod.default_requests);
    keep_first(requests, limits);
    full.pod_limits = std::move(limits);
    full.pod_requests = std::move(requests);
  }
  return full;
}

ResourceList quota_request(const PodTemplate& defaulted, const Config& config) {
  ResourceList total = pod_requests(defaulted);
  std::erase_if(total, [&](const auto& entry) {
    return std::any_of(config.exclude_resource_prefixes.begin(),
                       config.exclude_resource_prefixes.end(),
                       [&](const std::string& prefix) { return entry.first.starts_with(prefix); });
  });
  if (!config.transformations.empty()) total = transform(total, config.transformations);
  for (auto& [resource, amount] : total) amount = amount.or_zero();
  return total;
}

std::optional<InvalidInput> check_requests(const PodTemplate& defaulted, std::size_t index) {
  FieldErrors errors(index);
  const std::string detail = "requests must not exceed its limits";
  each_container(defaulted, [&](const std::string& path, const ContainerResources& container) {
    errors.add(path, above(container.requests, container.limits), detail);
  });
  if (defaulted.pod_requests && defaulted.pod_limits) {
    errors.add(".resources", above(*defaulted.pod_requests, *defaulted.pod_limits), detail);
  }
  return errors.result();
}

std::optional<InvalidInput> check_limits(const PodTemplate& defaulted, const LimitSummary& limits,
                                         std::size_t index) {
  FieldErrors errors(index);
  const std::string too_much = "requests must not be above the limitRange max";
  const std::string too_little = "requests must not be below the limitRange min";
  if (!limits.container.max.empty() || !limits.container.min.empty()) {
    each_container(defaulted, [&](const std::string& path, const ContainerResources& container) {
      ResourceList most = container.requests, least = container.requests;
      keep_largest(most, container.limits);
      keep_smallest(least, container.limits);
      errors.add(path, above(most, limits.container.max), too_much);
      errors.add(path, above(limits.container.min, least), too_little);
    });
  }
  if (!limits.pod.max.empty() || !limits.pod.min.empty()) {
    const ResourceList total = pod_requests(defaulted);
    errors.add("", above(total, limits.pod.max), too_much);
    errors.add("", above(limits.pod.min, total), too_little);
  }
  return errors.result();
}

ResourceList rescale(const ResourceList& usage, std::int32_t admitted, std::int32_t count) {
  if (count >= admitted || admitted == 0) return usage;
  ResourceList scaled;
  for (const auto& [resource, amount] : usage) scaled[resource] = amount / admitted * count;
  return scaled;
}

}  // namespace quorate::admission
