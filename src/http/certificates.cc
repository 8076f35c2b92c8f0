#include "src/http/certificates.h"

#include <openssl/rand.h>

#include <algorithm>
#include <cctype>
#include <ctime>

#include "src/http/openssl_ptr.h"

namespace quorate::http {
namespace {

using ExtensionPtr = std::unique_ptr<X509_EXTENSION, FreeBy<X509_EXTENSION_free>>;
using BignumPtr = std::unique_ptr<BIGNUM, FreeBy<BN_free>>;
using TimePtr = std::unique_ptr<ASN1_TIME, FreeBy<ASN1_TIME_free>>;

tl::unexpected<Error> refused(std::string_view what) {
  return error(Errc::Unavailable,
               "certificate: " + std::string(what) + ": " + last_openssl_error());
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return std::string(data, static_cast<std::size_t>(std::max(size, 0L)));
}

bool set_random_serial(X509* certificate) {
  unsigned char bytes[16];
  if (RAND_bytes(bytes, sizeof bytes) != 1) return false;
  bytes[0] &= 0x7f;  // a serial number is positive
  bytes[0] |= 0x01;  // and not zero
  const BignumPtr number(BN_bin2bn(bytes, sizeof bytes, nullptr));
  return number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool set_validity(X509* certificate, Time now, Duration lifetime) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  constexpr std::int64_t kClockSkew = 300;
  const TimePtr from(ASN1_TIME_set(nullptr, now.nanos / kSecond - kClockSkew));
  const TimePtr to(ASN1_TIME_set(nullptr, (now + lifetime).nanos / kSecond));
  return from && to && X509_set1_notBefore(certificate, from.get()) == 1 &&
         X509_set1_notAfter(certificate, to.get()) == 1;
}

bool add_name(X509_NAME* name, const char* field, std::string_view value) {
  return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(value.data()),
                                    static_cast<int>(value.size()), -1, 0) == 1;
}

bool add_extension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

Outcome<KeyPair> to_pem(X509* certificate, EVP_PKEY* key) {
  const BioPtr certificate_text(BIO_new(BIO_s_mem()));
  const BioPtr key_text(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_X509(certificate_text.get(), certificate) != 1 ||
      PEM_write_bio_PKCS8PrivateKey(key_text.get(), key, nullptr, nullptr, 0, nullptr, nullptr) !=
          1) {
    return refused("writing PEM");
  }
  return KeyPair{text_of(certificate_text.get()), text_of(key_text.get())};
}

// Names go into OpenSSL's comma-separated extension syntax: nothing in them may mean more there.
Outcome<std::string> subject_alt_names(const LeafSpec& spec) {
  std::string out;
  const auto add = [&out](std::string_view kind, const std::string& name) {
    const bool plain = !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '*' || c == ':' || c == '_';
    });
    if (!plain) return false;
    if (!out.empty()) out += ',';
    out.append(kind).append(name);
    return true;
  };
  for (const std::string& name : spec.dns_names) {
    if (name.find(':') != std::string::npos || !add("DNS:", name)) {
      return error(Errc::Invalid, "certificate: bad DNS name '" + name + "'");
    }
  }
  for (const std::string& address : spec.ip_addresses) {
    if (!add("IP:", address)) {
      return error(Errc::Invalid, "certificate: bad IP address '" + address + "'");
    }
  }
  return out;
}

}  // namespace

