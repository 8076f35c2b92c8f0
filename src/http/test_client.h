#pragma once

#include <openssl/ssl.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace quorate::http {

// A client for tests that sends exactly the bytes it is told: plain sockets, or TLS that trusts
// `ca_pem`. Reads wait at most 20 s, which no passing test comes near.
class TestClient {
 public:
  explicit TestClient(std::uint16_t port, const std::string& ca_pem = {});
  ~TestClient();
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;

  bool connected() const { return connected_; }
  // False once the peer has closed.
  bool send(std::string_view bytes);
  // One whole answer with Content-Length, head and body; what there is when the peer closes first.
  std::string read_answer();
  std::string read_until(std::string_view end);  // "" when the peer closes first
  std::string read_to_end();
  std::string peer_certificate_pem() const;

 private:
  bool read_more();

  int socket_ = -1;
  SSL_CTX* context_ = nullptr;
  SSL* ssl_ = nullptr;
  bool connected_ = false;
  std::string buffer_;
};

}  // namespace quorate::http
