#include "src/scheduler/plan_trial.h"

#include <algorithm>

#include "src/scheduler/evaluation_cache.h"
#include "src/scheduler/trial_charge.h"

namespace quorate::scheduler {

PlanTrial::PlanTrial(const GroupPlanInput& input) : input_(input), transaction_(input.journal) {
  for (std::size_t i = 0; i < input.pods.size(); ++i) {
    claims_ = claims_ || input.pods[i].claims != nullptr;
    std::size_t shape = 0;
    while (shape < shapes_.size() &&
           !same_shape(input.model, shapes_[shape].evaluation->pod(), input.pods[i])) {
      ++shape;
    }
    if (shape == shapes_.size()) {
      Shape& added = shapes_.emplace_back();
      if (input.evaluations != nullptr && shape < EvaluationCache::kAtOnce) {
        added.evaluation = &input.evaluations->get(input.framework, input.model, input.pods[i]);
      } else {
        added.own =
            std::make_unique<Evaluation>(input.framework, input.model, input.pods[i], input.nodes);
        added.evaluation = added.own.get();
      }
      work_ += static_cast<std::int64_t>(input.nodes.size());
    }
    shapes_[shape].members.push_back(i);
    shape_of_.push_back(shape);
  }
  known_errors_.resize(shapes_.size());
}

void PlanTrial::refresh(std::size_t node) {
  ++changes_;
  for (Shape& shape : shapes_) {
    // Devices may be those of other nodes too.
    if (claims_) {
      shape.evaluation->catch_up();
    } else {
      shape.evaluation->refresh(node);
    }
  }
  work_ += static_cast<std::int64_t>(shapes_.size());
}

void PlanTrial::charge(std::size_t shape, std::size_t node) {
  charge_pod(input_.model, input_.journal, input_.nodes[node], shapes_[shape].evaluation->pod());
  touched_.push_back(node);
  refresh(node);
}

void PlanTrial::rolled_back(std::size_t node) {
  touched_.pop_back();
  refresh(node);
}

void PlanTrial::clear() {
  transaction_.roll_back();
  ++changes_;
  std::ranges::sort(touched_);
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  for (const std::size_t node : touched_) refresh(node);
  touched_.clear();
}

std::int64_t PlanTrial::copies(std::size_t shape, std::int64_t most) {
  const Evaluation& evaluation = *shapes_[shape].evaluation;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < input_.nodes.size() && sum < most; ++i) {
    sum += evaluation.copies(i, most - sum);
  }
  work_ += static_cast<std::int64_t>(input_.nodes.size());
  return sum;
}

std::size_t PlanTrial::fit_error(std::size_t shape, GroupPlan& plan) {
  KnownError& known = known_errors_[shape];
  if (known.changes != changes_) {
    FitError error = shapes_[shape].evaluation->fit_error();
    plan.rejectors |= error.rejectors;
    known = {changes_, plan.fit_errors.size()};
    plan.fit_errors.push_back(std::move(error.text));
  }
  return known.index;
}

}  // namespace quorate::scheduler
