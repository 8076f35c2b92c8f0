#include "controller/live/pod_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/live/fake_api.h"
#include "controller/metrics/families.h"

namespace quorate::controller {
namespace {

using scheduler::BindResult;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace quorate::controller::testing;

const scheduler::Bind kBind{{"team", "p"}, "uid-p", "node-1", std::nullopt};

TEST(JudgeBind, ByWhatThePodSays) {
  const PodAsRead here{"uid-p", "node-1"};
  const PodAsRead there{"uid-p", "node-2"};
  const PodAsRead nowhere{"uid-p", ""};
  const PodAsRead successor{"uid-q", "node-1"};
  EXPECT_EQ(judge_bind(kBind, &here), BindResult::Bound);
  EXPECT_EQ(judge_bind(kBind, &there), BindResult::Elsewhere);
  EXPECT_EQ(judge_bind(kBind, &nowhere), BindResult::Failed);
  EXPECT_EQ(judge_bind(kBind, &successor), BindResult::Gone);
  EXPECT_EQ(judge_bind(kBind, nullptr), BindResult::Gone);
}

class PodWriterTest : public ::testing::Test {
 protected:
  http::Response pod(const std::string& uid, const std::string& node) {
    return FakeApi::json(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p",)"
                         R"("namespace":"team","uid":")" +
                         uid + R"(","resourceVersion":"5"},"spec":{"containers":[],"nodeName":")" +
                         node + R"("},"status":{}})");
  }
  int count(const std::string& request) {
    return static_cast<int>(std::ranges::count(api.asked, request));
  }

  FakeApi api;
  GroupStores groups;
  MetricRegistry metrics{metric_families()};
  kube::EventRecorder events{api.client, {.controller = "quorate-scheduler", .instance = "test"}};
  std::vector<engine::BindWritten> outcomes;
  PodWriter writer{api.client, api.client, groups, events, metrics, [this](engine::Event event) {
                     outcomes.push_back(std::get<engine::BindWritten>(event));
                   }};
};

constexpr const char* kBindPath = "POST /api/v1/namespaces/team/pods/p/binding";
constexpr const char* kConditionPath = "PATCH /api/v1/namespaces/team/pods/p/status";
constexpr const char* kDeletePath = "DELETE /api/v1/namespaces/team/pods/p";

TEST_F(PodWriterTest, ABindNamesTheUid) {
  writer.submit(kBind);
  api.loop.run();
  EXPECT_EQ(count(kBindPath), 1);
  EXPECT_THAT(api.bodies[0], HasSubstr("\"uid\":\"uid-p\""));
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].result, BindResult::Bound);
}

struct Answered {
  const char* name;
  http::Response bind;
  std::string uid, node;  // of the pod as it is read back
  BindResult want;
};

class ReadBackTest : public PodWriterTest, public ::testing::WithParamInterface<Answered> {};

TEST_P(ReadBackTest, ThePodDecides) {
  api.answer = [](const http::Request& request) {
    if (request.path().ends_with("/binding")) return GetParam().bind;
    if (request.method != http::Method::Get) return FakeApi::json("{}", 201);
    return FakeApi::json(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p",)"
                         R"("namespace":"team","uid":")" +
                         GetParam().uid + R"("},"spec":{"containers":[],"nodeName":")" +
                         GetParam().node + R"("},"status":{}})");
  };
  writer.submit(kBind);
  api.loop.run();
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].result, GetParam().want);
  if (GetParam().want == BindResult::Elsewhere) {
    EXPECT_EQ(outcomes[0].node, GetParam().node);
  }
}

const http::Response kConflict =
    FakeApi::refusal(409, "Conflict", "pod p is already assigned to node");

