#include "src/cli/config_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <vector>

#include "src/objects/json.h"
#include "src/objects/yaml.h"
#include "src/translate/translate.h"

namespace quorate::cli {

Outcome<ConfigFile> parse_config(std::string_view text, const std::string& path,
                                 const objects::ConfigurationInputs& inputs) {
  Outcome<std::vector<std::string>> documents = objects::yaml_to_json(text);
  if (!documents) return within(path, documents.error());

  std::optional<std::string> admission;
  std::optional<std::string> scheduler;
  for (std::string& json : *documents) {
    objects::JsonDocument document;
    if (Outcome<void> parsed = document.parse(json); !parsed) return within(path, parsed.error());
    const std::string kind = document.root()["kind"].text();
    std::optional<std::string>* place = kind == "Configuration"                ? &admission
                                        : kind == "KubeSchedulerConfiguration" ? &scheduler
                                                                               : nullptr;
    if (place == nullptr) {
      return error(Errc::Invalid, path + ": kind: \"" + kind +
                                      "\": want Configuration or KubeSchedulerConfiguration");
    }
    if (*place) return error(Errc::Invalid, path + ": there are two documents of kind " + kind);
    *place = std::move(json);
  }
  ConfigFile file;
  Outcome<objects::Configuration> first =
      objects::load_configuration(admission.value_or(""), inputs);
  if (!first) return within(path + ": Configuration", first.error());
  Outcome<objects::SchedulerConfiguration> second =
      objects::load_scheduler_configuration(scheduler.value_or(""));
  if (!second) return within(path + ": KubeSchedulerConfiguration", second.error());
  if (const translate::Defects unknown = translate::unknown_plugins(*second); !unknown.empty()) {
    std::string faults;
    for (const translate::Defect& one : unknown)
      faults += (faults.empty() ? "" : ", ") + one.text();
    return within(path + ": KubeSchedulerConfiguration", Error{Errc::Invalid, std::move(faults)});
  }
  file.admission = std::move(*first);
  file.scheduler = std::move(*second);
  return file;
}

Outcome<ConfigFile> load_config_file(const std::string& path,
                                     const objects::ConfigurationInputs& inputs) {
  if (path.empty()) return parse_config("", "--config", inputs);
  std::ifstream file(path);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) {
    // An empty file sets the stream's failbit and is a document without settings.
    if (file && file.peek() == std::ifstream::traits_type::eof())
      return parse_config("", path, inputs);
    return error(Errc::NotFound, path + ": " + std::strerror(errno));
  }
  return parse_config(text.str(), path, inputs);
}

}  // namespace quorate::cli
