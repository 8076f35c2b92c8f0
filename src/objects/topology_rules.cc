#include <algorithm>
#include <map>

#include "src/objects/job_rules.h"
#include "src/objects/json.h"
#include "src/objects/names.h"
#include "src/objects/webhook_kueue.h"

namespace quorate::objects {
namespace {

using Kind = FieldError::Kind;

struct Annotations {
  const Labels& map;
  const std::string& path;
  const FeatureGates& gates;

  const std::string* find(std::string_view key) const {
    const auto found = map.find(key);
    return found == map.end() ? nullptr : &found->second;
  }
  std::string at_key(std::string_view key) const { return at(path, key); }
};

void label_name(const Annotations& from, std::string_view key, FieldErrors& errors) {
  const std::string* value = from.find(key);
  if (value == nullptr) return;
  for (const std::string& fault : label_key_faults(*value)) {
    errors.push_back(invalid_text(from.at_key(key), *value, fault));
  }
}

void mode_faults(const Annotations& from, FieldErrors& errors) {
  const std::string_view modes[] = {names::kRequiredTopology, names::kPreferredTopology,
                                    names::kUnconstrainedTopology};
  const auto set = [&](std::string_view key) { return from.find(key) != nullptr; };
  if (std::ranges::count_if(modes, set) > 1) {
    std::string all;
    for (const std::string_view mode : modes) all += (all.empty() ? "" : ", ") + quoted(mode);
    errors.push_back(invalid(from.path, "",
                             "must not contain more than one topology annotation: [" + all + "]"));
  }
  label_name(from, names::kRequiredTopology, errors);
  label_name(from, names::kPreferredTopology, errors);
  label_name(from, names::kSliceRequiredTopology, errors);
}

void group_faults(const Annotations& from, FieldErrors& errors) {
  const std::string* group = from.find(names::kPodSetGroupName);
  if (group == nullptr) return;
  const std::string path = from.at_key(names::kPodSetGroupName);
  const bool number =
      !group->empty() && std::ranges::all_of(*group, [](char c) { return c >= '0' && c <= '9'; });
  if (number) errors.push_back(invalid_text(path, *group, "must not be a number"));
  for (const std::string_view key :
       {names::kSliceSize, names::kSliceRequiredTopology, names::kSliceConstraints}) {
    if (from.find(key) == nullptr) continue;
    errors.push_back(
        {path, Kind::Forbidden, "", "may not be set when '" + std::string(key) + "' is specified"});
  }
  if (from.find(names::kRequiredTopology) == nullptr &&
      from.find(names::kPreferredTopology) == nullptr) {
    errors.push_back({path, Kind::Forbidden, "",
                      "may not be set when neither '" + std::string(names::kPreferredTopology) +
                          "' nor '" + std::string(names::kRequiredTopology) + "' is specified"});
  }
}

void slice_faults(const Annotations& from, FieldErrors& errors) {
  if (const std::string* text = from.find(names::kUnconstrainedTopology);
      text != nullptr && !go_bool(*text)) {
    errors.push_back(
        invalid_text(from.at_key(names::kUnconstrainedTopology), *text, "must be a boolean value"));
  }
  const std::string path = from.at_key(names::kSliceSize);
  const std::string* size = from.find(names::kSliceSize);
  if (size != nullptr) {
    const Outcome<std::int32_t> value = go_int32(*size);
    if (!value) {
      errors.push_back(invalid_text(path, *size, "must be a numeric value"));
    } else if (*value < 1) {
      errors.push_back(invalid(path, std::to_string(*value), "must be greater than or equal to 1"));
    }
  }
  const bool required = from.find(names::kSliceRequiredTopology) != nullptr;
  const std::string name(names::kSliceRequiredTopology);
  if (required && size == nullptr) {
    errors.push_back({path, Kind::Required, "", "must be set when '" + name + "' is specified"});
  }
  if (!required && size != nullptr) {
    errors.push_back(
        {path, Kind::Forbidden, "", "may not be set when '" + name + "' is not specified"});
  }
}

// The sizes of the annotation's layers, outermost first; empty if it is absent or of no use.
std::vector<std::int64_t> constraint_faults(const Annotations& from, FieldErrors& errors) {
  const std::string* text = from.find(names::kSliceConstraints);
  if (text == nullptr) return {};
  const std::string path = from.at_key(names::kSliceConstraints);
  if (!from.gates.enabled("TASMultiLayerTopology")) {
    errors.push_back({path, Kind::Forbidden, "",
                      "the TASMultiLayerTopology feature gate must be enabled to use this "
                      "annotation"});
    return {};
  }
  for (const std::string_view key : {names::kSliceRequiredTopology, names::kSliceSize}) {
    if (from.find(key) == nullptr) continue;
    errors.push_back(
        {path, Kind::Forbidden, "", "may not be set when '" + std::string(key) + "' is specified"});
  }
  const auto no_array = [&](const std::string& why) {
    errors.push_back(invalid_text(path, *text, "must be a valid JSON array: " + why));
    return std::vector<std::int64_t>{};
  };
  JsonDocument document;
  if (const Outcome<void> parsed = document.parse(*text); !parsed) {
    return no_array(parsed.error().message);
  }
  if (!document.root().is_array()) return no_array("it is something else");
  std::vector<SliceConstraint> layers;
  document.root().each([&](Json each) {
    layers.push_back({each["topology"].text(), each["size"].int32()});
  });
  if (document.fault()) return no_array(*document.fault());
  if (layers.empty() || layers.size() > 3) {
    errors.push_back(
        invalid_text(path, *text, "topology constraints must contain between 1 and 3 entries"));
    return {};
  }
  std::map<std::string, std::size_t> seen;
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::string here = at(path, i);
    for (const std::string& fault : label_key_faults(layers[i].topology)) {
      errors.push_back(invalid_text(here + ".topology", layers[i].topology, fault));
    }
    if (layers[i].size < 1) {
      errors.push_back(invalid(here + ".size", std::to_string(layers[i].size),
                               "must be greater than or equal to 1"));
    }
    if (const auto [first, fresh] = seen.emplace(layers[i].topology, i); !fresh) {
      errors.push_back(
          {here + ".topology", Kind::Duplicate,
           quoted(layers[i].topology + " (also at index " + std::to_string(first->second) + ")"),
           ""});
    }
    if (i > 0 && layers[i].size > 0 && layers[i - 1].size > 0 &&
        layers[i - 1].size % layers[i].size != 0) {
      errors.push_back(invalid(
          here + ".size", std::to_string(layers[i].size),
          "must evenly divide the parent layer size " + std::to_string(layers[i - 1].size)));
    }
    sizes.push_back(layers[i].size);
  }
  return sizes;
}

}  // namespace

FieldErrors topology_faults(const Labels& annotations, const std::string& path, std::int32_t count,
                            const FeatureGates& gates) {
  const Annotations from{annotations, path, gates};
  FieldErrors errors;
  mode_faults(from, errors);
  group_faults(from, errors);
  slice_faults(from, errors);
  const std::vector<std::int64_t> sizes = constraint_faults(from, errors);
  if (!errors.empty()) return errors;

  // What needs the pod sets is looked at only when the annotations are sound.
  const auto larger = [&](std::string_view key, std::int64_t size) {
    if (size <= count) return;
    errors.push_back(invalid(from.at_key(key), std::to_string(size),
                             "must not be greater than pod set count " + std::to_string(count)));
  };
  if (const std::string* size = from.find(names::kSliceSize)) {
    larger(names::kSliceSize, *go_int32(*size));
  }
  if (!sizes.empty()) larger(names::kSliceConstraints, sizes.front());
  if (const std::string* group = from.find(names::kPodSetGroupName)) {
    errors.push_back(
        invalid_text(from.at_key(names::kPodSetGroupName), *group,
                     "can only define groups of exactly 2 pod sets, got: 1 pod set(s)"));
  }
  return errors;
}

}  // namespace quorate::objects
