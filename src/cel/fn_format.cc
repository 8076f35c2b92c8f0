#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "src/cel/collections.h"
#include "src/cel/domain.h"
#include "src/cel/libraries.h"
#include "src/cel/times.h"

// Named formats (k8s.io/apiserver/pkg/cel/library/format.go): what is wrong with a text, in
// Kubernetes' own words.
namespace quorate::cel {
namespace {

using Faults = std::vector<std::string>;

bool lower(char c) { return c >= 'a' && c <= 'z'; }
bool digit(char c) { return c >= '0' && c <= '9'; }
bool alphanumeric(char c) { return lower(c) || digit(c) || (c >= 'A' && c <= 'Z'); }

std::string too_long(std::size_t most) {
  return "must be no more than " + std::to_string(most) + " characters";
}
std::string with_pattern(std::string text, std::string_view pattern,
                         std::initializer_list<std::string_view> examples) {
  text += " (e.g. ";
  bool first = true;
  for (const std::string_view example : examples) {
    if (!first) text += " or ";
    first = false;
    text += "'" + std::string(example) + "', ";
  }
  return text + "regex used for validation is '" + std::string(pattern) + "')";
}

bool is_label(std::string_view s) {
  const auto edge = [](char c) { return lower(c) || digit(c); };
  return !s.empty() && edge(s.front()) && edge(s.back()) &&
         std::ranges::all_of(s, [&](char c) { return edge(c) || c == '-'; });
}
bool is_subdomain(std::string_view s) {
  for (;;) {
    const std::size_t dot = s.find('.');
    if (!is_label(s.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    s.remove_prefix(dot + 1);
  }
}

Faults dns1123_label(std::string_view s) {
  Faults faults;
  if (s.size() > 63) faults.push_back(too_long(63));
  if (is_label(s)) return faults;
  faults.push_back(is_subdomain(s)
                       ? "must not contain dots"
                       : with_pattern("a lowercase RFC 1123 label must consist of lower case "
                                      "alphanumeric characters or '-', and must start and end "
                                      "with an alphanumeric character",
                                      "[a-z0-9]([-a-z0-9]*[a-z0-9])?", {"my-name", "123-abc"}));
  return faults;
}

Faults dns1123_subdomain(std::string_view s) {
  Faults faults;
  if (s.size() > 253) faults.push_back(too_long(253));
  if (!is_subdomain(s)) {
    faults.push_back(with_pattern(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
        "'.', and must start and end with an alphanumeric character",
        "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*", {"example.com"}));
  }
  return faults;
}

Faults dns1035_label(std::string_view s) {
  Faults faults;
  if (s.size() > 63) faults.push_back(too_long(63));
  if (!is_label(s) || !lower(s.front())) {
    faults.push_back(with_pattern(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with "
        "an alphabetic character, and end with an alphanumeric character",
        "[a-z]([-a-z0-9]*[a-z0-9])?", {"my-name", "abc-123"}));
  }
  return faults;
}

bool is_label_key_name(std::string_view s) {
  return !s.empty() && alphanumeric(s.front()) && alphanumeric(s.back()) &&
         std::ranges::all_of(
             s, [](char c) { return alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

std::string label_key_fault() {
  return with_pattern(
      "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
      "alphanumeric character",
      "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]", {"MyName", "my.name", "123-abc"});
}

Faults qualified_name(std::string_view s) {
  const auto slashes = std::ranges::count(s, '/');
  if (slashes > 1) {
    return {"a valid label key " + label_key_fault() +
            " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
  }
  Faults faults;
  std::string_view name = s;
  if (slashes == 1) {
    const std::string_view prefix = s.substr(0, s.find('/'));
    name = s.substr(prefix.size() + 1);
    if (prefix.empty()) {
      faults.emplace_back("prefix part must be non-empty");
    } else {
      for (const std::string& fault : dns1123_subdomain(prefix)) {
        faults.push_back("prefix part " + fault);
      }
    }
  }
  if (name.empty()) faults.emplace_back("name part must be non-empty");
  if (name.size() > 63) faults.push_back("name part " + too_long(63));
  if (!is_label_key_name(name)) faults.push_back("name part " + label_key_fault());
  return faults;
}

Faults label_value(std::string_view s) {
  Faults faults;
  if (s.size() > 63) faults.push_back(too_long(63));
  if (!s.empty() && !is_label_key_name(s)) {
    faults.push_back(with_pattern(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
        "'.', and must start and end with an alphanumeric character",
        "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?", {"MyValue", "my_value", "12345"}));
  }
  return faults;
}

// What is followed by a generated suffix may end in a dash.
template <Faults (*Validate)(std::string_view)>
Faults prefix_of(std::string_view s) {
  if (s.size() <= 1 || !s.ends_with('-')) return Validate(s);
  return Validate(std::string(s.substr(0, s.size() - 2)) + "a");
}

Faults uri(std::string_view s) {
  Arena arena;
  const Outcome<Url> url = parse_url(arena, s);
  return url ? Faults{} : Faults{url.error().message};
}

Faults uuid(std::string_view s) {
  constexpr std::array<std::size_t, 5> kGroups = {8, 4, 4, 4, 12};
  const auto hex = [](char c) {
    return digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  };
  bool good = true;
  for (std::size_t i = 0; good && i < kGroups.size(); ++i) {
    if (i > 0 && s.starts_with('-')) s.remove_prefix(1);
    const std::string_view group = s.substr(0, kGroups[i]);
    good = group.size() == kGroups[i] && std::ranges::all_of(group, hex);
    s.remove_prefix(group.size());
  }
  return good && s.empty() ? Faults{} : Faults{"does not match the UUID format"};
}

Faults base64(std::string_view s) {
  const auto plain = [](char c) { return alphanumeric(c) || c == '+' || c == '/'; };
  const std::size_t padding = s.ends_with("==") ? 2 : s.ends_with('=') ? 1 : 0;
  const bool good = !s.empty() && s.size() % 4 == 0 &&
                    std::ranges::all_of(s.substr(0, s.size() - padding), plain);
  return good ? Faults{} : Faults{"invalid base64"};
}

bool is_date(std::string_view s) {
  return s.size() == 10 && parse_timestamp(std::string(s) + "T00:00:00Z").has_value();
}
Faults date(std::string_view s) { return is_date(s) ? Faults{} : Faults{"invalid date"}; }

// "hh:mm:ss", any character and digits, then "z" or an offset.
bool is_time(std::string_view s) {
  const auto two = [&](std::size_t at, std::string_view most) {
    return digit(s[at]) && digit(s[at + 1]) && s.substr(at, 2) <= most;
  };
  if (s.size() < 9 || s[2] != ':' || s[5] != ':') return false;
  if (!two(0, "23") || !two(3, "59") || !two(6, "59")) return false;
  std::string_view rest = s.substr(8);
  if (rest.size() > 1 && rest[0] != 'z' && digit(rest[1]) && rest[0] != '+' && rest[0] != '-') {
    rest.remove_prefix(1);
    rest.remove_prefix(std::min(rest.find_first_not_of("0123456789"), rest.size()));
  }
  if (rest == "z") return true;
  return rest.size() == 6 && (rest[0] == '+' || rest[0] == '-') && digit(rest[1]) &&
         digit(rest[2]) && rest[3] == ':' && digit(rest[4]) && digit(rest[5]);
}
Faults datetime(std::string_view s) {
  std::string lowered(s);
  for (char& c : lowered) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  const std::string_view text = lowered;
  const std::size_t t = text.find('t');
  const bool good = t != std::string_view::npos && is_date(text.substr(0, t)) &&
                    is_time(text.substr(t + 1, text.find('t', t + 1) - t - 1));
  return good ? Faults{} : Faults{"invalid datetime"};
}

constexpr std::array<Format, 13> kFormats = {{
    {"DNS1123Label", "dns1123Label", 30, dns1123_label},
    {"DNS1123Subdomain", "dns1123Subdomain", 60, dns1123_subdomain},
    {"DNS1035Label", "dns1035Label", 30, dns1035_label},
    {"QualifiedName", "qualifiedName", 60, qualified_name},
    {"DNS1123LabelPrefix", "dns1123LabelPrefix", 30, prefix_of<dns1123_label>},
    {"DNS1123SubdomainPrefix", "dns1123SubdomainPrefix", 60, prefix_of<dns1123_subdomain>},
    {"DNS1035LabelPrefix", "dns1035LabelPrefix", 30, prefix_of<dns1035_label>},
    {"LabelValue", "labelValue", 40, label_value},
    {"URI", "uri", 1103, uri},
    {"uuid", "uuid", 70, uuid},
    {"byte", "byte", 84, base64},
    {"date", "date", 71, date},
    {"datetime", "datetime", 71, datetime},
}};

template <std::size_t Index>
Value constant(const Call&) {
  return Value::format(&kFormats[Index]);
}

Value named(const Call& call) {
  const Format* format = find_format(call[0].text());
  return format == nullptr ? Value::optional(nullptr)
                           : make_optional(call.arena, Value::format(format));
}

// Absent when nothing is wrong.
Value validate(const Call& call) {
  const Faults faults = call[0].as_format().validate(call[1].text());
  if (faults.empty()) return Value::optional(nullptr);
  std::vector<Value> values;
  for (const std::string& fault : faults) values.push_back(make_string(call.arena, fault));
  return make_optional(call.arena, make_list(call.arena, values));
}

}  // namespace

const Format* find_format(std::string_view function) {
  const auto found = std::ranges::find(kFormats, function, &Format::function);
  return found == kFormats.end() ? nullptr : found;
}

#define QUORATE_CEL_FORMAT(NAME, INDEX) \
  { "format." NAME, "format." NAME, "() format", constant<INDEX> }

std::span<const Declaration> format_library() {
  static constexpr Declaration kLibrary[] = {
      QUORATE_CEL_FORMAT("dns1123Label", 0),
      QUORATE_CEL_FORMAT("dns1123Subdomain", 1),
      QUORATE_CEL_FORMAT("dns1035Label", 2),
      QUORATE_CEL_FORMAT("qualifiedName", 3),
      QUORATE_CEL_FORMAT("dns1123LabelPrefix", 4),
      QUORATE_CEL_FORMAT("dns1123SubdomainPrefix", 5),
      QUORATE_CEL_FORMAT("dns1035LabelPrefix", 6),
      QUORATE_CEL_FORMAT("labelValue", 7),
      QUORATE_CEL_FORMAT("uri", 8),
      QUORATE_CEL_FORMAT("uuid", 9),
      QUORATE_CEL_FORMAT("byte", 10),
      QUORATE_CEL_FORMAT("date", 11),
      QUORATE_CEL_FORMAT("datetime", 12),
      {"format.named", "format-named", "(string) optional(format)", named, CostRule::Accessor},
      {"validate", "format-validate", "format.(string) optional(list(string))", validate,
       CostRule::Validate},
  };
  return kLibrary;
}

#undef QUORATE_CEL_FORMAT

}  // namespace quorate::cel
