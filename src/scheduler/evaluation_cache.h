#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "src/scheduler/evaluation.h"

namespace quorate::scheduler {

// Evaluations over all nodes that are kept between attempts: the next pod of the same shape pays
// for the nodes that changed, not for all nodes. Only speed depends on what is kept.
//
// A copy starts empty, as its evaluations would look at the model of the original.
class EvaluationCache {
 public:
  EvaluationCache() = default;
  EvaluationCache(const EvaluationCache&) {}
  EvaluationCache& operator=(const EvaluationCache&) {
    clear();
    return *this;
  }

  // So many shapes may be in use at once; the last ones asked for are the last to go.
  static constexpr std::size_t kAtOnce = 8;

  // Up to date; good until the nodes change or kAtOnce other shapes are asked for.
  Evaluation& get(const Framework& framework, const cluster::Model& model, const PodView& pod);
  void clear() { entries_.clear(); }

 private:
  struct Entry {
    // What the evaluation borrows.
    cluster::Demand demand;
    std::string node_name;
    Labels node_labels;
    std::vector<Toleration> tolerations;
    std::vector<cluster::NodeId> nodes;

    const Framework* framework = nullptr;
    std::uint64_t last_used = 0;
    std::unique_ptr<Evaluation> evaluation;
  };

  static constexpr std::size_t kKept = 2 * kAtOnce;
  std::vector<std::unique_ptr<Entry>> entries_;
  const cluster::Model* model_ = nullptr;
  std::uint64_t nodes_version_ = 0;
  std::uint64_t uses_ = 0;
};

}  // namespace quorate::scheduler
