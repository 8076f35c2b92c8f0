#include "src/devices/match_tables.h"

namespace quorate::devices {
namespace {

// Compiled expressions that are kept.
constexpr std::size_t kMostCompiled = 4096;

}  // namespace

void MatchTables::compile(Table& table, const std::vector<std::string>& selectors,
                          const std::string& where) {
  for (std::size_t i = 0; i < selectors.size(); ++i) {
    auto known = compiled_.find(selectors[i]);
    if (known == compiled_.end()) {
      if (compiled_.size() >= kMostCompiled) compiled_.clear();
      known = compiled_.emplace(selectors[i], compile_(selectors[i])).first;
    }
    const Outcome<std::shared_ptr<const Selector>>& selector = known->second;
    if (!selector) {
      if (table.fault.empty()) {
        table.fault = where + "selector #" + std::to_string(i) + ": " + selector.error().message;
      }
      continue;
    }
    table.selectors.push_back({where, i, *selector});
  }
}

MatchTables::Table& MatchTables::table(const std::vector<TableKey>& keys, std::uint32_t id) {
  if (id >= tables_.size()) tables_.resize(keys.size());
  Table& table = tables_[id];
  if (table.ready) return table;
  table.ready = true;
  const TableKey& key = keys[id];
  if (const auto found = classes_->find(key.device_class); found != classes_->end()) {
    compile(table, found->second.spec.selectors, "class " + key.device_class + ": ");
  }
  compile(table, key.selectors, "");
  return table;
}

Match MatchTables::evaluate(Table& table, const Slice& slice, const Published& device) {
  for (const Compiled& each : table.selectors) {
    const Outcome<bool> holds = each.selector->matches(slice.spec.driver, *device.spec);
    if (!holds) {
      table.failures[device.entry] =
          each.where + "selector #" + std::to_string(each.index) + " on device " +
          dra::DeviceName{slice.spec.driver, slice.spec.pool, device.spec->name}.text() + ": " +
          holds.error().message;
      return Match::Failed;
    }
    if (!*holds) return Match::No;
  }
  return Match::Yes;
}

Match MatchTables::match(const std::vector<TableKey>& keys, std::uint32_t id, const Slice& slice,
                         const Published& device) {
  Table& known = table(keys, id);
  if (device.entry >= known.states.size()) known.states.resize(device.entry + 64, Match::Unknown);
  Match& state = known.states[device.entry];
  if (state == Match::Unknown) state = evaluate(known, slice, device);
  return state;
}

const std::string& MatchTables::failure(std::uint32_t id, std::uint32_t entry) const {
  return tables_[id].failures.at(entry);
}

const std::string& MatchTables::fault(const std::vector<TableKey>& keys, std::uint32_t id) {
  return table(keys, id).fault;
}

void MatchTables::forget_entry(std::uint32_t entry) {
  for (Table& each : tables_) {
    if (entry < each.states.size()) each.states[entry] = Match::Unknown;
  }
}

}  // namespace quorate::devices
