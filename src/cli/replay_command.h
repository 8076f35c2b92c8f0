#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace quorate::cli {

// Adds `replay`: runs a recorded event log again and compares every hash. Call the result once the
// arguments are parsed and name `replay`; exit status 0: all hashes are equal, 1: one differs or
// the log is damaged, 2: no such file.
std::function<int()> add_replay_command(CLI::App& app);

}  // namespace quorate::cli
