#include "src/objects/schema_rules.h"

#include <algorithm>
#include <set>

#include "src/objects/webhook_kueue.h"

namespace quorate::objects {
namespace {

using Kind = FieldError::Kind;

constexpr std::string_view kSubdomain =
    "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";
constexpr std::string_view kLabel = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";

bool is_effect(std::string_view text) {
  return text == "NoSchedule" || text == "PreferNoSchedule" || text == "NoExecute";
}

}  // namespace

void SchemaRules::length(const std::string& path, std::string_view text, std::size_t least,
                         std::size_t most) {
  if (text.size() > most) {
    errors.push_back(
        {path, Kind::TooLong, "", "may not be more than " + std::to_string(most) + " bytes"});
  } else if (text.size() < least) {
    errors.push_back(invalid_text(
        path, text, path + " in body should be at least " + std::to_string(least) + " chars long"));
  }
}

void SchemaRules::matches(const std::string& path, std::string_view text, bool fits,
                          std::string_view pattern) {
  if (fits) return;
  errors.push_back(
      invalid_text(path, text, path + " in body should match '" + std::string(pattern) + "'"));
}

void SchemaRules::subdomain(const std::string& path, std::string_view text, bool required) {
  if (text.empty() && !required) return;
  if (text.empty()) return errors.push_back({path, Kind::Required, "", ""});
  length(path, text, 0, 253);
  if (text.size() <= 253) matches(path, text, dns_subdomain_faults(text).empty(), kSubdomain);
}

void SchemaRules::label(const std::string& path, std::string_view text, bool required) {
  if (text.empty() && !required) return;
  if (text.empty()) return errors.push_back({path, Kind::Required, "", ""});
  length(path, text, 0, 63);
  if (text.size() <= 63) matches(path, text, dns_label_faults(text).empty(), kLabel);
}

void SchemaRules::items(const std::string& path, std::size_t count, std::size_t least,
                        std::size_t most) {
  if (count > most) {
    errors.push_back({path, Kind::TooMany, std::to_string(count),
                      "must have at most " + std::to_string(most) + " items"});
  } else if (count < least) {
    errors.push_back(
        invalid(path, std::to_string(count),
                path + " in body should have at least " + std::to_string(least) + " items"));
  }
}

void SchemaRules::at_least(const std::string& path, std::int64_t number, std::int64_t least) {
  if (number >= least) return;
  errors.push_back(
      invalid(path, std::to_string(number),
              path + " in body should be greater than or equal to " + std::to_string(least)));
}

void SchemaRules::one_of(const std::string& path, std::string_view text,
                         const std::vector<std::string>& supported) {
  if (std::ranges::find(supported, text) != supported.end()) return;
  errors.push_back(not_supported(path, text, supported));
}

void SchemaRules::unique(const std::string& path, const std::vector<std::string>& keys) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (seen.insert(keys[i]).second) continue;
    errors.push_back({at(path, i), Kind::Duplicate, quoted(keys[i]), ""});
  }
}

void SchemaRules::rule(bool holds, const std::string& path, std::string message) {
  if (!holds) errors.push_back(invalid(path, "", std::move(message)));
}

void SchemaRules::name(const ObjectMeta& meta) {
  if (meta.key.name.empty()) {
    errors.push_back({"metadata.name", Kind::Required, "", "name or generateName is required"});
    return;
  }
  for (const std::string& fault : dns_subdomain_faults(meta.key.name)) {
    errors.push_back(invalid_text("metadata.name", meta.key.name, fault));
  }
}

void SchemaRules::tolerations(const std::string& path, const std::vector<Toleration>& tolerations) {
  items(path, tolerations.size(), 0, 8);
  const auto all = [&](auto holds) { return std::ranges::all_of(tolerations, holds); };
  rule(all([](const Toleration& t) { return !t.key.empty() || t.op == "Exists"; }), path,
       "operator must be Exists when 'key' is empty, which means 'match all values and all keys'");
  rule(all([](const Toleration& t) { return !t.toleration_seconds || t.effect == "NoExecute"; }),
       path, "effect must be 'NoExecute' when 'tolerationSeconds' is set");
  rule(all([](const Toleration& t) { return t.op.empty() || t.op == "Equal" || t.op == "Exists"; }),
       path, "supported toleration values: 'Equal'(default), 'Exists'");
  rule(all([](const Toleration& t) { return t.op != "Exists" || t.value.empty(); }), path,
       "a value must be empty when 'operator' is 'Exists'");
  rule(all([](const Toleration& t) { return t.effect.empty() || is_effect(t.effect); }), path,
       "supported taint effect values: 'NoSchedule', 'PreferNoSchedule', 'NoExecute'");
}

}  // namespace quorate::objects
