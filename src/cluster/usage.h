#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "src/base/transaction.h"

namespace quorate::cluster {

// Usage and capacity by (resource, node), one flat column per resource, so that a scan over nodes
// for one resource walks memory in order and a fork is a few block copies.
class Usage {
 public:
  void grow(std::size_t resources, std::size_t nodes);

  std::int64_t used(std::uint32_t node, std::uint32_t resource) const {
    return resource < used_.size() ? used_[resource][node] : 0;
  }
  std::int64_t allocatable(std::uint32_t node, std::uint32_t resource) const {
    return resource < allocatable_.size() ? allocatable_[resource][node] : 0;
  }
  void add(Journal& journal, std::uint32_t node, std::uint32_t resource, std::int64_t amount);
  void set_allocatable(Journal& journal, std::uint32_t node, std::uint32_t resource,
                       std::int64_t amount);
  std::size_t resources() const { return used_.size(); }

 private:
  // Deques: a column keeps its address, which the journal remembers, when another is added.
  std::deque<Column> used_;
  std::deque<Column> allocatable_;
  std::size_t nodes_ = 0;
};

}  // namespace quorate::cluster
