#pragma once

#include <functional>
#include <memory>
#include <string>

#include "src/base/outcome.h"
#include "src/http/certificates.h"
#include "src/http/transport.h"

namespace quorate::http {

// What a new TLS connection needs. Empty `ca_pem` means that no server can be verified.
struct TlsMaterial {
  std::string ca_pem;
  KeyPair identity;  // empty: no client certificate
};

struct TransportOptions {
  std::string base_url;  // "https://10.0.0.1:443", no path
  // Asked for every new connection, on the transport's thread: answer from memory or a small file,
  // and the next connection uses a rotated certificate. An error fails that connection.
  std::function<Outcome<TlsMaterial>()> tls;
  bool insecure_skip_verify = false;
  std::string server_name;  // verified and sent as SNI instead of the URL's host, when set
  int max_in_flight = 32;   // unary requests; more wait their turn, their timeout running
  Duration stream_idle_timeout = Duration::seconds(150);  // silence that ends a stream
  std::size_t max_body_bytes = std::size_t{512} << 20;    // of a unary answer
};

// First thing in main(), before any thread or TLS: limits the client library to one thread, which
// is the only way it is safe, and keeps the system's CA bundle from being parsed per connection.
void init_process();

// Errors: Invalid - the URL is not http(s)://host[:port].
Outcome<std::shared_ptr<HttpTransport>> make_transport(TransportOptions options);

}  // namespace quorate::http
