#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "src/objects/config.h"
#include "src/objects/field_error.h"
#include "src/objects/json.h"

// Between the files that make up the reading of configuration documents.
namespace quorate::objects {

// Strict decoding: notes the members of objects that nobody knows, and texts that have no value of
// ours, which are reported together with the other faults of their section.
class StrictReader {
 public:
  // Members of `json` outside `known` are faults.
  void only(Json json, std::initializer_list<std::string_view> known);
  void not_supported(Json json, std::string value, std::string detail);

  std::vector<std::string> unknown;  // paths
  FieldErrors errors;
};

// The object of the only document in `text`, in `document`; false if there is none.
// Errors: Invalid - no YAML, several documents, not an object, another apiVersion or kind.
Outcome<bool> parse_configuration(std::string_view text, JsonDocument& document,
                                  std::initializer_list<std::string_view> api_versions,
                                  std::string_view kind);
// What is wrong with the document as such: unknown fields, or a value of the wrong type.
Outcome<void> strict_faults(const JsonDocument& document, const StrictReader& reader);

LeaderElection read_leader_election(Json json, LeaderElection defaults);

void read_configuration(Json json, bool v1beta1, StrictReader& strict, Configuration& config);
void read_resources(Json json, bool v1beta1, StrictReader& strict, Configuration& config);
void read_multi_kueue(Json json, bool v1beta1, StrictReader& strict, MultiKueueConfig& config);

// `early` are the errors that reading found; they go to their section.
FieldErrors validate(const Configuration& config, FieldErrors early);
FieldErrors validate_resources(const Configuration& config);
FieldErrors validate_multi_kueue(const MultiKueueConfig& config);
FieldErrors validate_metrics(const MetricsConfig& config);
FieldErrors validate_tls(const TlsConfig& config);

}  // namespace quorate::objects
