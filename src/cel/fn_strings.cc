#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "src/cel/collections.h"
#include "src/cel/libraries.h"
#include "src/cel/utf8.h"

// Strings: cel-go's ext.Strings (version 2). Positions count characters.
namespace quorate::cel {
namespace {

// The byte at which each character begins, and the end.
std::vector<std::size_t> boundaries(std::string_view text) {
  std::vector<std::size_t> starts;
  for (std::string_view rest = text; !rest.empty();) {
    starts.push_back(text.size() - rest.size());
    (void)utf8::take(rest);
  }
  starts.push_back(text.size());
  return starts;
}

Value out_of_range(const Call& call, std::int64_t index) {
  return call.fail("index out of range: " + std::to_string(index));
}

Value char_at(const Call& call) {
  const std::string_view text = call[0].text();
  const std::vector<std::size_t> starts = boundaries(text);
  const std::int64_t index = call[1].as_int();
  const auto count = static_cast<std::int64_t>(starts.size()) - 1;
  if (index < 0 || index > count) return out_of_range(call, index);
  if (index == count) return Value::string({});
  const auto i = static_cast<std::size_t>(index);
  return Value::string(text.substr(starts[i], starts[i + 1] - starts[i]));
}

Value position(std::size_t characters) {
  return Value::integer(static_cast<std::int64_t>(characters));
}

Value index_of(const Call& call) {
  const std::string_view text = call[0].text();
  const std::string_view wanted = call[1].text();
  const std::int64_t offset = call.args.size() > 2 ? call[2].as_int() : 0;
  if (offset < 0) return out_of_range(call, offset);
  const std::vector<std::size_t> starts = boundaries(text);
  const auto count = static_cast<std::int64_t>(starts.size()) - 1;
  if (wanted.empty()) return Value::integer(std::min(offset, count));
  if (offset >= count) return Value::integer(-1);
  const std::size_t found = text.find(wanted, starts[static_cast<std::size_t>(offset)]);
  if (found == std::string_view::npos) return Value::integer(-1);
  return position(count_characters(text.substr(0, found)));
}

Value last_index_of(const Call& call) {
  const std::string_view text = call[0].text();
  const std::string_view wanted = call[1].text();
  const std::vector<std::size_t> starts = boundaries(text);
  const auto count = static_cast<std::int64_t>(starts.size()) - 1;
  std::int64_t offset = count - 1;
  if (call.args.size() > 2) {
    offset = call[2].as_int();
    if (offset < 0) return out_of_range(call, offset);
    if (wanted.empty()) return Value::integer(std::min(offset, count));
    if (offset >= count) return Value::integer(-1);
  } else if (wanted.empty()) {
    return Value::integer(count);
  } else if (text.size() < wanted.size()) {
    return Value::integer(-1);
  }
  const std::size_t found = text.rfind(wanted, starts[static_cast<std::size_t>(offset)]);
  if (found == std::string_view::npos) return Value::integer(-1);
  return position(count_characters(text.substr(0, found)));
}

template <char First, char Last, int Change>
Value change_case(const Call& call) {
  std::string text(call[0].text());
  for (char& c : text) {
    if (c >= First && c <= Last) c = static_cast<char>(c + Change);
  }
  return make_string(call.arena, text);
}

// The most that a string may grow to by one call.
constexpr std::size_t kLongest = std::size_t{1} << 24;
Value too_long() { return Value::error("string too long"); }

Value replace(const Call& call) {
  const std::string_view text = call[0].text();
  const std::string_view from = call[1].text();
  const std::string_view to = call[2].text();
  std::int64_t left = call.args.size() > 3 ? call[3].as_int() : -1;
  std::string out;
  std::size_t at = 0;
  if (from.empty()) {
    // Before every character and at the end, as Go has it.
    const std::vector<std::size_t> starts = boundaries(text);
    for (std::size_t i = 0; i < starts.size(); ++i) {
      if (left != 0) {
        out += to;
        --left;
      }
      if (i + 1 < starts.size()) out += text.substr(starts[i], starts[i + 1] - starts[i]);
      if (out.size() > kLongest) return too_long();
    }
    return make_string(call.arena, out);
  }
  for (std::size_t found; left != 0 && (found = text.find(from, at)) != std::string_view::npos;
       --left) {
    out += text.substr(at, found - at);
    out += to;
    at = found + from.size();
    if (out.size() > kLongest) return too_long();
  }
  out += text.substr(at);
  return make_string(call.arena, out);
}

Value split(const Call& call) {
  const std::string_view text = call[0].text();
  const std::string_view separator = call[1].text();
  std::int64_t limit = call.args.size() > 2 ? call[2].as_int() : -1;
  GrowingList* parts = call.arena.make<GrowingList>(call.arena);
  if (limit == 0) return Value::list(parts);
  if (separator.empty()) {
    const std::vector<std::size_t> starts = boundaries(text);
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
      const bool rest = limit == 1;
      const std::size_t end = rest ? text.size() : starts[i + 1];
      parts->push_back(Value::string(text.substr(starts[i], end - starts[i])));
      if (rest) break;
      --limit;
    }
    return Value::list(parts);
  }
  std::size_t at = 0;
  for (std::size_t found;
       limit != 1 && (found = text.find(separator, at)) != std::string_view::npos; --limit) {
    parts->push_back(Value::string(text.substr(at, found - at)));
    at = found + separator.size();
  }
  parts->push_back(Value::string(text.substr(at)));
  return Value::list(parts);
}

Value substring(const Call& call) {
  const std::string_view text = call[0].text();
  const std::vector<std::size_t> starts = boundaries(text);
  const auto count = static_cast<std::int64_t>(starts.size()) - 1;
  const std::int64_t start = call[1].as_int();
  const std::int64_t end = call.args.size() > 2 ? call[2].as_int() : count;
  if (call.args.size() > 2 && start > end) {
    return call.fail("invalid substring range. start: " + std::to_string(start) +
                     ", end: " + std::to_string(end));
  }
  if (start < 0 || start > count) return out_of_range(call, start);
  if (end < 0 || end > count) return out_of_range(call, end);
  const std::size_t first = starts[static_cast<std::size_t>(start)];
  return Value::string(text.substr(first, starts[static_cast<std::size_t>(end)] - first));
}

// What Unicode calls white space.
bool is_space(std::uint32_t c) {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}
Value trim(const Call& call) {
  const std::string_view text = call[0].text();
  std::size_t first = std::string_view::npos;
  std::size_t end = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t start = text.size() - rest.size();
    if (is_space(utf8::take(rest))) continue;
    first = std::min(first, start);
    end = text.size() - rest.size();
  }
  return Value::string(end == 0 ? std::string_view() : text.substr(first, end - first));
}

