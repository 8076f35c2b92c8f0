#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "src/base/check.h"

namespace quorate {

// Undo log of everything that may be rolled back: quota usage, node usage, devices and every index
// derived from them. Writers record how to restore the old value before they write; a Transaction
// rolls back to where it began, newest first, in time proportional to what was touched. Outside a
// transaction nothing is recorded.
//
// Not thread safe: one journal belongs to one copy of the state.
class Journal {
 public:
  Journal() = default;
  // A fork starts with a journal of its own: what is undone here was never done there.
  Journal(const Journal&) {}
  Journal& operator=(const Journal&) {
    check(depth_ == 0, "journal replaced inside a transaction");
    return *this;
  }

  bool recording() const { return depth_ > 0; }

  // The usual record: one integer cell of a column that restores itself by index. `Column` has
  // `void restore(std::size_t, std::int64_t)` and outlives the transaction at the same address.
  template <class Column>
  void cell(Column* column, std::size_t index, std::int64_t old_value) {
    if (!recording()) return;
    cells_.push_back({[](void* target, std::size_t i, std::int64_t v) {
                        static_cast<Column*>(target)->restore(i, v);
                      },
                      column, index, old_value});
  }

  // The rare record: anything else.
  void action(std::function<void()> undo) {
    if (!recording()) return;
    actions_.push_back(std::move(undo));
    cells_.push_back({nullptr, nullptr, actions_.size() - 1, 0});
  }

 private:
  friend class Transaction;
  struct Cell {
    void (*restore)(void*, std::size_t, std::int64_t);
    void* target;
    std::size_t index;
    std::int64_t old_value;
  };

  void roll_back(std::size_t mark) {
    while (cells_.size() > mark) {
      const Cell cell = cells_.back();
      cells_.pop_back();
      if (cell.restore != nullptr) {
        cell.restore(cell.target, cell.index, cell.old_value);
      } else {
        const std::function<void()> undo = std::move(actions_.back());
        actions_.pop_back();
        undo();
      }
    }
  }

  std::vector<Cell> cells_;
  std::vector<std::function<void()>> actions_;
  std::size_t depth_ = 0;
};

// A trial: undone when the scope ends unless committed. Transactions nest; the inner one's commit
// hands its records to the outer one.
class Transaction {
 public:
  explicit Transaction(Journal& journal) : journal_(journal), mark_(journal.cells_.size()) {
    ++journal_.depth_;
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    if (!committed_) journal_.roll_back(mark_);
    if (--journal_.depth_ == 0) {
      journal_.cells_.clear();
      journal_.actions_.clear();
    }
  }

  void commit() { committed_ = true; }
  // Undoes what was done since the start (or the last roll_back) and goes on recording.
  void roll_back() {
    check(!committed_, "roll back after commit");
    journal_.roll_back(mark_);
  }

 private:
  Journal& journal_;
  std::size_t mark_;
  bool committed_ = false;
};

// A flat column of integers whose writes are undone by the journal they name.
class Column {
 public:
  std::int64_t operator[](std::size_t index) const { return cells_[index]; }
  std::size_t size() const { return cells_.size(); }
  // Grows with zeros; growth is not undone (a zero cell nobody owns means nothing).
  void grow(std::size_t size) {
    if (size > cells_.size()) cells_.resize(size);
  }
  void set(Journal& journal, std::size_t index, std::int64_t value) {
    if (cells_[index] == value) return;
    journal.cell(this, index, cells_[index]);
    cells_[index] = value;
  }
  void restore(std::size_t index, std::int64_t value) { cells_[index] = value; }
  friend bool operator==(const Column&, const Column&) = default;

 private:
  std::vector<std::int64_t> cells_;
};

}  // namespace quorate
