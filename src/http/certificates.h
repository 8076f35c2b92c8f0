#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/base/outcome.h"
#include "src/base/time.h"

namespace quorate::http {

// A certificate (chain, leaf first) and its private key, both PEM.
struct KeyPair {
  std::string certificate_pem;
  std::string key_pem;

  friend bool operator==(const KeyPair&, const KeyPair&) = default;
};

// A new self-signed CA (ECDSA P-256), valid from five minutes before `now`.
// Errors: Unavailable - the crypto library refused.
Outcome<KeyPair> make_ca(std::string_view common_name, Time now, Duration lifetime);

enum class CertificateUse { Server, Client };

struct LeafSpec {
  std::string common_name;
  std::vector<std::string> organizations;
  std::vector<std::string> dns_names;
  std::vector<std::string> ip_addresses;
  CertificateUse use = CertificateUse::Server;
};
// Errors: Invalid - the CA does not parse or a name is malformed.
Outcome<KeyPair> issue_certificate(const KeyPair& ca, const LeafSpec& spec, Time now,
                                   Duration lifetime);

// When the first certificate of a PEM text stops being valid.
// Errors: Invalid - no certificate in it.
Outcome<Time> certificate_expiry(std::string_view pem);

// Whether the key belongs to the certificate; the message says what is wrong.
Outcome<void> check_key_pair(const KeyPair& pair);

// How many certificates a PEM bundle holds. Errors: Invalid - none, or one that does not parse.
Outcome<int> count_certificates(std::string_view pem);

}  // namespace quorate::http
