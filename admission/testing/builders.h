#pragma once

// Short ways to write queues and workloads in tests; see quota/testing/notation.h for the lines of
// queues. Pod sets are written as in
//
//   "main*10 min 2: cpu=1, memory=1Gi; group g; tolerates k=v:NoSchedule; select zone=b; done 3"

#include <string>
#include <vector>

#include "admission/spec.h"
#include "quota/testing/notation.h"

namespace quorate::admission::testing {

using quota::testing::items;
using quota::testing::split;
using quota::testing::trim;
using quota::testing::words;

inline PreemptionPolicy preemption_policy(const std::string& text) {
  if (text == "LowerPriority") return PreemptionPolicy::LowerPriority;
  if (text == "LowerOrNewerEqualPriority") return PreemptionPolicy::LowerOrNewerEqualPriority;
  if (text == "Any") return PreemptionPolicy::Any;
  return PreemptionPolicy::Never;
}

inline ClusterQueueSpec queue(const std::string& line) {
  const quota::testing::QueueLine parsed = quota::testing::parse_queue(line);
  ClusterQueueSpec spec;
  spec.name = parsed.name;
  spec.uid = "uid-" + parsed.name;
  spec.cohort = parsed.parent;
  spec.resource_groups = parsed.groups;
  spec.namespace_selector = LabelSelector{};
  for (const auto& [key, value] : parsed.options) {
    if (key == "within")
      spec.within_cluster_queue = preemption_policy(value);
    else if (key == "reclaim")
      spec.reclaim_within_cohort = preemption_policy(value);
    else if (key == "bwc")
      spec.borrow_within_cohort.policy = preemption_policy(value);
    else if (key == "threshold")
      spec.borrow_within_cohort.max_priority_threshold = std::stoi(value);
    else if (key == "whenCanBorrow")
      spec.when_can_borrow = value == "TryNextFlavor" ? FungibilityPolicy::TryNextFlavor
                                                      : FungibilityPolicy::MayStopSearch;
    else if (key == "whenCanPreempt")
      spec.when_can_preempt = value == "TryNextFlavor" ? FungibilityPolicy::TryNextFlavor
                                                       : FungibilityPolicy::MayStopSearch;
    else if (key == "preference")
      spec.preference = value == "PreemptionOverBorrowing"
                            ? FungibilityPreference::PreemptionOverBorrowing
                            : FungibilityPreference::BorrowingOverPreemption;
    else if (key == "StrictFIFO")
      spec.strategy = QueueingStrategy::StrictFifo;
    else if (key == "byUsage")
      spec.by_usage = true;
    else if (key == "namespaceSelector")
      spec.namespace_selector.reset();
    else if (key == "weight")
      spec.fair_weight = std::stoi(value) * fairshare::kWeightOne;
    else
      ADD_FAILURE() << "unknown option " << key;
  }
  return spec;
}

inline CohortSpec cohort(const std::string& line) {
  const quota::testing::QueueLine parsed = quota::testing::parse_queue(line);
  CohortSpec spec{parsed.name, parsed.parent, parsed.groups};
  if (const auto weight = parsed.options.find("weight"); weight != parsed.options.end()) {
    spec.fair_weight = std::stoi(weight->second) * fairshare::kWeightOne;
  }
  return spec;
}

inline Taint taint(const std::string& text) {  // k=v:NoSchedule
  const std::size_t equals = text.find('='), colon = text.find(':');
  return {text.substr(0, equals), text.substr(equals + 1, colon - equals - 1),
          text.substr(colon + 1)};
}

inline Toleration toleration(const std::string& text) {
  const Taint of = taint(text);
  return {of.key, "Equal", of.value, of.effect, std::nullopt};
}

struct PodSetLine {
  PodSetSpec spec;
  std::int32_t done = 0;
};

inline PodSetLine pod_set(const std::string& line) {
  PodSetLine out;
  auto pod = std::make_shared<PodTemplate>();
  ContainerResources container;
  container.name = "main";
  const std::vector<std::string> head_and_rest = split(line, ":");
  const std::vector<std::string> head = words(head_and_rest[0]);
  const std::vector<std::string> name_and_count = split(head.at(0), "*");
  out.spec.name = name_and_count[0];
  out.spec.count = std::stoi(name_and_count.at(1));
  if (head.size() == 3) out.spec.min_count = std::stoi(head[2]);
  const std::vector<std::string> clauses = items(line.substr(line.find(':') + 1));
  for (std::size_t i = 0; i < clauses.size(); ++i) {
    const std::vector<std::string> parts = words(clauses[i]);
    if (parts[0] == "group") {
      TopologyRequest topology;
      topology.pod_set_group = parts[1];
      out.spec.topology = topology;
    } else if (parts[0] == "tolerates") {
      pod->tolerations.push_back(toleration(parts[1]));
    } else if (parts[0] == "select") {
      const std::vector<std::string> pair = split(parts[1], "=");
      pod->node_selector[pair[0]] = pair[1];
    } else if (parts[0] == "affinity") {  // alternatives, each key=value
      pod->node_affinity.required.emplace();
      for (std::size_t k = 1; k < parts.size(); ++k) {
        const std::vector<std::string> pair = split(parts[k], "=");
        pod->node_affinity.required->push_back({{{pair[0], Requirement::Op::In, {pair[1]}}}, {}});
      }
    } else if (parts[0] == "done") {
      out.done = std::stoi(parts[1]);
    } else {
      for (const std::string& request : split(clauses[i], ",")) {
        const std::vector<std::string> pair = split(trim(request), "=");
        container.requests[pair[0]] = quota::testing::amount(pair[0], pair[1]);
      }
    }
  }
  pod->containers.push_back(container);
  out.spec.pod = pod;
  return out;
}

// Pod sets separated by " | ".
inline WorkloadSpec workload(const std::string& name, const std::string& pod_sets,
                             std::int32_t priority = 0, Time created = Time::from_seconds(1000)) {
  WorkloadSpec spec;
  spec.key = {"ns", name};
  spec.uid = "uid-" + name;
  spec.generation = 1;
  spec.priority = priority;
  spec.created = created;
  for (const std::string& line : split(pod_sets, " | ")) {
    const PodSetLine set = pod_set(line);
    spec.pod_sets.push_back(set.spec);
    if (set.done > 0) spec.reclaimable_pods[set.spec.name] = set.done;
  }
  return spec;
}

}  // namespace quorate::admission::testing
