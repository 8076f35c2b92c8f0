#pragma once

// The short notation in which tests write down queues, cohorts and usage:
//
//   a@k {f1/cpu=10 b3 l4, f2/cpu=8} {g/gpu=1} (within=LowerPriority weight=2)
//   cohort x<r {f/cpu=3 l1}
//   w@a f/cpu=5+f/gpu=2 p0
//
// One pair of braces is one resource group; b and l are borrowing and lending limits.

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "quota/spec.h"

namespace quorate::quota::testing {

inline std::vector<std::string> split(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  while (true) {
    const std::size_t at = text.find(separator, from);
    parts.push_back(text.substr(from, at - from));
    if (at == std::string::npos) break;
    from = at + separator.size();
  }
  return parts;
}

inline std::string trim(const std::string& text) {
  const std::size_t from = text.find_first_not_of(' ');
  if (from == std::string::npos) return "";
  return text.substr(from, text.find_last_not_of(' ') - from + 1);
}

inline std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

// The lines of a small table cell: "x; y; z".
inline std::vector<std::string> items(const std::string& text) {
  std::vector<std::string> out;
  for (const std::string& part : split(text, ";")) {
    if (!trim(part).empty()) out.push_back(trim(part));
  }
  return out;
}

inline Quantity amount(const std::string& resource, const std::string& text) {
  const Outcome<Quantity> parsed = parse_quantity(resource, text);
  EXPECT_TRUE(parsed.has_value()) << "not a quantity: " << text;
  return parsed.value_or(Quantity{});
}

struct QueueLine {
  bool cohort = false;
  std::string name;
  std::string parent;  // of a queue: its cohort
  std::vector<ResourceGroup> groups;
  std::map<std::string, std::string> options;
};

inline ResourceGroup parse_group(const std::string& text) {
  ResourceGroup group;
  for (const std::string& entry : split(text, ",")) {
    const std::vector<std::string> parts = words(entry);
    const std::size_t slash = parts.at(0).find('/');
    const std::size_t equals = parts.at(0).find('=');
    const std::string flavor = parts[0].substr(0, slash);
    ResourceQuota quota;
    quota.resource = parts[0].substr(slash + 1, equals - slash - 1);
    quota.nominal = amount(quota.resource, parts[0].substr(equals + 1));
    for (std::size_t i = 1; i < parts.size(); ++i) {
      Limit& limit = parts[i][0] == 'b' ? quota.borrowing_limit : quota.lending_limit;
      limit.bound = amount(quota.resource, parts[i].substr(1));
    }
    auto at = std::find_if(group.flavors.begin(), group.flavors.end(),
                           [&](const FlavorQuotas& f) { return f.flavor == flavor; });
    if (at == group.flavors.end()) at = group.flavors.insert(at, FlavorQuotas{flavor, {}});
    at->resources.push_back(quota);
    auto& covered = group.covered_resources;
    if (std::find(covered.begin(), covered.end(), quota.resource) == covered.end()) {
      covered.push_back(quota.resource);
    }
  }
  return group;
}

inline QueueLine parse_queue(std::string text) {
  QueueLine line;
  if (const std::size_t at = text.find('('); at != std::string::npos) {
    for (const std::string& word : words(text.substr(at + 1, text.find(')') - at - 1))) {
      const std::vector<std::string> pair = split(word, "=");
      line.options[pair[0]] = pair.size() > 1 ? pair[1] : "";
    }
    text = text.substr(0, at);
  }
  std::vector<std::string> blocks = split(text, "{");
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    line.groups.push_back(parse_group(blocks[i].substr(0, blocks[i].find('}'))));
  }
  std::string head = trim(blocks[0]);
  if (head.rfind("cohort ", 0) == 0) {
    line.cohort = true;
    head = trim(head.substr(7));
  }
  const std::vector<std::string> names = split(head, line.cohort ? "<" : "@");
  line.name = names[0];
  if (names.size() > 1) line.parent = names[1];
  return line;
}

struct UsageLine {
  std::string name, queue;
  std::vector<std::tuple<std::string, std::string, Quantity>>
      amounts;  // flavor, resource, how much
  int priority = 0;
};

inline UsageLine parse_usage(const std::string& text) {
  UsageLine line;
  const std::vector<std::string> parts = words(text);
  const std::vector<std::string> names = split(parts.at(0), "@");
  line.name = names.at(0);
  line.queue = names.at(1);
  for (const std::string& entry : split(parts.at(1), "+")) {
    const std::size_t slash = entry.find('/');
    const std::size_t equals = entry.find('=');
    const std::string resource = entry.substr(slash + 1, equals - slash - 1);
    line.amounts.push_back(
        {entry.substr(0, slash), resource, amount(resource, entry.substr(equals + 1))});
  }
  if (parts.size() > 2) line.priority = std::stoi(parts[2].substr(1));
  return line;
}

}  // namespace quorate::quota::testing
