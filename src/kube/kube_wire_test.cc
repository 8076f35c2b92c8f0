#include <gmock/gmock.h>

#include <future>
#include <map>
#include <vector>

#include "src/http/fault_transport.h"
#include "src/http/loop.h"
#include "src/http/server.h"
#include "src/kube/base64.h"
#include "src/kube/config.h"
#include "src/kube/reflector.h"
#include "src/kube/testing/fake_api_server.h"
#include "src/kube/testing/temp_dir.h"
#include "src/kube/testing/wire_text.h"

namespace quorate::kube {
namespace {

using testing::HasSubstr;

// The fake API server behind TLS and a bearer token on loopback, reached through a kubeconfig.
class KubeWireTest : public testing::Test {
 protected:
  std::unique_ptr<http::Loop> loop_ = http::make_thread_loop();
  FakeApiServer api_;
  http::KeyPair ca_ = *http::make_ca("ca", http::wall_now(), Duration::seconds(3600));
  TempDir dir_;
  std::unique_ptr<http::Server> server_ = start(0);

  std::unique_ptr<http::Server> start(std::uint16_t port) {
    http::ServerOptions options;
    options.port = port;
    options.tls =
        *http::issue_certificate(ca_, {.common_name = "kube", .ip_addresses = {"127.0.0.1"}},
                                 http::wall_now(), Duration::seconds(3600));
    options.authorize = [](std::string_view token) { return token == "secret"; };
    auto server = http::Server::start(
        options, [this](const http::Request& request) { return api_.handle(request); });
    if (!server) throw std::runtime_error(server.error().message);
    return std::move(*server);
  }

  Config config(const std::string& token = "secret") {
    dir_.write("token", token);
    const std::string yaml =
        "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"
        "users: [{name: u, user: {tokenFile: token}}]\nclusters: [{name: k, cluster: {server: "
        "'https://127.0.0.1:" +
        std::to_string(server_->port()) +
        "', certificate-authority-data: " + base64_encode(ca_.certificate_pem) + "}}]\n";
    return *parse_kubeconfig(yaml, dir_.path() + "/config");
  }
  std::unique_ptr<Client> client(const Config& config) {
    Connection connection = *connect(config);
    return std::make_unique<Client>(connection.transport, *loop_, connection.options,
                                    connection.credentials);
  }
};

TEST_F(KubeWireTest, WritesManyObjectsAtOnceAndReadsThemBack) {
  const auto client = this->client(config());
  constexpr int kObjects = 300;
  std::atomic<int> good{0};
  for (int i = 0; i < kObjects; ++i) {
    const ObjectKey key{"ns", "j" + std::to_string(i)};
    client->submit(create(jobs(), key, object_json(key, "", "", R"("spec":{})")),
                   [&](const Outcome<Document>& answer) { good += answer ? 1 : 0; });
  }
  ASSERT_TRUE(client->drain(Duration::seconds(60)));
  EXPECT_EQ(good, kObjects);
  int listed = 0;
  ASSERT_TRUE(client->list(jobs(), {.limit = 70}, [&](const RawObject&) { ++listed; }));
  EXPECT_EQ(listed, kObjects);
}

TEST_F(KubeWireTest, ErrorsNameTheirCause) {
  EXPECT_THAT(client(config("wrong"))->call(get(jobs(), {"ns", "a"})).error().message,
              HasSubstr("get jobs.batch ns/a: unauthorized (401)"));
  Config stranger = config();
  stranger.ca.text = http::make_ca("x", http::wall_now(), Duration::seconds(60))->certificate_pem;
  EXPECT_THAT(client(stranger)->call(get(jobs(), {"ns", "a"})).error().message,
              HasSubstr("SSL handshake"));
  stranger.ca.text = "nonsense";
  EXPECT_THAT(connect(stranger).error().message,
              HasSubstr("certificate authority : not a bundle of PEM certificates"));
  stranger = config();
  stranger.client_certificate.file = "/no/cert";
  stranger.client_key.file = "/no/key";
  EXPECT_THAT(connect(stranger).error().message,
              HasSubstr("client certificate: /no/cert: No such file"));
}

TEST_F(KubeWireTest, ATokenFileIsReadAgain) {
  const auto client = this->client(config("wrong"));
  EXPECT_EQ(client->call(get(jobs(), {"ns", "a"})).error().code, Errc::Forbidden);
  dir_.write("token", "secret");
  EXPECT_EQ(client->call(get(jobs(), {"ns", "a"})).error().code, Errc::NotFound);
}

// What a reflector tells, for another thread to wait on.
class Watched final : public Sink<int> {
 public:
  void on_upsert(const Meta& meta, int) override { set(meta.key.name, meta.resource_version); }
  void on_delete(const Meta& meta, std::optional<int>) override {
    MutexLock lock(mutex_);
    state_.erase(meta.key.name);
    changed_.notify_all();
  }
  void on_invalid(const Meta&, const Error&) override {}

  // Waits until the copy equals the server.
  void wait_for(const std::vector<std::string>& want) {
    MutexLock lock(mutex_);
    while (objects() != want) changed_.wait(mutex_);
  }

 private:
  void set(const std::string& name, const std::string& version) {
    MutexLock lock(mutex_);
    state_[name] = version;
    changed_.notify_all();
  }
  std::vector<std::string> objects() const REQUIRES(mutex_) {
    std::vector<std::string> out;
    for (const auto& [name, version] : state_) out.push_back("ns/" + name + "=" + version);
    return out;
  }

  Mutex mutex_;
  CondVar changed_;
  std::map<std::string, std::string> state_ GUARDED_BY(mutex_);
};

TEST_F(KubeWireTest, AReflectorSurvivesBrokenWatchesCompactionAndAServerRestart) {
  Connection connection = *connect(config());
  const auto transport =
      http::make_fault_transport(connection.transport, *loop_,
                                 http::seeded_faults(7, {.disconnect_before_send = 0.05,
                                                         .lost_answer = 0.05,
                                                         .internal_error = 0.05,
                                                         .cut_stream = 0.3}));
  Client client(transport, *loop_, connection.options, connection.credentials);
  for (const char* name : {"a", "b", "c"}) api_.put(jobs(), {"ns", name}, "");
  Watched copy;
  Reflector<int> reflector(
      client, jobs(),
      {.watch_list = false,
       .page_size = 2,
       .backoff_base = Duration::millis(1),
       .backoff_max = Duration::millis(20)},
      [](const RawObject&) -> Outcome<int> { return 1; }, copy);
  reflector.start();
  copy.wait_for(api_.objects(jobs()));
  for (int round = 0; round < 40; ++round) {
    api_.put(jobs(), {"ns", "a"}, "\"n\":" + std::to_string(round));
    api_.erase(jobs(), {"ns", "b"});
    if (round % 4 == 0) api_.break_watches();
    if (round % 10 == 5) api_.compact();
    api_.put(jobs(), {"ns", "b"}, "");
    if (round % 8 == 3) api_.end_watches();
    copy.wait_for(api_.objects(jobs()));
  }
  const std::uint16_t port = server_->port();
  server_.reset();
  api_.put(jobs(), {"ns", "d"}, "");
  server_ = start(port);
  copy.wait_for(api_.objects(jobs()));
  reflector.stop();
}

}  // namespace
}  // namespace quorate::kube

int main(int argc, char** argv) {
  quorate::http::init_process();
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
