#include "src/kube/config.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "src/kube/base64.h"
#include "src/kube/testing/temp_dir.h"

namespace quorate::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr char kGood[] = R"(
apiVersion: v1
kind: Config
current-context: dev
contexts:
- name: prod
  context: {cluster: west, user: admin, namespace: team-a}
- name: dev
  context: {cluster: east, user: robot}
clusters:
- name: east
  cluster: {server: "https://10.0.0.1:6443", certificate-authority: ca/ca.crt, tls-server-name: kube}
- name: west
  cluster: {server: "https://west.example/k8s/c-1", certificate-authority-data: Q0E=}
users:
- name: robot
  user: {tokenFile: /run/token, token: old}
- name: admin
  user: {client-certificate: c.crt, client-key-data: S0VZ, as: jane, as-groups: [ops]}
)";

TEST(Kubeconfig, TheCurrentContextIsRead) {
  const Outcome<Config> config = parse_kubeconfig(kGood, "/etc/kube/config");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->source, "kubeconfig /etc/kube/config (context dev)");
  EXPECT_EQ(config->server, "https://10.0.0.1:6443");
  EXPECT_EQ(config->ca.file, "/etc/kube/ca/ca.crt");
  EXPECT_EQ(config->tls_server_name, "kube");
  EXPECT_EQ(config->token.file, "/run/token");
  EXPECT_EQ(config->token.text, "");  // the file goes first
  EXPECT_EQ(config->ns, "default");
}

TEST(Kubeconfig, AnotherContextCanBeChosen) {
  const Outcome<Config> config = parse_kubeconfig(kGood, "/etc/kube/config", "prod");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->ca.text, "CA");
  EXPECT_EQ(config->client_certificate.file, "/etc/kube/c.crt");
  EXPECT_EQ(config->client_key.text, "KEY");
  EXPECT_EQ(config->impersonate_user, "jane");
  EXPECT_THAT(config->impersonate_groups, ElementsAre("ops"));
  EXPECT_EQ(config->ns, "team-a");
}

TEST(Kubeconfig, ExecPluginsAreRead) {
  const Outcome<Config> config = parse_kubeconfig(R"(
current-context: c
contexts: [{name: c, context: {cluster: k, user: u}}]
clusters: [{name: k, cluster: {server: "https://x"}}]
users:
- name: u
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: bin/login
      args: [get-token, --region, 12]
      env: [{name: PROFILE, value: dev}]
      installHint: get it somewhere
      provideClusterInfo: true
      interactiveMode: IfAvailable
)",
                                                  "/home/me/config");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->exec->command, "/home/me/bin/login");
  EXPECT_THAT(config->exec->args, ElementsAre("get-token", "--region", "12"));
  EXPECT_THAT(config->exec->env, ElementsAre(Pair("PROFILE", "dev")));
  EXPECT_TRUE(config->exec->provide_cluster_info);
}

struct BadConfig {
  const char* name;
  const char* cluster;
  const char* user;
  const char* want;
};

class BadConfigTest : public testing::TestWithParam<BadConfig> {};

TEST_P(BadConfigTest, NamesFileAndField) {
  const std::string yaml = std::string("current-context: c\n") +
                           "contexts: [{name: c, context: {cluster: k, user: u}}]\n" +
                           "clusters: [{name: k, cluster: " + GetParam().cluster + "}]\n" +
                           "users: [{name: u, user: " + GetParam().user + "}]\n";
  const Outcome<Config> config = parse_kubeconfig(yaml, "/k");
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, Errc::Invalid);
  EXPECT_EQ(config.error().message, std::string("kubeconfig /k: ") + GetParam().want);
}

constexpr char kServer[] = "{server: 'https://x'}";

