#pragma once

#include "controller/live/options.h"
#include "src/base/outcome.h"
#include "src/cli/command_line.h"

namespace quorate::cli {

// Reads the files that the command line names and puts flags over them.
// Errors: Invalid, NotFound - naming the file and field, or the flag.
Outcome<controller::ProcessOptions> program_options(const CommandLine& line);

}  // namespace quorate::cli
