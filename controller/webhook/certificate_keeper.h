#pragma once

#include <functional>
#include <string>
#include <vector>

#include "src/base/object_key.h"
#include "src/base/outcome.h"
#include "src/base/time.h"
#include "src/http/certificates.h"
#include "src/kube/client.h"

namespace quorate::controller {

// The authority and the serving certificate as they lie in the Secret.
struct ServingMaterial {
  std::string ca_pem;  // what clients trust: during a rotation the old authority, too
  http::KeyPair ca;    // signs the next certificate
  http::KeyPair serving;

  friend bool operator==(const ServingMaterial&, const ServingMaterial&) = default;
};

struct CertificateNames {
  std::vector<std::string> dns_names;
  std::vector<std::string> ip_addresses;
};

// The names under which a webhook is asked: those of the Service, and the host of `url`, if any.
CertificateNames serving_names(const std::string& service, const std::string& ns,
                               const std::string& url);

// What the Secret should hold: `there` as long as it is good for a while, else renewed. A renewed
// authority keeps its predecessor in ca_pem, so that replicas that still serve the old certificate
// are trusted.
Outcome<ServingMaterial> renewed(const ServingMaterial& there, const CertificateNames& names,
                                 Time now);

// Reads and writes the Secret's data (ca.crt, ca.key, tls.crt, tls.key).
Outcome<ServingMaterial> material_of_secret(std::string_view secret_json, std::string& version);
std::string secret_json(const ObjectKey& key, const std::string& resource_version,
                        const ServingMaterial& material);

// Keeps the Secret, what is served, and the webhook configuration in step. Every replica runs one:
// whoever comes first writes, the others read.
class CertificateKeeper {
 public:
  struct Options {
    ObjectKey secret;
    std::string webhook_configuration;  // MutatingWebhookConfiguration; "" for none
    std::string url;                    // https://host:port where no Service leads here; else ""
    CertificateNames names;
  };
  CertificateKeeper(kube::Client& client, Options options);

  // Makes or reads the certificate, and writes authority (and URL) into the configuration where
  // they are missing. Blocks. Again from time to time: it renews what is about to end.
  Outcome<ServingMaterial> refresh(Time now);

 private:
  Outcome<ServingMaterial> secret(Time now);
  Outcome<void> inject(const std::string& ca_pem);

  kube::Client& client_;
  const Options options_;
};

// The JSON patch that gives each webhook of a configuration this authority, and with a `url` this
// address instead of its Service; "" if they have it. Guarded by the resourceVersion.
// Errors: Invalid - no webhook configuration.
Outcome<std::string> injection_patch(std::string_view configuration_json, const std::string& ca_pem,
                                     const std::string& url);

std::string base64(std::string_view bytes);
Outcome<std::string> from_base64(std::string_view text);

}  // namespace quorate::controller
