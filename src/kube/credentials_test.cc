#include "src/kube/credentials.h"

#include <gmock/gmock.h>

#include <fstream>
#include <future>
#include <thread>
#include <vector>

#include "src/http/loop.h"
#include "src/kube/config.h"
#include "src/kube/exec_credential.h"
#include "src/kube/json_scan.h"
#include "src/kube/testing/temp_dir.h"

namespace quorate::kube {
namespace {

using testing::HasSubstr;

Outcome<std::string> token_of(Credentials& credentials) {
  std::promise<Outcome<std::string>> promise;
  credentials.with_token([&](Outcome<std::string> token) { promise.set_value(std::move(token)); });
  return promise.get_future().get();
}

TEST(StaticCredentials, FilesAreReadAgainWhenTheyChange) {
  TempDir dir;
  Config config;
  config.token.file = dir.write("token", "first\n");
  config.client_certificate.file = dir.write("tls.crt", "C1");
  config.client_key.file = dir.write("tls.key", "K1");
  const auto credentials = make_credentials(config);
  EXPECT_EQ(*token_of(*credentials), "first");
  EXPECT_EQ(*credentials->identity(), (http::KeyPair{"C1", "K1"}));
  dir.write("token", "second\n");
  dir.write("tls.crt", "C2");
  EXPECT_EQ(*token_of(*credentials), "second");
  EXPECT_EQ(*credentials->identity(), (http::KeyPair{"C2", "K1"}));
  std::filesystem::remove(config.token.file);
  EXPECT_THAT(token_of(*credentials).error().message,
              HasSubstr("bearer token: " + config.token.file + ": No such file"));
}

TEST(StaticCredentials, NoneIsAnEmptyTokenAndPair) {
  const auto credentials = make_credentials(Config{});
  EXPECT_EQ(*token_of(*credentials), "");
  EXPECT_EQ(*credentials->identity(), http::KeyPair{});
}

// A plugin that counts its runs in a file.
class ExecTest : public testing::Test {
 protected:
  TempDir dir_;
  Config config_;