Outcome<KeyPair> make_ca(std::string_view common_name, Time now, Duration lifetime) {
  const PkeyPtr key(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"));
  const X509Ptr ca(X509_new());
  if (!key || !ca) return refused("making a key");
  X509_NAME* name = X509_get_subject_name(ca.get());
  if (X509_set_version(ca.get(), X509_VERSION_3) != 1 || !set_random_serial(ca.get()) ||
      !set_validity(ca.get(), now, lifetime) || !add_name(name, "CN", common_name) ||
      X509_set_issuer_name(ca.get(), name) != 1 || X509_set_pubkey(ca.get(), key.get()) != 1 ||
      !add_extension(ca.get(), ca.get(), NID_basic_constraints, "critical,CA:TRUE,pathlen:0") ||
      !add_extension(ca.get(), ca.get(), NID_key_usage, "critical,keyCertSign,cRLSign") ||
      !add_extension(ca.get(), ca.get(), NID_subject_key_identifier, "hash") ||
      X509_sign(ca.get(), key.get(), EVP_sha256()) == 0) {
    return refused("making a CA");
  }
  return to_pem(ca.get(), key.get());
}

Outcome<KeyPair> issue_certificate(const KeyPair& ca, const LeafSpec& spec, Time now,
                                   Duration lifetime) {
  const X509Ptr issuer = read_certificate(ca.certificate_pem);
  const PkeyPtr issuer_key = read_private_key(ca.key_pem);
  if (!issuer || !issuer_key) {
    return error(Errc::Invalid, "certificate: the CA does not parse: " + last_openssl_error());
  }
  const Outcome<std::string> names = subject_alt_names(spec);
  if (!names) return tl::unexpected(names.error());

  const PkeyPtr key(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"));
  const X509Ptr leaf(X509_new());
  if (!key || !leaf) return refused("making a key");
  X509_NAME* name = X509_get_subject_name(leaf.get());
  const bool organizations_added = std::ranges::all_of(
      spec.organizations, [&](const std::string& o) { return add_name(name, "O", o); });
  if (X509_set_version(leaf.get(), X509_VERSION_3) != 1 || !set_random_serial(leaf.get()) ||
      !set_validity(leaf.get(), now, lifetime) || !organizations_added ||
      !add_name(name, "CN", spec.common_name) ||
      X509_set_issuer_name(leaf.get(), X509_get_subject_name(issuer.get())) != 1 ||
      X509_set_pubkey(leaf.get(), key.get()) != 1 ||
      !add_extension(leaf.get(), issuer.get(), NID_basic_constraints, "critical,CA:FALSE") ||
      !add_extension(leaf.get(), issuer.get(), NID_key_usage, "critical,digitalSignature") ||
      !add_extension(leaf.get(), issuer.get(), NID_ext_key_usage,
                     spec.use == CertificateUse::Server ? "serverAuth" : "clientAuth") ||
      !add_extension(leaf.get(), issuer.get(), NID_subject_key_identifier, "hash") ||
      !add_extension(leaf.get(), issuer.get(), NID_authority_key_identifier, "keyid:always")) {
    return refused("making a certificate");
  }
  if (!names->empty() && !add_extension(leaf.get(), issuer.get(), NID_subject_alt_name, *names)) {
    return error(Errc::Invalid, "certificate: bad subject names " + *names);
  }
  if (X509_sign(leaf.get(), issuer_key.get(), EVP_sha256()) == 0) return refused("signing");
  return to_pem(leaf.get(), key.get());
}

Outcome<Time> certificate_expiry(std::string_view pem) {
  const X509Ptr certificate = read_certificate(pem);
  if (!certificate) {
    return error(Errc::Invalid, "certificate: not a PEM certificate: " + last_openssl_error());
  }
  std::tm end{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &end) != 1) {
    return error(Errc::Invalid, "certificate: bad expiry");
  }
  return Time::from_seconds(timegm(&end));
}

Outcome<void> check_key_pair(const KeyPair& pair) {
  const X509Ptr certificate = read_certificate(pair.certificate_pem);
  if (!certificate) {
    return error(Errc::Invalid, "not a PEM certificate: " + last_openssl_error());
  }
  const PkeyPtr key = read_private_key(pair.key_pem);
  if (!key) return error(Errc::Invalid, "not an unencrypted PEM key: " + last_openssl_error());
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    ERR_clear_error();
    return error(Errc::Invalid, "the key does not belong to the certificate");
  }
  return {};
}

Outcome<int> count_certificates(std::string_view pem) {
  const BioPtr bio = read_bio(pem);
  int count = 0;
  for (;;) {
    const X509Ptr certificate(PEM_read_bio_X509(bio.get(), nullptr, no_passphrase, nullptr));
    if (certificate) {
      ++count;
      continue;
    }
    const unsigned long code = ERR_peek_last_error();
    if (count > 0 && ERR_GET_LIB(code) == ERR_LIB_PEM &&
        ERR_GET_REASON(code) == PEM_R_NO_START_LINE) {
      ERR_clear_error();
      return count;
    }
    return error(Errc::Invalid, "not a bundle of PEM certificates: " + last_openssl_error());
  }
}

}  // namespace quorate::http
