#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/outcome.h"
#include "src/objects/config.h"
#include "src/simulate/command.h"
#include "src/simulate/load.h"
#include "src/simulate/run.h"

namespace quorate::simulate {

// Everything that the options name, read and checked.
struct Inputs {
  Loader loaded;
  objects::Configuration config;
  RunLimits limits;
  std::optional<Time> now;
};

// Reads the inputs of an operation. Whatever is wrong is printed to the error stream, a line each;
// nullopt then.
std::optional<Inputs> read_inputs(const Options& options, const Streams& streams);

// What of the inputs is no object: the configuration document (its text; nullopt: none was given)
// and the flags. Adds a text for each fault.
void read_settings(const Options& options, const std::optional<std::string>& config, Inputs& inputs,
                   std::vector<std::string>& faults);
// The problems of what was loaded, as texts.
std::vector<std::string> problems_of(const Loader& loader);

// A whole file, at most `limit` bytes.
// Errors: NotFound - it cannot be opened; Invalid - too long, or a read failed.
Outcome<std::string> read_text(const std::string& path, std::size_t limit);
// Errors: Unavailable - it cannot be written.
Outcome<void> write_text(const std::string& path, std::string_view text);

}  // namespace quorate::simulate
