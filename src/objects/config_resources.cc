#include <algorithm>
#include <map>
#include <set>

#include "src/objects/config_parts.h"

namespace quorate::objects {
namespace {

using Kind = FieldError::Kind;
using Source = DeviceSource::Type;

constexpr std::size_t kMaxMappings = 16;
constexpr std::size_t kMaxClasses = 8;
constexpr std::size_t kMaxDriver = 63;
constexpr std::size_t kMaxIdentifier = 32;

void read_mapping(Json json, bool v1beta1, StrictReader& strict, Configuration& config) {
  if (v1beta1) {
    strict.only(json, {"name", "deviceClassNames"});
  } else {
    strict.only(json, {"name", "deviceClassNames", "sources"});
  }
  DeviceClassMapping& mapping = config.device_class_mappings.emplace_back();
  mapping.name = json["name"].text();
  mapping.device_class_names = json["deviceClassNames"].texts();
  json["sources"].each([&](Json each) {
    strict.only(each, {"counter", "capacity"});
    DeviceSource& source = mapping.sources.emplace_back();
    for (const auto& [field, type] :
         {std::pair{"counter", Source::Counter}, std::pair{"capacity", Source::Capacity}}) {
      const Json written = each[field];
      if (!written.present()) continue;
      strict.only(written, {"name", "driver", "deviceSelector"});
      strict.only(written["deviceSelector"], {"cel"});
      strict.only(written["deviceSelector"]["cel"], {"expression"});
      source.type = source.type == Source::None ? type : Source::Both;
      source.name = written["name"].text();
      source.driver = written["driver"].text();
      source.expression = written["deviceSelector"]["cel"]["expression"].text();
    }
  });
}

void label_key(const std::string& path, const std::string& key, FieldErrors& errors) {
  for (const std::string& fault : label_key_faults(key)) {
    errors.push_back({path, Kind::Invalid, quoted(key), fault});
  }
  if (key.size() > 253) {
    errors.push_back({path, Kind::Invalid, quoted(key), "must not exceed 253 characters"});
  }
}

bool is_identifier(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && letter(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

void counter_name(const std::string& path, const std::string& name, FieldErrors& errors) {
  if (name.empty()) return errors.push_back({path, Kind::Required, "", ""});
  for (const std::string& fault : dns_label_faults(name)) {
    errors.push_back({path, Kind::Invalid, quoted(name), fault});
  }
}

// A C identifier, or a domain and one.
void capacity_name(const std::string& path, const std::string& name, FieldErrors& errors) {
  if (name.empty()) return errors.push_back({path, Kind::Required, "", ""});
  std::string identifier = name;
  if (const std::size_t slash = name.find('/'); slash != std::string::npos) {
    const std::string domain = name.substr(0, slash);
    identifier = name.substr(slash + 1);
    if (domain.empty()) {
      errors.push_back({path, Kind::Invalid, quoted(domain), "the domain must not be empty"});
    } else {
      for (const std::string& fault : dns_subdomain_faults(domain)) {
        errors.push_back({path, Kind::Invalid, quoted(domain), fault});
      }
      if (domain.size() > kMaxDriver) {
        errors.push_back({path, Kind::TooLong, "", "may not be more than 63 bytes"});
      }
    }
    if (identifier.empty()) {
      return errors.push_back(
          {path, Kind::Invalid, quoted(identifier), "the name must not be empty"});
    }
  }
  if (identifier.size() > kMaxIdentifier) {
    errors.push_back({path, Kind::TooLong, "", "may not be more than 32 bytes"});
  }
  if (!is_identifier(identifier)) {
    errors.push_back({path, Kind::Invalid, quoted(identifier), "must be a C identifier"});
  }
}

void source_faults(const std::string& path, const DeviceSource& source, const FeatureGates& gates,
                   FieldErrors& errors) {
  if (source.type == Source::None || source.type == Source::Both) {
    return errors.push_back({path, source.type == Source::None ? Kind::Required : Kind::Invalid,
                             quoted(source.name), "exactly one source type must be set per entry"});
  }
  const bool counter = source.type == Source::Counter;
  const std::string here = path + (counter ? ".counter" : ".capacity");
  const std::string gate =
      counter ? "KueueDRAIntegrationPartitionableDevices" : "KueueDRAIntegrationConsumableCapacity";
  if (!gates.enabled(gate)) {
    errors.push_back({here, Kind::Invalid, quoted(source.name),
                      std::string(counter ? "counter" : "capacity") + " sources require " + gate +
                          " to be enabled"});
  }
  if (counter) {
    counter_name(here + ".name", source.name, errors);
  } else {
    capacity_name(here + ".name", source.name, errors);
  }
  if (source.driver.empty()) {
    errors.push_back({here + ".driver", Kind::Required, "", ""});
  } else {
    for (const std::string& fault : dns_subdomain_faults(source.driver)) {
      errors.push_back({here + ".driver", Kind::Invalid, quoted(source.driver), fault});
    }
    if (source.driver.size() > kMaxDriver) {
      errors.push_back({here + ".driver", Kind::Invalid, quoted(source.driver),
                        "must not exceed 63 characters"});
    }
  }
  if (source.expression.empty()) {
    errors.push_back({here + ".deviceSelector.cel.expression", Kind::Required, "", ""});
  }
}

// Who maps a device class already: the mapping's name, and the counters it counts by.
struct Owner {
  std::string mapping;
  std::set<std::string> counters;
};

void class_faults(const std::string& path, const DeviceClassMapping& mapping,
                  std::map<std::string, Owner>& owners, FieldErrors& errors) {
  std::set<std::string> counters;
  for (const DeviceSource& source : mapping.sources) {
    if (source.type == Source::Counter) counters.insert(source.name);
  }
  std::set<std::string> seen;
  for (std::size_t j = 0; j < mapping.device_class_names.size(); ++j) {
    const std::string& name = mapping.device_class_names[j];
    const std::string here = path + "[" + std::to_string(j) + "]";
    label_key(here, name, errors);
    if (!seen.insert(name).second) {
      errors.push_back({here, Kind::Duplicate, quoted(name), ""});
      continue;
    }
    const auto [owner, fresh] = owners.try_emplace(name, Owner{mapping.name, counters});
    if (fresh) continue;
    if (counters.empty() || owner->second.counters.empty()) {
      errors.push_back({here, Kind::Invalid, quoted(name),
                        "device class already mapped to resource " + owner->second.mapping});
      continue;
    }
    for (const std::string& counter : counters) {
      if (owner->second.counters.insert(counter).second) continue;
      errors.push_back(
          {here, Kind::Invalid, quoted(name),
           "device class already has a counter source for counter \"" + counter + "\""});
    }
  }
}

}  // namespace

void read_resources(Json json, bool v1beta1, StrictReader& strict, Configuration& config) {
  if (v1beta1) {
    strict.only(json, {"excludeResourcePrefixes", "transformations", "deviceClassMappings"});
  } else {
    strict.only(json, {"excludeResourcePrefixes", "transformations", "deviceClassMappings",
                       "quotaCheckStrategy"});
  }
  const Json check = json["quotaCheckStrategy"];
  if (const std::string name = check.text(); name == "IgnoreUndeclared") {
    config.quota_check = QuotaCheck::IgnoreUndeclared;
  } else if (!name.empty() && name != "BlockUndeclared") {
    strict.not_supported(check, quoted(name),
                         "supported values: \"BlockUndeclared\", \"IgnoreUndeclared\"");
  }
  config.exclude_resource_prefixes = json["excludeResourcePrefixes"].texts();
  json["transformations"].each([&](Json each) {
    strict.only(each, {"input", "strategy", "multiplyBy", "outputs"});
    ResourceTransformation& rule = config.transformations.emplace_back();
    rule.input = each["input"].text();
    if (const std::string name = each["strategy"].text(); name == "Replace") {
      rule.replace = true;
    } else if (!name.empty() && name != "Retain") {
      strict.not_supported(each["strategy"], quoted(name),
                           "supported values: \"Replace\", \"Retain\"");
    }
    rule.multiply_by = each["multiplyBy"].text();
    each["outputs"].members([&](std::string_view resource, Json amount) {
      if (!amount.maybe_billionths()) return;  // no quantity: a fault of the document
      rule.outputs[std::string(resource)] = amount.is_text() ? amount.text() : amount.canonical();
    });
  });
  json["deviceClassMappings"].each([&](Json each) { read_mapping(each, v1beta1, strict, config); });
}

FieldErrors validate_resources(const Configuration& config) {
  FieldErrors errors;
  std::set<std::string> inputs;
  for (std::size_t i = 0; i < config.transformations.size(); ++i) {
    const ResourceTransformation& rule = config.transformations[i];
    const std::string path = "resources.transformations[" + std::to_string(i) + "]";
    if (!inputs.insert(rule.input).second) {
      errors.push_back({path + ".input", Kind::Duplicate, quoted(rule.input), ""});
    }
  }
  const std::string root = "resources.deviceClassMappings";
  if (const std::size_t count = config.device_class_mappings.size(); count > kMaxMappings) {
    errors.push_back({root, Kind::TooMany, std::to_string(count), "must have at most 16 items"});
  }
  std::set<std::string> mapped;
  std::map<std::string, Owner> owners;
  for (std::size_t i = 0; i < config.device_class_mappings.size(); ++i) {
    const DeviceClassMapping& mapping = config.device_class_mappings[i];
    const std::string path = root + "[" + std::to_string(i) + "]";
    label_key(path + ".name", mapping.name, errors);
    if (!mapped.insert(mapping.name).second) {
      errors.push_back({path + ".name", Kind::Duplicate, quoted(mapping.name), ""});
    }
    const std::size_t classes = mapping.device_class_names.size();
    if (classes == 0) {
      errors.push_back({path + ".deviceClassNames", Kind::Required, "",
                        "at least one device class name is required"});
    } else if (classes > kMaxClasses) {
      errors.push_back({path + ".deviceClassNames", Kind::TooMany, std::to_string(classes),
                        "must have at most 8 items"});
    }
    class_faults(path + ".deviceClassNames", mapping, owners, errors);
    bool counter = false, capacity = false;
    for (std::size_t j = 0; j < mapping.sources.size(); ++j) {
      source_faults(path + ".sources[" + std::to_string(j) + "]", mapping.sources[j], config.gates,
                    errors);
      counter = counter || mapping.sources[j].type == Source::Counter;
      capacity = capacity || mapping.sources[j].type == Source::Capacity;
    }
    if (counter && capacity) {
      errors.push_back({path + ".sources", Kind::Invalid, std::to_string(mapping.sources.size()),
                        "cannot mix counter and capacity sources in the same mapping"});
    }
  }
  return errors;
}

}  // namespace quorate::objects
