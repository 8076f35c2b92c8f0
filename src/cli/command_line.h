#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/base/outcome.h"

namespace quorate::cli {

inline constexpr const char* kVersion = "0.1.0";

// What stands on the command line, before files are read. nullopt: the flag was not given.
struct CommandLine {
  enum class Command { Help, Version, Controller, Scheduler, Offline };
  Command command = Command::Help;

  std::string kubeconfig;
  std::string config_file;
  std::string controllers;
  std::string feature_gates;
  std::optional<std::string> metrics_address;
  std::optional<std::string> health_address;
  std::string log_format = "text";
  std::string log_level = "info";
  std::optional<bool> leader_elect;
  std::optional<std::string> leader_elect_namespace;
  std::optional<std::string> webhook_address;
  std::optional<std::string> webhook_service;
  std::optional<std::string> webhook_namespace;
  std::optional<std::string> webhook_secret;
  std::optional<std::string> webhook_configuration;
  std::string webhook_url;

  std::function<int()> offline;  // Offline (simulate, replay): runs it, gives the exit status
  std::string text;              // Help: what to print
};

// Errors: Invalid - an unknown command or flag, or a value out of its set.
Outcome<CommandLine> parse_command_line(const std::vector<std::string>& arguments);

// The program, from its arguments to its exit status.
int run(int argc, char** argv);

}  // namespace quorate::cli
