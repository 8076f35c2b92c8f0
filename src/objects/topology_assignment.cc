#include "src/objects/topology_assignment.h"

#include <algorithm>
#include <span>

namespace quorate::objects {
namespace {

constexpr std::size_t kMaxSlice = 100'000;  // domains per slice, as in the schema
constexpr std::size_t kMaxDomains =
    1'000'000;  // per assignment; bounds what a small text can ask for

// The value at each level of the domains of one slice.
std::vector<std::vector<std::string>> read_values(Json slice, std::size_t count) {
  std::vector<std::vector<std::string>> levels;
  slice["valuesPerLevel"].each([&](Json level) {
    std::vector<std::string>& values = levels.emplace_back();
    const Json universal = level["universal"];
    const Json individual = level["individual"];
    if (universal.present() == individual.present()) {
      return level.fail(
          "Invalid value: exactly one of the fields in [universal individual] must be set");
    }
    if (universal.present()) {
      values.push_back(universal.text());
      return;
    }
    const std::string prefix = individual["prefix"].text();
    const std::string suffix = individual["suffix"].text();
    for (const std::string& root : individual["roots"].texts()) {
      values.push_back(prefix + root + suffix);
    }
    if (values.size() != count) {
      individual["roots"].fail("Invalid value: must have length equal to domainCount");
    }
  });
  return levels;
}

void read_slice(Json slice, TopologyAssignment& assignment) {
  const std::int32_t domain_count = slice["domainCount"].int32();
  const std::size_t count = static_cast<std::size_t>(std::max(domain_count, 0));
  if (count == 0 || count > kMaxSlice || assignment.domains.size() + count > kMaxDomains) {
    return slice["domainCount"].invalid("out of range");
  }
  const std::vector<std::vector<std::string>> levels = read_values(slice, count);
  if (levels.size() != assignment.levels.size()) {
    return slice["valuesPerLevel"].fail(
        "Invalid value: must have the same length as the number of levels in this "
        "TopologyAssignment");
  }
  const Json universal = slice["podCounts"]["universal"];
  const Json individual = slice["podCounts"]["individual"];
  if (universal.present() == individual.present()) {
    return slice["podCounts"].fail(
        "Invalid value: exactly one of the fields in [universal individual] must be set");
  }
  std::vector<std::int32_t> pods;
  individual.each([&](Json each) { pods.push_back(each.int32()); });
  if (universal.present()) pods.assign(1, universal.int32());
  const auto fits = [&](std::size_t size) { return size == count || size == 1; };
  if (!fits(pods.size()) || (individual.present() && pods.size() != count)) {
    return individual.fail("Invalid value: must have length equal to domainCount");
  }
  if (!std::ranges::all_of(levels, [&](const auto& values) { return fits(values.size()); })) return;

  for (std::size_t d = 0; d < count; ++d) {
    TopologyDomain& domain = assignment.domains.emplace_back();
    for (const std::vector<std::string>& values : levels) {
      domain.values.push_back(values[values.size() == 1 ? 0 : d]);
    }
    domain.count = pods[pods.size() == 1 ? 0 : d];
  }
}

void write_level(JsonWriter& out, std::span<const TopologyDomain> domains, std::size_t level) {
  const std::string& first = domains.front().values[level];
  std::size_t prefix = first.size(), suffix = first.size(), shortest = first.size();
  for (const TopologyDomain& domain : domains) {
    const std::string& value = domain.values[level];
    const auto ahead = std::mismatch(first.begin(), first.end(), value.begin(), value.end());
    const auto behind = std::mismatch(first.rbegin(), first.rend(), value.rbegin(), value.rend());
    prefix = std::min(prefix, static_cast<std::size_t>(ahead.first - first.begin()));
    suffix = std::min(suffix, static_cast<std::size_t>(behind.first - first.rbegin()));
    shortest = std::min(shortest, value.size());
  }
  out.open();
  if (std::ranges::all_of(domains, [&](const auto& d) { return d.values[level] == first; })) {
    out.field("universal", std::string_view(first));
  } else {
    // Prefix and suffix must not overlap in the shortest value, nor cut a UTF-8 character.
    suffix = std::min(suffix, shortest - prefix);
    const auto inside = [](const std::string& text, std::size_t at) {
      return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
    };
    while (prefix > 0 && inside(first, prefix)) --prefix;
    while (suffix > 0 && inside(first, first.size() - suffix)) --suffix;
    out.key("individual").open();
    out.field_unless_empty("prefix", std::string_view(first).substr(0, prefix));
    out.key("roots").open_list();
    for (const TopologyDomain& domain : domains) {
      const std::string_view value = domain.values[level];
      out.text(value.substr(prefix, value.size() - prefix - suffix));
    }
    out.close_list();
    out.field_unless_empty("suffix", std::string_view(first).substr(first.size() - suffix));
    out.close();
  }
  out.close();
}

}  // namespace

TopologyAssignment read_topology_assignment(Json json) {
  TopologyAssignment assignment;
  assignment.levels = json["levels"].texts();
  json["slices"].each([&](Json slice) { read_slice(slice, assignment); });
  json["domains"].each([&](Json each) {
    assignment.domains.push_back({each["values"].texts(), each["count"].int32()});
    if (assignment.domains.back().values.size() != assignment.levels.size()) {
      each["values"].fail("Invalid value: must have one value per level");
    }
  });
  return assignment;
}

void write_topology_assignment(JsonWriter& out, const TopologyAssignment& assignment) {
  out.open().key("levels").open_list();
  for (const std::string& level : assignment.levels) out.text(level);
  out.close_list().key("slices").open_list();
  std::span<const TopologyDomain> rest = assignment.domains;
  while (!rest.empty()) {
    const auto slice = rest.first(std::min(rest.size(), kMaxSlice));
    rest = rest.subspan(slice.size());
    out.open().field("domainCount", static_cast<std::int64_t>(slice.size()));
    out.key("podCounts").open();
    const std::int32_t first = slice.front().count;
    if (std::ranges::all_of(slice, [&](const auto& d) { return d.count == first; })) {
      out.field("universal", first);
    } else {
      out.key("individual").open_list();
      for (const TopologyDomain& domain : slice) out.number(domain.count);
      out.close_list();
    }
    out.close().key("valuesPerLevel").open_list();
    for (std::size_t level = 0; level < assignment.levels.size(); ++level) {
      write_level(out, slice, level);
    }
    out.close_list().close();
  }
  out.close_list().close();
}

}  // namespace quorate::objects