INSTANTIATE_TEST_SUITE_P(
    Conflicts, ReadBackTest,
    ::testing::ValuesIn(std::vector<Answered>{
        // clang-format off
        {"OursAfterAll",     kConflict,                                   "uid-p", "node-1", BindResult::Bound},
        {"AnotherScheduler", kConflict,                                   "uid-p", "node-9", BindResult::Elsewhere},
        {"Successor",        kConflict,                                   "uid-q", "",       BindResult::Gone},
        {"NotCarriedOut",    FakeApi::refusal(500, "InternalError", "x"), "uid-p", "",       BindResult::Failed},
        {"Refused",          FakeApi::refusal(403, "Forbidden", "hook"),  "uid-p", "",       BindResult::Failed},
        // clang-format on
    }),
    [](const auto& test) { return test.param.name; });

TEST_F(PodWriterTest, ALostAnswerOfABindThatWasCarriedOutIsBound) {
  api.faults.add({.target_contains = "/binding",
                  .fault = {.kind = http::Fault::Kind::LostAnswer},
                  .times = 1});
  api.answer = [this](const http::Request& request) {
    return request.method == http::Method::Get ? pod("uid-p", "node-1") : FakeApi::json("{}", 201);
  };
  writer.submit(kBind);
  api.loop.advance(Duration::seconds(60));
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].result, BindResult::Bound);
}

TEST_F(PodWriterTest, APodThatIsBoundAfterAllIsNotCalledUnschedulable) {
  writer.submit(scheduler::PodUnschedulable{{"team", "p"}, "uid-p", "Unschedulable", "no room"});
  writer.submit(kBind);
  api.loop.run();
  EXPECT_EQ(count(kConditionPath), 0);
  EXPECT_EQ(count(kBindPath), 1);
}

TEST_F(PodWriterTest, OfConditionsTheLatestIsWritten) {
  writer.submit(scheduler::PodUnschedulable{{"team", "p"}, "uid-p", "Unschedulable", "first"});
  writer.submit(scheduler::PodUnschedulable{{"team", "p"}, "uid-p", "Unschedulable", "second"});
  api.loop.run();
  ASSERT_EQ(count(kConditionPath), 1);
  for (std::size_t i = 0; i < api.asked.size(); ++i) {
    if (api.asked[i] != kConditionPath) continue;
    EXPECT_THAT(api.bodies[i], HasSubstr("second"));
    EXPECT_THAT(api.bodies[i], HasSubstr("\"uid\":\"uid-p\""));
  }
}

TEST_F(PodWriterTest, AMemberIsMarkedBeforeItIsDeletedAndADeadServerIsAskedAgain) {
  int refusals = 1;
  api.answer = [&](const http::Request& request) {
    if (request.method == http::Method::Delete && refusals-- > 0) {
      return FakeApi::refusal(500, "InternalError", "x");
    }
    return FakeApi::json("{}");
  };
  writer.submit(scheduler::DeleteMember{{"team", "p"}, "uid-p", {"team", "g"}, "incomplete"});
  api.loop.advance(Duration::seconds(5));
  EXPECT_THAT(api.asked, ElementsAre(kConditionPath, kDeletePath, kDeletePath));
  EXPECT_THAT(api.bodies[0], HasSubstr("DisruptionTarget"));
}

TEST_F(PodWriterTest, ThatAGroupWasScheduledIsFinal) {
  objects::PodGroup group;
  group.meta.key = {"team", "g"};
  group.meta.uid = "uid-g";
  group.meta.resource_version = "3";
  groups.native.watched(group);
  const scheduler::GroupStatus failed{{"team", "g"}, "uid-g", true, false, "Unschedulable", "no"};
  writer.submit(failed);
  api.loop.run();
  const std::string path =
      "PATCH /apis/scheduling.k8s.io/v1beta1/namespaces/team/podgroups/g/status";
  EXPECT_EQ(count(path), 1);

  group.meta.resource_version = "4";
  group.conditions = {
      {.type = "PodGroupInitiallyScheduled", .status = objects::ConditionStatus::True}};
  groups.native.watched(group);
  writer.submit(failed);
  api.loop.run();
  EXPECT_EQ(count(path), 1);
}

