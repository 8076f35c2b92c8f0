#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/cluster/model.h"

namespace quorate::scheduler {

// The values that nodes have for one label key, numbered, and a number for each of them.
class Domains {
 public:
  static constexpr std::uint32_t kNone = 0xffffffffu;

  Domains(const cluster::Model& model, std::string_view key,
          std::span<const cluster::NodeId> nodes) {
    std::map<std::string_view, std::uint32_t> numbers;
    for (const cluster::NodeId id : nodes) {
      const Labels& labels = model.node(id).spec->labels;
      const auto label = labels.find(key);
      if (label == labels.end()) continue;
      const auto next = static_cast<std::uint32_t>(numbers.size());
      if (id.slot >= of_.size()) of_.resize(id.slot + 1, kNone);
      of_[id.slot] = numbers.try_emplace(label->second, next).first->second;
    }
    values_.assign(numbers.size(), 0);
  }

  // kNone: the node lacks the key, or is not one of the nodes.
  std::uint32_t of(std::uint32_t slot) const { return slot < of_.size() ? of_[slot] : kNone; }
  std::size_t size() const { return values_.size(); }
  std::int64_t operator[](std::uint32_t domain) const { return values_[domain]; }
  std::int64_t at_node(std::uint32_t slot) const {
    const std::uint32_t domain = of(slot);
    return domain == kNone ? 0 : values_[domain];
  }
  // Adds to the node's domain; false if it has none.
  bool add(std::uint32_t slot, std::int64_t amount) {
    const std::uint32_t domain = of(slot);
    if (domain == kNone) return false;
    nonzero_ -= values_[domain] != 0 ? 1 : 0;
    values_[domain] += amount;
    nonzero_ += values_[domain] != 0 ? 1 : 0;
    return true;
  }
  bool all_zero() const { return nonzero_ == 0; }

 private:
  std::vector<std::uint32_t> of_;  // by node slot
  std::vector<std::int64_t> values_;
  std::int64_t nonzero_ = 0;
};

}  // namespace quorate::scheduler
