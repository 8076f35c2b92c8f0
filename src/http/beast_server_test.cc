#include <gmock/gmock.h>

#include <future>
#include <thread>

#include "src/http/loop.h"
#include "src/http/server.h"
#include "src/http/test_client.h"

namespace quorate::http {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

Response ok(std::string body) {
  Response response;
  response.status = 200;
  response.headers.set("Content-Type", "text/plain");
  response.body = std::move(body);
  return response;
}

Response echo(const Request& request) {
  return ok(std::string(method_name(request.method)) + " " + request.target + " " + request.body);
}

std::unique_ptr<Server> started(ServerOptions options, Handler handler = echo) {
  Outcome<std::unique_ptr<Server>> server = Server::start(std::move(options), std::move(handler));
  if (!server) throw std::runtime_error(server.error().message);
  return std::move(*server);
}

TEST(BeastServer, AnswersRequestsOnOneConnection) {
  const auto server = started({});
  TestClient client(server->port());
  client.send("GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.read_answer(), EndsWith("\r\n\r\nGET /a?b=c "));
  client.send("POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody");
  EXPECT_THAT(client.read_answer(), EndsWith("\r\n\r\nPOST /p body"));
  client.send(
      "PUT /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
  EXPECT_THAT(client.read_answer(), EndsWith("PUT /c abc"));
}

TEST(BeastServer, PipelinedRequestsAreAllServed) {
  const auto server = started({});
  TestClient client(server->port());
  client.send("GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.read_answer(), EndsWith("GET /1 "));
  EXPECT_THAT(client.read_answer(), EndsWith("GET /2 "));
}

TEST(BeastServer, HeadHasTheLengthButNoBody) {
  const auto server = started({});
  TestClient client(server->port());
  client.send("HEAD /h HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const std::string answer = client.read_to_end();
  EXPECT_THAT(answer, HasSubstr("Content-Length: 8\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n"));
}

TEST(BeastServer, ExpectContinueIsAnswered) {
  const auto server = started({});
  TestClient client(server->port());
  client.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_THAT(client.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 100"));
  client.send("hi");
  EXPECT_THAT(client.read_answer(), EndsWith("POST / hi"));
}

struct BadInput {
  const char* name;
  std::string bytes;
  const char* want;  // how the answer starts; "" for a closed connection
};

class BadInputTest : public testing::TestWithParam<BadInput> {};

TEST_P(BadInputTest, IsRefusedAndTheServerGoesOn) {
  ServerOptions options;
  options.max_body_bytes = 1000;
  const auto server = started(options);
  {
    TestClient client(server->port());
    client.send(GetParam().bytes);
    EXPECT_THAT(client.read_to_end(), StartsWith(GetParam().want));
  }
  TestClient client(server->port());
  client.send("GET /alive HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.read_answer(), EndsWith("GET /alive "));
}

INSTANTIATE_TEST_SUITE_P(
    BeastServer, BadInputTest,
    testing::ValuesIn(std::vector<BadInput>{
        {"NegativeChunkSize",
         "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nabc\r\n",
         "HTTP/1.1 400"},
        {"HugeHeader", "GET / HTTP/1.1\r\nX: " + std::string(40'000, 'x'), "HTTP/1.1 431"},
        {"HugeBody", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n", "HTTP/1.1 413"},
        {"HugeChunkedBody",
         "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n800\r\n" +
             std::string(0x800, 'x'),
         "HTTP/1.1 413"},
        {"NotHttp", "\x16\x03\x01 hello\r\n\r\n", "HTTP/1.1 400"},
        {"TwoLengths", "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
         "HTTP/1.1 400"},
        {"UnknownMethod", "BREW / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
         "HTTP/1.1 405"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(BeastServer, SlowHeaderSendersAreClosed) {
  ServerOptions options;
  options.header_timeout = Duration::millis(30);
  const auto server = started(options);
  TestClient client(server->port());
  client.send("GET / HTTP/1.1\r\nHos");
  EXPECT_EQ(client.read_to_end(), "");
}

TEST(BeastServer, SilentAndIdleConnectionsAreClosed) {
  ServerOptions options;
  options.header_timeout = Duration::millis(30);
  options.idle_timeout = Duration::millis(30);
  const auto server = started(options);
  TestClient silent(server->port());
  EXPECT_EQ(silent.read_to_end(), "");
  TestClient idle(server->port());
  idle.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(idle.read_answer(), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(idle.read_to_end(), "");
}

TEST(BeastServer, ConnectionsOverTheCapAreClosed) {
  ServerOptions options;
  options.max_connections = 1;
  const auto server = started(options);
  TestClient first(server->port());
  first.send("GET /1 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(first.read_answer(), EndsWith("GET /1 "));
  TestClient second(server->port());
  second.send("GET /2 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(second.read_to_end(), "");
  first.send("GET /3 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(first.read_answer(), EndsWith("GET /3 "));
}

TEST(BeastServer, BearerTokensAreChecked) {
  ServerOptions options;
  options.authorize = [](std::string_view token) { return token == "secret"; };
  const auto server = started(options);
  TestClient client(server->port());
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.read_answer(), StartsWith("HTTP/1.1 401"));
  client.send("GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Basic secret\r\n\r\n");
  EXPECT_THAT(client.read_answer(), StartsWith("HTTP/1.1 401"));
  client.send("GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer secret\r\n\r\n");
  EXPECT_THAT(client.read_answer(), StartsWith("HTTP/1.1 200"));
}

TEST(BeastServer, AHandlerThatThrowsIsA500) {
  const auto server =
      started({}, [](const Request&) -> Response { throw std::runtime_error("broken"); });
  TestClient client(server->port());
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.read_answer(), AllOf(StartsWith("HTTP/1.1 500"), HasSubstr("broken")));
}

struct Tls : testing::Test {
  KeyPair ca = *make_ca("test-ca", wall_now(), Duration::seconds(3600));
  KeyPair leaf(const std::string& name) const {
    return *issue_certificate(ca, {.common_name = name, .ip_addresses = {"127.0.0.1"}}, wall_now(),
                              Duration::seconds(3600));
  }
};

TEST_F(Tls, CertificateIsReloadedForNewConnections) {
  const KeyPair old_pair = leaf("old");
  const KeyPair new_pair = leaf("new");
  ServerOptions options;
  options.tls = old_pair;
  const auto server = started(options);
  TestClient before(server->port(), ca.certificate_pem);
  ASSERT_TRUE(before.connected());
  EXPECT_EQ(before.peer_certificate_pem(), old_pair.certificate_pem);

  ASSERT_TRUE(server->set_certificate(new_pair));
  TestClient after(server->port(), ca.certificate_pem);
  EXPECT_EQ(after.peer_certificate_pem(), new_pair.certificate_pem);
  for (TestClient* client : {&before, &after}) {
    client->send("GET /tls HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(client->read_answer(), EndsWith("GET /tls "));
  }
  EXPECT_EQ(server->set_certificate({old_pair.certificate_pem, new_pair.key_pem}).error().message,
            "serving certificate: the key does not belong to the certificate");
}

TEST_F(Tls, ConnectionsThatDoNotShakeHandsAreClosed) {
  ServerOptions options;
  options.tls = leaf("server");
  options.handshake_timeout = Duration::millis(30);
  const auto server = started(options);
  TestClient client(server->port());
  EXPECT_EQ(client.read_to_end(), "");
}

TEST(BeastServer, StreamsChunksAsTheyAreWritten) {
  auto body = std::make_shared<BodyStream>();
  const auto server = started({}, [body](const Request&) {
    Response response = ok("");
    response.stream = body;
    return response;
  });
  TestClient client(server->port());
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.read_until("\r\n\r\n"), HasSubstr("Transfer-Encoding: chunked"));
  body->write("one\n");
  EXPECT_EQ(client.read_until("one\n\r\n"), "4\r\none\n\r\n");
  body->write("two\n");
  EXPECT_EQ(client.read_until("two\n\r\n"), "4\r\ntwo\n\r\n");
  body->finish();
  EXPECT_EQ(client.read_to_end(), "0\r\n\r\n");
}

TEST(BeastServer, AStreamLearnsThatItsReaderLeft) {
  auto body = std::make_shared<BodyStream>();
  std::promise<void> gone;
  body->on_close([&] { gone.set_value(); });
  const auto server = started({}, [body](const Request&) {
    Response response = ok("");
    response.stream = body;
    return response;
  });
  {
    TestClient client(server->port());
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    client.read_until("\r\n\r\n");
  }
  gone.get_future().wait();
  EXPECT_FALSE(body->write("late"));
}

TEST(BeastServer, AnAbortedStreamEndsWithoutTheLastChunk) {
  auto body = std::make_shared<BodyStream>();
  const auto server = started({}, [body](const Request&) {
    Response response = ok("");
    response.stream = body;
    return response;
  });
  TestClient client(server->port());
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  client.read_until("\r\n\r\n");
  body->write("half");
  body->abort();
  EXPECT_EQ(client.read_to_end(), "4\r\nhalf\r\n");
}

TEST(BeastServer, StopLetsARequestInFlightFinish) {
  std::promise<void> entered;
  std::promise<void> release;
  const auto server = started({}, [&](const Request&) {
    entered.set_value();
    release.get_future().wait();
    return ok("done");
  });
  TestClient client(server->port());
  TestClient idle(server->port());
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  entered.get_future().wait();
  std::thread stopper([&] { server->stop(Duration::seconds(20)); });
  EXPECT_EQ(idle.read_to_end(), "");  // the stop has begun
  release.set_value();
  EXPECT_THAT(client.read_to_end(), AllOf(HasSubstr("Connection: close"), EndsWith("done")));
  stopper.join();
  EXPECT_FALSE(TestClient(server->port()).connected());
}

TEST(BeastServer, StopCutsStreamsWhenTheGraceIsOver) {
  auto body = std::make_shared<BodyStream>();
  const auto server = started({}, [body](const Request&) {
    Response response = ok("");
    response.stream = body;
    return response;
  });
  TestClient client(server->port());
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  client.read_until("\r\n\r\n");
  server->stop(Duration{});
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_TRUE(body->closed());
}

TEST(BeastServer, StartErrorsNameTheAddress) {
  EXPECT_EQ(Server::start({.address = "localhost"}, echo).error().message,
            "listen address 'localhost' is not an IP address");
  const auto server = started({});
  const auto second = Server::start({.port = server->port()}, echo);
  EXPECT_THAT(second.error().message,
              StartsWith("listen on 127.0.0.1:" + std::to_string(server->port()) + ": "));
  ServerOptions options;
  options.tls = KeyPair{"x", "y"};
  EXPECT_THAT(Server::start(options, echo).error().message,
              StartsWith("serving certificate: not a PEM certificate"));
}

}  // namespace
}  // namespace quorate::http
