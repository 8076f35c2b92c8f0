#include "src/http/fault_transport.h"

#include <gmock/gmock.h>

#include "src/http/handler_transport.h"
#include "src/http/manual_loop.h"

namespace quorate::http {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using Kind = Fault::Kind;

// A server of ten watch lines and a counter of requests, behind scripted faults.
class FaultTransportTest : public testing::Test {
 protected:
  ManualLoop loop_;
  int handled_ = 0;
  std::shared_ptr<BodyStream> body_;
  ScriptedFaults faults_;
  std::shared_ptr<HttpTransport> transport_ = make_fault_transport(
      make_handler_transport([this](const Request& r) { return handle(r); }, loop_), loop_,
      faults_.plan());

  std::vector<std::string> answers_;  // of unary requests
  std::string bytes_;                 // of streams
  std::vector<std::string> calls_;    // "status 200", "end", "end: why"

  Response handle(const Request& request) {
    ++handled_;
    Response response;
    response.status = 200;
    if (request.target == "/watch") {
      response.stream = body_ = std::make_shared<BodyStream>();
      for (int i = 0; i < 3; ++i) response.stream->write("line" + std::to_string(i) + "\n");
    }
    return response;
  }

  Cancel send() {
    Cancel cancel = transport_->send(
        Request{.target = "/x", .timeout = Duration::seconds(30)},
        [this](Outcome<Response> answer) {
          answers_.push_back(answer ? std::to_string(answer->status) : answer.error().message);
        });
    loop_.run();
    return cancel;
  }

  Cancel watch(Headers headers = {}) {
    StreamHandler handler;
    handler.on_status = [this](int status, const Headers&) {
      calls_.push_back("status " + std::to_string(status));
    };
    handler.on_bytes = [this](std::string_view bytes) {
      bytes_ += bytes;
      return true;
    };
    handler.on_end = [this](std::optional<Error> why) {
      calls_.push_back(why ? "end: " + why->message : "end");
    };
    Cancel cancel = transport_->stream(Request{.target = "/watch", .headers = headers}, handler);
    loop_.run();
    return cancel;
  }
};

TEST_F(FaultTransportTest, WithoutFaultsEverythingPasses) {
  send();
  watch();
  EXPECT_THAT(answers_, ElementsAre("200"));
  EXPECT_EQ(bytes_, "line0\nline1\nline2\n");
  body_->finish();
  loop_.run();
  EXPECT_THAT(calls_, ElementsAre("status 200", "end"));
}

TEST_F(FaultTransportTest, DisconnectBeforeSendReachesNobody) {
  faults_.add({.fault = {.kind = Kind::DisconnectBeforeSend}});
  send();
  EXPECT_THAT(answers_, ElementsAre(StartsWith("connection reset")));
  EXPECT_EQ(handled_, 0);
  send();  // the rule is used up
  EXPECT_EQ(answers_.back(), "200");
  EXPECT_EQ(faults_.remaining(), 0);
}

TEST_F(FaultTransportTest, LostAnswerWasCarriedOut) {
  faults_.add({.fault = {.kind = Kind::LostAnswer}});
  send();
  EXPECT_THAT(answers_, ElementsAre(StartsWith("answer lost")));
  EXPECT_EQ(handled_, 1);
}

TEST_F(FaultTransportTest, RefusalCarriesStatusAndRetryAfter) {
  faults_.add({.fault = {.kind = Kind::Status, .status = 429, .retry_after_seconds = 7}});
  std::string retry_after;
  transport_->send(Request{.target = "/x"}, [&](Outcome<Response> answer) {
    EXPECT_EQ(answer->status, 429);
    retry_after = answer->headers.get("Retry-After");
  });
  loop_.run();
  EXPECT_EQ(retry_after, "7");
  EXPECT_EQ(handled_, 0);
}

TEST_F(FaultTransportTest, HalfOpenEndsWithTheTimeout) {
  faults_.add({.fault = {.kind = Kind::HalfOpen}});
  send();
  loop_.advance(Duration::seconds(29));
  EXPECT_THAT(answers_, ElementsAre());
  loop_.advance(Duration::seconds(1));
  EXPECT_THAT(answers_, ElementsAre(StartsWith("timed out")));
}

TEST_F(FaultTransportTest, SlowRequestsLeaveLater) {
  faults_.add({.fault = {.kind = Kind::Slow, .delay = Duration::seconds(3)}});
  send();
  loop_.advance(Duration::seconds(2));
  EXPECT_EQ(handled_, 0);
  loop_.advance(Duration::seconds(1));
  EXPECT_THAT(answers_, ElementsAre("200"));
}

TEST_F(FaultTransportTest, CancelAnswersOnce) {
  faults_.add({.fault = {.kind = Kind::HalfOpen}});
  const Cancel cancel = send();
  cancel();
  cancel();
  loop_.advance(Duration::seconds(60));
  EXPECT_THAT(answers_, ElementsAre("cancelled"));
}

TEST_F(FaultTransportTest, CutStreamBreaksInMidLine) {
  faults_.add({.fault = {.kind = Kind::CutStream, .after_bytes = 8}, .streams = true});
  watch();
  EXPECT_EQ(bytes_, "line0\nli");
  EXPECT_THAT(calls_, ElementsAre("status 200", StartsWith("end: stream broken")));
  EXPECT_FALSE(body_->write("x"));  // the server's side is told
}

TEST_F(FaultTransportTest, GoneComesBetweenTwoLines) {
  faults_.add({.fault = {.kind = Kind::GoneInWatch, .after_bytes = 8}, .streams = true});
  watch();
  EXPECT_THAT(bytes_, StartsWith("line0\nline1\n{\"type\":\"ERROR\""));
  EXPECT_THAT(bytes_, HasSubstr("\"code\":410"));
  EXPECT_THAT(calls_, ElementsAre("status 200", "end"));
}

TEST_F(FaultTransportTest, GoneSpeaksProtobufWhenAsked) {
  faults_.add({.fault = {.kind = Kind::GoneInWatch, .after_bytes = 0}, .streams = true});
  watch({{"Accept", "application/vnd.kubernetes.protobuf;stream=watch"}});
  ASSERT_GT(bytes_.size(), 4u);
  EXPECT_EQ(static_cast<unsigned char>(bytes_[3]), bytes_.size() - 4);
  EXPECT_THAT(bytes_.substr(4), StartsWith("\x0a\x05"
                                           "ERROR"));
}

TEST_F(FaultTransportTest, RefusedStreamsTellStatusAndEnd) {
  faults_.add({.fault = {.kind = Kind::Status, .status = 500}, .streams = true});
  watch();
  EXPECT_THAT(calls_, ElementsAre("status 500", "end"));
}

TEST(SeededFaults, EqualSeedsGiveEqualFaults) {
  const FaultRates rates{.disconnect_before_send = 0.1, .lost_answer = 0.2, .cut_stream = 0.5};
  const FaultPlan a = seeded_faults(7, rates);
  const FaultPlan b = seeded_faults(7, rates);
  int faults = 0;
  for (int i = 0; i < 1000; ++i) {
    const Fault fault = a({}, i % 2 == 0);
    const Fault same = b({}, i % 2 == 0);
    EXPECT_EQ(fault.kind, same.kind);
    EXPECT_EQ(fault.after_bytes, same.after_bytes);
    faults += fault.kind != Kind::None ? 1 : 0;
  }
  // Streams: 0.1 + 0.5, unary: 0.1 + 0.2, so about 450 of 1000.
  EXPECT_GT(faults, 380);
  EXPECT_LT(faults, 520);
}

}  // namespace
}  // namespace quorate::http
