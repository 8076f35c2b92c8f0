#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/base/labels.h"
#include "src/base/time.h"
#include "src/simulate/objects_in.h"

namespace quorate::simulate {

struct Kind;

struct Deletion {
  const Kind* kind = nullptr;
  ObjectKey key;
};

// What happens at one moment of a scenario: deletions, then applied objects, then cycles.
struct Step {
  std::optional<Duration> at;  // from the start; nullopt: when the step before has settled
  std::vector<Deletion> remove;
  Objects apply;
  std::optional<std::int64_t> cycles;  // run so many admission cycles, time standing still
  bool settle = false;                 // run until idle
};

// What the pods of admitted workloads with these labels do; of several entries the first that
// matches.
struct Runtime {
  LabelSelector selector;
  std::optional<Duration> duration = {};  // how long they run; nullopt: for ever
  Duration ready_after = {};              // when the last of them is ready
  bool never_ready = false;
};

struct ExpectedPreemption {
  std::string workload;  // "ns/name"
  std::optional<std::string> reason;
  std::optional<std::string> preemptor;
};

struct ExpectedWait {
  std::string workload;
  std::optional<std::string> reason;
  std::optional<std::string> layer;
  std::optional<std::string> message;
};

// Of --op place.
struct ExpectedGroup {
  std::string group;  // "ns/name"
  std::optional<bool> scheduled;
  std::optional<std::string> layer, cause, diagnosis;
};

// An absent list is not compared.
struct Expectation {
  std::optional<std::vector<std::string>> admitted;
  std::optional<std::vector<ExpectedPreemption>> preempted;
  std::optional<std::vector<ExpectedPreemption>> evicted;  // for other reasons, in any order
  std::optional<std::vector<ExpectedWait>> pending;
  // Flavor of a resource, written "ns/name/podset/resource: flavor".
  std::optional<Labels> flavors;
  // Where pods are, written "ns/name/podset: n1=2 n2=1"; domains of several levels as "b1/r1=2".
  std::optional<Labels> places;
  // Reserved amounts, written "queue/flavor/resource: amount".
  std::optional<Labels> usage;
  std::optional<std::vector<std::string>> finished;
  // Of --op place: groups by name, nodes of pods (all that are placed), pods that are evicted.
  std::optional<std::vector<ExpectedGroup>> groups;
  std::optional<Labels> pods;
  std::optional<std::vector<std::string>> victims;

  bool empty() const {
    return !admitted && !preempted && !evicted && !pending && !flavors && !places && !usage &&
           !finished && !groups && !pods && !victims;
  }
};

struct Scenario {
  std::vector<Step> steps;
  std::vector<Runtime> runtimes;
  Expectation expect;
};

}  // namespace quorate::simulate
