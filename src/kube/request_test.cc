#include "src/kube/request.h"

#include <gmock/gmock.h>

namespace quorate::kube {
namespace {

using http::Method;

struct RequestCase {
  const char* name;
  ApiRequest request;
  Method method;
  const char* path;
  const char* content_type;
  const char* body;
  bool idempotent;
};

const ObjectKey kJob{"team-a", "train"};

class RequestTest : public testing::TestWithParam<RequestCase> {};

TEST_P(RequestTest, IsWhatTheServerExpects) {
  const RequestCase& want = GetParam();
  EXPECT_EQ(want.request.method, want.method);
  EXPECT_EQ(full_path(want.request), want.path);
  EXPECT_EQ(want.request.content_type, want.content_type);
  EXPECT_EQ(want.request.body, want.body);
  EXPECT_EQ(want.request.idempotent, want.idempotent);
  EXPECT_EQ(want.request.mutating, want.method != Method::Get);
}

INSTANTIATE_TEST_SUITE_P(
    Requests, RequestTest,
    testing::ValuesIn(std::vector<RequestCase>{
        {"Get", get(jobs(), kJob), Method::Get, "/apis/batch/v1/namespaces/team-a/jobs/train", "",
         "", true},
        {"GetClusterScoped", get(nodes(), {"", "n/1"}), Method::Get, "/api/v1/nodes/n%2F1", "", "",
         true},
        {"List",
         list_page(pods(), {.ns = "x",
                            .label_selector = "a=b,c in (d)",
                            .limit = 2,
                            .continue_token = "t+/=",
                            .resource_version = "0"}),
         Method::Get,
         "/api/v1/namespaces/x/"
         "pods?labelSelector=a%3Db%2Cc%20in%20%28d%29&limit=2&continue=t%2B%2F%3D",
         "", "", true},
        {"ListEverywhere",
         list_page(pods(),
                   {.field_selector = "spec.nodeName=", .limit = 0, .resource_version = "0"}),
         Method::Get, "/api/v1/pods?fieldSelector=spec.nodeName%3D&resourceVersion=0", "", "",
         true},
        {"Create", create(jobs(), kJob, "{}", {.field_manager = "q", .field_validation = "Strict"}),
         Method::Post,
         "/apis/batch/v1/namespaces/team-a/jobs?fieldManager=q&fieldValidation=Strict",
         "application/json", "{}", true},
        {"CreateGenerated", create(jobs(), {"team-a", ""}, "{}"), Method::Post,
         "/apis/batch/v1/namespaces/team-a/jobs", "application/json", "{}", false},
        {"ReplaceStatus", replace(jobs(), kJob, "{}", {.subresource = "status", .dry_run = true}),
         Method::Put, "/apis/batch/v1/namespaces/team-a/jobs/train/status?dryRun=All",
         "application/json", "{}", true},
        {"MergePatch", patch(jobs(), kJob, PatchKind::Merge, "{}"), Method::Patch,
         "/apis/batch/v1/namespaces/team-a/jobs/train", "application/merge-patch+json", "{}", true},
        {"JsonPatch", patch(jobs(), kJob, PatchKind::Json, "[]"), Method::Patch,
         "/apis/batch/v1/namespaces/team-a/jobs/train", "application/json-patch+json", "[]", false},
        {"Apply", apply(jobs(), kJob, "{}", Force::Yes, {.field_manager = "q"}), Method::Patch,
         "/apis/batch/v1/namespaces/team-a/jobs/train?fieldManager=q&force=true",
         "application/apply-patch+yaml", "{}", true},
        {"Delete", remove(jobs(), kJob, {}), Method::Delete,
         "/apis/batch/v1/namespaces/team-a/jobs/train", "application/json",
         R"({"kind":"DeleteOptions","apiVersion":"v1"})", true},
        {"DeleteGuarded",
         remove(jobs(), kJob,
                {.uid = "u",
                 .resource_version = "7",
                 .propagation = "Background",
                 .grace_period_seconds = 0}),
         Method::Delete, "/apis/batch/v1/namespaces/team-a/jobs/train", "application/json",
         R"({"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"u","resourceVersion":"7"},)"
         R"("propagationPolicy":"Background","gracePeriodSeconds":0})",
         true},
        {"Bind", bind_pod({"ns", "p"}, "u", "node-1"), Method::Post,
         "/api/v1/namespaces/ns/pods/p/binding", "application/json",
         R"({"kind":"Binding","apiVersion":"v1","metadata":{"namespace":"ns","name":"p","uid":"u"},)"
         R"("target":{"kind":"Node","name":"node-1"}})",
         true},
        {"Evict", evict_pod({"ns", "p"}, {.uid = "u"}), Method::Post,
         "/api/v1/namespaces/ns/pods/p/eviction", "application/json",
         R"({"kind":"Eviction","apiVersion":"policy/v1","metadata":{"namespace":"ns","name":"p"},)"
         R"("deleteOptions":{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"u"}}})",
         true},
    }),
    [](const auto& test) { return test.param.name; });

TEST(Request, SaysWhatItIs) {
  EXPECT_EQ(create(jobs(), kJob, "").what, "create jobs.batch team-a/train");
  EXPECT_EQ(replace(pods(), {"a", "b"}, "", {.subresource = "status"}).what,
            "replace pods/status a/b");
  EXPECT_EQ(list_page(nodes(), {}).what, "list nodes");
}

}  // namespace
}  // namespace quorate::kube
