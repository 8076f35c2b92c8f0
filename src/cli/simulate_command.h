#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace quorate::cli {

// Adds `simulate`, with its own `trace`, to the program. Call the result once the arguments are
// parsed and name `simulate`: it runs the command and gives the exit status.
std::function<int()> add_simulate_command(CLI::App& app);

}  // namespace quorate::cli
