#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "controller/live/caches.h"
#include "src/base/labels.h"
#include "src/base/outcome.h"
#include "src/http/server.h"
#include "src/objects/job_webhook.h"

namespace quorate::controller {

// Answers the API server's admission reviews of Jobs. Every replica does, leader or not; it needs
// nothing but caches.
class JobWebhooks {
 public:
  JobWebhooks(const Caches& caches, objects::JobWebhookSettings settings,
              LabelSelector managed_namespaces);

  http::Response answer(const http::Request& request) const;

 private:
  objects::JobWebhookView view() const;

  const Caches& caches_;
  const objects::JobWebhookSettings settings_;
  const LabelSelector managed_namespaces_;
};

// host:port of a flag such as ":9443" or "127.0.0.1:0".
// Errors: Invalid - no port, or one out of range.
struct BindAddress {
  std::string host;  // "0.0.0.0" when the text has none
  std::uint16_t port = 0;
};
Outcome<BindAddress> parse_bind_address(std::string_view text);

}  // namespace quorate::controller
