#include "src/cli/replay_command.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>

#include "src/engine/replay.h"
#include "src/simulate/inputs.h"
#include "src/simulate/op_schedule.h"

namespace quorate::cli {
namespace {

constexpr std::size_t kLongestLog = std::size_t{4} << 30;

int replay(const std::string& path) {
  const Outcome<std::string> log = simulate::read_text(path, kLongestLog);
  if (!log) {
    std::cerr << log.error().message << "\n";
    return simulate::kUnusable;
  }
  const Outcome<engine::Replay> done = engine::replay_log(*log);
  if (!done) {
    std::cerr << path << ": " << done.error().message << "\n";
    return simulate::kNotAsExpected;
  }
  if (done->engine() == nullptr) {
    std::cerr << path << ": holds no session\n";
    return simulate::kNotAsExpected;
  }
  std::cout << done->events() << " events, " << done->steps() << " steps, hash "
            << simulate::hash_text(done->engine()->decision_hash()) << ": as recorded\n";
  return simulate::kRan;
}

}  // namespace

std::function<int()> add_replay_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("replay", "Run a recorded event log again and compare its hashes");
  const auto path = std::make_shared<std::string>();
  command->add_option("FILE", *path, "the event log, as simulate --record writes it")->required();
  return [path] { return replay(*path); };
}

}  // namespace quorate::cli