INSTANTIATE_TEST_SUITE_P(
    Kubeconfig, BadConfigTest,
    testing::ValuesIn(std::vector<BadConfig>{
        // clang-format off
        {"NoServer", "{}", "{}", "clusters[name=k].cluster.server: '' is not an http or https URL"},
        {"ServerIsAList", "{server: [a]}", "{}", "clusters[name=k].cluster.server: is not a text"},
        {"CaNotBase64", "{server: 'https://x', certificate-authority-data: '%%'}", "{}",
         "clusters[name=k].cluster.certificate-authority-data: is not base64"},
        {"InsecureWithCa", "{server: 'https://x', certificate-authority: a, insecure-skip-tls-verify: true}", "{}",
         "clusters[name=k].cluster.insecure-skip-tls-verify: excludes a certificate authority"},
        {"FlagIsNoFlag", "{server: 'https://x', insecure-skip-tls-verify: maybe}", "{}",
         "clusters[name=k].cluster.insecure-skip-tls-verify: is neither true nor false"},
        {"Proxy", "{server: 'https://x', proxy-url: 'http://p'}", "{}",
         "clusters[name=k].cluster.proxy-url: proxies are not supported"},
        {"ClusterIsAText", "x", "{}", "clusters[name=k].cluster: is not a map"},
        {"CertificateWithoutKey", kServer, "{client-certificate: a}",
         "users[name=u].user.client-key: is missing"},
        {"Password", kServer, "{username: a, password: b}",
         "users[name=u].user.username: basic authentication is not supported"},
        {"AuthProvider", kServer, "{auth-provider: {name: gcp}}",
         "users[name=u].user.auth-provider: is not supported; use an exec plugin"},
        {"OldExec", kServer, "{exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: x}}",
         "users[name=u].user.exec.apiVersion: 'client.authentication.k8s.io/v1alpha1' is not "
         "client.authentication.k8s.io/v1 or v1beta1"},
        {"ExecWithoutCommand", kServer, "{exec: {apiVersion: client.authentication.k8s.io/v1}}",
         "users[name=u].user.exec.command: is missing"},
        {"InteractiveExec", kServer,
         "{exec: {apiVersion: client.authentication.k8s.io/v1, command: x, interactiveMode: Always}}",
         "users[name=u].user.exec.interactiveMode: a plugin that needs a terminal cannot be used"},
        {"TwoGroups", kServer, "{as: a, as-groups: [b, c]}",
         "users[name=u].user.as-groups: more than one group is not supported"},
        // clang-format on
    }),
    [](const auto& test) { return test.param.name; });

TEST(Kubeconfig, BrokenFilesSayWhere) {
  const auto message = [](const char* yaml, const char* context = "") {
    return parse_kubeconfig(yaml, "/k", context).error().message;
  };
  EXPECT_EQ(message(""), "kubeconfig /k: is not a map");
  EXPECT_EQ(message("just text"), "kubeconfig /k: is not a map");
  EXPECT_EQ(message("contexts: []"), "kubeconfig /k: current-context: is not set");
  EXPECT_EQ(message(kGood, "x"), "kubeconfig /k: contexts: has no entry named 'x'");
  EXPECT_EQ(message("current-context: c\ncontexts: [{name: c, context: {cluster: k}}]"),
            "kubeconfig /k: clusters: has no entry named 'k'");
  EXPECT_EQ(message("current-context: c\ncontexts: [{name: c, context: {}}]"),
            "kubeconfig /k: contexts[name=c].context.cluster: is missing");
  EXPECT_THAT(message("a: [b"), HasSubstr("kubeconfig /k: yaml-cpp: error at line"));
  EXPECT_FALSE(parse_kubeconfig(std::string(100'000, '['), "/k"));
  EXPECT_EQ(load_kubeconfig("/no/such/file").error().message,
            "kubeconfig: /no/such/file: No such file or directory");
  EXPECT_EQ(load_kubeconfig("/no/such/file").error().code, Errc::NotFound);
}

class InClusterTest : public testing::Test {
 protected:
  TempDir dir_;
  void SetUp() override {
    ::setenv("KUBERNETES_SERVICE_HOST", "10.96.0.1", 1);
    ::setenv("KUBERNETES_SERVICE_PORT", "443", 1);
    dir_.write("ca.crt", "CA");
    dir_.write("token", "T");
    dir_.write("namespace", "quorate-system");
  }
  void TearDown() override {
    ::unsetenv("KUBERNETES_SERVICE_HOST");
    ::unsetenv("KUBERNETES_SERVICE_PORT");
  }
};

TEST_F(InClusterTest, ReadsTheServiceAccount) {
  const Outcome<Config> config = load_in_cluster(dir_.path());
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->server, "https://10.96.0.1:443");
  EXPECT_EQ(config->token.file, dir_.path() + "/token");
  EXPECT_EQ(config->ns, "quorate-system");
}

TEST_F(InClusterTest, Ipv6IsReplacedByTheName) {
  ::setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
  EXPECT_EQ(load_in_cluster(dir_.path())->server, "https://kubernetes.default.svc:443");
}

TEST_F(InClusterTest, SaysWhatIsMissing) {
  std::filesystem::remove(dir_.path() + "/token");
  EXPECT_THAT(load_in_cluster(dir_.path()).error().message, HasSubstr("/token: No such file"));
  ::unsetenv("KUBERNETES_SERVICE_HOST");
  EXPECT_THAT(load_config("").error().message, HasSubstr("KUBERNETES_SERVICE_HOST"));
}

TEST(Base64, RoundTripsAndRefusesNonsense) {
  for (const std::string text : {"", "a", "ab", "abc", "abcd", "\xff\x00\x01"}) {
    EXPECT_EQ(base64_decode(base64_encode(text)), text);
  }
  EXPECT_EQ(base64_decode("QU\nI=\n"), "AB");
  for (const char* bad : {"A", "AB", "ABC", "A===", "AB=C", "AB==="}) {
    EXPECT_EQ(base64_decode(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace quorate::kube
