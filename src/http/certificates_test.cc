#include "src/http/certificates.h"

#include <gmock/gmock.h>
#include <openssl/x509_vfy.h>

#include "src/http/openssl_ptr.h"

namespace quorate::http {
namespace {

using testing::HasSubstr;

constexpr Time kNow = Time::from_seconds(1'900'000'000);
constexpr Duration kYear = Duration::seconds(365 * 86'400);

using StorePtr = std::unique_ptr<X509_STORE, FreeBy<X509_STORE_free>>;
using StoreContextPtr = std::unique_ptr<X509_STORE_CTX, FreeBy<X509_STORE_CTX_free>>;

// What a TLS client checks: chain, purpose, time, name. "" when all is well.
std::string verify(const KeyPair& ca, const KeyPair& leaf, const char* host, Time when,
                   int purpose = X509_PURPOSE_SSL_SERVER) {
  const X509Ptr root = read_certificate(ca.certificate_pem);
  const X509Ptr certificate = read_certificate(leaf.certificate_pem);
  const StorePtr store(X509_STORE_new());
  X509_STORE_add_cert(store.get(), root.get());
  const StoreContextPtr context(X509_STORE_CTX_new());
  X509_STORE_CTX_init(context.get(), store.get(), certificate.get(), nullptr);
  X509_VERIFY_PARAM* param = X509_STORE_CTX_get0_param(context.get());
  X509_VERIFY_PARAM_set_time(param, when.nanos / 1'000'000'000);
  X509_VERIFY_PARAM_set_purpose(param, purpose);
  if (std::isdigit(static_cast<unsigned char>(host[0])) != 0) {
    X509_VERIFY_PARAM_set1_ip_asc(param, host);
  } else {
    X509_VERIFY_PARAM_set1_host(param, host, 0);
  }
  if (X509_verify_cert(context.get()) == 1) return "";
  return X509_verify_cert_error_string(X509_STORE_CTX_get_error(context.get()));
}

class CertificatesTest : public testing::Test {
 protected:
  KeyPair ca_ = *make_ca("quorate-ca", kNow, kYear * 10);
  LeafSpec spec_{.common_name = "webhook",
                 .dns_names = {"quorate.kube-system.svc", "quorate.kube-system.svc.cluster.local"},
                 .ip_addresses = {"127.0.0.1"}};
  KeyPair leaf_ = *issue_certificate(ca_, spec_, kNow, kYear);
};

TEST_F(CertificatesTest, ServingCertificateVerifiesByNameAndAddress) {
  EXPECT_EQ(verify(ca_, leaf_, "quorate.kube-system.svc", kNow), "");
  EXPECT_EQ(verify(ca_, leaf_, "127.0.0.1", kNow), "");
  EXPECT_THAT(verify(ca_, leaf_, "other.svc", kNow), HasSubstr("hostname mismatch"));
}

TEST_F(CertificatesTest, ValidFromAShortWhileBackUntilTheLifetimeEnds) {
  EXPECT_EQ(verify(ca_, leaf_, "127.0.0.1", kNow - Duration::seconds(200)), "");
  EXPECT_THAT(verify(ca_, leaf_, "127.0.0.1", kNow - Duration::seconds(400)),
              HasSubstr("not yet valid"));
  EXPECT_THAT(verify(ca_, leaf_, "127.0.0.1", kNow + kYear + Duration::seconds(1)),
              HasSubstr("expired"));
  EXPECT_EQ(*certificate_expiry(leaf_.certificate_pem), kNow + kYear);
}

TEST_F(CertificatesTest, AnotherCaDoesNotVerifyIt) {
  const KeyPair other = *make_ca("quorate-ca", kNow, kYear);
  EXPECT_NE(verify(other, leaf_, "127.0.0.1", kNow), "");
}

TEST_F(CertificatesTest, ClientCertificateIsNoServerCertificate) {
  spec_.use = CertificateUse::Client;
  const KeyPair client = *issue_certificate(ca_, spec_, kNow, kYear);
  EXPECT_EQ(verify(ca_, client, "127.0.0.1", kNow, X509_PURPOSE_SSL_CLIENT), "");
  EXPECT_THAT(verify(ca_, client, "127.0.0.1", kNow), HasSubstr("purpose"));
}

TEST_F(CertificatesTest, NamesThatWouldSmuggleExtensionSyntaxAreRefused) {
  spec_.dns_names = {"a,IP:10.0.0.1"};
  EXPECT_EQ(issue_certificate(ca_, spec_, kNow, kYear).error().message,
            "certificate: bad DNS name 'a,IP:10.0.0.1'");
  spec_.dns_names = {};
  spec_.ip_addresses = {"300.1.1.1"};
  EXPECT_EQ(issue_certificate(ca_, spec_, kNow, kYear).error().code, Errc::Invalid);
}

TEST_F(CertificatesTest, KeyPairsAreChecked) {
  EXPECT_TRUE(check_key_pair(leaf_));
  EXPECT_EQ(check_key_pair({leaf_.certificate_pem, ca_.key_pem}).error().message,
            "the key does not belong to the certificate");
  EXPECT_THAT(check_key_pair({"nonsense", leaf_.key_pem}).error().message,
              HasSubstr("not a PEM certificate"));
  EXPECT_THAT(check_key_pair({leaf_.certificate_pem, ""}).error().message,
              HasSubstr("not an unencrypted PEM key"));
}

TEST_F(CertificatesTest, BundlesAreCounted) {
  EXPECT_EQ(*count_certificates(ca_.certificate_pem + leaf_.certificate_pem), 2);
  EXPECT_FALSE(count_certificates(""));
  EXPECT_FALSE(
      count_certificates("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"));
}

}  // namespace
}  // namespace quorate::http
