#include "src/devices/ledger.h"

#include "src/base/check.h"

namespace quorate::devices {

std::uint32_t Ledger::slot(const dra::DeviceName& name) {
  if (const auto found = slots_.find(name); found != slots_.end()) return found->second;
  std::uint32_t slot = 0;
  if (free_.empty()) {
    slot = static_cast<std::uint32_t>(names_.size());
    names_.push_back(name);
    published_.push_back(0);
    exclusive_.grow(names_.size());
    shares_.grow(names_.size());
  } else {
    slot = free_.back();
    free_.pop_back();
    names_[slot] = name;
  }
  slots_.emplace(name, slot);
  return slot;
}

std::uint32_t Ledger::find(const dra::DeviceName& name) const {
  const auto found = slots_.find(name);
  return found == slots_.end() ? kNone : found->second;
}

void Ledger::withdraw(std::uint32_t slot) {
  --published_[slot];
  check(published_[slot] >= 0, "device withdrawn more often than published");
  reclaim(slot);
}

void Ledger::reclaim(std::uint32_t slot) {
  if (published_[slot] > 0 || allocated(slot) || !slots_.contains(names_[slot])) return;
  slots_.erase(names_[slot]);
  names_[slot] = {};
  free_.push_back(slot);
}

void Ledger::take(Journal& journal, const DeviceUse& use) { add(journal, use, 1); }
void Ledger::give_back(Journal& journal, const DeviceUse& use) { add(journal, use, -1); }

void Ledger::add(Journal& journal, const DeviceUse& use, int sign) {
  Column& column = use.shared ? shares_ : exclusive_;
  column.set(journal, use.device, column[use.device] + sign);
  check(column[use.device] >= 0, "device given back more often than taken");
  for (const auto& [capacity, amount] : use.consumed) {
    const auto [cell, added] =
        cells_.try_emplace({use.device, capacity}, static_cast<std::uint32_t>(cells_.size()));
    if (added) consumed_.grow(cells_.size());
    consumed_.set(journal, cell->second, consumed_[cell->second] + sign * amount.billionths());
  }
}

ExactQuantity Ledger::consumed(std::uint32_t slot, std::uint32_t capacity) const {
  const auto cell = cells_.find({slot, capacity});
  return ExactQuantity{cell == cells_.end() ? 0 : consumed_[cell->second]};
}

}  // namespace quorate::devices
