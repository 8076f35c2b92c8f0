#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>
#include <string_view>

// For .cc files of this folder only.
namespace quorate::http {

template <auto F>
struct FreeBy {
  template <class T>
  void operator()(T* pointer) const {
    F(pointer);
  }
};
using BioPtr = std::unique_ptr<BIO, FreeBy<BIO_free_all>>;
using PkeyPtr = std::unique_ptr<EVP_PKEY, FreeBy<EVP_PKEY_free>>;
using X509Ptr = std::unique_ptr<X509, FreeBy<X509_free>>;

inline BioPtr read_bio(std::string_view text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

inline std::string last_openssl_error() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (code == 0) return "no detail";
  char text[256];
  ERR_error_string_n(code, text, sizeof text);
  return text;
}

// PEM_read_bio_* would ask on the terminal for the passphrase of an encrypted key.
inline int no_passphrase(char*, int, int, void*) { return 0; }

inline PkeyPtr read_private_key(std::string_view pem) {
  const BioPtr bio = read_bio(pem);
  return PkeyPtr(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr));
}

inline X509Ptr read_certificate(std::string_view pem) {
  const BioPtr bio = read_bio(pem);
  return X509Ptr(PEM_read_bio_X509(bio.get(), nullptr, no_passphrase, nullptr));
}

}  // namespace quorate::http
