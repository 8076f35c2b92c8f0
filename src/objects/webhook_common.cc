#include <algorithm>
#include <array>
#include <set>

#include "src/objects/names.h"
#include "src/objects/webhook_kueue.h"

namespace quorate::objects {
namespace {

constexpr std::size_t kMaxAnnotations = 256 * 1024;
constexpr std::size_t kMaxGate = 63;

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// The gates of the annotation; empty for none.
std::vector<std::string> gates_of(const Labels& annotations) {
  const std::string_view value = value_of(annotations, names::kAdmissionGatedBy);
  if (value.empty()) return {};
  std::vector<std::string> gates;
  std::size_t from = 0;
  while (true) {
    const std::size_t comma = value.find(',', from);
    gates.emplace_back(trim(value.substr(from, comma - from)));
    if (comma == std::string_view::npos) return gates;
    from = comma + 1;
  }
}

bool is_path_character(char c) {
  constexpr std::string_view kMarks = "-._~!$&'()*+,;=:@/";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kMarks.find(c) != std::string_view::npos;
}

void domain_path_faults(const std::string& gate, const std::string& path, FieldErrors& errors) {
  const std::size_t slash = gate.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == gate.size()) {
    errors.push_back(
        invalid_text(path, gate, "must be a domain-prefixed path (such as \"acme.io/foo\")"));
    return;
  }
  for (const std::string& fault : dns_subdomain_faults(std::string_view(gate).substr(0, slash))) {
    errors.push_back(invalid_text(path, gate.substr(0, slash), fault));
  }
  const std::string rest = gate.substr(slash + 1);
  if (!std::ranges::all_of(rest, is_path_character)) {
    errors.push_back(invalid_text(path, rest,
                                  "Invalid path (regex used for validation is "
                                  "'[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')"));
  }
}

}  // namespace

FieldError invalid(std::string path, std::string value, std::string detail) {
  return {.path = std::move(path),
          .kind = FieldError::Kind::Invalid,
          .value = std::move(value),
          .detail = std::move(detail)};
}

FieldError invalid_text(std::string path, std::string_view value, std::string detail) {
  return invalid(std::move(path), quoted(value), std::move(detail));
}

FieldError not_supported(std::string path, std::string_view value,
                         const std::vector<std::string>& supported) {
  std::string detail;
  for (const std::string& each : supported) {
    detail += (detail.empty() ? "supported values: " : ", ") + quoted(each);
  }
  return {std::move(path), FieldError::Kind::NotSupported, quoted(value), std::move(detail)};
}

FieldError immutable(std::string path, std::string value) {
  return invalid(std::move(path), std::move(value), "field is immutable");
}

void append(FieldErrors& errors, FieldErrors more) {
  std::ranges::move(more, std::back_inserter(errors));
}

std::string at(const std::string& path, std::size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

std::string at(const std::string& path, std::string_view key) {
  return path + "[" + std::string(key) + "]";
}

FieldErrors labels_faults(const Labels& labels, const std::string& path) {
  FieldErrors errors;
  for (const auto& [key, value] : labels) {
    for (const std::string& fault : label_key_faults(key)) {
      errors.push_back(invalid_text(path, key, fault));
    }
    for (const std::string& fault : label_value_faults(value)) {
      errors.push_back(invalid_text(path, value, fault));
    }
  }
  return errors;
}

FieldErrors annotations_faults(const Labels& annotations, const std::string& path) {
  FieldErrors errors;
  std::size_t total = 0;
  for (const auto& [key, value] : annotations) {
    std::string lower = key;
    std::ranges::transform(lower, lower.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    for (const std::string& fault : label_key_faults(lower)) {
      errors.push_back(invalid_text(path, key, fault));
    }
    total += key.size() + value.size();
  }
  if (total > kMaxAnnotations) {
    errors.push_back({path, FieldError::Kind::TooLong, "",
                      "may not be more than " + std::to_string(kMaxAnnotations) + " bytes"});
  }
  return errors;
}

FieldErrors gated_by_faults(const Labels& annotations, const Labels* before) {
  const std::string path = at("metadata.annotations", names::kAdmissionGatedBy);
  const std::string whole(value_of(annotations, names::kAdmissionGatedBy));
  const std::vector<std::string> gates = gates_of(annotations);
  FieldErrors errors;
  std::set<std::string> seen;
  for (const std::string& gate : gates) {
    if (gate.empty()) {
      errors.push_back(invalid_text(path, whole, "cannot contain empty gate names"));
      continue;
    }
    if (!seen.insert(gate).second) {
      errors.push_back(invalid_text(path, whole, "duplicate gate name: " + gate));
      continue;
    }
    domain_path_faults(gate, path, errors);
    if (gate.size() > kMaxGate) {
      errors.push_back({path, FieldError::Kind::TooLong, "",
                        "may not be more than " + std::to_string(kMaxGate) + " bytes"});
    }
  }
  if (before == nullptr || gates.empty()) return errors;
  const std::vector<std::string> old_gates = gates_of(*before);
  if (old_gates.empty()) {
    errors.push_back(
        {path, FieldError::Kind::Forbidden, "", "cannot add admission gate after creation"});
    return errors;
  }
  for (const std::string& gate : gates) {
    if (std::ranges::find(old_gates, gate) != old_gates.end()) continue;
    errors.push_back(
        {path, FieldError::Kind::Forbidden, "", "can only remove gates, not add new ones"});
    break;
  }
  return errors;
}

FieldErrors selector_faults(Json selector, const std::string& path) {
  FieldErrors errors = labels_faults(selector["matchLabels"].labels(), path + ".matchLabels");
  std::size_t index = 0;
  selector["matchExpressions"].each([&](Json each) {
    const std::string here = at(path + ".matchExpressions", index++);
    const std::string op = each["operator"].text();
    const std::vector<std::string> values = each["values"].texts();
    if (op == "In" || op == "NotIn") {
      if (values.empty()) {
        errors.push_back({here + ".values", FieldError::Kind::Required, "",
                          "must be specified when `operator` is 'In' or 'NotIn'"});
      }
    } else if (op == "Exists" || op == "DoesNotExist") {
      if (!values.empty()) {
        errors.push_back({here + ".values", FieldError::Kind::Forbidden, "",
                          "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"});
      }
    } else {
      errors.push_back(invalid_text(here + ".operator", op, "not a valid selector operator"));
    }
    const std::string key = each["key"].text();
    for (const std::string& fault : label_key_faults(key)) {
      errors.push_back(invalid_text(here + ".key", key, fault));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (const std::string& fault : label_value_faults(values[i])) {
        errors.push_back(invalid_text(at(here + ".values", i), values[i], fault));
      }
    }
  });
  return errors;
}

}  // namespace quorate::objects
