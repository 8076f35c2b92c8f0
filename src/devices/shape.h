#pragma once

// A claim's spec made ready for the search, shared by all claims that ask for the same.

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/base/device_types.h"
#include "src/devices/inventory.h"

namespace quorate::devices {

struct CompiledAlternative {
  const dra::Alternative* spec = nullptr;
  std::string request;                     // as results name it: "req" or "req/sub"
  std::uint32_t table = 0;                 // which devices its class and selectors choose
  std::vector<std::uint32_t> constraints;  // that cover it
  std::vector<std::pair<std::uint32_t, ExactQuantity>> capacity;  // by interned name
};

struct CompiledConstraint {
  std::uint32_t attribute = 0;  // interned, fully qualified
  bool distinct = false;        // else all values match
};

// Immutable.
struct Shape {
  std::uint64_t serial = 0;  // never used again
  dra::ClaimSpec spec;
  std::vector<std::vector<CompiledAlternative>> requests;
  std::vector<CompiledConstraint> constraints;
  // Devices that it takes at least; of `All` unknown, counted as one.
  std::int64_t least = 0;
  // Why no claim of it can be allocated, after "claim <name>, "; "" if one can.
  std::string fault;
};

// A choice of devices by a class and selectors: interned, because requests repeat.
struct TableKey {
  std::string device_class;
  std::vector<std::string> selectors;

  std::string text() const;
};

class Shapes {
 public:
  explicit Shapes(Texts& texts) : texts_(&texts) {}
  Shapes(Texts& texts, const Shapes& other);  // of a fork, which has texts of its own
  Shapes(const Shapes&) = delete;
  Shapes& operator=(const Shapes&) = delete;

  std::shared_ptr<const Shape> intern(const dra::ClaimSpec& spec);
  const std::vector<TableKey>& tables() const { return tables_; }

 private:
  std::uint32_t table(const dra::Alternative& alternative);

  Texts* texts_;
  std::unordered_map<std::string, std::weak_ptr<const Shape>> shapes_;  // never iterated to decide
  std::size_t sweep_at_ = 1024;
  std::uint64_t next_serial_ = 1;
  std::vector<TableKey> tables_;
  std::unordered_map<std::string, std::uint32_t> table_ids_;
};

}  // namespace quorate::devices
