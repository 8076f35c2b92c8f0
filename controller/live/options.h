#pragma once

#include <optional>
#include <string>

#include "controller/live/parts.h"
#include "src/objects/config.h"
#include "src/objects/scheduler_config.h"

namespace quorate::controller {

// Everything that a process is told at its start.
struct ProcessOptions {
  std::string program = "controller";  // or "scheduler"
  std::string version;
  Parts parts;
  std::string kubeconfig;  // "": in-cluster
  objects::Configuration config;
  objects::SchedulerConfiguration scheduler_config;

  bool leader_elect = true;
  std::string lease_namespace;
  std::string lease_name;

  std::string metrics_address;  // "0" or "": off
  std::string health_address;
  std::string webhook_address = ":9443";
  std::string webhook_service;
  std::string webhook_namespace;
  std::string webhook_secret;
  std::string webhook_configuration;
  std::string webhook_url;
};

}  // namespace quorate::controller
