#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "src/base/outcome.h"
#include "src/http/body_stream.h"
#include "src/http/certificates.h"
#include "src/http/message.h"

namespace quorate::http {

// Answers one request; called on a worker thread, several at a time. An exception becomes a 500.
using Handler = std::function<Response(const Request& request)>;

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;      // 0: any free port, see Server::port()
  std::optional<KeyPair> tls;  // nullopt: plain HTTP
  // When set, a request whose bearer token ("" when it brings none) it refuses gets a 401.
  std::function<bool(std::string_view token)> authorize;

  int io_threads = 1;
  int worker_threads = 2;
  int max_connections = 512;  // more are closed at once
  std::uint32_t max_header_bytes = 16 << 10;
  std::uint64_t max_body_bytes = 3 << 20;  // an AdmissionReview carries up to two objects
  Duration handshake_timeout = Duration::seconds(10);
  Duration header_timeout = Duration::seconds(10);
  Duration body_timeout = Duration::seconds(30);
  Duration idle_timeout = Duration::seconds(60);  // between two requests
  Duration write_timeout = Duration::seconds(30);
};

// An HTTP/1.1 server on its own threads, safe to show to the pod network: every size, time and
// count is bounded.
class Server {
 public:
  // Errors: Invalid - the address or key pair does not parse; Unavailable - the port is taken.
  static Outcome<std::unique_ptr<Server>> start(ServerOptions options, Handler handler);

  virtual ~Server() = default;  // stop(0)
  virtual std::uint16_t port() const = 0;

  // New connections use it; open ones go on. Errors: Invalid - the pair does not parse or match.
  virtual Outcome<void> set_certificate(const KeyPair& pair) = 0;

  // Takes no new connection, lets requests in flight finish for at most `grace`, then closes the
  // rest and joins the threads. Open body streams are aborted when the grace is over.
  virtual void stop(Duration grace) = 0;
};

}  // namespace quorate::http
