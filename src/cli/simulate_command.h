#pragma once

namespace CLI {
class App;
}

namespace quorate::cli {

// Adds `simulate` (and its `trace`) to the program. When it was given, `exit_status` is set once the
// arguments are parsed: the command runs in CLI11's callback.
void add_simulate_command(CLI::App& app, int& exit_status);

}  // namespace quorate::cli
