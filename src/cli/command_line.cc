#include "src/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "controller/live/log.h"
#include "controller/live/process.h"
#include "src/cli/program_options.h"
#include "src/cli/replay_command.h"
#include "src/cli/simulate_command.h"

namespace quorate::cli {
namespace {

void add_common_flags(CLI::App& app, CommandLine& line) {
  app.add_option("--kubeconfig", line.kubeconfig,
                 "File that says how to reach the API server; without it: as a pod of the cluster");
  app.add_option(
      "--config", line.config_file,
      "Configuration (config.kueue.x-k8s.io) and/or KubeSchedulerConfiguration document");
  app.add_option("--metrics-bind-address", line.metrics_address,
                 "host:port of the Prometheus endpoint; 0 switches it off");
  app.add_option("--health-probe-bind-address", line.health_address,
                 "host:port of /healthz and /readyz; 0 switches them off");
  app.add_option("--log-format", line.log_format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  app.add_option("--log-level", line.log_level, "debug, info, warn or error")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}))
      ->capture_default_str();
  app.add_flag_function(
      "--leader-elect", [&line](std::int64_t given) { line.leader_elect = given > 0; },
      "Hold a lease before deciding anything, so that several instances may run");
  app.add_option("--leader-elect-namespace", line.leader_elect_namespace, "Namespace of the lease");
}

}  // namespace

Outcome<CommandLine> parse_command_line(const std::vector<std::string>& arguments) {
  CommandLine line;
  CLI::App app("Decides when batch workloads may start on Kubernetes, and binds their gangs whole.",
               "quorate");
  bool version = false;
  app.add_flag("--version", version, "Print the version");
  app.require_subcommand(0, 1);

  CLI::App* controller = app.add_subcommand(
      "controller", "Admit workloads by quota; start, stop and account for them");
  add_common_flags(*controller, line);
  controller->add_option(
      "--controllers", line.controllers,
      "Which parts run: * is all but the scheduler; a name switches one on, -name "
      "off. Parts: admission, batch/job, podgroup, webhooks, status, scheduler");
  controller->add_option("--feature-gates", line.feature_gates, "Name=true,Name=false");
  controller->add_option("--webhook-bind-address", line.webhook_address,
                         "host:port on which the API server's reviews are answered");
  controller->add_option("--webhook-service", line.webhook_service,
                         "Service through which the API server comes: a name of the certificate");
  controller->add_option("--webhook-namespace", line.webhook_namespace,
                         "Namespace of that Service and of the certificate's Secret");
  controller->add_option("--webhook-secret", line.webhook_secret, "Secret of the certificate");
  controller->add_option("--webhook-configuration", line.webhook_configuration,
                         "MutatingWebhookConfiguration that is told the certificate's authority");
  controller->add_option("--webhook-url", line.webhook_url,
                         "https://host:port by which the API server comes where no Service leads "
                         "here, as when this runs outside of the cluster");
  controller->add_flag("--version", version, "Print the version");

  CLI::App* scheduler = app.add_subcommand("scheduler", "Place pods on nodes; gangs whole or not");
  add_common_flags(*scheduler, line);
  scheduler->add_flag("--version", version, "Print the version");

  std::function<int()> simulate = add_simulate_command(app);
  std::function<int()> replay = add_replay_command(app);
  CLI::App* print_version = app.add_subcommand("version", "Print the version");

  try {
    // CLI11 takes them from the back.
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    line.text = (chosen.empty() ? &app : chosen.front())->help();
    return line;
  } catch (const CLI::Error& wrong) {
    return error(Errc::Invalid, wrong.what());
  }
  if (version || print_version->parsed()) {
    line.command = CommandLine::Command::Version;
  } else if (controller->parsed()) {
    line.command = CommandLine::Command::Controller;
  } else if (scheduler->parsed()) {
    line.command = CommandLine::Command::Scheduler;
  } else if (app.got_subcommand("simulate") || app.got_subcommand("replay")) {
    line.command = CommandLine::Command::Offline;
    line.offline = std::move(app.got_subcommand("simulate") ? simulate : replay);
  } else {
    line.text = app.help();
  }
  return line;
}

int run(int argc, char** argv) {
  Outcome<CommandLine> line =
      parse_command_line(std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
  if (!line) {
    std::fprintf(stderr, "quorate: %s\nRun \"quorate --help\" for the commands and flags.\n",
                 line.error().message.c_str());
    return 2;
  }
  switch (line->command) {
    case CommandLine::Command::Help:
      std::fputs(line->text.c_str(), stdout);
      return 0;
    case CommandLine::Command::Version:
      std::printf("quorate %s\n", kVersion);
      return 0;
    case CommandLine::Command::Offline:
      return line->offline();
    case CommandLine::Command::Controller:
    case CommandLine::Command::Scheduler:
      break;
  }
  using controller::LogLevel;
  const LogLevel level = line->log_level == "debug"   ? LogLevel::Debug
                         : line->log_level == "warn"  ? LogLevel::Warn
                         : line->log_level == "error" ? LogLevel::Error
                                                      : LogLevel::Info;
  controller::init_log(
      line->log_format == "json" ? controller::LogFormat::Json : controller::LogFormat::Text,
      level);
  const Outcome<controller::ProcessOptions> options = program_options(*line);
  if (!options) {
    controller::log_error("cannot start", {{"reason", options.error().message}});
    return 1;
  }
  return controller::run_process(*options);
}

}  // namespace quorate::cli
