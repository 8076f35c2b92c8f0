#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/id.h"

namespace quorate::admission {

using WorkloadId = Id<struct WorkloadTag>;

// What is remembered of one class of equal workloads of a ClusterQueue.
struct WorkloadClass {
  static constexpr std::uint32_t kNone = 0xffffffffu;

  std::uint64_t hash = 0;
  WorkloadId failed;  // the one that failed last and answers for all; none: one is being tried
  // Slots of the members that are parked, in the order in which they are to be tried.
  std::uint32_t first = kNone, last = kNone;
};

// The classes of one ClusterQueue by scheduling hash: two flat tables, so that a fork copies them
// at once. A class keeps its number until all are forgotten.
class ClassTable {
 public:
  static constexpr std::uint32_t kNone = WorkloadClass::kNone;

  // The number of the class; kNone if there is none of that hash.
  std::uint32_t find(std::uint64_t hash) const {
    if (cells_.empty()) return kNone;
    for (std::size_t at = start(hash); cells_[at] != kNone; at = next(at)) {
      if (classes_[cells_[at]].hash == hash) return cells_[at];
    }
    return kNone;
  }

  // …made if there is none.
  std::uint32_t put(std::uint64_t hash) {
    if (const std::uint32_t known = find(hash); known != kNone) return known;
    const auto number = static_cast<std::uint32_t>(classes_.size());
    classes_.push_back({hash, {}, kNone, kNone});
    if (2 * classes_.size() > cells_.size()) {
      grow();
    } else {
      fill(number);
    }
    return number;
  }

  WorkloadClass& at(std::uint32_t number) { return classes_[number]; }
  const WorkloadClass& at(std::uint32_t number) const { return classes_[number]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(classes_.size()); }
  void clear() { *this = {}; }

 private:
  std::size_t start(std::uint64_t hash) const {
    return static_cast<std::size_t>(hash ^ (hash >> 32)) & (cells_.size() - 1);
  }
  std::size_t next(std::size_t at) const { return (at + 1) & (cells_.size() - 1); }

  void fill(std::uint32_t number) {
    std::size_t at = start(classes_[number].hash);
    while (cells_[at] != kNone) at = next(at);
    cells_[at] = number;
  }

  void grow() {
    std::size_t size = 8;
    while (size < 3 * classes_.size()) size *= 2;
    cells_.assign(size, kNone);
    for (std::uint32_t number = 0; number < classes_.size(); ++number) fill(number);
  }

  std::vector<WorkloadClass> classes_;
  std::vector<std::uint32_t> cells_;
};

}  // namespace quorate::admission
