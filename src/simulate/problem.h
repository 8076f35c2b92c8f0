#pragma once

#include <string>
#include <vector>

namespace quorate::simulate {

// What is wrong with an input, and where: all that a person needs to find it.
struct Problem {
  std::string file;     // "-" for standard input
  int line = 0;         // 0: unknown
  std::string object;   // "ClusterQueue left", "Workload team/a"; "" if it is not known which
  std::string message;  // begins with the field path where there is one

  // "queues.yaml:12: ClusterQueue left: spec.resourceGroups[0]: Required value"
  std::string text() const;
  friend bool operator==(const Problem&, const Problem&) = default;
};

using Problems = std::vector<Problem>;

}  // namespace quorate::simulate
