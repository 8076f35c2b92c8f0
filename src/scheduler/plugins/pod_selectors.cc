#include "src/scheduler/plugins/pod_selectors.h"

#include <algorithm>

namespace quorate::scheduler {
namespace {

const Labels& no_labels() {
  static const Labels kNone;
  return kNone;
}

bool in_namespaces(const PodAffinityTerm& term, std::string_view ns, const Matched& other) {
  if (term.namespaces.empty() && !term.namespace_selector) return ns == other.ns;
  return std::ranges::find(term.namespaces, other.ns) != term.namespaces.end() ||
         (term.namespace_selector && term.namespace_selector->matches(*other.ns_labels));
}

// For each key that the owner has: whether the other pod has the same value.
bool keys_agree(const std::vector<std::string>& keys, const Labels& own, const Labels& other,
                bool wanted) {
  return std::ranges::all_of(keys, [&](const std::string& key) {
    const auto mine = own.find(key);
    if (mine == own.end()) return true;
    const auto theirs = other.find(key);
    return (theirs != other.end() && theirs->second == mine->second) == wanted;
  });
}

}  // namespace

PodSelector::PodSelector(const std::optional<LabelSelector>& selector,
                         const std::vector<std::string>& keys, const Labels& own) {
  if (!selector) return;  // matches nothing, whatever the keys say
  nothing_ = false;
  selector_ = *selector;
  for (const std::string& key : keys) {
    const auto value = own.find(key);
    if (value == own.end()) continue;
    selector_.requirements.push_back({key, Requirement::Op::In, {value->second}});
  }
}

Matched matched(const cluster::Model& model, const cluster::Occupant& pod) {
  const Labels* ns_labels = model.namespace_labels(pod.ns);
  return {pod.ns, pod.labels.get(), ns_labels == nullptr ? &no_labels() : ns_labels};
}

bool term_matches(const PodAffinityTerm& term, std::string_view ns, const Labels& own,
                  const Matched& other) {
  return term.selector && in_namespaces(term, ns, other) && term.selector->matches(*other.labels) &&
         keys_agree(term.match_label_keys, own, *other.labels, true) &&
         keys_agree(term.mismatch_label_keys, own, *other.labels, false);
}

}  // namespace quorate::scheduler
