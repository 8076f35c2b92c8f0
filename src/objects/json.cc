#include "src/objects/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "src/objects/field_error.h"
#include "src/objects/json_writer.h"
#include "src/objects/numbers.h"

namespace quorate::objects {
namespace {

// Integers as they are; whole floats ("3.0", "1e3") too, as YAML and some writers have them.
std::optional<std::int64_t> to_int64(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, value);
  if (fault == std::errc{} && stop == end) return value;
  if (fault == std::errc::result_out_of_range) return std::nullopt;
  const std::optional<double> real = to_double(text);
  if (!real || std::trunc(*real) != *real || std::abs(*real) > 9007199254740992.0) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(*real);
}

}  // namespace

using Type = JsonDocument::Type;

bool Json::present() const { return !missing_ && document_->nodes_[index_].type != Type::Null; }
bool Json::is_object() const { return !missing_ && document_->nodes_[index_].type == Type::Object; }
bool Json::is_array() const { return !missing_ && document_->nodes_[index_].type == Type::Array; }
bool Json::is_text() const { return !missing_ && document_->nodes_[index_].type == Type::Text; }

Json Json::operator[](std::string_view key) const {
  if (!present()) return *this;
  if (!is_object()) {
    invalid("must be an object");
    return Json(document_, index_, key);
  }
  std::optional<std::uint32_t> found;
  const std::uint32_t end = document_->end_of(index_);
  for (std::uint32_t i = index_ + 1; i < end; i = document_->end_of(i)) {
    if (document_->key(document_->nodes_[i]) == key) found = i;
  }
  return found ? Json(document_, *found) : Json(document_, index_, key);
}

std::size_t Json::size() const {
  return is_object() || is_array() ? document_->nodes_[index_].size : 0;
}

std::optional<std::string> Json::maybe_text() const {
  if (!present()) return std::nullopt;
  if (!is_text()) {
    invalid("must be a string");
    return std::nullopt;
  }
  return std::string(document_->text(document_->nodes_[index_]));
}

std::string Json::text(std::string_view absent) const {
  return maybe_text().value_or(std::string(absent));
}

std::string Json::required_text() const {
  std::string value = text();
  if (value.empty()) fail("Required value");
  return value;
}

std::optional<bool> Json::maybe_boolean() const {
  if (!present()) return std::nullopt;
  const Type type = document_->nodes_[index_].type;
  if (type != Type::True && type != Type::False) {
    invalid("must be true or false");
    return std::nullopt;
  }
  return type == Type::True;
}

bool Json::boolean(bool absent) const { return maybe_boolean().value_or(absent); }

std::optional<std::string_view> Json::number_text() const {
  if (missing_ || document_->nodes_[index_].type != Type::Number) return std::nullopt;
  return document_->text(document_->nodes_[index_]);
}

std::optional<std::int64_t> Json::maybe_int64() const {
  if (!present()) return std::nullopt;
  const std::optional<std::string_view> number = number_text();
  const std::optional<std::int64_t> value = number ? to_int64(*number) : std::nullopt;
  if (!value) invalid("must be a 64-bit integer");
  return value;
}

std::optional<std::int32_t> Json::maybe_int32() const {
  if (!present()) return std::nullopt;
  const std::optional<std::string_view> number = number_text();
  const std::optional<std::int64_t> value = number ? to_int64(*number) : std::nullopt;
  if (!value || *value < INT32_MIN || *value > INT32_MAX) {
    invalid("must be a 32-bit integer");
    return std::nullopt;
  }
  return static_cast<std::int32_t>(*value);
}

std::optional<double> Json::maybe_number() const {
  if (!present()) return std::nullopt;
  const std::optional<std::string_view> number = number_text();
  const std::optional<double> value = number ? to_double(*number) : std::nullopt;
  if (!value) invalid("must be a number");
  return value;
}

std::optional<Time> Json::maybe_time() const {
  const std::optional<std::string> written = maybe_text();
  if (!written) return std::nullopt;
  const Outcome<Time> time = parse_time(*written);
  if (time) return *time;
  invalid(time.error().message);
  return std::nullopt;
}

std::optional<Duration> Json::maybe_duration() const {
  const std::optional<std::string> written = maybe_text();
  if (!written) return std::nullopt;
  const Outcome<Duration> duration = parse_duration(*written);
  if (duration) return *duration;
  invalid(duration.error().message);
  return std::nullopt;
}

std::optional<Quantity> Json::maybe_quantity(std::string_view resource) const {
  if (!present()) return std::nullopt;
  const std::optional<std::string_view> number = number_text();
  if (!number && !is_text()) {
    invalid("must be a quantity");
    return std::nullopt;
  }
  const Outcome<Quantity> amount =
      parse_quantity(resource, document_->text(document_->nodes_[index_]));
  if (amount) return *amount;
  invalid(amount.error().message);
  return std::nullopt;
}

