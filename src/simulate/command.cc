#include "src/simulate/command.h"

#include <map>

#include "src/simulate/batch.h"
#include "src/simulate/explain.h"
#include "src/simulate/op_admission_review.h"
#include "src/simulate/op_find_topology.h"
#include "src/simulate/op_place.h"
#include "src/simulate/op_preempt_targets.h"
#include "src/simulate/op_schedule.h"
#include "src/simulate/what_if.h"

namespace quorate::simulate {
namespace {

using Operation = int (*)(const Options&, const Streams&);

const std::map<std::string, Operation>& operations() {
  static const std::map<std::string, Operation> kOperations = {
      {"admission-review", op_admission_review},
      {"find-topology", op_find_topology},
      {"place", op_place},
      {"preempt-targets", op_preempt_targets},
      {"schedule", op_schedule},
  };
  return kOperations;
}

}  // namespace

int simulate(const Options& options, const Streams& streams) {
  if (!options.batch_file.empty()) return run_batch(options, streams);
  const auto operation = operations().find(options.op);
  if (operation == operations().end()) {
    std::string known;
    for (const auto& [name, function] : operations()) known += (known.empty() ? "" : ", ") + name;
    streams.err << "--op: unknown operation \"" << options.op << "\"; known: " << known << "\n";
    return kUnusable;
  }
  for (const std::string& format :
       {std::string(), std::string("table"), std::string("json"), std::string("yaml")}) {
    if (options.output != format) continue;
    if (!options.change_file.empty()) return what_if(options, streams);
    if (!options.explain.empty()) return op_explain(options, streams);
    return operation->second(options, streams);
  }
  streams.err << "-o: must be table, json or yaml, not \"" << options.output << "\"\n";
  return kUnusable;
}

}  // namespace quorate::simulate
