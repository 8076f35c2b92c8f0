#pragma once

// What a group asks for, and the answer of planning it on one placement.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/base/transaction.h"
#include "src/cluster/model.h"
#include "src/scheduler/spec.h"
#include "src/scheduler/views.h"

namespace quorate::scheduler {

class EvaluationCache;
class Framework;

// A group with its members counted, as one cycle sees it.
struct GroupStanding {
  const PodGroupSpec* spec = nullptr;  // nullptr: not seen yet
  bool admitted = true;                // false: a queue has yet to admit it
  std::int32_t required = 1;           // minCount; 1 for a basic group
  std::int32_t scheduled = 0;          // members with a place: bound, or held for a bind
  std::int32_t pending = 0;            // ours, wanting a place; neither gated nor ending
  std::vector<cluster::NodeId> nodes;  // of the scheduled ones
};

// A set of nodes among which all members have to go.
struct Placement {
  std::string domain;                  // the value of the topology key; "" for the whole cluster
  std::vector<cluster::NodeId> nodes;  // by name
};

struct GroupPlanInput {
  const Framework& framework;
  cluster::Model& model;
  Journal& journal;
  std::span<const PodView> pods;  // in cycle order
  std::int32_t scheduled = 0;
  std::int32_t required = 1;
  std::span<const cluster::NodeId> nodes;  // by name
  // Places promised before, by pod: taken first where they still do.
  std::span<const cluster::NodeId> promised;
  std::int64_t search_budget = 0;
  // Of evaluations over all nodes, if `nodes` are those; nullptr: made anew.
  EvaluationCache* evaluations = nullptr;
};

struct GroupPlan {
  enum class Outcome {
    Placed,       // at least the minimum has a place, and somebody got one now
    Impossible,   // proved: by a bound, or by an exhausted search
    BudgetEnded,  // not found, not disproved
  };
  enum class Fate { Placed, Failed, Untried };
  struct Member {
    Fate fate = Fate::Untried;
    cluster::NodeId node;       // if Placed
    std::size_t fit_error = 0;  // into fit_errors, if Failed
  };

  Outcome outcome = Outcome::Impossible;
  std::vector<Member> members;  // one per pod of the input
  std::vector<std::string> fit_errors;
  std::uint64_t rejectors = 0;  // filters of the framework (bit = position) that refused a member
  // As counted when the plain attempt stopped.
  std::int32_t scheduled = 0;
  std::int32_t remaining = 0;
  std::string error;      // of a filter: the attempt fails with it
  std::string proof;      // of Impossible and BudgetEnded, for people
  std::int64_t work = 0;  // units spent

  std::int32_t placed() const {
    std::int32_t n = 0;
    for (const Member& member : members) n += member.fate == Fate::Placed ? 1 : 0;
    return n;
  }
};

}  // namespace quorate::scheduler
