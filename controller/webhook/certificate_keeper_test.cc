#include "controller/webhook/certificate_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "src/http/handler_transport.h"
#include "src/objects/json.h"

namespace quorate::controller {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr Time kNow = Time::from_seconds(1'800'000'000);
const CertificateNames kNames{{"hook.ns.svc"}, {"127.0.0.1"}};

TEST(Base64, BothWays) {
  const std::string texts[] = {"", "a", "ab", "abc", "abcd", std::string("\0\xff\n", 3)};
  for (const std::string& text : texts) {
    EXPECT_EQ(*from_base64(base64(text)), text);
  }
  EXPECT_EQ(base64("ab"), "YWI=");
  EXPECT_FALSE(from_base64("YWI"));
  EXPECT_FALSE(from_base64("!!!!"));
}

TEST(ServingNames, ServiceAndUrl) {
  const CertificateNames names = serving_names("hook", "ns", "https://127.0.0.1:9443");
  EXPECT_THAT(names.dns_names, ::testing::ElementsAre("hook.ns.svc", "hook.ns.svc.cluster.local"));
  EXPECT_THAT(names.ip_addresses, ::testing::ElementsAre("127.0.0.1"));
  EXPECT_THAT(serving_names("", "", "https://hook.example.com:1/x").dns_names,
              ::testing::ElementsAre("hook.example.com"));
  EXPECT_THAT(serving_names("", "", "https://[::1]:9443").ip_addresses,
              ::testing::ElementsAre("::1"));
}

TEST(Renewed, WhatIsGoodStays) {
  const auto first = renewed({}, kNames, kNow);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_TRUE(http::check_key_pair(first->serving));
  EXPECT_EQ(*renewed(*first, kNames, kNow + Duration::seconds(86400)), *first);
}

TEST(Renewed, TheServingCertificateIsRenewedBeforeItEnds) {
  const auto first = renewed({}, kNames, kNow);
  const auto later = renewed(*first, kNames, kNow + Duration::seconds(86400 * 300));
  ASSERT_TRUE(later);
  EXPECT_EQ(later->ca, first->ca);
  EXPECT_NE(later->serving, first->serving);
}

TEST(Renewed, OtherNamesNeedAnotherCertificate) {
  const auto first = renewed({}, kNames, kNow);
  const auto moved = renewed(*first, {{"other.ns.svc"}, {}}, kNow);
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->ca, first->ca);
  EXPECT_NE(moved->serving, first->serving);
}

TEST(Renewed, LongNamesOfServices) {
  const std::string service(63, 's');
  const auto material = renewed({}, serving_names(service, std::string(63, 'n'), ""), kNow);
  EXPECT_TRUE(material) << material.error().message;
}

TEST(Renewed, AnOldAuthorityIsTrustedBesidesTheNewOne) {
  const auto first = renewed({}, kNames, kNow);
  const auto later = renewed(*first, kNames, kNow + Duration::seconds(86400LL * 3600));
  ASSERT_TRUE(later);
  EXPECT_NE(later->ca, first->ca);
  EXPECT_EQ(*http::count_certificates(later->ca_pem), 2);
  EXPECT_THAT(later->ca_pem, StartsWith(later->ca.certificate_pem));
}

TEST(Secret, MaterialComesBackAsItWent) {
  const auto material = renewed({}, kNames, kNow);
  const std::string json = secret_json({"ns", "cert"}, "7", *material);
  std::string version;
  const auto back = material_of_secret(json, version);
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, *material);
  EXPECT_EQ(version, "7");
}

constexpr const char* kConfiguration =
    R"({"metadata":{"name":"c","resourceVersion":"5"},"webhooks":[
  {"name":"a","clientConfig":{"service":{"name":"hook","namespace":"ns","path":"/mutate-batch-v1-job"}}},
  {"name":"b","clientConfig":{"caBundle":"Q0E=","service":{"name":"hook","namespace":"ns"}}}]})";

TEST(InjectionPatch, OnlyWhatIsMissing) {
  const auto patch = injection_patch(kConfiguration, "CA", "");
  ASSERT_TRUE(patch);
  EXPECT_EQ(*patch, R"([{"op":"test","path":"/metadata/resourceVersion","value":"5"},)"
                    R"({"op":"add","path":"/webhooks/0/clientConfig/caBundle","value":"Q0E="}])");
}

TEST(InjectionPatch, AUrlTakesThePlaceOfTheService) {
  const auto patch = injection_patch(kConfiguration, "CA", "https://127.0.0.1:1");
  ASSERT_TRUE(patch);
  EXPECT_THAT(*patch, HasSubstr(R"({"op":"remove","path":"/webhooks/0/clientConfig/service"})"));
  EXPECT_THAT(*patch, HasSubstr(R"("value":"https://127.0.0.1:1/mutate-batch-v1-job")"));

  const auto again = injection_patch(
      R"({"metadata":{"resourceVersion":"6"},"webhooks":[{"clientConfig":{"caBundle":"Q0E=",
         "url":"https://127.0.0.1:1/mutate-batch-v1-job"}}]})",
      "CA", "https://127.0.0.1:1");
  EXPECT_EQ(*again, "");
  // A new port after a restart.
  EXPECT_THAT(*injection_patch(
                  R"({"metadata":{"resourceVersion":"6"},"webhooks":[{"clientConfig":{
                     "caBundle":"Q0E=","url":"https://127.0.0.1:1/mutate-batch-v1-job"}}]})",
                  "CA", "https://127.0.0.1:2"),
              HasSubstr("https://127.0.0.1:2/mutate-batch-v1-job"));
}

TEST(InjectionPatch, NoConfiguration) { EXPECT_FALSE(injection_patch("{}", "CA", "")); }

// Two replicas start at once against a server that keeps one Secret.
TEST(CertificateKeeper, WhoeverIsSecondTakesWhatTheFirstWrote) {
  std::string secret;  // what the server holds
  int creations = 0;
  bool hide_once = true;
  const auto loop = http::make_thread_loop();
  auto transport = http::make_handler_transport(
      [&](const http::Request& request) {
        http::Response response;
        response.headers.set("Content-Type", "application/json");
        const bool read = request.method == http::Method::Get;
        if (read && (secret.empty() || std::exchange(hide_once, false))) {
          response.status = 404;
          response.body = R"({"kind":"Status","code":404,"reason":"NotFound","message":"none"})";
        } else if (read) {
          response.status = 200;
          response.body = secret;
        } else if (!secret.empty()) {
          response.status = 409;
          response.body =
              R"({"kind":"Status","code":409,"reason":"AlreadyExists","message":"there"})";
        } else {
          ++creations;
          secret = request.body;
          response.status = 201;
          response.body = secret;
        }
        return response;
      },
      *loop);
  kube::Client client(transport, *loop, {});
  const CertificateKeeper::Options options{{"ns", "cert"}, "", "", kNames};
  CertificateKeeper first(client, options);
  const auto one = first.refresh(kNow);
  ASSERT_TRUE(one) << one.error().message;
  hide_once = true;  // the second looked before the first had written
  CertificateKeeper second(client, options);
  const auto two = second.refresh(kNow);
  ASSERT_TRUE(two) << two.error().message;
  EXPECT_EQ(*one, *two);
  EXPECT_EQ(creations, 1);
}

}  // namespace
}  // namespace quorate::controller
