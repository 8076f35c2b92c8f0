#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quorate::objects {

// One fault of an object, in the words of the Kubernetes API.
struct FieldError {
  enum class Kind {
    Invalid,
    Required,
    Duplicate,
    NotSupported,
    NotFound,
    Forbidden,
    TooLong,
    TooMany,
    Internal,
  };

  std::string path;
  Kind kind = Kind::Invalid;
  std::string value;  // as it is printed: texts in quotes, numbers plain, the rest as JSON
  std::string detail;

  // "<path>: Invalid value: <value>: <detail>"
  std::string text() const;
  friend bool operator==(const FieldError&, const FieldError&) = default;
};

using FieldErrors = std::vector<FieldError>;

// One error as it is; several as "[<e1>, <e2>]" without repeats; none as "".
std::string join(const FieldErrors& errors);

std::string quoted(std::string_view text);  // as the value of a FieldError

// Why a text is not what it should be, in Kubernetes' words; empty: it is.
std::vector<std::string> dns_label_faults(std::string_view text);      // RFC 1123 label
std::vector<std::string> dns1035_label_faults(std::string_view text);  // starts with a letter
std::vector<std::string> dns_subdomain_faults(std::string_view text);  // RFC 1123 subdomain
std::vector<std::string> label_key_faults(std::string_view text);      // qualified name
std::vector<std::string> label_value_faults(std::string_view text);

}  // namespace quorate::objects
