#include "src/http/cpprest_transport.h"

#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <thread>

#include "src/http/loop.h"
#include "src/http/server.h"

namespace quorate::http {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

KeyPair test_ca() {
  static const KeyPair ca = *make_ca("test-ca", wall_now(), Duration::seconds(3600));
  return ca;
}

KeyPair test_leaf(const std::string& name, CertificateUse use = CertificateUse::Server) {
  LeafSpec spec{.common_name = name, .dns_names = {name}, .use = use};
  if (name == "loopback") spec.ip_addresses = {"127.0.0.1"};
  return *issue_certificate(test_ca(), spec, wall_now(), Duration::seconds(3600));
}

std::unique_ptr<Server> started(ServerOptions options, Handler handler) {
  Outcome<std::unique_ptr<Server>> server = Server::start(std::move(options), std::move(handler));
  if (!server) throw std::runtime_error(server.error().message);
  return std::move(*server);
}

Response ok(std::string body) {
  Response response;
  response.status = 200;
  response.body = std::move(body);
  return response;
}

Response echo(const Request& request) {
  return ok(std::string(method_name(request.method)) + " " + request.target + " " +
            std::string(request.headers.get("X-Test")) + " " + request.body);
}

TransportOptions plain_options(const Server& server) {
  return {.base_url = "http://127.0.0.1:" + std::to_string(server.port())};
}

TransportOptions tls_options(const Server& server) {
  return {.base_url = "https://127.0.0.1:" + std::to_string(server.port()), .tls = [] {
            return TlsMaterial{test_ca().certificate_pem, {}};
          }};
}

// What a stream told, with a way to wait for it.
struct Heard {
  std::promise<int> status;
  std::promise<std::optional<Error>> end;
  Mutex mutex;
  CondVar changed;
  std::string bytes GUARDED_BY(mutex);
  bool accept = true;

