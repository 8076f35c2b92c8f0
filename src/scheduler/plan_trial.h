#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/base/transaction.h"
#include "src/scheduler/evaluation.h"
#include "src/scheduler/group_plan.h"

namespace quorate::scheduler {

// Members of a group in a trial, grouped into shapes that share one evaluation. Everything it
// charges is undone when it ends.
class PlanTrial {
 public:
  struct Shape {
    std::unique_ptr<Evaluation> own;  // null if it is the cache's
    Evaluation* evaluation = nullptr;
    std::vector<std::size_t> members;  // indexes into the input, in cycle order
  };

  explicit PlanTrial(const GroupPlanInput& input);

  const GroupPlanInput& input() const { return input_; }
  std::size_t shapes() const { return shapes_.size(); }
  Evaluation& evaluation(std::size_t shape) { return *shapes_[shape].evaluation; }
  const Evaluation& evaluation(std::size_t shape) const { return *shapes_[shape].evaluation; }
  const std::vector<std::size_t>& members(std::size_t shape) const {
    return shapes_[shape].members;
  }
  std::size_t shape_of(std::size_t member) const { return shape_of_[member]; }
  const cluster::Demand& demand(std::size_t shape) const {
    return *shapes_[shape].evaluation->pod().demand;
  }

  void charge(std::size_t shape, std::size_t node);
  // The last charge, of this node, was rolled back by a transaction inside this one.
  void rolled_back(std::size_t node);
  void clear();  // takes everything back
  // Identical pods of the shape that fit on all nodes together, at most `most`.
  std::int64_t copies(std::size_t shape, std::int64_t most);

  // The fit error of a shape as things stand; index into the plan's list.
  std::size_t fit_error(std::size_t shape, GroupPlan& plan);

  // True if where members go changes where others may go, apart from the room they take.
  bool linked() const {
    for (const Shape& shape : shapes_) {
      if (shape.evaluation->linked()) return true;
    }
    return false;
  }
  // True if members have claims for devices: then a place of one may cost another its place on
  // another node.
  bool claims() const { return claims_; }
  // The error of a filter; nullopt: none.
  std::optional<std::string> error() const {
    for (const Shape& shape : shapes_) {
      if (auto text = shape.evaluation->error()) return text;
    }
    return std::nullopt;
  }

  std::int64_t work() const { return work_; }
  void add_work(std::int64_t units) { work_ += units; }

 private:
  void refresh(std::size_t node);

  const GroupPlanInput& input_;
  Transaction transaction_;
  std::deque<Shape> shapes_;
  std::vector<std::size_t> shape_of_;
  std::vector<std::size_t> touched_;  // nodes charged since the start or clear()
  std::int64_t changes_ = 0;
  bool claims_ = false;  // somebody has claims for devices
  struct KnownError {
    std::int64_t changes = -1;
    std::size_t index = 0;
  };
  std::vector<KnownError> known_errors_;  // by shape
  std::int64_t work_ = 0;
};

}  // namespace quorate::scheduler
