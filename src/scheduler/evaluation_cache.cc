#include "src/scheduler/evaluation_cache.h"

#include <algorithm>

namespace quorate::scheduler {

Evaluation& EvaluationCache::get(const Framework& framework, const cluster::Model& model,
                                 const PodView& pod) {
  if (model_ != &model || nodes_version_ != model.nodes_version()) {
    clear();
    model_ = &model;
    nodes_version_ = model.nodes_version();
  }
  ++uses_;
  for (const std::unique_ptr<Entry>& entry : entries_) {
    if (entry->framework != &framework) continue;
    if (!same_shape(model, entry->evaluation->pod(), pod)) continue;
    entry->last_used = uses_;
    entry->evaluation->catch_up();
    return *entry->evaluation;
  }
  if (entries_.size() == kKept) {
    const auto oldest = std::ranges::min_element(
        entries_, {}, [](const std::unique_ptr<Entry>& entry) { return entry->last_used; });
    entries_.erase(oldest);
  }
  auto entry = std::make_unique<Entry>();
  entry->demand = *pod.demand;
  entry->node_name = pod.node_name;
  if (pod.node_labels != nullptr) entry->node_labels = *pod.node_labels;
  if (pod.tolerations != nullptr) entry->tolerations = *pod.tolerations;
  entry->nodes.assign(model.nodes().begin(), model.nodes().end());
  entry->framework = &framework;
  entry->last_used = uses_;
  const PodView own{&entry->demand, entry->node_name, &entry->node_labels, &entry->tolerations,
                    nullptr, pod.claims};
  entry->evaluation = std::make_unique<Evaluation>(framework, model, own, entry->nodes);
  entries_.push_back(std::move(entry));
  return *entries_.back()->evaluation;
}

}  // namespace quorate::scheduler
