#include "src/objects/config.h"

#include <algorithm>

#include "src/objects/config_parts.h"
#include "src/objects/names.h"
#include "src/objects/yaml.h"

namespace quorate::objects {
namespace {

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

// The gates of the document or of the flag, never of both.
Outcome<FeatureGates> read_gates(Json json, const std::string& flag) {
  std::map<std::string, bool> wanted;
  json.members([&](std::string_view name, Json on) { wanted[std::string(name)] = on.boolean(); });
  if (!flag.empty()) {
    if (!wanted.empty()) {
      return error(Errc::Invalid,
                   "featureGates: Invalid value: feature gates for CLI and configuration cannot "
                   "both specified");
    }
    const Outcome<std::map<std::string, bool>> parsed = FeatureGates::parse_flag(flag);
    if (!parsed) return within("featureGates", parsed.error());
    wanted = *parsed;
  }
  const Outcome<FeatureGates> gates = FeatureGates::from(wanted);
  if (!gates) return within("featureGates", gates.error());
  return gates;
}

}  // namespace

void StrictReader::only(Json json, std::initializer_list<std::string_view> known) {
  if (!json.present()) return;
  json.members([&](std::string_view key, Json member) {
    if (std::ranges::find(known, key) == known.end()) unknown.push_back(member.path());
  });
}

void StrictReader::not_supported(Json json, std::string value, std::string detail) {
  errors.push_back(
      {json.path(), FieldError::Kind::NotSupported, std::move(value), std::move(detail)});
}

Outcome<bool> parse_configuration(std::string_view text, JsonDocument& document,
                                  std::initializer_list<std::string_view> api_versions,
                                  std::string_view kind) {
  const Outcome<std::vector<std::string>> documents = yaml_to_json(text);
  if (!documents) return tl::unexpected(documents.error());
  if (documents->empty()) return false;
  if (documents->size() > 1) return error(Errc::Invalid, "more than one document");
  if (const Outcome<void> parsed = document.parse(documents->front()); !parsed) {
    return tl::unexpected(parsed.error());
  }
  if (!document.root().is_object()) return error(Errc::Invalid, "the document must be an object");
  const std::string version = document.root()["apiVersion"].text();
  const std::string got = document.root()["kind"].text();
  if (got != kind || std::ranges::find(api_versions, version) == api_versions.end()) {
    return error(Errc::Invalid, "no kind \"" + got + "\" is known for version \"" + version +
                                    "\"; expected " + std::string(kind) + " of " +
                                    std::string(*api_versions.begin()));
  }
  return true;
}

Outcome<void> strict_faults(const JsonDocument& document, const StrictReader& reader) {
  if (document.fault()) return error(Errc::Invalid, *document.fault());
  if (reader.unknown.empty()) return {};
  std::string message;
  for (const std::string& path : reader.unknown) {
    message += (message.empty() ? "" : ", ") + std::string("unknown field \"") + path + "\"";
  }
  return error(Errc::Invalid, "strict decoding error: " + message);
}

LeaderElection read_leader_election(Json json, LeaderElection defaults) {
  LeaderElection result;
  result.leader_elect = json["leaderElect"].boolean(defaults.leader_elect);
  const auto text_or = [](Json field, const std::string& fallback) {
    const std::string text = field.text();
    return text.empty() ? fallback : text;
  };
  result.resource_name = text_or(json["resourceName"], defaults.resource_name);
  result.resource_lock = text_or(json["resourceLock"], defaults.resource_lock);
  result.resource_namespace = text_or(json["resourceNamespace"], defaults.resource_namespace);
  const auto duration_or = [](Json field, Duration fallback) {
    const Duration duration = field.maybe_duration().value_or(Duration{});
    return duration == Duration{} ? fallback : duration;
  };
  result.lease_duration = duration_or(json["leaseDuration"], defaults.lease_duration);
  result.renew_deadline = duration_or(json["renewDeadline"], defaults.renew_deadline);
  result.retry_period = duration_or(json["retryPeriod"], defaults.retry_period);
  return result;
}

Outcome<Configuration> load_configuration(std::string_view text,
                                          const ConfigurationInputs& inputs) {
  Configuration config;
  config.ns = trimmed(inputs.service_account_namespace);
  if (config.ns.empty()) config.ns = "kueue-system";

  JsonDocument document;
  const Outcome<bool> found = parse_configuration(
      text, document, {"config.kueue.x-k8s.io/v1beta2", "config.kueue.x-k8s.io/v1beta1"},
      "Configuration");
  if (!found) return tl::unexpected(found.error());
  if (!*found && !document.parse("{}")) return error(Errc::Invalid, "empty document");

  const Json root = document.root();
  StrictReader strict;
  read_configuration(root, root["apiVersion"].text().ends_with("/v1beta1"), strict, config);
  const Outcome<FeatureGates> gates = read_gates(root["featureGates"], inputs.feature_gates_flag);
  if (const Outcome<void> whole = strict_faults(document, strict); !whole) {
    return tl::unexpected(whole.error());
  }
  if (!gates) return tl::unexpected(gates.error());
  config.gates = *gates;
  if (const FieldErrors faults = validate(config, strict.errors); !faults.empty()) {
    return error(Errc::Invalid, join(faults));
  }
  if (config.gates.enabled("DisableWaitForPodsReady")) config.wait_for_pods_ready.reset();
  return config;
}

}  // namespace quorate::objects