Quantity Json::required_quantity(std::string_view resource) const {
  if (!present()) fail("Required value");
  return maybe_quantity(resource).value_or(Quantity{});
}

std::optional<std::int64_t> Json::maybe_billionths() const {
  if (!present()) return std::nullopt;
  if (number_text() || is_text()) {
    const auto amount = parse_billionths(document_->text(document_->nodes_[index_]));
    if (amount) return *amount;
  }
  invalid("must be a quantity");
  return std::nullopt;
}

std::vector<std::string> Json::texts() const {
  std::vector<std::string> all;
  all.reserve(size());
  each([&](Json element) { all.push_back(element.text()); });
  return all;
}

Labels Json::labels() const {
  Labels all;
  members([&](std::string_view key, Json value) { all[std::string(key)] = value.text(); });
  return all;
}

ResourceList Json::resources() const {
  ResourceList all;
  members([&](std::string_view key, Json value) {
    if (const std::optional<Quantity> amount = value.maybe_quantity(key)) {
      all[std::string(key)] = *amount;
    }
  });
  return all;
}

std::optional<ExactQuantity> Json::maybe_exact() const {
  if (!present()) return std::nullopt;
  if (number_text() || is_text()) {
    const auto amount = parse_exact_quantity(document_->text(document_->nodes_[index_]));
    if (amount) return *amount;
  }
  invalid("must be a quantity");
  return std::nullopt;
}

ExactAmounts Json::exact_amounts() const {
  ExactAmounts all;
  members([&](std::string_view key, Json value) {
    if (const auto amount = value.maybe_exact()) all[std::string(key)] = *amount;
  });
  return all;
}

void Json::write_canonical(std::string& out) const {
  const JsonDocument::Node& node = document_->nodes_[index_];
  switch (node.type) {
    case Type::Null:
      out += "null";
      return;
    case Type::False:
      out += "false";
      return;
    case Type::True:
      out += "true";
      return;
    case Type::Number:
      out += document_->text(node);
      return;
    case Type::Text:
      append_quoted(out, document_->text(node));
      return;
    case Type::Array: {
      out += '[';
      bool first = true;
      each([&](Json element) {
        if (!first) out += ',';
        first = false;
        element.write_canonical(out);
      });
      out += ']';
      return;
    }
    case Type::Object: {
      std::vector<std::pair<std::string_view, std::uint32_t>> sorted;
      for (std::uint32_t i = index_ + 1; i < document_->end_of(index_); i = document_->end_of(i)) {
        sorted.emplace_back(document_->key(document_->nodes_[i]), i);
      }
      std::ranges::sort(sorted);  // of equal keys the last one of the text comes last
      out += '{';
      bool first = true;
      for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (i + 1 < sorted.size() && sorted[i + 1].first == sorted[i].first) continue;
        const Json member(document_, sorted[i].second);
        if (!member.present()) continue;
        if (!first) out += ',';
        first = false;
        append_quoted(out, sorted[i].first);
        out += ':';
        member.write_canonical(out);
      }
      out += '}';
      return;
    }
  }
}

std::string Json::canonical() const {
  if (missing_) return "null";
  std::string out;
  write_canonical(out);
  return out;
}

std::string Json::path() const {
  std::string path = document_->path_of(index_);
  if (missing_) {
    if (!path.empty()) path += '.';
    path += key_;
  }
  return path;
}

void Json::fail(std::string_view what) const {
  if (document_->fault_) return;
  const std::string where = path();
  document_->fault_ = where.empty() ? std::string(what) : where + ": " + std::string(what);
}

void Json::invalid(std::string_view why) const {
  if (document_->fault_) return;
  std::string value = canonical();
  if (value.size() > 200) value = value.substr(0, 200) + "...";
  fail("Invalid value: " + value + ": " + std::string(why));
}

std::string JsonDocument::path_of(std::uint32_t index) const {
  std::string path;
  std::uint32_t at = 0;
  while (at != index) {
    // The child of `at` whose subtree holds the index.
    std::uint32_t child = at + 1;
    for (std::size_t position = 0;; ++position, child = end_of(child)) {
      if (index >= end_of(child)) continue;
      if (nodes_[at].type == Type::Array) {
        path += '[' + std::to_string(position) + ']';
      } else {
        const std::string_view name = key(nodes_[child]);
        const bool plain = name.find_first_of("./") == std::string_view::npos;
        if (!plain) {
          path += '[' + std::string(name) + ']';
        } else {
          if (!path.empty()) path += '.';
          path += name;
        }
      }
      break;
    }
    at = child;
  }
  return path;
}

std::vector<std::string> JsonDocument::duplicates() const {
  std::vector<std::string> paths;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].type != Type::Object) continue;
    std::set<std::string_view> seen;
    for (std::uint32_t child = i + 1; child < nodes_[i].end; child = nodes_[child].end) {
      if (!seen.insert(key(nodes_[child])).second) paths.push_back(path_of(child));
    }
  }
  return paths;
}

}  // namespace quorate::objects
