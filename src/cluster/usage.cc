#include "src/cluster/usage.h"

#include <algorithm>

namespace quorate::cluster {

void Usage::grow(std::size_t resources, std::size_t nodes) {
  if (resources <= used_.size() && nodes <= nodes_) return;
  // Doubling, as each column pays for its own growth.
  if (nodes > nodes_) nodes_ = std::max(nodes, nodes_ * 2);
  while (used_.size() < resources) {
    used_.emplace_back();
    allocatable_.emplace_back();
  }
  for (Column& column : used_) column.grow(nodes_);
  for (Column& column : allocatable_) column.grow(nodes_);
}

void Usage::add(Journal& journal, std::uint32_t node, std::uint32_t resource, std::int64_t amount) {
  // Modular, so that what was added can always be taken away again exactly; make_demand bounds
  // each charge so far below the range that a real sum does not wrap.
  const auto sum =
      static_cast<std::uint64_t>(used_[resource][node]) + static_cast<std::uint64_t>(amount);
  used_[resource].set(journal, node, static_cast<std::int64_t>(sum));
}

void Usage::set_allocatable(Journal& journal, std::uint32_t node, std::uint32_t resource,
                            std::int64_t amount) {
  allocatable_[resource].set(journal, node, amount);
}

}  // namespace quorate::cluster
