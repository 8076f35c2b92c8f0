#include "src/http/verify_failure.h"

#include <openssl/x509_vfy.h>

#include <utility>

#include "src/http/openssl_ptr.h"

namespace quorate::http {
namespace {

using Told = std::shared_ptr<std::string>;

void drop(void*, void* told, CRYPTO_EX_DATA*, int, long, void*) { delete static_cast<Told*>(told); }

int place_of_told() {
  static const int place = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, drop);
  return place;
}

std::string text_of(const X509_NAME* name) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  if (!bio || X509_NAME_print_ex(bio.get(), name, 0, XN_FLAG_RFC2253) < 0) return "?";
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

std::string failure_of(X509_STORE_CTX* store) {
  const int code = X509_STORE_CTX_get_error(store);
  const X509* certificate = X509_STORE_CTX_get_current_cert(store);
  std::string text = "certificate ";
  if (certificate != nullptr) {
    text += "\"" + text_of(X509_get_subject_name(certificate)) + "\" issued by \"" +
            text_of(X509_get_issuer_name(certificate)) + "\": ";
  }
  // The chain is good, so it was the caller's own look at the names that refused.
  return text +
         (code == X509_V_OK ? "it is not for this host" : X509_verify_cert_error_string(code));
}

int verify(X509_STORE_CTX* store, void*) {
  const int trusted = X509_verify_cert(store);
  if (trusted == 1) return trusted;
  const auto* ssl = static_cast<const SSL*>(
      X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  const auto* told =
      static_cast<const Told*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), place_of_told()));
  // A trust store that could not be set up is the cause, and told already.
  if (told != nullptr && (*told)->empty()) **told = failure_of(store);
  return trusted;
}

}  // namespace

void tell_verify_failures(SSL_CTX* context, std::shared_ptr<std::string> told) {
  auto kept = std::make_unique<Told>(std::move(told));
  if (SSL_CTX_set_ex_data(context, place_of_told(), kept.get()) != 1) return;
  kept.release();
  SSL_CTX_set_cert_verify_callback(context, verify, nullptr);
}

}  // namespace quorate::http
