#include "controller/live/status_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/live/fake_api.h"
#include "controller/metrics/families.h"
#include "controller/reconcile/testing.h"
#include "src/objects/codec.h"

namespace quorate::controller {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using namespace quorate::controller::testing;

constexpr const char* kStatusPath =
    "PATCH /apis/kueue.x-k8s.io/v1beta2/namespaces/team/workloads/w/status";

class StatusWriterTest : public ::testing::Test {
 protected:
  StatusWriterTest() {
    api.answer = [this](const http::Request& request) { return carry_out(request); };
    workload.meta.key = {"team", "w"};
    workload.meta.uid = "u";
    workload.meta.resource_version = "10";
    workload.pod_sets = {objects::PodSet{}};
    store.watched(workload);
  }

  // What an API server makes of an apply.
  http::Response carry_out(const http::Request& request) {
    if (request.path().find("/events") != std::string_view::npos) return FakeApi::json("{}", 201);
    const auto applied = objects::decode_json<objects::Workload>(request.body);
    EXPECT_TRUE(applied) << request.body;
    workload.status = applied->status;
    workload.meta.resource_version = std::to_string(++version);
    return FakeApi::json(objects::encode_json(workload, objects::WithStatus::Yes));
  }

  admission::Hold hold(const std::string& message) {
    return {{"team", "w"}, "u", "WaitingForQuota", message, {}};
  }
  std::vector<std::string> status_writes() {
    std::vector<std::string> writes;
    for (const std::string& one : api.asked) {
      if (one == kStatusPath) writes.push_back(one);
    }
    return writes;
  }

  FakeApi api;
  objects::Workload workload;
  int version = 10;
  Store<objects::Workload> store;
  MetricRegistry metrics{metric_families()};
  kube::EventRecorder events{api.client, {.controller = "kueue-admission", .instance = "test"}};
  std::vector<engine::AdmissionWritten> outcomes;
  StatusWriter writer{api.client,
                      store,
                      events,
                      metrics,
                      [this](engine::Event event) {
                        outcomes.push_back(std::get<engine::AdmissionWritten>(event));
                      },
                      StatusWriter::Limits{}};
};

TEST_F(StatusWriterTest, AnAdmissionIsOneApplyAndItsOutcomeIsTold) {
  writer.submit(admit(workload));
  api.loop.run();
  EXPECT_THAT(status_writes(), ElementsAre(kStatusPath));
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_TRUE(outcomes[0].succeeded);
  EXPECT_TRUE(store.find({"team", "w"})->status.admission);  // readers see it at once
  EXPECT_EQ(writer.pending(), 0u);
  EXPECT_THAT(metrics.expose(),
              HasSubstr("kueue_admitted_workloads_total{cluster_queue=\"cluster\","
                        "priority_class=\"\",replica_role=\"leader\"} 1\n"));
}

TEST_F(StatusWriterTest, AHoldThatIsOvertakenByAnAdmissionIsNotWrittenAlone) {
  writer.submit(hold("needs 4"));
  api.loop.run();
  EXPECT_THAT(status_writes(), IsEmpty());  // it waits a little
  writer.submit(admit(workload));
  api.loop.advance(Duration::seconds(2));
  EXPECT_THAT(status_writes(), ElementsAre(kStatusPath));
  EXPECT_TRUE(store.find({"team", "w"})->status.admission);
}

TEST_F(StatusWriterTest, OfHoldsTheLastIsWrittenAndAnEqualOneNever) {
  writer.submit(hold("needs 4"));
  writer.submit(hold("needs 3"));
  api.loop.advance(Duration::seconds(2));
  EXPECT_THAT(status_writes(), ElementsAre(kStatusPath));
  EXPECT_EQ(store.find({"team", "w"})->status.conditions[0].message, "needs 3");
  writer.submit(hold("needs 3"));
  api.loop.advance(Duration::seconds(2));
  EXPECT_THAT(status_writes(), ElementsAre(kStatusPath));
  EXPECT_THAT(outcomes, IsEmpty());
}

TEST_F(StatusWriterTest, ALostAnswerIsTriedAgainUntilItIsKnown) {
  api.faults.add(
      {.target_contains = "/status", .fault = {.kind = http::Fault::Kind::LostAnswer}, .times = 2});
  writer.submit(admit(workload));
  api.loop.advance(Duration::seconds(120));
  EXPECT_EQ(status_writes().size(), 3u);  // an apply may be carried out again without harm
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_TRUE(outcomes[0].succeeded);
}

TEST_F(StatusWriterTest, AGoneWorkloadIsReportedAsGone) {
  api.answer = [](const http::Request&) {
    return FakeApi::refusal(404, "NotFound", "workloads \\\"w\\\" not found");
  };
  writer.submit(admit(workload));
  api.loop.run();
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_FALSE(outcomes[0].succeeded);
  EXPECT_TRUE(outcomes[0].gone);
}

TEST_F(StatusWriterTest, ASuccessorOfTheSameNameIsNotTouched) {
  admission::Admit decision = admit(workload);
  decision.uid = "uid-of-its-predecessor";
  writer.submit(decision);
  api.loop.run();
  EXPECT_THAT(status_writes(), IsEmpty());
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_TRUE(outcomes[0].gone);
}

TEST_F(StatusWriterTest, ARefusalGivesTheQuotaBack) {
  api.answer = [](const http::Request&) { return FakeApi::refusal(422, "Invalid", "no"); };
  writer.submit(admit(workload));
  api.loop.run();
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_FALSE(outcomes[0].succeeded);
  EXPECT_FALSE(outcomes[0].gone);
  EXPECT_THAT(outcomes[0].message, HasSubstr("no"));
}

TEST_F(StatusWriterTest, WhileOneIsUnderWayTheNextOnesGoOutTogether) {
  writer.submit(admit(workload));
  // Decided while the answer is on its way: after the loop has taken the first.
  api.answer = [&, first = true](const http::Request& request) mutable {
    if (first && request.path().find("/status") != std::string_view::npos) {
      first = false;
      writer.submit(evict(workload, "ClusterQueueStopped", "stopped"));
      writer.submit(ReleaseQuota{{"team", "w"}, "u"});
    }
    return carry_out(request);
  };
  api.loop.advance(Duration::seconds(2));
  EXPECT_EQ(status_writes().size(), 2u);
  EXPECT_FALSE(store.find({"team", "w"})->status.admission);
  EXPECT_EQ(outcomes.size(), 2u);
}

TEST_F(StatusWriterTest, WithAdmissionChecksAStaleViewIsReadAgain) {
  workload.status.admission_checks = {{.name = "room", .state = objects::CheckState::Ready}};
  workload.meta.resource_version = std::to_string(++version);
  store.watched(workload);
  int conflicts = 1;
  api.answer = [&](const http::Request& request) {
    if (request.path().find("/status") == std::string_view::npos) return FakeApi::json("{}", 201);
    EXPECT_THAT(request.body, HasSubstr("resourceVersion"));
    if (conflicts-- > 0) return FakeApi::refusal(409, "Conflict", "the object has been modified");
    return carry_out(request);
  };
  writer.submit(admission::ConfirmAdmission{{"team", "w"}, "u", ""});
  api.loop.advance(Duration::seconds(5));
  EXPECT_EQ(status_writes().size(), 2u);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_TRUE(outcomes[0].succeeded);
}

TEST_F(StatusWriterTest, NothingLeavesAfterStop) {
  writer.stop();
  writer.submit(admit(workload));
  api.loop.advance(Duration::seconds(5));
  EXPECT_THAT(api.asked, IsEmpty());
}

}  // namespace
}  // namespace quorate::controller
