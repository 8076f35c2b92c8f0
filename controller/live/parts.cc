#include "controller/live/parts.h"

#include <algorithm>
#include <array>
#include <utility>

namespace quorate::controller {
namespace {

constexpr std::array<std::pair<std::string_view, bool Parts::*>, 6> kNames = {{
    {"admission", &Parts::admission},
    {"batch/job", &Parts::jobs},
    {"podgroup", &Parts::pod_groups},
    {"webhooks", &Parts::webhooks},
    {"status", &Parts::status},
    {"scheduler", &Parts::scheduler},
}};

constexpr Parts kAll{
    .admission = true, .jobs = true, .pod_groups = true, .webhooks = true, .status = true};

std::vector<std::string> words_of(std::string_view list) {
  std::vector<std::string> words;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    std::string word(list.substr(0, comma));
    std::erase(word, ' ');
    if (!word.empty()) words.push_back(std::move(word));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return words;
}

}  // namespace

Outcome<Parts> parse_parts(std::string_view list) {
  const std::vector<std::string> words = words_of(list);
  const bool only_off =
      std::ranges::all_of(words, [](const std::string& word) { return word.starts_with("-"); });
  Parts parts = only_off ? kAll : Parts{};
  bool status_off = false;
  for (const std::string& word : words) {
    if (word == "*") {
      const bool scheduler = parts.scheduler;
      parts = kAll;
      parts.scheduler = scheduler;
      continue;
    }
    const bool on = !word.starts_with("-");
    const std::string name = on ? word : word.substr(1);
    const auto known =
        std::ranges::find(kNames, name, [](const auto& entry) { return entry.first; });
    if (known == kNames.end()) {
      std::string names;
      for (const auto& entry : kNames) names.append(names.empty() ? "" : ", ").append(entry.first);
      return error(Errc::Invalid, "unknown part \"" + name + "\"; known: " + names);
    }
    parts.*(known->second) = on;
    if (name == "status") status_off = !on;
  }
  if (parts.admission && !status_off) parts.status = true;
  if (!parts.admission) parts.status = false;
  if (parts == Parts{}) return error(Errc::Invalid, "nothing is left to run");
  return parts;
}

}  // namespace quorate::controller
