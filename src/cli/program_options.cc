#include "src/cli/program_options.h"

#include <algorithm>
#include <fstream>
#include <string>

#include "src/cli/config_file.h"
#include "src/objects/config.h"

namespace quorate::cli {
namespace {

std::string service_account_namespace() {
  std::ifstream file("/var/run/secrets/kubernetes.io/serviceaccount/namespace");
  std::string ns;
  std::getline(file, ns);
  return ns;
}

// The configurations are named after the Service, as existing installations have them.
std::string webhook_configuration_of(const std::string& service) {
  constexpr std::string_view kSuffix = "-webhook-service";
  const std::string prefix =
      service.ends_with(kSuffix) ? service.substr(0, service.size() - kSuffix.size()) : service;
  return prefix + "-mutating-webhook-configuration";
}

}  // namespace

Outcome<controller::ProcessOptions> program_options(const CommandLine& line) {
  const objects::ConfigurationInputs inputs{service_account_namespace(), line.feature_gates};
  Outcome<ConfigFile> file = load_config_file(line.config_file, inputs);
  if (!file) return tl::unexpected(file.error());

  controller::ProcessOptions options;
  options.version = kVersion;
  options.kubeconfig = line.kubeconfig;
  options.config = std::move(file->admission);
  options.scheduler_config = std::move(file->scheduler);
  const objects::Configuration& config = options.config;
  const bool scheduler = line.command == CommandLine::Command::Scheduler;
  if (scheduler) {
    options.program = "scheduler";
    options.parts.scheduler = true;
    if (options.kubeconfig.empty()) options.kubeconfig = options.scheduler_config.kubeconfig;
  } else {
    Outcome<controller::Parts> parts = controller::parse_parts(line.controllers);
    if (!parts) return within("--controllers", parts.error());
    options.parts = *parts;
    if (std::ranges::find(config.frameworks, "batch/job") == config.frameworks.end()) {
      options.parts.jobs = false;
    }
  }
  const objects::LeaderElection& election =
      scheduler ? options.scheduler_config.leader_election : config.leader_election;
  options.leader_elect = line.leader_elect.value_or(election.leader_elect);
  options.lease_name = election.resource_name;
  options.lease_namespace = line.leader_elect_namespace.value_or(
      election.resource_namespace.empty() ? config.ns : election.resource_namespace);
  options.metrics_address = line.metrics_address.value_or(config.metrics.bind_address);
  options.health_address = line.health_address.value_or(config.health_bind_address);
  options.webhook_address = line.webhook_address.value_or(config.webhook_host + ":" +
                                                          std::to_string(config.webhook_port));
  options.webhook_service = line.webhook_service.value_or(config.webhook_service_name);
  options.webhook_namespace = line.webhook_namespace.value_or(config.ns);
  options.webhook_secret = line.webhook_secret.value_or(config.webhook_secret_name);
  options.webhook_configuration =
      line.webhook_configuration.value_or(webhook_configuration_of(options.webhook_service));
  options.webhook_url = line.webhook_url;
  while (options.webhook_url.ends_with("/")) options.webhook_url.pop_back();
  return options;
}

}  // namespace quorate::cli
