#pragma once

// Which devices are in use, by whom it does not matter here.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/base/device_types.h"
#include "src/base/transaction.h"

namespace quorate::devices {

// An Int128 per cell, written through the journal as its two halves.
class WideColumn {
 public:
  Int128 operator[](std::size_t index) const {
    return static_cast<Int128>(halves_[2 * index]) * (Int128{1} << 64) +
           static_cast<std::uint64_t>(halves_[2 * index + 1]);
  }
  void grow(std::size_t size) { halves_.grow(2 * size); }
  void set(Journal& journal, std::size_t index, Int128 value) {
    halves_.set(journal, 2 * index, static_cast<std::int64_t>(value >> 64));
    halves_.set(journal, 2 * index + 1,
                static_cast<std::int64_t>(static_cast<std::uint64_t>(value)));
  }

 private:
  Column halves_;
};

// What one allocated device takes.
struct DeviceUse {
  std::uint32_t device = 0;  // slot of the ledger
  bool shared = false;
  std::vector<std::pair<std::uint32_t, ExactQuantity>> consumed;  // by interned capacity name
};

// Usage by device identity (driver, pool, name), which outlives the slices that publish it: a
// driver may withdraw a device and publish it again, under a new generation, while it is in use.
//
// Usage is a sum over allocations, so that taking and giving back in any order end the same.
class Ledger {
 public:
  // The slot of a device, made if needed. Slots are reclaimed when nobody publishes the device and
  // nobody uses it.
  std::uint32_t slot(const dra::DeviceName& name);
  static constexpr std::uint32_t kNone = 0xffffffffu;
  std::uint32_t find(const dra::DeviceName& name) const;
  const dra::DeviceName& name(std::uint32_t slot) const { return names_[slot]; }

  void publish(std::uint32_t slot) { ++published_[slot]; }
  void withdraw(std::uint32_t slot);
  bool is_published(std::uint32_t slot) const { return published_[slot] > 0; }

  void take(Journal& journal, const DeviceUse& use);
  void give_back(Journal& journal, const DeviceUse& use);
  // Frees the slot if nothing speaks for it any more; outside of transactions only.
  void reclaim(std::uint32_t slot);

  // Allocations that have the device for themselves: 0, or 1, or more if schedulers collided.
  std::int64_t exclusive(std::uint32_t slot) const { return exclusive_[slot]; }
  std::int64_t shares(std::uint32_t slot) const { return shares_[slot]; }
  bool allocated(std::uint32_t slot) const { return exclusive_[slot] + shares_[slot] > 0; }
  ExactQuantity consumed(std::uint32_t slot, std::uint32_t capacity) const;
  std::size_t slots() const { return names_.size(); }

 private:
  void add(Journal& journal, const DeviceUse& use, int sign);

  struct NameHash {
    std::size_t operator()(const dra::DeviceName& name) const {
      const std::hash<std::string> hash;
      return (hash(name.driver) * 1000003u ^ hash(name.pool)) * 1000003u ^ hash(name.device);
    }
  };

  std::unordered_map<dra::DeviceName, std::uint32_t, NameHash> slots_;  // never iterated
  std::vector<dra::DeviceName> names_;                                  // by slot
  std::vector<std::uint32_t> free_;
  std::vector<std::int32_t> published_;  // slices that publish it
  Column exclusive_;
  Column shares_;
  // Consumed capacity: (device, capacity name) -> cell.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> cells_;
  WideColumn consumed_;
};

}  // namespace quorate::devices
