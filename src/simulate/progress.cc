#include "src/simulate/progress.h"

#include <algorithm>

namespace quorate::simulate {
namespace {

constexpr std::size_t kCells = 40;
constexpr std::size_t kSteps = 200;  // redraws over a whole run

}  // namespace

Progress::~Progress() {
  if (on_ && drawn_ != static_cast<std::size_t>(-1)) out_ << "\r\x1b[K" << std::flush;
}

void Progress::cycle(const CycleAnswer& cycle, std::size_t workloads) {
  if (!on_) return;
  for (const AdmittedEntry& each : cycle.admitted) started_.insert(each.workload);
  const std::size_t total = std::max<std::size_t>(workloads, 1);
  const std::size_t done = std::min(started_.size(), total);
  const std::size_t step = done * kSteps / total;
  if (step == drawn_) return;
  drawn_ = step;
  const std::size_t cells = done * kCells / total;
  out_ << "\r\x1b[K[" << std::string(cells, '#') << std::string(kCells - cells, '.') << "] " << done
       << "/" << total << " admitted, cycle " << cycle.number << std::flush;
}

}  // namespace quorate::simulate