  void plugin(const std::string& script) {
    config_.server = "https://x";
    config_.exec = ExecPlugin{
        .api_version = "client.authentication.k8s.io/v1",
        .command = dir_.write_script("plugin", "echo run >> " + dir_.path() + "/runs\n" + script),
        .args = {"one"},
        .env = {{"EXTRA", "e"}}};
  }
  static std::string credential(const std::string& status) {
    return R"(echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{)" +
           status + "}}'\n";
  }
  int runs() const {
    std::ifstream file(dir_.path() + "/runs");
    int count = 0;
    for (std::string line; std::getline(file, line);) ++count;
    return count;
  }
};

TEST_F(ExecTest, RunsOnceAndKeepsTheToken) {
  plugin(credential(R"("token":"t1")"));
  const auto credentials = make_credentials(config_);
  EXPECT_EQ(*token_of(*credentials), "t1");
  EXPECT_EQ(*token_of(*credentials), "t1");
  EXPECT_EQ(runs(), 1);
  credentials->rejected();
  EXPECT_EQ(*token_of(*credentials), "t1");
  EXPECT_EQ(runs(), 2);
}

TEST_F(ExecTest, ExpiredTokensAreFetchedAgain) {
  plugin(credential(R"("token":"t","expirationTimestamp":"2020-01-01T00:00:00Z")"));
  const auto credentials = make_credentials(config_);
  EXPECT_TRUE(token_of(*credentials));
  EXPECT_TRUE(token_of(*credentials));
  EXPECT_EQ(runs(), 2);
  plugin(credential(R"("token":"t","expirationTimestamp":")" +
                    format_time(http::wall_now() + Duration::seconds(3600)) + "\""));
  const auto fresh = make_credentials(config_);
  EXPECT_TRUE(token_of(*fresh));
  EXPECT_TRUE(token_of(*fresh));
  EXPECT_EQ(runs(), 3);
}

TEST_F(ExecTest, WhoComesMeanwhileWaitsForTheSameRun) {
  plugin("while [ ! -e " + dir_.path() + "/go ]; do sleep 0.01; done\n" +
         credential(R"("token":"t1")"));
  const auto credentials = make_credentials(config_);
  std::vector<std::promise<std::string>> promises(5);
  for (auto& promise : promises) {
    credentials->with_token(
        [&](const Outcome<std::string>& token) { promise.set_value(token.value_or("failed")); });
  }
  dir_.write("go", "");
  for (auto& promise : promises) EXPECT_EQ(promise.get_future().get(), "t1");
  EXPECT_EQ(runs(), 1);
}

TEST_F(ExecTest, GetsArgumentsEnvironmentAndInfo) {
  config_.tls_server_name = "kube";
  plugin("printf '%s %s %s' \"$1\" \"$EXTRA\" \"$KUBERNETES_EXEC_INFO\" > " + dir_.path() +
         "/seen\n" + credential(R"("token":"t")"));
  config_.exec->provide_cluster_info = true;
  EXPECT_TRUE(token_of(*make_credentials(config_)));
  std::ifstream file(dir_.path() + "/seen");
  std::string seen;
  std::getline(file, seen);
  EXPECT_EQ(
      seen,
      R"(one e {"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",)"
      R"("spec":{"interactive":false,"cluster":{"server":"https://x","tls-server-name":"kube"}}})");
}

TEST_F(ExecTest, ClientCertificatesAreUsedForConnections) {
  const http::KeyPair ca = *http::make_ca("ca", http::wall_now(), Duration::seconds(60));
  // From a file: a shell's echo may turn \n into line ends.
  dir_.write("out", R"({"kind":"ExecCredential","status":{"clientCertificateData":)" +
                        json_string(ca.certificate_pem) +
                        ",\"clientKeyData\":" + json_string(ca.key_pem) + "}}");
  plugin("cat " + dir_.path() + "/out\n");
  const auto credentials = make_credentials(config_);
  EXPECT_EQ(*token_of(*credentials), "");
  EXPECT_EQ(*credentials->identity(), ca);
}

TEST_F(ExecTest, FailuresSayWhatThePluginSaid) {
  const auto message = [&] { return token_of(*make_credentials(config_)).error().message; };
  plugin("echo 'please log in' >&2\nexit 3\n");
  EXPECT_THAT(message(), HasSubstr("plugin: exit status 3: please log in"));
  plugin("echo nonsense\n");
  EXPECT_THAT(message(), HasSubstr("bad output: JSON: no object"));
  plugin(credential(""));
  EXPECT_THAT(message(), HasSubstr("neither a token nor a client certificate"));
  config_.exec->command = "/no/such/plugin";
  config_.exec->install_hint = "install it";
  EXPECT_EQ(message(),
            "credential plugin /no/such/plugin: does not start: No such file or directory "
            "(install it)");
}

TEST_F(ExecTest, APluginThatHangsIsEnded) {
  plugin("exec sleep 1000\n");
  std::atomic<int> child{0};
  const auto result = run_exec_plugin(config_, Duration::millis(100), child);
  EXPECT_THAT(result.error().message, HasSubstr("took too long"));
  EXPECT_EQ(child, 0);
}

TEST_F(ExecTest, SoIsOneThatClosesItsOutputsAndStays) {
  plugin("exec sleep 1000 >&- 2>&-\n");
  std::atomic<int> child{0};
  const auto result = run_exec_plugin(config_, Duration::millis(100), child);
  EXPECT_THAT(result.error().message, HasSubstr("took too long"));
}

TEST_F(ExecTest, GoingAwayEndsARunningPlugin) {
  plugin("exec sleep 1000\n");
  std::promise<Outcome<std::string>> promise;
  {
    const auto credentials = make_credentials(config_);
    credentials->with_token(
        [&](Outcome<std::string> token) { promise.set_value(std::move(token)); });
    while (runs() == 0) std::this_thread::yield();
  }
  EXPECT_FALSE(promise.get_future().get());
}

}  // namespace
}  // namespace quorate::kube