Value join(const Call& call) {
  const List& list = call[0].as_list();
  const std::string_view separator = call.args.size() > 1 ? call[1].text() : std::string_view();
  std::string out;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out += separator;
    const Value element = list.at(i);
    if (!element.is(Kind::String)) return call.fail("join: invalid input: " + to_string(element));
    out += element.text();
    if (out.size() > kLongest) return too_long();
  }
  return make_string(call.arena, out);
}

Value quoted(const Call& call) {
  constexpr std::string_view kEscaped = "\a\b\f\n\r\t\v\\\"";
  constexpr std::string_view kNames = "abfnrtv\\\"";
  std::string out = "\"";
  for (std::string_view rest = call[0].text(); !rest.empty();) {
    const std::uint32_t c = utf8::take(rest);
    const std::size_t escape =
        c < 0x80 ? kEscaped.find(static_cast<char>(c)) : std::string_view::npos;
    if (escape == std::string_view::npos) {
      utf8::append(out, c);
    } else {
      out += '\\';
      out += kNames[escape];
    }
  }
  return make_string(call.arena, out + '"');
}

}  // namespace

std::span<const Declaration> string_library() {
  constexpr auto kLower = change_case<'A', 'Z', 'a' - 'A'>;
  constexpr auto kUpper = change_case<'a', 'z', 'A' - 'a'>;
  static constexpr Declaration kLibrary[] = {
      {"charAt", "string_char_at_int", "string.(int) string", char_at},
      {"indexOf", "string_index_of_string", "string.(string) int", index_of,
       CostRule::ListTraversal},
      {"indexOf", "string_index_of_string_int", "string.(string, int) int", index_of,
       CostRule::ListTraversal},
      {"lastIndexOf", "string_last_index_of_string", "string.(string) int", last_index_of,
       CostRule::ListTraversal},
      {"lastIndexOf", "string_last_index_of_string_int", "string.(string, int) int", last_index_of,
       CostRule::ListTraversal},
      {"lowerAscii", "string_lower_ascii", "string.() string", kLower, CostRule::Transform},
      {"upperAscii", "string_upper_ascii", "string.() string", kUpper, CostRule::Transform},
      {"replace", "string_replace_string_string", "string.(string, string) string", replace,
       CostRule::Replace},
      {"replace", "string_replace_string_string_int", "string.(string, string, int) string",
       replace, CostRule::Replace},
      {"split", "string_split_string", "string.(string) list(string)", split, CostRule::Split},
      {"split", "string_split_string_int", "string.(string, int) list(string)", split,
       CostRule::Split},
      {"substring", "string_substring_int", "string.(int) string", substring, CostRule::Transform},
      {"substring", "string_substring_int_int", "string.(int, int) string", substring,
       CostRule::Transform},
      {"trim", "string_trim", "string.() string", trim, CostRule::Transform},
      {"join", "list_join", "list(string).() string", join, CostRule::Join},
      {"join", "list_join_string", "list(string).(string) string", join, CostRule::Join},
      {"strings.quote", "strings_quote", "(string) string", quoted, CostRule::Quote},
  };
  return kLibrary;
}

}  // namespace quorate::cel
