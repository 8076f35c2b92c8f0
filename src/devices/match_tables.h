#pragma once

// Which devices a class and selectors choose, worked out once per published device.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/devices/inventory.h"
#include "src/devices/selector.h"
#include "src/devices/shape.h"

namespace quorate::devices {

enum class Match : std::uint8_t { Unknown, Yes, No, Failed };

// A cache: dropping it changes speed only. Entries are those of Published.
class MatchTables {
 public:
  using Classes = std::map<std::string, ClassObject, std::less<>>;

  MatchTables(const Classes& classes, Compile compile)
      : classes_(&classes), compile_(std::move(compile)) {}

  // Whether the device is chosen by table `id` of `keys`. Failed: failure() says why.
  Match match(const std::vector<TableKey>& keys, std::uint32_t id, const Slice& slice,
              const Published& device);
  // "selector #0 on device d/p/x: ...", or of a class: "class c: selector #0 on device ...".
  const std::string& failure(std::uint32_t id, std::uint32_t entry) const;
  // Why the table can choose no device at all: a selector that does not compile; "" if it can.
  const std::string& fault(const std::vector<TableKey>& keys, std::uint32_t id);

  void forget_entry(std::uint32_t entry);  // it will stand for another device
  void clear() { tables_.clear(); }        // classes changed
  const Compile& compiler() const { return compile_; }

 private:
  struct Compiled {
    std::string where;  // "" or "class c: "
    std::size_t index = 0;
    std::shared_ptr<const Selector> selector;
  };
  struct Table {
    bool ready = false;
    std::string fault;
    std::vector<Compiled> selectors;
    std::vector<Match> states;  // by entry
    std::unordered_map<std::uint32_t, std::string> failures;
  };

  Table& table(const std::vector<TableKey>& keys, std::uint32_t id);
  void compile(Table& table, const std::vector<std::string>& selectors, const std::string& where);
  Match evaluate(Table& table, const Slice& slice, const Published& device);

  const Classes* classes_;
  Compile compile_;
  std::vector<Table> tables_;
  std::unordered_map<std::string, Outcome<std::shared_ptr<const Selector>>> compiled_;
};

}  // namespace quorate::devices
