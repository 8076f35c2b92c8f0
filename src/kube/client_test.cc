#include "src/kube/client.h"

#include <gmock/gmock.h>

#include <vector>

#include "src/http/fault_transport.h"
#include "src/http/handler_transport.h"
#include "src/http/manual_loop.h"
#include "src/kube/testing/fake_api_server.h"
#include "src/kube/testing/wire_text.h"

namespace quorate::kube {
namespace {

using http::Fault;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const ObjectKey kJob{"ns", "a"};

class FakeFence final : public Fence {
 public:
  std::optional<Duration> left = Duration::seconds(100);
  std::optional<Duration> remaining() const override { return left; }
};

// A client of a fake server behind scripted faults, on a loop that the test moves.
class ClientTest : public testing::Test {
 protected:
  http::ManualLoop loop_;
  FakeApiServer server_;
  http::ScriptedFaults faults_;
  std::shared_ptr<http::HttpTransport> transport_ = http::make_fault_transport(
      http::make_handler_transport(
          [this](const http::Request& request) { return server_.handle(request); }, loop_),
      loop_, faults_.plan());

  std::vector<std::string> answers_;

  // Collects "ok" or "code message".
  Client::Completion collect() {
    return [this](Outcome<Document> answer) {
      static constexpr const char* kCodes[] = {"Invalid",       "NotFound",  "Conflict",
                                               "AlreadyExists", "Forbidden", "Gone",
                                               "Unavailable",   "Fenced"};
      answers_.push_back(answer ? "ok"
                                : std::string(kCodes[static_cast<int>(answer.error().code)]) + " " +
                                      answer.error().message);
    };
  }
  void refuse(int status, int retry_after, int times) {
    faults_.add({.fault = {.kind = Fault::Kind::Status,
                           .status = status,
                           .retry_after_seconds = retry_after},
                 .times = times});
  }
  static ApiRequest create_job(const std::string& name = "a") {
    return create(jobs(), {"ns", name}, object_json({"ns", name}, "", "", R"("spec":{"n":1})"));
  }
};

TEST_F(ClientTest, CarriesOutRequestsInOrder) {
  Client client(transport_, loop_, {});
  client.submit(create_job(), collect());
  client.submit(get(jobs(), kJob), collect());
  client.submit(patch(jobs(), kJob, PatchKind::Merge, R"({"spec":{"n":2}})"), collect());
  client.submit(remove(jobs(), kJob, {}), collect());
  loop_.run();
  EXPECT_THAT(answers_, ElementsAre("ok", "ok", "ok", "ok"));
  EXPECT_THAT(server_.objects(jobs()), IsEmpty());
}

TEST_F(ClientTest, RefusalsBecomeErrorsWithTheServersMessage) {
  Client client(transport_, loop_, {});
  server_.put(jobs(), kJob, "");
  client.submit(create_job(), collect());
  client.submit(replace(jobs(), kJob, object_json(kJob, "", "1")), collect());
  client.submit(remove(jobs(), kJob, {.uid = "other"}), collect());
  client.submit(get(jobs(), {"ns", "b"}), collect());
  loop_.run();
  EXPECT_THAT(answers_,
              ElementsAre("AlreadyExists create jobs.batch ns/a: \"a\" already exists (409 "
                          "AlreadyExists)",
                          HasSubstr("Conflict replace jobs.batch ns/a: the object has been"),
                          HasSubstr("Conflict delete jobs.batch ns/a: Precondition failed"),
                          "NotFound get jobs.batch ns/b: b not found (404 NotFound)"));
}

TEST(ErrorOf, EveryStatusSaysWhatToDo) {
  const auto code = [](int status, const char* reason = "") {
    http::Response response;
    response.status = status;
    response.headers.set("Content-Type", "application/json");
    response.body = status_json(status, reason, "m");
    return error_of("x", response).code;
  };
  for (const int status : {400, 405, 406, 413, 415, 422}) EXPECT_EQ(code(status), Errc::Invalid);
  for (const int status : {401, 403}) EXPECT_EQ(code(status), Errc::Forbidden);
  for (const int status : {408, 429, 500, 502, 503, 504}) {
    EXPECT_EQ(code(status), Errc::Unavailable);
  }
  EXPECT_EQ(code(404), Errc::NotFound);
  EXPECT_EQ(code(409, "AlreadyExists"), Errc::AlreadyExists);
  EXPECT_EQ(code(409, "Conflict"), Errc::Conflict);
  EXPECT_EQ(code(410, "Expired"), Errc::Gone);
}

TEST(ErrorOf, AnswersThatAreNoStatusShowTheirText) {
  http::Response response;
  response.status = 404;
  response.headers.set("Content-Type", "text/plain");
  response.body = "404 page not found\nmore";
  EXPECT_EQ(error_of("get x", response).message, "get x: 404 page not found (404)");
  response.headers.set("Content-Type", "application/vnd.kubernetes.protobuf");
  response.body = pb_envelope("Status", pb_status(404, "NotFound", "pods \"a\" not found"));
  EXPECT_EQ(error_of("get x", response).message, "get x: pods \"a\" not found (404 NotFound)");
  response.body = "";
  EXPECT_EQ(error_of("get x", response).message, "get x: refused by the server (404)");
}

TEST_F(ClientTest, TooManyRequestsIsRetriedWhenTheServerSays) {
  Client client(transport_, loop_, {});
  refuse(429, 3, 2);
  client.submit(create_job(), collect());
  loop_.advance(Duration::seconds(5));
  EXPECT_THAT(server_.requests(), IsEmpty());
  loop_.advance(Duration::seconds(1));  // 2 times 3 seconds
  EXPECT_THAT(answers_, ElementsAre("ok"));
}

TEST_F(ClientTest, RetriesEnd) {
  Client client(transport_, loop_, {.max_retries = 2});
  refuse(429, 1, 100);
  client.submit(create_job(), collect());
  loop_.advance(Duration::seconds(60));
  EXPECT_THAT(answers_, ElementsAre(HasSubstr("Unavailable create jobs.batch ns/a")));
  EXPECT_EQ(faults_.remaining(), 97);
}

TEST_F(ClientTest, ServiceUnavailableIsRetriedOnlyWithRetryAfter) {
  Client client(transport_, loop_, {});
  refuse(503, 0, 1);
  client.submit(create_job(), collect());
  loop_.run();
  EXPECT_THAT(answers_, ElementsAre(HasSubstr("Unavailable")));
  refuse(503, 1, 1);
  client.submit(create_job(), collect());
  loop_.advance(Duration::seconds(1));
  EXPECT_EQ(answers_.back(), "ok");
}

TEST_F(ClientTest, EvictionsAreNotRetried) {
  Client client(transport_, loop_, {});
  refuse(429, 10, 2);
  client.submit(evict_pod({"ns", "p"}, {}), collect());
  loop_.run();
  EXPECT_THAT(answers_, ElementsAre(HasSubstr("Unavailable evict pods/eviction ns/p")));
}

TEST_F(ClientTest, LostAnswersAreUnavailableAndWereCarriedOut) {
  Client client(transport_, loop_, {});
  faults_.add({.fault = {.kind = Fault::Kind::LostAnswer}});
  client.submit(create_job(), collect());
  loop_.run();
  EXPECT_THAT(answers_, ElementsAre(HasSubstr("Unavailable create jobs.batch ns/a: answer lost")));
  client.submit(create_job(), collect());
  loop_.run();
  EXPECT_THAT(answers_.back(), HasSubstr("AlreadyExists"));
}

TEST_F(ClientTest, RequestsInFlightAreBounded) {
  Client client(transport_, loop_, {.max_in_flight = 2});
  faults_.add({.fault = {.kind = Fault::Kind::Slow, .delay = Duration::seconds(1)}, .times = 5});
  for (const char* name : {"a", "b", "c", "d", "e"}) client.submit(create_job(name), collect());
  loop_.run();
  EXPECT_EQ(faults_.remaining(), 3);
  loop_.advance(Duration::seconds(1));
  EXPECT_EQ(faults_.remaining(), 1);
  loop_.advance(Duration::seconds(2));
  EXPECT_EQ(answers_.size(), 5u);
}

TEST_F(ClientTest, TheRateIsLimited) {
  Client client(transport_, loop_, {.qps = 10, .burst = 3});
  for (int i = 0; i < 10; ++i) client.submit(create_job("j" + std::to_string(i)), collect());
  loop_.run();
  EXPECT_EQ(answers_.size(), 3u);
  loop_.advance(Duration::millis(101));
  EXPECT_EQ(answers_.size(), 4u);
  loop_.advance(Duration::millis(600));
  EXPECT_EQ(answers_.size(), 10u);
}

TEST_F(ClientTest, AClosedFenceStopsWritesButNotReads) {
  Client client(transport_, loop_, {});
  const auto fence = std::make_shared<FakeFence>();
  client.set_fence(fence);
  client.submit(create_job(), collect());
  loop_.run();
  EXPECT_THAT(answers_, ElementsAre("ok"));
  fence->left.reset();
  client.submit(remove(jobs(), kJob, {}), collect());
  client.submit(get(jobs(), kJob), collect());
  loop_.run();
  EXPECT_THAT(answers_,
              ElementsAre("ok", "Fenced delete jobs.batch ns/a: not the leader any more", "ok"));
}

TEST_F(ClientTest, TheFenceIsAskedAgainBeforeARetryAndBoundsTheTimeout) {
  Client client(transport_, loop_, {});
  const auto fence = std::make_shared<FakeFence>();
  client.set_fence(fence);
  refuse(429, 1, 1);
  client.submit(create_job(), collect());
  loop_.run();
  fence->left.reset();
  loop_.advance(Duration::seconds(1));
  EXPECT_THAT(answers_, ElementsAre(HasSubstr("Fenced")));
  EXPECT_THAT(server_.requests(), IsEmpty());

  fence->left = Duration::seconds(2);
  faults_.add({.fault = {.kind = Fault::Kind::HalfOpen}});
  client.submit(create_job(), collect());
  loop_.advance(Duration::seconds(2));
  EXPECT_THAT(answers_.back(), HasSubstr("timed out"));
}

TEST_F(ClientTest, SendsHeadersBasePathAndFormats) {
  ClientOptions options;
  options.base_path = "/k8s/c-1";
  options.user_agent = "quorate/test";
  options.headers.set("Impersonate-User", "jane");
  Client client(transport_, loop_, options);
  client.submit(get(pods(), {"ns", "p"}, Format::Protobuf), collect());
  loop_.run();
  const http::Request sent = server_.raw_requests().front();
  EXPECT_EQ(sent.target, "/k8s/c-1/api/v1/namespaces/ns/pods/p");
  EXPECT_EQ(sent.headers.get("Accept"), "application/vnd.kubernetes.protobuf,application/json");
  EXPECT_EQ(sent.headers.get("User-Agent"), "quorate/test");
  EXPECT_EQ(sent.headers.get("Impersonate-User"), "jane");
}

class FakeCredentials final : public Credentials {
 public:
  std::string token = "t1";
  int rejections = 0;
  void with_token(std::function<void(Outcome<std::string>)> done) override {
    if (token.empty()) return done(error(Errc::Unavailable, "plugin failed"));
    done(token);
  }
  Outcome<http::KeyPair> identity() override { return http::KeyPair{}; }
  void rejected() override {
    ++rejections;
    token = "t2";
  }
};

TEST_F(ClientTest, ARejectedTokenIsReplacedOnce) {
  const auto credentials = std::make_shared<FakeCredentials>();
  Client client(transport_, loop_, {}, credentials);
  refuse(401, 0, 1);
  client.submit(create_job(), collect());
  loop_.run();
  EXPECT_THAT(answers_, ElementsAre("ok"));
  EXPECT_EQ(server_.raw_requests().front().headers.get("Authorization"), "Bearer t2");
  refuse(401, 0, 5);
  client.submit(create_job("b"), collect());
  loop_.run();
  EXPECT_THAT(answers_.back(), HasSubstr("Forbidden"));
  EXPECT_EQ(credentials->rejections, 2);
  EXPECT_EQ(faults_.remaining(), 3);
}

TEST_F(ClientTest, WithoutATokenNothingIsSent) {
  const auto credentials = std::make_shared<FakeCredentials>();
  credentials->token.clear();
  Client client(transport_, loop_, {}, credentials);
  client.submit(create_job(), collect());
  loop_.run();
  EXPECT_THAT(answers_, ElementsAre("Unavailable create jobs.batch ns/a: plugin failed"));
}

TEST_F(ClientTest, ClosingAnswersWhatIsOpen) {
  {
    Client client(transport_, loop_, {.max_in_flight = 1});
    faults_.add({.fault = {.kind = Fault::Kind::HalfOpen}});
    client.submit(create_job("a"), collect());
    client.submit(create_job("b"), collect());
    loop_.run();
  }
  EXPECT_THAT(answers_, ElementsAre(HasSubstr("ns/a: the client is closed"),
                                    HasSubstr("ns/b: the client is closed")));
  loop_.advance(Duration::seconds(60));
  EXPECT_EQ(answers_.size(), 2u);
}

// The blocking calls, with the loop on a thread of its own.
class BlockingClientTest : public testing::Test {
 protected:
  std::unique_ptr<http::Loop> loop_ = http::make_thread_loop();
  FakeApiServer server_;
  http::ScriptedFaults faults_;
  std::shared_ptr<http::HttpTransport> transport_ = http::make_fault_transport(
      http::make_handler_transport([this](const http::Request& request) { return handle(request); },
                                   *loop_),
      *loop_, faults_.plan());
  Client client_{transport_, *loop_, {}};

