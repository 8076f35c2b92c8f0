#include "controller/reconcile/write.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/reconcile/testing.h"

namespace quorate::controller {
namespace {

using ::testing::HasSubstr;
using namespace quorate::controller::testing;

TEST(Write, StartAndStopAreOneGuardedMergePatch) {
  objects::Job job = gpu_job(2);
  job.meta.resource_version = "41";
  objects::JobChange change;
  change.suspend = false;
  change.node_selector = Labels{{"gpu", "a100"}};
  const kube::ApiRequest request = to_request(PatchJob{job, change});
  EXPECT_EQ(request.method, http::Method::Patch);
  EXPECT_EQ(request.path, "/apis/batch/v1/namespaces/team/jobs/train");
  EXPECT_EQ(request.content_type, "application/merge-patch+json");
  EXPECT_EQ(request.body, R"({"metadata":{"resourceVersion":"41"},"spec":{"suspend":false,)"
                          R"("template":{"spec":{"nodeSelector":{"gpu":"a100"}}}}})");
  EXPECT_TRUE(request.mutating);
}

TEST(Write, StatusSharesAreForcedAppliesOfTheirManager) {
  const kube::ApiRequest request =
      to_request(ApplyWorkloadStatus{{"team", "w"}, "u", "kueue-reclaimable-pods", {}});
  EXPECT_EQ(request.path, "/apis/kueue.x-k8s.io/v1beta2/namespaces/team/workloads/w/status");
  EXPECT_EQ(request.content_type, "application/apply-patch+yaml");
  EXPECT_THAT(kube::full_path(request), HasSubstr("fieldManager=kueue-reclaimable-pods"));
  EXPECT_THAT(kube::full_path(request), HasSubstr("force=true"));
}

TEST(Write, TheMinimumOfAGroupStandsWhereItsApiHasIt) {
  EXPECT_EQ(
      to_request(SetGroupMinimum{objects::PodGroupApi::V1beta1, {"team", "g"}, "3", 2}).body,
      R"({"metadata":{"resourceVersion":"3"},"spec":{"schedulingPolicy":{"gang":{"minCount":2}}}})");
  const kube::ApiRequest fallback =
      to_request(SetGroupMinimum{objects::PodGroupApi::Fallback, {"team", "g"}, "3", 2});
  EXPECT_EQ(fallback.body, R"({"metadata":{"resourceVersion":"3"},"spec":{"minMember":2}})");
  EXPECT_EQ(fallback.path, "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/team/podgroups/g");
}

TEST(Write, DeletionsNameTheUid) {
  EXPECT_THAT(to_request(DeletePod{{"team", "p"}, "uid-p"}).body, HasSubstr("\"uid\":\"uid-p\""));
  EXPECT_THAT(to_request(DeleteWorkload{{"team", "w"}, "uid-w"}).body,
              HasSubstr("\"uid\":\"uid-w\""));
}

TEST(Write, AnUngatedPodKeepsTheGatesOfOthers) {
  const kube::ApiRequest request =
      to_request(UngatePod{{"team", "p"}, "uid-p", {"kueue.x-k8s.io/topology"}, {{"host", "n1"}}});
  EXPECT_EQ(request.path, "/api/v1/namespaces/team/pods/p");
  EXPECT_EQ(request.content_type, "application/strategic-merge-patch+json");
  EXPECT_EQ(request.body,
            R"({"metadata":{"uid":"uid-p"},"spec":{"nodeSelector":{"host":"n1"},)"
            R"("schedulingGates":[{"$patch":"delete","name":"kueue.x-k8s.io/topology"}]}})");
}

TEST(Write, APodThatFailsSaysWhy) {
  const kube::ApiRequest request = to_request(FailPod{{"team", "p"},
                                                      "uid-p",
                                                      {.type = "TerminatedByKueue",
                                                       .status = objects::ConditionStatus::True,
                                                       .reason = "UnschedulableOnAssignedNode",
                                                       .message = "m",
                                                       .last_transition = Time::from_seconds(0)}});
  EXPECT_EQ(request.path, "/api/v1/namespaces/team/pods/p/status");
  EXPECT_EQ(request.body,
            R"({"metadata":{"uid":"uid-p"},"status":{"conditions":[{"lastTransitionTime":)"
            R"("1970-01-01T00:00:00Z","message":"m","reason":"UnschedulableOnAssignedNode",)"
            R"("status":"True","type":"TerminatedByKueue"}],"phase":"Failed"}})");
}

TEST(Write, AnEmptyAnnotationIsTakenAway) {
  EXPECT_EQ(
      to_request(SetAnnotation{objects::kinds::kWorkload, {"team", "w"}, "9", "a/b", ""}).body,
      R"({"metadata":{"resourceVersion":"9","annotations":{"a/b":null}}})");
}

}  // namespace
}  // namespace quorate::controller
