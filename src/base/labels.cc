#include "src/base/labels.h"

#include <algorithm>
#include <charconv>

namespace quorate {
namespace {

// A whole decimal number with an optional sign, as Go's strconv.ParseInt reads it.
std::optional<std::int64_t> whole_number(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool contains(const std::vector<std::string>& values, std::string_view value) {
  return std::ranges::find(values, value) != values.end();
}

// The label's number and the requirement's, if both are numbers.
std::optional<std::pair<std::int64_t, std::int64_t>> numbers(const Requirement& requirement,
                                                             std::string_view label) {
  if (requirement.values.size() != 1) return std::nullopt;
  const auto have = whole_number(label);
  const auto bound = whole_number(requirement.values.front());
  if (!have || !bound) return std::nullopt;
  return std::pair(*have, *bound);
}

}  // namespace

bool matches(const Requirement& requirement, const Labels& labels) {
  const auto found = labels.find(requirement.key);
  const bool present = found != labels.end();
  switch (requirement.op) {
    case Requirement::Op::In:
      return present && contains(requirement.values, found->second);
    case Requirement::Op::NotIn:
      return !present || !contains(requirement.values, found->second);
    case Requirement::Op::Exists:
      return present;
    case Requirement::Op::DoesNotExist:
      return !present;
    case Requirement::Op::Gt:
    case Requirement::Op::Lt: {
      if (!present) return false;
      const auto pair = numbers(requirement, found->second);
      if (!pair) return false;
      return requirement.op == Requirement::Op::Gt ? pair->first > pair->second
                                                   : pair->first < pair->second;
    }
  }
  return false;
}

bool LabelSelector::matches(const Labels& labels) const {
  return std::ranges::all_of(requirements, [&](const Requirement& requirement) {
    return quorate::matches(requirement, labels);
  });
}

}  // namespace quorate
