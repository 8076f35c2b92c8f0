#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "admission/messages.h"
#include "admission/preemption_candidates.h"
#include "admission/proof.h"
#include "quota/resource_map.h"

namespace quorate::admission {

// How a request could be had, worst first.
enum class Mode {
  NoFit,         // cannot be had, or only by a preemption that policy forbids
  NoCandidates,  // preemption is allowed, but nobody can be preempted
  Preempt,       // by preempting somebody in the same queue
  Reclaim,       // by preempting only in other queues
  Fit,           // free now, maybe by borrowing
};

// Where the scan of flavors stopped, so that the next attempt goes on behind it.
struct Scan {
  struct Position {
    std::uint32_t resource = 0;
    int flavor = -1;  // index in its resource group; -1: the scan reached the last one
    friend bool operator==(const Position&, const Position&) = default;
  };
  std::vector<std::vector<Position>> pod_sets;
  std::int64_t generation = 0;  // of the queue
  std::uint64_t cycle = 0;

  // Flavors are left to be tried.
  bool pending() const;
  // Where to start for a resource of a pod set; 0 from the beginning.
  int start(std::size_t pod_set, std::uint32_t resource) const;
  friend bool operator==(const Scan&, const Scan&) = default;
};

struct FlavorChoice {
  std::uint32_t resource = 0;
  std::uint32_t flavor = 0;
  Mode mode = Mode::Fit;
  int level = 0;
  Quantity amount;  // of all pods of the pod set
};

struct PodSetResult {
  std::string name;
  std::int32_t count = 0;
  std::vector<FlavorChoice> choices;  // in ResourceOrder
  Mode mode = Mode::Fit;
  // Placed by topology: in which flavor ("": not at all), and where; or not yet.
  std::string topology_flavor;
  std::optional<TopologyAssignment> topology;
  DelayedTopology delayed = DelayedTopology::None;
};

// Which flavor each pod set would take its resources from, and how.
struct Assignment {
  std::vector<PodSetResult>
      pod_sets;  // those looked at: a pod set that cannot be had ends the list
  Mode mode = Mode::NoFit;
  int level = 0;  // the highest borrowing level of any resource
  quota::ResourceMap usage;
  std::vector<Target> targets;   // who has to leave for it
  std::vector<Fact> facts;       // what failed, by pod set
  Reason reason = Reason::None;  // with NoFit: the gravest
  Scan scan;
};

}  // namespace quorate::admission
