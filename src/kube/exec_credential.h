#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>

#include "src/base/outcome.h"
#include "src/base/time.h"
#include "src/http/certificates.h"
#include "src/kube/config.h"

namespace quorate::kube {

// What a credential plugin printed.
struct ExecCredential {
  std::string token;
  http::KeyPair identity;
  std::optional<Time> expiry;

  friend bool operator==(const ExecCredential&, const ExecCredential&) = default;
};
// Errors: Invalid - not an ExecCredential, or one without credentials.
Outcome<ExecCredential> parse_exec_credential(std::string_view json);

// Runs the plugin and waits for it, at most `limit`. `child` holds its process id while it runs; a
// caller that puts -1 there before ends it as it starts.
// Errors: Unavailable - it does not start, fails or takes too long, with what it wrote to stderr.
Outcome<ExecCredential> run_exec_plugin(const Config& config, Duration limit,
                                        std::atomic<int>& child);

}  // namespace quorate::kube