objects::PodGroup group_of_two(const std::string& diagnosis = "") {
  objects::PodGroup group;
  group.meta.key = {"team", "g"};
  group.meta.uid = "uid-g";
  group.meta.resource_version = "3";
  if (!diagnosis.empty()) group.meta.annotations["quorate.dev/diagnosis"] = diagnosis;
  return group;
}

scheduler::GroupStatus short_of_gpus() {
  scheduler::GroupStatus status{{"team", "g"}, "uid-g", true, false, "Unschedulable", "no", {}};
  status.diagnosis.cause = scheduler::GroupCause::Capacity;
  scheduler::DomainFinding& rack = status.diagnosis.domains.emplace_back();
  rack.topology_key = "rack";
  rack.domain = "r3";
  rack.fit = 3;
  rack.wanted = 4;
  rack.resources = {{"nvidia.com/gpu", 3, 1, {1}}};
  return status;
}

constexpr const char* kGroupPath =
    "PATCH /apis/scheduling.k8s.io/v1beta1/namespaces/team/podgroups/g";

TEST_F(PodWriterTest, WhyAGroupWaitsIsOnTheGroupAndInItsEvent) {
  groups.native.watched(group_of_two());
  writer.submit(short_of_gpus());
  api.loop.advance(Duration::seconds(5));
  ASSERT_EQ(count(kGroupPath), 1);
  ASSERT_EQ(count(std::string(kGroupPath) + "/status"), 1);
  bool told = false;
  for (std::size_t i = 0; i < api.asked.size(); ++i) {
    if (api.asked[i] == kGroupPath) {
      EXPECT_THAT(api.bodies[i], HasSubstr(R"("uid":"uid-g")"));
      EXPECT_THAT(api.bodies[i], HasSubstr("rack r3: 3 of 4 members fit, short 2 nvidia.com/gpu"));
      EXPECT_THAT(api.bodies[i], HasSubstr(R"(\"fit\":3)"));
    } else if (api.asked[i] == std::string(kGroupPath) + "/status") {
      EXPECT_THAT(api.bodies[i], HasSubstr(R"("message":"no")"));  // the exact text alone
    } else if (api.asked[i].find("/events") != std::string::npos) {
      told = told || api.bodies[i].find("no (layer") != std::string::npos;
    }
  }
  EXPECT_TRUE(told);
}

TEST_F(PodWriterTest, WhyItWaitedGoesWhenItIsScheduled) {
  groups.native.watched(group_of_two("{}"));
  writer.submit(scheduler::GroupStatus{{"team", "g"}, "uid-g", true, true, "Scheduled", "", {}});
  api.loop.run();
  ASSERT_EQ(count(kGroupPath), 1);
  for (std::size_t i = 0; i < api.asked.size(); ++i) {
    if (api.asked[i] != kGroupPath) continue;
    EXPECT_THAT(api.bodies[i], HasSubstr(R"("quorate.dev/diagnosis":null)"));
  }
}

TEST_F(PodWriterTest, AGroupThatIsPreemptedAsAWholeSaysSo) {
  objects::PodGroup group = group_of_two();
  group.disrupt_together = true;
  groups.native.watched(group);
  api.answer = [](const http::Request&) {
    return FakeApi::json(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p",)"
                         R"("namespace":"team","uid":"uid-p"},"spec":{"containers":[],)"
                         R"("schedulingGroup":{"podGroupName":"g"}},"status":{}})");
  };
  writer.submit(
      scheduler::Evict{{"team", "p"}, "uid-p", {"team", "big"}, true, "to make room", "e"});
  api.loop.run();
  ASSERT_EQ(count(std::string(kGroupPath) + "/status"), 1);
  for (std::size_t i = 0; i < api.asked.size(); ++i) {
    if (api.asked[i] != std::string(kGroupPath) + "/status") continue;
    EXPECT_THAT(api.bodies[i], HasSubstr("DisruptionTarget"));
    EXPECT_THAT(api.bodies[i], HasSubstr("to make room"));
  }
}

}  // namespace
}  // namespace quorate::controller
