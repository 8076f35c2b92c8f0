#pragma once

#include <cstddef>
#include <ostream>
#include <set>

#include "src/simulate/answer.h"

namespace quorate::simulate {

// A bar on a terminal that fills as workloads are admitted. Draws only when it changes; clears its
// line at the end. It reads no clock, so that it costs nothing where it is off.
class Progress {
 public:
  Progress(std::ostream& out, bool on) : out_(out), on_(on) {}
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void cycle(const CycleAnswer& cycle, std::size_t workloads);

 private:
  std::ostream& out_;
  bool on_;
  std::set<ObjectKey> started_;
  std::size_t drawn_ = static_cast<std::size_t>(-1);
};

}  // namespace quorate::simulate
