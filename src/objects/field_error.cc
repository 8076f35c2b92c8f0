#include "src/objects/field_error.h"

#include <algorithm>
#include <set>

#include "src/objects/json_writer.h"

namespace quorate::objects {
namespace {

using Predicate = bool (*)(char);

bool is_lower_alnum(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_alnum(char c) { return is_lower_alnum(c) || (c >= 'A' && c <= 'Z'); }

// Non-empty, `edge` at both ends, `edge` or one of `inner` between.
bool shaped(std::string_view text, Predicate edge, std::string_view inner) {
  return !text.empty() && edge(text.front()) && edge(text.back()) &&
         std::ranges::all_of(
             text, [&](char c) { return edge(c) || inner.find(c) != std::string_view::npos; });
}

bool is_subdomain(std::string_view text) {
  while (true) {
    const std::size_t dot = text.find('.');
    if (!shaped(text.substr(0, dot), is_lower_alnum, "-")) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

std::string too_long(std::size_t most) {
  return "must be no more than " + std::to_string(most) + " bytes";
}

std::string no_match(std::string text, std::string_view regex,
                     std::initializer_list<std::string_view> examples) {
  text += " (e.g. ";
  bool first = true;
  for (const std::string_view example : examples) {
    if (!first) text += " or ";
    first = false;
    text += "'" + std::string(example) + "', ";
  }
  return text + "regex used for validation is '" + std::string(regex) + "')";
}

std::string no_qualified_name() {
  return no_match(
      "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
      "alphanumeric character",
      "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]", {"MyName", "my.name", "123-abc"});
}

std::string_view text_of(FieldError::Kind kind) {
  switch (kind) {
    case FieldError::Kind::Invalid:
      return "Invalid value";
    case FieldError::Kind::Required:
      return "Required value";
    case FieldError::Kind::Duplicate:
      return "Duplicate value";
    case FieldError::Kind::NotSupported:
      return "Unsupported value";
    case FieldError::Kind::NotFound:
      return "Not found";
    case FieldError::Kind::Forbidden:
      return "Forbidden";
    case FieldError::Kind::TooLong:
      return "Too long";
    case FieldError::Kind::TooMany:
      return "Too many";
    case FieldError::Kind::Internal:
      return "Internal error";
  }
  return "Invalid value";
}

}  // namespace

std::string FieldError::text() const {
  std::string text = path + ": " + std::string(text_of(kind));
  const bool shows_value = kind != Kind::Required && kind != Kind::Forbidden &&
                           kind != Kind::TooLong && kind != Kind::Internal;
  if (shows_value && !value.empty()) text += ": " + value;
  if (!detail.empty()) text += ": " + detail;
  return text;
}

std::string join(const FieldErrors& errors) {
  std::set<std::string> seen;
  std::string all;
  for (const FieldError& error : errors) {
    std::string text = error.text();
    if (!seen.insert(text).second) continue;
    all += (all.empty() ? "" : ", ") + text;
  }
  return seen.size() > 1 ? "[" + all + "]" : all;
}

std::string quoted(std::string_view text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

std::vector<std::string> dns_label_faults(std::string_view text) {
  std::vector<std::string> faults;
  if (text.size() > 63) faults.push_back(too_long(63));
  if (!shaped(text, is_lower_alnum, "-")) {
    faults.push_back(no_match(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
        "and must start and end with an alphanumeric character",
        "[a-z0-9]([-a-z0-9]*[a-z0-9])?", {"my-name", "123-abc"}));
  }
  return faults;
}

std::vector<std::string> dns1035_label_faults(std::string_view text) {
  std::vector<std::string> faults;
  if (text.size() > 63) faults.push_back(too_long(63));
  if (!shaped(text, is_lower_alnum, "-") || text.front() < 'a') {
    faults.push_back(no_match(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with "
        "an alphabetic character, and end with an alphanumeric character",
        "[a-z]([-a-z0-9]*[a-z0-9])?", {"my-name", "abc-123"}));
  }
  return faults;
}

std::vector<std::string> dns_subdomain_faults(std::string_view text) {
  std::vector<std::string> faults;
  if (text.size() > 253) faults.push_back(too_long(253));
  if (!is_subdomain(text)) {
    faults.push_back(no_match(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' "
        "or '.', and must start and end with an alphanumeric character",
        "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*", {"example.com"}));
  }
  return faults;
}

std::vector<std::string> label_key_faults(std::string_view text) {
  std::vector<std::string> faults;
  std::string_view name = text;
  if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
    if (text.find('/', slash + 1) != std::string_view::npos) {
      return {"a qualified name " + no_qualified_name() +
              " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
    }
    name = text.substr(slash + 1);
    if (slash == 0) {
      faults.push_back("prefix part must be non-empty");
    } else {
      for (const std::string& fault : dns_subdomain_faults(text.substr(0, slash))) {
        faults.push_back("prefix part " + fault);
      }
    }
  }
  if (name.empty()) {
    faults.push_back("name part must be non-empty");
  } else if (name.size() > 63) {
    faults.push_back("name part " + too_long(63));
  }
  if (!shaped(name, is_alnum, "-_.")) faults.push_back("name part " + no_qualified_name());
  return faults;
}

std::vector<std::string> label_value_faults(std::string_view text) {
  std::vector<std::string> faults;
  if (text.size() > 63) faults.push_back(too_long(63));
  if (!text.empty() && !shaped(text, is_alnum, "-_.")) {
    faults.push_back(no_match(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
        "'.', and must start and end with an alphanumeric character",
        "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?", {"MyValue", "my_value", "12345"}));
  }
  return faults;
}

}  // namespace quorate::objects
