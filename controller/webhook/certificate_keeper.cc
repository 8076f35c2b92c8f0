#include "controller/webhook/certificate_keeper.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <utility>

#include "src/kube/raw_object.h"
#include "src/objects/json.h"
#include "src/objects/json_writer.h"

namespace quorate::controller {
namespace {

constexpr Duration kDay = Duration::seconds(86400);
constexpr Duration kCaLifetime = kDay * 3650;
constexpr Duration kServingLifetime = kDay * 365;
// Renewed when less than this is left.
constexpr Duration kRenewBefore = kDay * 90;

const kube::Resource kConfigurations{"admissionregistration.k8s.io", "v1",
                                     "mutatingwebhookconfigurations",
                                     "MutatingWebhookConfiguration", false};

bool good(const http::KeyPair& pair, Time now) {
  if (pair.certificate_pem.empty() || !http::check_key_pair(pair)) return false;
  const Outcome<Time> end = http::certificate_expiry(pair.certificate_pem);
  return end && *end - now > kRenewBefore;
}

// Whether the certificate is valid for all these names.
bool covers(const std::string& certificate_pem, const CertificateNames& names) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio(
      BIO_new_mem_buf(certificate_pem.data(), static_cast<int>(certificate_pem.size())), &BIO_free);
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(
      PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr), &X509_free);
  if (certificate == nullptr) return false;
  return std::ranges::all_of(names.dns_names,
                             [&](const std::string& name) {
                               return X509_check_host(certificate.get(), name.c_str(), name.size(),
                                                      0, nullptr) == 1;
                             }) &&
         std::ranges::all_of(names.ip_addresses, [&](const std::string& address) {
           return X509_check_ip_asc(certificate.get(), address.c_str(), 0) == 1;
         });
}

bool is_address(std::string_view host) {
  return host.find(':') != std::string_view::npos || std::ranges::all_of(host, [](unsigned char c) {
           return std::isdigit(c) != 0 || c == '.';
         });
}

Outcome<std::string> body_of(Outcome<kube::Document> answer) {
  if (!answer) return tl::unexpected(answer.error());
  return std::move(answer->body);
}

}  // namespace

std::string base64(std::string_view bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3), '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                   reinterpret_cast<const unsigned char*>(bytes.data()),
                                   static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

Outcome<std::string> from_base64(std::string_view text) {
  std::string bytes(3 * (text.size() / 4), '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()),
                                   static_cast<int>(text.size()));
  if (size < 0 || text.size() % 4 != 0) return error(Errc::Invalid, "no base64");
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  bytes.resize(static_cast<std::size_t>(size) - padding);
  return bytes;
}

CertificateNames serving_names(const std::string& service, const std::string& ns,
                               const std::string& url) {
  CertificateNames names;
  if (!service.empty()) {
    names.dns_names = {service + "." + ns + ".svc", service + "." + ns + ".svc.cluster.local"};
  }
  if (!url.empty()) {
    std::string host = url;
    if (const auto scheme = host.find("://"); scheme != std::string::npos) {
      host.erase(0, scheme + 3);
    }
    host.erase(std::min(host.find('/'), host.size()));
    if (host.starts_with("[")) {
      host = host.substr(1, host.find(']') - 1);
    } else {
      host.erase(std::min(host.rfind(':'), host.size()));
    }
    (is_address(host) ? names.ip_addresses : names.dns_names).push_back(host);
  }
  return names;
}

Outcome<ServingMaterial> renewed(const ServingMaterial& there, const CertificateNames& names,
                                 Time now) {
  ServingMaterial material = there;
  if (!good(material.ca, now)) {
    Outcome<http::KeyPair> ca = http::make_ca("quorate-ca", now, kCaLifetime);
    if (!ca) return tl::unexpected(ca.error());
    // One predecessor is enough: what it signed ends before the next rotation.
    material.ca_pem = ca->certificate_pem + there.ca.certificate_pem;
    material.ca = std::move(*ca);
    material.serving = {};
  }
  if (!good(material.serving, now) || !covers(material.serving.certificate_pem, names)) {
    Outcome<http::KeyPair> serving = http::issue_certificate(
        material.ca,
        {.common_name = "quorate-webhook",  // clients look at the names below
         .dns_names = names.dns_names,
         .ip_addresses = names.ip_addresses,
         .use = http::CertificateUse::Server},
        now, kServingLifetime);
    if (!serving) return tl::unexpected(serving.error());
    material.serving = std::move(*serving);
  }
  if (material.ca_pem.empty()) material.ca_pem = material.ca.certificate_pem;
  return material;
}

Outcome<ServingMaterial> material_of_secret(std::string_view text, std::string& version) {
  objects::JsonDocument document;
  if (Outcome<void> parsed = document.parse(text); !parsed) return tl::unexpected(parsed.error());
  version = document.root()["metadata"]["resourceVersion"].text();
  const objects::Json data = document.root()["data"];
  ServingMaterial material;
  const auto read = [&](std::string_view key, std::string& into) {
    // What is not base64 is as good as missing: it is made anew.
    if (Outcome<std::string> bytes = from_base64(data[key].text())) into = std::move(*bytes);
  };
  read("ca.crt", material.ca_pem);
  read("ca.key", material.ca.key_pem);
  read("tls.crt", material.serving.certificate_pem);
  read("tls.key", material.serving.key_pem);
  // The signing authority is the first of the bundle.
  constexpr std::string_view kEnd = "-----END CERTIFICATE-----\n";
  const auto end = material.ca_pem.find(kEnd);
  if (end != std::string::npos) {
    material.ca.certificate_pem = material.ca_pem.substr(0, end + kEnd.size());
  }
  return material;
}

