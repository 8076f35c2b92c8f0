#include "src/http/test_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <utility>

#include "src/http/openssl_ptr.h"

namespace quorate::http {

TestClient::TestClient(std::uint16_t port, const std::string& ca_pem) {
  socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
  const timeval limit{20, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return;
  connected_ = true;
  if (ca_pem.empty()) return;

  context_ = SSL_CTX_new(TLS_client_method());
  const X509Ptr ca = read_certificate(ca_pem);
  X509_STORE_add_cert(SSL_CTX_get_cert_store(context_), ca.get());
  SSL_CTX_set_verify(context_, SSL_VERIFY_PEER, nullptr);
  ssl_ = SSL_new(context_);
  X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_), "127.0.0.1");
  SSL_set_fd(ssl_, socket_);
  connected_ = SSL_connect(ssl_) == 1;
}

TestClient::~TestClient() {
  if (ssl_ != nullptr) SSL_free(ssl_);
  if (context_ != nullptr) SSL_CTX_free(context_);
  ::close(socket_);
}

bool TestClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const long sent = ssl_ != nullptr
                          ? SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()))
                          : ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool TestClient::read_more() {
  char bytes[4096];
  const long got = ssl_ != nullptr ? SSL_read(ssl_, bytes, sizeof bytes)
                                   : ::recv(socket_, bytes, sizeof bytes, 0);
  if (got <= 0) return false;
  buffer_.append(bytes, static_cast<std::size_t>(got));
  return true;
}

std::string TestClient::read_until(std::string_view end) {
  for (;;) {
    if (const std::size_t at = buffer_.find(end); at != std::string::npos) {
      std::string out = buffer_.substr(0, at + end.size());
      buffer_.erase(0, at + end.size());
      return out;
    }
    if (!read_more()) return {};
  }
}

std::string TestClient::read_answer() {
  std::string out = read_until("\r\n\r\n");
  if (out.empty()) return read_to_end();
  std::size_t length = 0;
  if (const std::size_t at = out.find("Content-Length: "); at != std::string::npos) {
    length = std::stoul(out.substr(at + 16));
  }
  while (buffer_.size() < length && read_more()) {
  }
  out += buffer_.substr(0, length);
  buffer_.erase(0, length);
  return out;
}

std::string TestClient::read_to_end() {
  while (read_more()) {
  }
  return std::exchange(buffer_, {});
}

std::string TestClient::peer_certificate_pem() const {
  const X509Ptr certificate(SSL_get1_peer_certificate(ssl_));
  const BioPtr bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), certificate.get());
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<std::size_t>(size));
}

}  // namespace quorate::http
