#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "src/base/transaction.h"

namespace quorate::cluster {

// The last nodes whose usage changed, so that what is derived from usage can follow the changes
// instead of looking at every node. Undoing a change is a change too.
class Changes {
 public:
  static constexpr std::uint64_t kKept = 4096;

  void add(Journal& journal, std::uint32_t node) {
    log_[count_++ % kKept] = node;
    journal.cell(this, node, 0);
  }
  void restore(std::size_t node, std::int64_t) {
    log_[count_++ % kKept] = static_cast<std::uint32_t>(node);
  }

  // Changes so far; a reader keeps it and later asks for those since.
  std::uint64_t count() const { return count_; }
  bool remembers(std::uint64_t since) const { return count_ - since <= kKept; }
  // Node slot of the change of that number.
  std::uint32_t operator[](std::uint64_t number) const { return log_[number % kKept]; }

 private:
  std::array<std::uint32_t, kKept> log_{};
  std::uint64_t count_ = 0;
};

}  // namespace quorate::cluster