std::string secret_json(const ObjectKey& key, const std::string& resource_version,
                        const ServingMaterial& material) {
  objects::JsonWriter out;
  out.open().field("apiVersion", "v1").field("kind", "Secret").key("metadata").open();
  out.field("name", key.name).field("namespace", key.ns);
  out.field_unless_empty("resourceVersion", resource_version);
  out.close().field("type", "Opaque").key("data").open();
  out.field("ca.crt", base64(material.ca_pem)).field("ca.key", base64(material.ca.key_pem));
  out.field("tls.crt", base64(material.serving.certificate_pem));
  out.field("tls.key", base64(material.serving.key_pem));
  out.close().close();
  return out.take();
}

Outcome<std::string> injection_patch(std::string_view configuration_json, const std::string& ca_pem,
                                     const std::string& url) {
  objects::JsonDocument document;
  if (Outcome<void> parsed = document.parse(configuration_json); !parsed) {
    return tl::unexpected(parsed.error());
  }
  const objects::Json webhooks = document.root()["webhooks"];
  if (!webhooks.is_array()) return error(Errc::Invalid, "webhooks: missing");
  const std::string bundle = base64(ca_pem);
  objects::JsonWriter out;
  out.open_list();
  out.open().field("op", "test").field("path", "/metadata/resourceVersion");
  out.field("value", document.root()["metadata"]["resourceVersion"].text()).close();
  bool changed = false;
  int index = 0;
  webhooks.each([&](const objects::Json& webhook) {
    const objects::Json config = webhook["clientConfig"];
    const std::string at = "/webhooks/" + std::to_string(index++) + "/clientConfig";
    if (config["caBundle"].text() != bundle) {
      out.open().field("op", "add").field("path", at + "/caBundle").field("value", bundle).close();
      changed = true;
    }
    if (url.empty()) return;
    // The Service's path, or that of the address that was written before.
    std::string path = config["service"]["path"].text();
    if (!config["service"].present()) {
      const std::string old = config["url"].text();
      const auto slash = old.find('/', old.find("://") + 3);
      path = slash == std::string::npos ? "" : old.substr(slash);
    }
    if (config["url"].text() == url + path) return;
    if (config["service"].present()) {
      out.open().field("op", "remove").field("path", at + "/service").close();
    }
    out.open().field("op", "add").field("path", at + "/url").field("value", url + path).close();
    changed = true;
  });
  out.close_list();
  return changed ? out.take() : std::string();
}

CertificateKeeper::CertificateKeeper(kube::Client& client, Options options)
    : client_(client), options_(std::move(options)) {}

Outcome<ServingMaterial> CertificateKeeper::secret(Time now) {
  constexpr int kTries = 5;
  Error last;
  for (int i = 0; i < kTries; ++i) {
    Outcome<std::string> text = body_of(client_.call(kube::get(kube::secrets(), options_.secret)));
    if (!text && text.error().code != Errc::NotFound) return tl::unexpected(text.error());
    std::string version;
    ServingMaterial there;
    if (text) {
      Outcome<ServingMaterial> read = material_of_secret(*text, version);
      if (!read) return tl::unexpected(read.error());
      there = std::move(*read);
    }
    Outcome<ServingMaterial> wanted = renewed(there, options_.names, now);
    if (!wanted || (text && *wanted == there)) return wanted;
    const std::string body = secret_json(options_.secret, version, *wanted);
    const Outcome<kube::Document> written =
        text ? client_.call(kube::replace(kube::secrets(), options_.secret, body))
             : client_.call(kube::create(kube::secrets(), options_.secret, body));
    if (written) return wanted;
    last = written.error();
    // Another replica was faster: take what it wrote.
    if (last.code != Errc::Conflict && last.code != Errc::AlreadyExists) break;
  }
  return tl::unexpected(last);
}

Outcome<void> CertificateKeeper::inject(const std::string& ca_pem) {
  if (options_.webhook_configuration.empty()) return {};
  const ObjectKey key{"", options_.webhook_configuration};
  constexpr int kTries = 5;
  Error last;
  for (int i = 0; i < kTries; ++i) {
    Outcome<std::string> text = body_of(client_.call(kube::get(kConfigurations, key)));
    if (!text) return tl::unexpected(text.error());
    Outcome<std::string> patch = injection_patch(*text, ca_pem, options_.url);
    if (!patch) return within("MutatingWebhookConfiguration " + key.name, patch.error());
    if (patch->empty()) return {};
    const Outcome<kube::Document> written =
        client_.call(kube::patch(kConfigurations, key, kube::PatchKind::Json, *patch));
    if (written) return {};
    last = written.error();
    // A failed "test" is answered as an invalid patch.
    if (last.code != Errc::Conflict && last.code != Errc::Invalid) break;
  }
  return tl::unexpected(last);
}

Outcome<ServingMaterial> CertificateKeeper::refresh(Time now) {
  Outcome<ServingMaterial> material = secret(now);
  if (!material) return within("Secret " + options_.secret.text(), material.error());
  if (Outcome<void> injected = inject(material->ca_pem); !injected) {
    return tl::unexpected(injected.error());
  }
  return material;
}

}  // namespace quorate::controller
