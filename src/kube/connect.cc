#include "src/base/thread_annotations.h"
#include "src/kube/config.h"
#include "src/kube/watched_file.h"

namespace quorate::kube {
namespace {

constexpr const char* kSystemBundles[] = {
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/cert.pem"};

// The CA to verify the server with; from the system when the configuration names none.
class CaSource {
 public:
  explicit CaSource(const Config& config) : text_(config.ca.text), file_(config.ca.file) {
    if (!config.ca.empty() || config.insecure_skip_verify) return;
    for (const char* path : kSystemBundles) {
      if (read_file(path)) {
        file_ = WatchedFile(path);
        return;
      }
    }
  }
  Outcome<std::string> get() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (!text_.empty() || file_.path().empty()) return text_;
    return file_.text();
  }

 private:
  Mutex mutex_;
  const std::string text_;
  WatchedFile file_ GUARDED_BY(mutex_);
};

Outcome<http::TlsMaterial> material(CaSource& ca, Credentials& credentials) {
  Outcome<std::string> bundle = ca.get();
  if (!bundle) return within("certificate authority", bundle.error());
  Outcome<http::KeyPair> identity = credentials.identity();
  if (!identity) return tl::unexpected(identity.error());
  return http::TlsMaterial{std::move(*bundle), std::move(*identity)};
}

Outcome<void> check_now(const Config& config, const http::TlsMaterial& now) {
  if (config.server.starts_with("http://")) return {};
  if (!config.insecure_skip_verify) {
    if (const Outcome<int> count = http::count_certificates(now.ca_pem); !count) {
      return within("certificate authority " + config.ca.file, count.error());
    }
  }
  if (!now.identity.certificate_pem.empty()) {
    if (const Outcome<void> sound = http::check_key_pair(now.identity); !sound) {
      return within("client certificate " + config.client_certificate.file, sound.error());
    }
  }
  return {};
}

}  // namespace

Outcome<Connection> connect(const Config& config, int max_in_flight) {
  Connection out;
  out.credentials = make_credentials(config);
  const auto ca = std::make_shared<CaSource>(config);
  const Outcome<http::TlsMaterial> now = material(*ca, *out.credentials);
  if (!now) return within(config.source, now.error());
  if (const Outcome<void> sound = check_now(config, *now); !sound) {
    return within(config.source, sound.error());
  }

  http::TransportOptions transport;
  const std::size_t host = config.server.find("://") + 3;
  const std::size_t path = std::min(config.server.find('/', host), config.server.size());
  transport.base_url = config.server.substr(0, path);
  transport.insecure_skip_verify = config.insecure_skip_verify;
  transport.server_name = config.tls_server_name;
  transport.max_in_flight = max_in_flight;
  transport.tls = [ca, credentials = out.credentials] { return material(*ca, *credentials); };
  Outcome<std::shared_ptr<http::HttpTransport>> made = http::make_transport(std::move(transport));
  if (!made) return within(config.source, made.error());
  out.transport = std::move(*made);

  out.options.base_path = config.server.substr(path);
  while (out.options.base_path.ends_with('/')) out.options.base_path.pop_back();
  out.options.max_in_flight = max_in_flight;
  if (!config.impersonate_user.empty()) {
    out.options.headers.set("Impersonate-User", config.impersonate_user);
  }
  if (!config.impersonate_uid.empty()) {
    out.options.headers.set("Impersonate-Uid", config.impersonate_uid);
  }
  for (const std::string& group : config.impersonate_groups) {
    out.options.headers.add("Impersonate-Group", group);
  }
  return out;
}

}  // namespace quorate::kube
