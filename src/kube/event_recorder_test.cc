#include "src/kube/event_recorder.h"

#include <gmock/gmock.h>

#include <vector>

#include "src/http/fault_transport.h"
#include "src/http/handler_transport.h"
#include "src/http/manual_loop.h"
#include "src/kube/testing/fake_api_server.h"

namespace quorate::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class EventRecorderTest : public testing::Test {
 protected:
  http::ManualLoop loop_{Time::from_seconds(1'800'000'000)};
  FakeApiServer server_;
  http::ScriptedFaults faults_;
  std::shared_ptr<http::HttpTransport> transport_ = http::make_fault_transport(
      http::make_handler_transport(
          [this](const http::Request& request) { return server_.handle(request); }, loop_),
      loop_, faults_.plan());
  Client client_{transport_, loop_, {}};
  EventOptions options_{.controller = "quorate.dev/admission", .instance = "quorate-host"};

  static Event event(const std::string& name = "train", const std::string& note = "no quota") {
    return {.regarding = {.api_version = "batch/v1",
                          .kind = "Job",
                          .key = {"team-a", name},
                          .uid = "u-" + name},
            .type = EventType::Warning,
            .reason = "Pending",
            .action = "Admit",
            .note = note};
  }
  // The members of each event that the server has, behind its metadata.
  std::vector<std::string> stored() {
    std::vector<std::string> out;
    for (const std::string& entry : server_.objects(events())) {
      const std::string key = entry.substr(0, entry.find('='));
      const std::size_t slash = key.find('/');
      const std::string text =
          *server_.object(events(), {key.substr(0, slash), key.substr(slash + 1)});
      out.push_back(text.substr(text.find("\"eventTime\"")));
    }
    return out;
  }
};

TEST_F(EventRecorderTest, WritesOneEventWithAllFields) {
  EventRecorder recorder(client_, options_);
  Event with_related = event();
  with_related.related = ObjectReference{.api_version = "v1", .kind = "Node", .key = {"", "n1"}};
  recorder.record(with_related);
  loop_.run();
  EXPECT_THAT(
      stored(),
      ElementsAre(
          R"("eventTime":"2027-01-15T08:00:00.000000Z","reportingController":"quorate.dev/admission",)"
          R"("reportingInstance":"quorate-host","type":"Warning","reason":"Pending","action":"Admit",)"
          R"("note":"no quota","regarding":{"kind":"Job","namespace":"team-a","name":"train",)"
          R"("uid":"u-train","apiVersion":"batch/v1"},"related":{"kind":"Node","name":"n1",)"
          R"("apiVersion":"v1"}})"));
  EXPECT_THAT(server_.objects(events())[0], HasSubstr("team-a/train."));
  EXPECT_EQ(recorder.stats().created, 1u);
}

TEST_F(EventRecorderTest, RepetitionsCountUpOneSeries) {
  EventRecorder recorder(client_, options_);
  for (int i = 0; i < 50; ++i) {
    recorder.record(event());
    loop_.advance(Duration::seconds(2));
  }
  // 100 s: created at once, and one write of the count after 2 + 60 s: i = 0 .. 31 told by then.
  EXPECT_EQ(recorder.stats().created, 1u);
  EXPECT_EQ(recorder.stats().updated, 1u);
  EXPECT_EQ(recorder.stats().repeated, 49u);
  recorder.flush();
  loop_.run();
  EXPECT_THAT(
      stored(),
      ElementsAre(HasSubstr(R"("series":{"count":50,"lastObservedTime":"2027-01-15T08:01:38)")));
  EXPECT_EQ(recorder.stats().updated, 2u);
  loop_.advance(Duration::seconds(600));
  EXPECT_EQ(recorder.stats().updated, 2u);  // nothing owed, nothing written
}

TEST_F(EventRecorderTest, AfterALongPauseItIsANewEvent) {
  EventRecorder recorder(client_, options_);
  recorder.record(event());
  loop_.advance(Duration::seconds(360));
  recorder.record(event());
  loop_.run();
  EXPECT_EQ(stored().size(), 2u);
}

TEST_F(EventRecorderTest, OtherTextsAndObjectsAreOtherEvents) {
  EventRecorder recorder(client_, options_);
  recorder.record(event("a"));
  recorder.record(event("b"));
  recorder.record(event("a", "other"));
  loop_.run();
  EXPECT_EQ(stored().size(), 3u);
}

TEST_F(EventRecorderTest, EventsOfClusterScopedObjectsLiveInDefault) {
  EventRecorder recorder(client_, options_);
  Event queue = event();
  queue.regarding = {.kind = "ClusterQueue", .key = {"", "cq"}};
  recorder.record(queue);
  loop_.run();
  EXPECT_THAT(server_.objects(events())[0], HasSubstr("default/cq."));
}

TEST_F(EventRecorderTest, OneNoisyObjectDoesNotUseUpTheRest) {
  options_.object_burst = 3;
  EventRecorder recorder(client_, options_);
  for (int i = 0; i < 10; ++i) recorder.record(event("noisy", "note " + std::to_string(i)));
  recorder.record(event("quiet"));
  loop_.run();
  EXPECT_EQ(stored().size(), 4u);
  EXPECT_EQ(recorder.stats().dropped, 7u);
  loop_.advance(options_.object_refill);
  recorder.record(event("noisy", "later"));
  loop_.run();
  EXPECT_EQ(stored().size(), 5u);
}

TEST_F(EventRecorderTest, AFailedEventIsDroppedAndCounted) {
  EventRecorder recorder(client_, options_);
  faults_.add({.fault = {.kind = http::Fault::Kind::Status, .status = 403}});
  recorder.record(event());
  loop_.run();
  EXPECT_EQ(recorder.stats().dropped, 1u);
  recorder.record(event());
  loop_.run();
  EXPECT_EQ(stored().size(), 1u);
}

TEST_F(EventRecorderTest, LongNotesAreCutBetweenCharacters) {
  EventRecorder recorder(client_, options_);
  recorder.record(event("a", std::string(1023, 'x') + "\xc3\xa9"));
  loop_.run();
  EXPECT_THAT(stored(), ElementsAre(HasSubstr("\"note\":\"" + std::string(1023, 'x') + "\"")));
}

TEST_F(EventRecorderTest, MayDieWithWritesOnTheWay) {
  {
    EventRecorder recorder(client_, options_);
    recorder.record(event());
    loop_.run();
    recorder.record(event());
  }
  loop_.advance(Duration::seconds(600));
  EXPECT_EQ(stored().size(), 1u);
}

}  // namespace
}  // namespace quorate::kube
