#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/simulate/answer.h"
#include "src/simulate/command.h"
#include "src/simulate/shares.h"

namespace quorate::simulate {

// What a change of the input changes in the outcome.
struct Difference {
  struct Admitted {
    ObjectKey workload;
    std::string cluster_queue;
  };
  struct Waiting {
    ObjectKey workload;
    std::string reason, message;
  };
  struct Preempted {
    ObjectKey workload;
    std::string reason;
    std::optional<ObjectKey> preemptor;
  };
  struct Amount {
    Quantity before, after;
  };
  struct Queue {
    std::map<std::pair<std::string, std::string>, Amount> usage;  // by flavor and resource
    std::int64_t share_before = 0, share_after = 0;
    bool was_there = false, is_there = false;
  };
  std::vector<Admitted> newly_admitted;
  std::vector<Waiting> newly_pending;
  std::vector<Preempted> newly_preempted;
  std::vector<ObjectKey> gone;          // workloads that the change takes away
  std::map<std::string, Queue> queues;  // those that differ in anything

  bool empty() const {
    return newly_admitted.empty() && newly_pending.empty() && newly_preempted.empty() &&
           gone.empty() && queues.empty();
  }
};

Difference difference(const Answer& before, const Objects& objects_before, const Answer& after,
                      const Objects& objects_after);

std::string to_json(const Difference& difference);
std::string to_table(const Difference& difference);

// --change FILE: runs the inputs without and with the change and prints the difference.
int what_if(const Options& options, const Streams& streams);

}  // namespace quorate::simulate
