#pragma once

// How selectors of pods are matched, by PodTopologySpread and InterPodAffinity.

#include <optional>
#include <string>
#include <vector>

#include "src/cluster/model.h"

namespace quorate::scheduler {

// The selector of a spread constraint, with the values of matchLabelKeys filled in from the pod.
class PodSelector {
 public:
  PodSelector() = default;
  PodSelector(const std::optional<LabelSelector>& selector, const std::vector<std::string>& keys,
              const Labels& own);

  bool matches(const Labels& labels) const { return !nothing_ && selector_.matches(labels); }
  // Whether a pod on a node counts: by kube-scheduler's rule, one that matches everything counts
  // none.
  bool counts(const Labels& labels) const { return !everything() && matches(labels); }
  bool everything() const { return !nothing_ && selector_.requirements.empty(); }

 private:
  bool nothing_ = true;
  LabelSelector selector_;
};

// A pod to be matched: `ns_labels` are its namespace's, never null.
struct Matched {
  std::string_view ns;
  const Labels* labels;
  const Labels* ns_labels;
};
Matched matched(const cluster::Model& model, const cluster::Occupant& pod);

// True if the term of a pod with namespace `ns` and labels `own` speaks of the other pod.
bool term_matches(const PodAffinityTerm& term, std::string_view ns, const Labels& own,
                  const Matched& other);

}  // namespace quorate::scheduler
