#pragma once

#include <string>
#include <string_view>

#include "src/base/outcome.h"
#include "src/objects/config.h"
#include "src/objects/scheduler_config.h"

namespace quorate::cli {

struct ConfigFile {
  objects::Configuration admission;
  objects::SchedulerConfiguration scheduler;
};

// Reads a stream of documents: at most one Configuration of config.kueue.x-k8s.io and at most one
// KubeSchedulerConfiguration; what is missing has its defaults.
// Errors: Invalid - names `path`, and the document's kind and field.
Outcome<ConfigFile> parse_config(std::string_view text, const std::string& path,
                                 const objects::ConfigurationInputs& inputs);

// The same from a file; "" is an empty one. Errors: NotFound - it cannot be read; Invalid.
Outcome<ConfigFile> load_config_file(const std::string& path,
                                     const objects::ConfigurationInputs& inputs);

}  // namespace quorate::cli