  StreamHandler handler() {
    return {.on_status = [this](int code, const Headers&) { status.set_value(code); },
            .on_bytes =
                [this](std::string_view more) {
                  MutexLock lock(mutex);
                  bytes += more;
                  changed.notify_all();
                  return accept;
                },
            .on_end = [this](std::optional<Error> why) { end.set_value(std::move(why)); }};
  }
  void wait_for_bytes(std::string_view want) {
    MutexLock lock(mutex);
    while (bytes.size() < want.size()) changed.wait(mutex);
    EXPECT_EQ(bytes, want);
  }
};

TEST(CpprestTransport, CarriesEveryMethodWithHeadersAndBody) {
  const auto server = started({}, echo);
  const auto transport = *make_transport(plain_options(*server));
  for (const Method method : {Method::Post, Method::Put, Method::Patch, Method::Delete}) {
    Request request{.method = method,
                    .target = "/a/b%2Fc?x=1%2C2",
                    .headers = {{"X-Test", "h"}, {"Content-Type", "application/json"}},
                    .body = "{}"};
    EXPECT_EQ(transport->call(request)->body,
              std::string(method_name(method)) + " /a/b%2Fc?x=1%2C2 h {}");
  }
  EXPECT_EQ(transport->call({.target = "/get"})->body, "GET /get  ");
}

TEST(CpprestTransport, StatusesAreAnswersNotErrors) {
  const auto server = started({}, [](const Request&) {
    Response response;
    response.status = 429;
    response.headers.set("Retry-After", "3");
    response.body = "slow down";
    return response;
  });
  const auto transport = *make_transport(plain_options(*server));
  const Outcome<Response> answer = transport->call({.target = "/"});
  EXPECT_EQ(answer->status, 429);
  EXPECT_EQ(answer->headers.get("retry-after"), "3");
  EXPECT_EQ(answer->body, "slow down");
}

TEST(CpprestTransport, VerifiesTheServerByItsCa) {
  ServerOptions options;
  options.tls = test_leaf("loopback");
  const auto server = started(options, echo);
  EXPECT_EQ((*make_transport(tls_options(*server)))->call({.target = "/tls"})->body, "GET /tls  ");

  TransportOptions stranger = tls_options(*server);
  stranger.tls = [] {
    return TlsMaterial{make_ca("other", wall_now(), Duration::seconds(60))->certificate_pem, {}};
  };
  const Outcome<Response> refused = (*make_transport(stranger))->call({.target = "/"});
  EXPECT_EQ(refused.error().code, Errc::Unavailable);
  EXPECT_THAT(refused.error().message, HasSubstr("SSL handshake"));
  // Which certificate it was, and who would have to be trusted.
  EXPECT_THAT(refused.error().message, HasSubstr("(certificate \"CN=loopback\" issued by \"CN="));
  EXPECT_THAT(refused.error().message, HasSubstr("unable to get local issuer certificate"));

  stranger.insecure_skip_verify = true;
  EXPECT_TRUE((*make_transport(stranger))->call({.target = "/"}));
}

TEST(CpprestTransport, ServerNameReplacesTheHostInVerification) {
  ServerOptions options;
  options.tls = test_leaf("kubernetes.default.svc");
  const auto server = started(options, echo);
  TransportOptions client = tls_options(*server);
  EXPECT_FALSE((*make_transport(client))->call({.target = "/"}));
  client.server_name = "kubernetes.default.svc";
  EXPECT_TRUE((*make_transport(client))->call({.target = "/"}));
}

TEST(CpprestTransport, AFailingTlsSourceIsTheErrorsCause) {
  ServerOptions options;
  options.tls = test_leaf("loopback");
  const auto server = started(options, echo);
  TransportOptions client = tls_options(*server);
  client.tls = []() -> Outcome<TlsMaterial> {
    return error(Errc::Invalid, "client certificate /x/tls.crt: no such file");
  };
  EXPECT_THAT((*make_transport(client))->call({.target = "/"}).error().message,
              HasSubstr("client certificate /x/tls.crt: no such file"));
}

TEST(CpprestTransport, NobodyListeningIsUnavailableAndNamesTheServer) {
  auto server = started({}, echo);
  const TransportOptions options = plain_options(*server);
  server.reset();
  const Outcome<Response> answer = (*make_transport(options))->call({.target = "/"});
  EXPECT_EQ(answer.error().code, Errc::Unavailable);
  EXPECT_THAT(answer.error().message, testing::StartsWith(options.base_url + ": "));
}

TEST(CpprestTransport, TheDeadlineHoldsEvenIfTheServerIsSilent) {
  std::promise<void> release;
  auto released = release.get_future().share();
  const auto server = started({}, [released](const Request&) {
    released.wait();
    return ok("late");
  });
  const auto transport = *make_transport(plain_options(*server));
  const Outcome<Response> answer =
      transport->call({.target = "/", .timeout = Duration::millis(50)});
  release.set_value();
  EXPECT_THAT(answer.error().message, HasSubstr("timed out"));
}

TEST(CpprestTransport, CancelAnswersAtOnce) {
  std::promise<void> release;
  auto released = release.get_future().share();
  std::promise<void> entered;
  const auto server = started({}, [&, released](const Request&) {
    entered.set_value();
    released.wait();
    return ok("late");
  });
  const auto transport = *make_transport(plain_options(*server));
  std::promise<Outcome<Response>> answer;
  const Cancel cancel = transport->send(
      {.target = "/"}, [&](Outcome<Response> response) { answer.set_value(std::move(response)); });
  entered.get_future().wait();
  cancel();
  EXPECT_EQ(answer.get_future().get().error().message, "cancelled");
  cancel();
  release.set_value();
}

TEST(CpprestTransport, RequestsInFlightAreBounded) {
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  ServerOptions options;
  options.worker_threads = 8;
  const auto server = started(options, [&](const Request&) {
    const int now = ++running;
    int seen = most;
    while (now > seen && !most.compare_exchange_weak(seen, now)) {
    }
    std::this_thread::yield();
    --running;
    return ok("");
  });
  TransportOptions client = plain_options(*server);
  client.max_in_flight = 2;
  const auto transport = *make_transport(client);
  constexpr int kRequests = 200;
  std::atomic<int> good{0};
  std::atomic<int> left{kRequests};
  std::promise<void> all;
  for (int i = 0; i < kRequests; ++i) {
    transport->send({.target = "/"}, [&](Outcome<Response> answer) {
      if (answer) ++good;
      if (--left == 0) all.set_value();
    });
  }
  all.get_future().wait();
  EXPECT_EQ(good, kRequests);
  EXPECT_LE(most, 2);
}

TEST(CpprestTransport, DeadPooledConnectionsAreReplacedForIdempotentRequests) {
  auto server = started({}, echo);
  const std::uint16_t port = server->port();
  const auto transport = *make_transport(plain_options(*server));
  ASSERT_TRUE(transport->call({.target = "/1"}));
  server.reset();
  ServerOptions again;
  again.port = port;
  server = started(again, echo);
  Request write{.method = Method::Put, .target = "/2", .body = "x", .idempotent = true};
  const Outcome<Response> answer = transport->call(write);
  EXPECT_EQ(answer.value_or(Response{}).body, "PUT /2  x");
}

TEST(CpprestTransport, StreamsBytesAsTheyCome) {
  auto body = std::make_shared<BodyStream>();
  ServerOptions options;
  options.tls = test_leaf("loopback");
  const auto server = started(options, [body](const Request&) {
    Response response = ok("");
    response.stream = body;
    return response;
  });
  const auto transport = *make_transport(tls_options(*server));
  Heard heard;
  transport->stream({.target = "/watch"}, heard.handler());
  EXPECT_EQ(heard.status.get_future().get(), 200);
  body->write("one\n");
  heard.wait_for_bytes("one\n");
  body->write("tw");
  heard.wait_for_bytes("one\ntw");
  body->finish();
  EXPECT_EQ(heard.end.get_future().get(), std::nullopt);
}

TEST(CpprestTransport, ABrokenStreamEndsWithAnError) {
  auto body = std::make_shared<BodyStream>();
  const auto server = started({}, [body](const Request&) {
    Response response = ok("");
    response.stream = body;
    return response;
  });
  const auto transport = *make_transport(plain_options(*server));
  Heard heard;
  transport->stream({.target = "/watch"}, heard.handler());
  heard.status.get_future().wait();
  body->write("half a li");
  heard.wait_for_bytes("half a li");
  body->abort();
  EXPECT_EQ(heard.end.get_future().get()->code, Errc::Unavailable);
}

TEST(CpprestTransport, StreamsEndByCancelByTheReaderAndBySilence) {
  auto body = std::make_shared<BodyStream>();
  const auto serve = [&body](const Request&) {
    Response response = ok("");
    response.stream = body;
    return response;
  };
  const auto server = started({}, serve);
  TransportOptions options = plain_options(*server);
  options.stream_idle_timeout = Duration::seconds(1);
  const auto transport = *make_transport(options);
  {
    Heard heard;
    const Cancel cancel = transport->stream({.target = "/watch"}, heard.handler());
    heard.status.get_future().wait();
    cancel();
    EXPECT_EQ(heard.end.get_future().get()->message, "cancelled");
  }
  body = std::make_shared<BodyStream>();
  {
    Heard heard;
    heard.accept = false;
    transport->stream({.target = "/watch"}, heard.handler());
    heard.status.get_future().wait();
    body->write("x");
    EXPECT_EQ(heard.end.get_future().get()->message, "stopped by the reader");
  }
  body = std::make_shared<BodyStream>();
  {
    Heard heard;
    transport->stream({.target = "/watch"}, heard.handler());
    heard.status.get_future().wait();
    EXPECT_EQ(heard.end.get_future().get()->code, Errc::Unavailable);  // after a second of silence
  }
}

// The library's crash is a race of cancel against the TLS handshake; with one pool thread and
// posted cancels there must be none.
TEST(CpprestTransport, ManyCancelledTlsStreamsDoNoHarm) {
  ServerOptions options;
  options.tls = test_leaf("loopback");
  const auto server = started(options, [](const Request&) {
    Response response = ok("");
    response.stream = std::make_shared<BodyStream>();
    return response;
  });
  const auto transport = *make_transport(tls_options(*server));
  for (int i = 0; i < 300; ++i) {
    auto ended = std::make_shared<std::promise<void>>();
    auto status = std::make_shared<std::promise<void>>();
    StreamHandler handler;
    handler.on_status = [status](int, const Headers&) { status->set_value(); };
    handler.on_bytes = [](std::string_view) { return true; };
    handler.on_end = [ended](const std::optional<Error>&) { ended->set_value(); };
    const Cancel cancel = transport->stream({.target = "/watch"}, std::move(handler));
    if (i % 3 == 0) status->get_future().wait();
    if (i % 3 == 1) std::this_thread::yield();
    cancel();
    ended->get_future().wait();
  }
  EXPECT_TRUE(transport->call({.target = "/last", .timeout = Duration::millis(1)}).error().code ==
              Errc::Unavailable);
}

TEST(CpprestTransport, ClientCertificatesAreReadAgainForNewConnections) {
  std::atomic<int> asked{0};
  ServerOptions options;
  options.tls = test_leaf("loopback");
  const auto server = started(options, [](const Request& request) {
    Response response = echo(request);
    response.headers.set("Connection", "close");
    return response;
  });
  TransportOptions client = tls_options(*server);
  const KeyPair identity = test_leaf("client", CertificateUse::Client);
  client.tls = [&asked, identity] {
    ++asked;
    return TlsMaterial{test_ca().certificate_pem, identity};
  };
  const auto transport = *make_transport(client);
  ASSERT_TRUE(transport->call({.target = "/1"}));
  EXPECT_EQ(asked, 1);
  ASSERT_TRUE(transport->call({.target = "/2"}));
  EXPECT_EQ(asked, 2);
}

TEST(MakeTransport, SaysThatIpv6LiteralsDoNotWork) {
  EXPECT_THAT(make_transport({.base_url = "https://[::1]:6443"}).error().message,
              HasSubstr("name instead of an IPv6 address"));
}

TEST(MakeTransport, RefusesUrlsItCannotUse) {
  for (const char* url :
       {"", "10.0.0.1:443", "ftp://x", "https://", "https://x/path", "http://[x"}) {
    const auto transport = make_transport({.base_url = url});
    EXPECT_EQ(transport.error().code, Errc::Invalid) << url;
    EXPECT_THAT(transport.error().message, HasSubstr("'" + std::string(url) + "'"));
  }
}

}  // namespace
}  // namespace quorate::http

int main(int argc, char** argv) {
  quorate::http::init_process();
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