  http::Response handle(const http::Request& request) {
    http::Response out;
    out.status = 200;
    out.headers.set("Content-Type", "application/json");
    if (request.target == "/version") {
      out.body = R"({"major":"1","minor":"37+","gitVersion":"v1.37.2-gke"})";
      return out;
    }
    if (request.target == "/apis/batch/v1") {
      out.body = R"({"kind":"APIResourceList","resources":[{"name":"jobs","kind":"Job"},)"
                 R"({"name":"jobs/status"},{"name":"cronjobs"}]})";
      return out;
    }
    if (request.target == "/apis/none.example/v1") {
      out.status = 404;
      out.headers.set("Content-Type", "text/plain");
      out.body = "404 page not found";
      return out;
    }
    return server_.handle(request);
  }
  std::vector<std::string> list_names(int limit) {
    std::vector<std::string> names;
    const Outcome<ListMeta> meta =
        client_.list(jobs(), {.limit = limit},
                     [&](const RawObject& item) { names.push_back(read_meta(item)->key.name); });
    if (!meta) names.push_back(meta.error().message);
    return names;
  }
};

TEST_F(BlockingClientTest, Discovers) {
  EXPECT_TRUE(*client_.served("batch", "v1", "jobs"));
  EXPECT_FALSE(*client_.served("batch", "v1", "jobs/status"));
  EXPECT_FALSE(*client_.served("batch", "v1", "widgets"));
  EXPECT_FALSE(*client_.served("none.example", "v1", "widgets"));
  EXPECT_EQ(client_.server_version()->git_version, "v1.37.2-gke");
  EXPECT_EQ(client_.server_version()->minor, 37);
}

TEST_F(BlockingClientTest, ListsAllPages) {
  for (const char* name : {"a", "b", "c", "d", "e"}) server_.put(jobs(), {"ns", name}, "");
  EXPECT_THAT(list_names(2), ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_EQ(server_.requests().size(), 3u);
  EXPECT_THAT(list_names(500), ElementsAre("a", "b", "c", "d", "e"));
}

TEST_F(BlockingClientTest, AnExpiredContinueTokenStartsTheListAgain) {
  for (const char* name : {"a", "b", "c"}) server_.put(jobs(), {"ns", name}, "");
  faults_.add(
      {.target_contains = "continue=", .fault = {.kind = Fault::Kind::Status, .status = 410}});
  EXPECT_THAT(list_names(2), ElementsAre("a", "b", "a", "b", "c"));
}

TEST_F(BlockingClientTest, DrainWaitsForAnswers) {
  EXPECT_TRUE(client_.drain(Duration{}));
  int answered = 0;
  for (int i = 0; i < 50; ++i) {
    client_.submit(get(jobs(), kJob), [&](const Outcome<Document>&) { ++answered; });
  }
  EXPECT_TRUE(client_.drain(Duration::seconds(20)));
  EXPECT_EQ(answered, 50);
  faults_.add({.fault = {.kind = Fault::Kind::HalfOpen}});
  client_.submit(get(jobs(), kJob), [](const Outcome<Document>&) {});
  EXPECT_FALSE(client_.drain(Duration::millis(1)));
}

}  // namespace
}  // namespace quorate::kube
