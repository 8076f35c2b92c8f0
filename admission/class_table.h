#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/id.h"

namespace quorate::admission {

using WorkloadId = Id<struct WorkloadTag>;

// The workload that failed last of each class of equals, by scheduling hash: one flat
// open-addressing table, so that a fork copies it at once.
class ClassTable {
 public:
  WorkloadId find(std::uint64_t hash) const {
    if (cells_.empty()) return {};
    for (std::size_t at = start(hash); cells_[at].state != State::Free; at = next(at)) {
      if (cells_[at].state == State::Used && cells_[at].hash == hash) return cells_[at].id;
    }
    return {};
  }

  void put(std::uint64_t hash, WorkloadId id) {
    if (2 * (filled_ + 1) > cells_.size()) grow();
    std::size_t at = start(hash);
    std::size_t dead = cells_.size();
    for (; cells_[at].state != State::Free; at = next(at)) {
      if (cells_[at].state == State::Used && cells_[at].hash == hash) {
        cells_[at].id = id;
        return;
      }
      if (cells_[at].state == State::Dead && dead == cells_.size()) dead = at;
    }
    if (dead == cells_.size()) {
      dead = at;
      ++filled_;
    }
    ++used_;
    cells_[dead] = {hash, id, State::Used};
  }

  void erase(std::uint64_t hash) {
    if (cells_.empty()) return;
    for (std::size_t at = start(hash); cells_[at].state != State::Free; at = next(at)) {
      if (cells_[at].state != State::Used || cells_[at].hash != hash) continue;
      cells_[at].state = State::Dead;
      --used_;
      return;
    }
  }

  void clear() { *this = {}; }
  std::size_t size() const { return used_; }

 private:
  enum class State : std::uint8_t { Free, Dead, Used };
  struct Cell {
    std::uint64_t hash = 0;
    WorkloadId id;
    State state = State::Free;
  };

  std::size_t start(std::uint64_t hash) const {
    return static_cast<std::size_t>(hash ^ (hash >> 32)) & (cells_.size() - 1);
  }
  std::size_t next(std::size_t at) const { return (at + 1) & (cells_.size() - 1); }

  void grow() {
    std::vector<Cell> old;
    old.swap(cells_);
    std::size_t size = 8;
    while (size < 4 * (used_ + 1)) size *= 2;
    cells_.resize(size);
    used_ = filled_ = 0;
    for (const Cell& cell : old) {
      if (cell.state == State::Used) put(cell.hash, cell.id);
    }
  }

  std::vector<Cell> cells_;
  std::size_t used_ = 0;
  std::size_t filled_ = 0;  // used and dead
};

}  // namespace quorate::admission
