#include "src/objects/job_webhook.h"

#include <gmock/gmock.h>

#include "src/objects/admission_review.h"
#include "src/objects/json.h"

namespace quorate::objects {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string from_base64(std::string_view text) {
  std::string out;
  std::uint32_t group = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    group = group << 6 | static_cast<std::uint32_t>(kAlphabet.find(c));
    if ((bits += 6) >= 8) out += static_cast<char>(group >> (bits -= 8) & 0xff);
  }
  return out;
}

std::string review(std::string_view object, std::string_view old_object = "null",
                   std::string_view operation = "CREATE") {
  return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u-1","namespace":"ns","operation":")" +
         std::string(operation) + R"(","object":)" + std::string(object) + R"(,"oldObject":)" +
         std::string(old_object) + "}}";
}

JobWebhookView everywhere() {
  return {
      .namespace_selected = [](std::string_view) { return true; },
      .has_default_queue = [](std::string_view) { return false; },
      .has_default_priority_class = [] { return false; },
      .owner_managed = [](std::string_view, const OwnerReference& o) { return o.kind == "JobSet"; },
      .group_name = [](std::string_view job) { return "pg-" + std::string(job); }};
}

// The patch that a Job gets; "" for none; otherwise what was answered.
std::string patch_of(std::string_view object, const JobWebhookSettings& settings = {},
                     const JobWebhookView& view = everywhere()) {
  const Outcome<std::string> answer = mutate_job(review(object), settings, view, "x7k2p");
  if (!answer) return answer.error().message;
  JsonDocument document;
  EXPECT_TRUE(document.parse(*answer)) << *answer;
  const Json response = document.root()["response"];
  EXPECT_EQ(response["uid"].text(), "u-1");
  if (!response["allowed"].boolean()) return *answer;
  if (!response["patch"].present()) return "";
  EXPECT_EQ(response["patchType"].text(), "JSONPatch");
  return from_base64(response["patch"].text());
}

std::string job(std::string_view metadata, std::string_view spec = R"("template":{"spec":{}})") {
  return R"({"apiVersion":"batch/v1","kind":"Job","metadata":{)" + std::string(metadata) +
         R"(},"spec":{)" + std::string(spec) + "}}";
}
constexpr std::string_view kQueued = R"("name":"j","labels":{"kueue.x-k8s.io/queue-name":"q"})";
constexpr std::string_view kFour =
    R"("suspend":true,"parallelism":4,"completions":4,"template":{"spec":{}})";

TEST(MutateJob, SuspendsWhatAQueueManages) {
  EXPECT_EQ(patch_of(job(R"("name":"j")")), "");
  EXPECT_EQ(patch_of(job(kQueued)), R"([{"op":"add","path":"/spec/suspend","value":true}])");
  EXPECT_EQ(patch_of(job(kQueued, R"("suspend":true,"template":{"spec":{}})")), "");
  EXPECT_EQ(patch_of(job(R"("name":"j")"), {.manage_jobs_without_queue_name = true}),
            R"([{"op":"add","path":"/spec/suspend","value":true}])");
  // A child of a managed owner is the owner's business.
  EXPECT_EQ(patch_of(job(std::string(kQueued) +
                         R"(,"ownerReferences":[{"kind":"JobSet","name":"s","controller":true}])")),
            "");
  JobWebhookView nowhere = everywhere();
  nowhere.namespace_selected = {};
  EXPECT_EQ(patch_of(job(kQueued), {.manage_jobs_without_queue_name = true}, nowhere), "");
}

TEST(MutateJob, DefaultsQueueAndPriorityClass) {
  JobWebhookView view = everywhere();
  view.has_default_queue = [](std::string_view ns) { return ns == "ns"; };
  view.has_default_priority_class = [] { return true; };
  EXPECT_EQ(
      patch_of(job(R"("name":"j")"), {}, view),
      R"([{"op":"add","path":"/metadata/labels","value":{}},)"
      R"({"op":"add","path":"/metadata/labels/kueue.x-k8s.io~1queue-name","value":"default"},)"
      R"({"op":"add","path":"/metadata/labels/kueue.x-k8s.io~1priority-class","value":"default"},)"
      R"({"op":"add","path":"/spec/suspend","value":true}])");
  EXPECT_EQ(
      patch_of(
          job(R"("name":"j","labels":{"kueue.x-k8s.io/queue-name":"q","kueue.x-k8s.io/priority-class":"p"})"),
          {}, view),
      R"([{"op":"add","path":"/spec/suspend","value":true}])");
  JobWebhookSettings off;
  off.gates = *FeatureGates::from({{"WorkloadPriorityClassDefaulting", false}});
  EXPECT_THAT(patch_of(job(R"("name":"j")"), off, view), testing::Not(HasSubstr("priority-class")));
}

TEST(MutateJob, PlacesGangs) {
  const JobWebhookSettings native{.gang_placement = true, .native_groups = true};
  const JobWebhookSettings fallback{.gang_placement = true};
  EXPECT_EQ(
      patch_of(job(kQueued, kFour), native),
      R"([{"op":"add","path":"/spec/template/spec/schedulerName","value":"quorate-scheduler"},)"
      R"({"op":"add","path":"/spec/template/spec/schedulingGroup","value":{"podGroupName":"pg-j"}}])");
  EXPECT_EQ(
      patch_of(job(kQueued, kFour), fallback),
      R"([{"op":"add","path":"/spec/template/spec/schedulerName","value":"quorate-scheduler"},)"
      R"({"op":"add","path":"/spec/template/metadata","value":{}},)"
      R"({"op":"add","path":"/spec/template/metadata/labels","value":{}},)"
      R"({"op":"add","path":"/spec/template/metadata/labels/scheduling.x-k8s.io~1pod-group","value":"pg-j"}])");
  // Not managed: not ours to place.
  EXPECT_EQ(patch_of(job(R"("name":"j")", kFour), native), "");
}

TEST(MutateJob, DrawsANameForAJobWithoutOne) {
  const JobWebhookSettings native{.gang_placement = true, .native_groups = true};
  EXPECT_EQ(
      patch_of(job(R"("generateName":"run-","labels":{"kueue.x-k8s.io/queue-name":"q"})", kFour),
               native),
      R"([{"op":"add","path":"/spec/template/spec/schedulerName","value":"quorate-scheduler"},)"
      R"({"op":"add","path":"/metadata/annotations","value":{}},)"
      R"({"op":"add","path":"/metadata/annotations/quorate.dev~1pod-group","value":"pg-run-x7k2p"},)"
      R"({"op":"add","path":"/spec/template/spec/schedulingGroup","value":{"podGroupName":"pg-run-x7k2p"}}])");
}

TEST(MutateJob, LeavesChosenPlacementAlone) {
  const JobWebhookSettings native{.gang_placement = true, .native_groups = true};
  const auto with = [&](std::string_view pod_spec, std::string_view more = "") {
    return patch_of(job(kQueued, R"("suspend":true,"parallelism":2,)" + std::string(more) +
                                     R"("template":{"spec":{)" + std::string(pod_spec) + "}}"),
                    native);
  };
  const std::string only_scheduler =
      R"([{"op":"add","path":"/spec/template/spec/schedulerName","value":"quorate-scheduler"}])";
  EXPECT_EQ(with(R"("schedulerName":"volcano")"), "");
  EXPECT_EQ(
      with(R"("schedulerName":"default-scheduler","schedulingGroup":{"podGroupName":"mine"})"),
      only_scheduler);
  EXPECT_EQ(with("", R"("scheduling":{},)"), only_scheduler);
  EXPECT_EQ(with("", R"("completions":1,)"), only_scheduler);  // one pod is no gang
}

TEST(MutateJob, ALongFallbackNameStillFitsALabel) {
  const std::string name(200, 'n');
  const auto patch =
      patch_of(job(R"("name":")" + name + R"(","labels":{"kueue.x-k8s.io/queue-name":"q"})", kFour),
               {.gang_placement = true});
  JsonDocument document;
  ASSERT_TRUE(document.parse(patch));
  std::string value;
  document.root().each(
      [&](Json each) { value = each["value"].is_text() ? each["value"].text() : value; });
  EXPECT_EQ(value.size(), 63u);
  EXPECT_THAT(value, StartsWith("pg-nnn"));
}

TEST(MutateJob, GatesElasticJobs) {
  const std::string metadata =
      std::string(kQueued) + R"(,"annotations":{"kueue.x-k8s.io/elastic-job":"true"})";
  EXPECT_EQ(
      patch_of(job(metadata, R"("suspend":true,"template":{"spec":{}})")),
      R"([{"op":"add","path":"/spec/template/spec/schedulingGates","value":[{"name":"kueue.x-k8s.io/elastic-job"}]}])");
  EXPECT_EQ(
      patch_of(job(metadata,
                   R"("suspend":true,"template":{"spec":{"schedulingGates":[{"name":"a"}]}})")),
      R"([{"op":"add","path":"/spec/template/spec/schedulingGates/-","value":{"name":"kueue.x-k8s.io/elastic-job"}}])");
}

TEST(MutateJob, AnswersWhateverComes) {
  EXPECT_THAT(
      patch_of(job(kQueued, R"("suspend":"yes")")),
      HasSubstr(
          R"("code":400,"message":"request.object.spec.suspend: Invalid value: \"yes\": must be true or false")"));
  EXPECT_THAT(patch_of("null"), HasSubstr("\"code\":400"));
  EXPECT_EQ(
      *mutate_job(review("{}", "{}", "UPDATE"), {}, {}, ""),
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"allowed":true,"status":{"code":200},"uid":"u-1"}})");
  EXPECT_FALSE(mutate_job("{}", {}, {}, ""));
  EXPECT_FALSE(mutate_job("", {}, {}, ""));
  EXPECT_FALSE(mutate_job(
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{}})", {}, {}, ""));
  const auto answer = [] { return *mutate_job(review(job(kQueued)), {}, everywhere(), "s"); };
  EXPECT_EQ(answer(), answer());
}

std::string refusal(std::string_view object, std::string_view old_object = "",
                    const JobWebhookView& view = everywhere(),
                    const JobWebhookSettings& settings = {}) {
  const Outcome<std::string> answer = validate_job(
      old_object.empty() ? review(object) : review(object, old_object, "UPDATE"), settings, view);
  if (!answer) return "no answer: " + answer.error().message;
  JsonDocument document;
  EXPECT_TRUE(document.parse(*answer));
  const Json response = document.root()["response"];
  if (response["allowed"].boolean()) return "";
  EXPECT_EQ(response["status"]["code"].int32(), 403);
  EXPECT_EQ(response["status"]["reason"].text(), "Forbidden");
  return response["status"]["message"].text();
}

struct RefusedJob {
  const char* name;
  const char* metadata;
  const char* spec;
  const char* want;
};
class ValidateJob : public testing::TestWithParam<RefusedJob> {};
TEST_P(ValidateJob, SaysWhatIsWrong) {
  EXPECT_EQ(refusal(job(GetParam().metadata, GetParam().spec)), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Create, ValidateJob,
    testing::ValuesIn(std::vector<RefusedJob>{
        // clang-format off
        {"Fine", R"("labels":{"kueue.x-k8s.io/queue-name":"a.b","kueue.x-k8s.io/max-exec-time-seconds":"+5"},"annotations":{"kueue.x-k8s.io/job-min-parallelism":"2"})",
         R"("parallelism":3,"template":{"metadata":{"annotations":{"kueue.x-k8s.io/podset-required-topology":"rack"}},"spec":{}})", ""},
        {"MaxTime", R"("labels":{"kueue.x-k8s.io/max-exec-time-seconds":"soon"})", "",
         R"(metadata.labels[kueue.x-k8s.io/max-exec-time-seconds]: Invalid value: "soon": strconv.Atoi: parsing "soon": invalid syntax)"},
        {"MaxTimeHuge", R"("labels":{"kueue.x-k8s.io/max-exec-time-seconds":"99999999999999999999"})", "",
         R"(metadata.labels[kueue.x-k8s.io/max-exec-time-seconds]: Invalid value: "99999999999999999999": strconv.Atoi: parsing "99999999999999999999": value out of range)"},
        {"MaxTimeZero", R"("labels":{"kueue.x-k8s.io/max-exec-time-seconds":"0"})", "",
         "metadata.labels[kueue.x-k8s.io/max-exec-time-seconds]: Invalid value: 0: should be greater than 0"},
        {"GatedBy", R"("annotations":{"kueue.x-k8s.io/admission-gated-by":"a.io/x,,"})", "",
         R"(metadata.annotations[kueue.x-k8s.io/admission-gated-by]: Invalid value: "a.io/x,,": cannot contain empty gate names)"},
        {"MinParallelism", R"("annotations":{"kueue.x-k8s.io/job-min-parallelism":"4"})", R"("parallelism":4)",
         "metadata.annotations[kueue.x-k8s.io/job-min-parallelism]: Invalid value: 4: should be between 0 and 3"},
        {"MinOfCompletions", R"("annotations":{"kueue.x-k8s.io/job-min-parallelism":"2"})", R"("parallelism":4,"completions":2)",
         "metadata.annotations[kueue.x-k8s.io/job-min-parallelism]: Invalid value: 2: should be between 0 and 1"},
        {"ElasticPartial", R"("annotations":{"kueue.x-k8s.io/job-min-parallelism":"1","kueue.x-k8s.io/elastic-job":"true"})", R"("parallelism":4)",
         R"(metadata.annotations[kueue.x-k8s.io/job-min-parallelism]: Invalid value: "1": partial admission and elastic job cannot be used together)"},
        {"Sync", R"("annotations":{"kueue.x-k8s.io/job-completions-equal-parallelism":"maybe"})", "",
         R"(metadata.annotations[kueue.x-k8s.io/job-completions-equal-parallelism]: Invalid value: "maybe": strconv.ParseBool: parsing "maybe": invalid syntax)"},
        {"SyncNotIndexed", R"("annotations":{"kueue.x-k8s.io/job-completions-equal-parallelism":"true"})", R"("parallelism":2,"completions":3)",
         R"([metadata.annotations[kueue.x-k8s.io/job-completions-equal-parallelism]: Invalid value: "true": should not be enabled for NonIndexed jobs, )"
         "spec.completions: Invalid value: 3: should be equal to parallelism when kueue.x-k8s.io/job-completions-equal-parallelism annotation is true]"},
        {"TwoTopologies", "", R"("template":{"metadata":{"annotations":{"kueue.x-k8s.io/podset-required-topology":"a","kueue.x-k8s.io/podset-preferred-topology":"a"}}})",
         "spec.template.metadata.annotations: Invalid value: must not contain more than one topology annotation: "
         R"(["kueue.x-k8s.io/podset-required-topology", "kueue.x-k8s.io/podset-preferred-topology", "kueue.x-k8s.io/podset-unconstrained-topology"])"},
        {"SliceWithoutSize", "", R"("template":{"metadata":{"annotations":{"kueue.x-k8s.io/podset-slice-required-topology":"a"}}})",
         "spec.template.metadata.annotations[kueue.x-k8s.io/podset-slice-size]: Required value: must be set when 'kueue.x-k8s.io/podset-slice-required-topology' is specified"},
        {"SliceTooLarge", "", R"("parallelism":2,"template":{"metadata":{"annotations":{"kueue.x-k8s.io/podset-slice-required-topology":"a","kueue.x-k8s.io/podset-slice-size":"3"}}})",
         "spec.template.metadata.annotations[kueue.x-k8s.io/podset-slice-size]: Invalid value: 3: must not be greater than pod set count 2"},
        {"Unconstrained", "", R"("template":{"metadata":{"annotations":{"kueue.x-k8s.io/podset-unconstrained-topology":"si"}}})",
         R"(spec.template.metadata.annotations[kueue.x-k8s.io/podset-unconstrained-topology]: Invalid value: "si": must be a boolean value)"},
        {"Constraints", "", R"("parallelism":8,"template":{"metadata":{"annotations":{"kueue.x-k8s.io/podset-slice-required-topology-constraints":"[{\"topology\":\"a\",\"size\":4},{\"topology\":\"b\",\"size\":3}]"}}})",
         "spec.template.metadata.annotations[kueue.x-k8s.io/podset-slice-required-topology-constraints][1].size: Invalid value: 3: must evenly divide the parent layer size 4"},
        {"ConstraintsTooLarge", "", R"("parallelism":2,"template":{"metadata":{"annotations":{"kueue.x-k8s.io/podset-slice-required-topology-constraints":"[{\"topology\":\"a\",\"size\":4}]"}}})",
         "spec.template.metadata.annotations[kueue.x-k8s.io/podset-slice-required-topology-constraints]: Invalid value: 4: must not be greater than pod set count 2"},
        {"GroupAlone", "", R"("template":{"metadata":{"annotations":{"kueue.x-k8s.io/podset-group-name":"g","kueue.x-k8s.io/podset-required-topology":"a"}}})",
         R"(spec.template.metadata.annotations[kueue.x-k8s.io/podset-group-name]: Invalid value: "g": can only define groups of exactly 2 pod sets, got: 1 pod set(s))"},
        {"ElasticTopology", R"("annotations":{"kueue.x-k8s.io/elastic-job":"true"})", R"("template":{"metadata":{"annotations":{"kueue.x-k8s.io/podset-required-topology":"a"}}})",
         "spec.template.metadata.annotations.kueue.x-k8s.io/podset-required-topology: Forbidden: required topology is not supported with elastic jobs"},
        // clang-format on
    }),
    [](const auto& test) { return test.param.name; });

TEST(ValidateJobNames, AreSubdomains) {
  EXPECT_THAT(refusal(job(R"("labels":{"kueue.x-k8s.io/queue-name":""})")),
              StartsWith("metadata.labels[kueue.x-k8s.io/queue-name]: Invalid value: \"\": a "
                         "lowercase RFC 1123 subdomain"));
  EXPECT_THAT(
      refusal(job(
          R"("annotations":{"kueue.x-k8s.io/prebuilt-workload-name":"A"},"labels":{"kueue.x-k8s.io/prebuilt-workload-name":"b"})")),
      StartsWith(
          "metadata.annotations[kueue.x-k8s.io/prebuilt-workload-name]: Invalid value: \"A\""));
}

TEST(ValidateJobUpdate, KeepsWhatRunningJobsStandOn) {
  const auto with = [](std::string_view labels, std::string_view annotations,
                       std::string_view spec) {
    return job(R"("name":"j","labels":{)" + std::string(labels) + R"(},"annotations":{)" +
                   std::string(annotations) + "}",
               spec);
  };
  const std::string q = R"("kueue.x-k8s.io/queue-name":"q")",
                    r = R"("kueue.x-k8s.io/queue-name":"r")";
  const std::string held = R"("suspend":true)", running = R"("suspend":false)";
  EXPECT_EQ(refusal(with(r, "", held), with(q, "", held)), "");
  EXPECT_EQ(
      refusal(with(r, "", running), with(q, "", running)),
      R"(metadata.labels[kueue.x-k8s.io/queue-name]: Invalid value: "r": field is immutable)");
  // Suspended, but its stop is still going on.
  EXPECT_EQ(
      refusal(with(r, R"("kueue.x-k8s.io/stopping":"true")", held), with(q, "", running)),
      R"(metadata.labels[kueue.x-k8s.io/queue-name]: Invalid value: "r": field is immutable)");
  JobWebhookView view = everywhere();
  view.has_default_queue = [](std::string_view) { return true; };
  EXPECT_EQ(
      refusal(with("", "", held), with(q, "", held), view),
      R"(metadata.labels[kueue.x-k8s.io/queue-name]: Invalid value: "": queue-name must not be empty in namespace with default queue)");
  const std::string p = R"("kueue.x-k8s.io/priority-class":"p")";
  EXPECT_EQ(
      refusal(with(p, "", running), with("", "", running)),
      R"(metadata.labels[kueue.x-k8s.io/priority-class]: Invalid value: "p": WorkloadPriorityClass cannot be added to a non-suspended workload)");
  EXPECT_EQ(
      refusal(with("", "", held), with(p, "", held)),
      R"(metadata.labels[kueue.x-k8s.io/priority-class]: Invalid value: "": WorkloadPriorityClass cannot be removed from a workload)");
  const std::string t = R"("kueue.x-k8s.io/max-exec-time-seconds":"5")";
  EXPECT_EQ(
      refusal(with(t, "", held), with("", "", running)),
      R"(metadata.labels[kueue.x-k8s.io/max-exec-time-seconds]: Invalid value: "5": field is immutable)");
  EXPECT_EQ(
      refusal(with("", R"("kueue.x-k8s.io/elastic-job":"true")", held), with("", "", held)),
      R"(metadata.annotations[kueue.x-k8s.io/elastic-job]: Invalid value: "true": field is immutable)");
  EXPECT_EQ(refusal(with("", R"("kueue.x-k8s.io/admission-gated-by":"a.io/x")", held),
                    with("", "", held)),
            "metadata.annotations[kueue.x-k8s.io/admission-gated-by]: Forbidden: cannot add "
            "admission gate after creation");
  const std::string minimum = R"("kueue.x-k8s.io/job-min-parallelism":"1")";
  EXPECT_EQ(
      refusal(with("", minimum, R"("parallelism":3)"), with("", minimum, R"("parallelism":4)")),
      "spec.parallelism: Forbidden: cannot change when partial admission is enabled and the job is "
      "not suspended");
  EXPECT_EQ(refusal(with("", minimum, R"("parallelism":3)"),
                    with("", minimum, R"("suspend":true,"parallelism":4)")),
            "");
}

TEST(ValidateJob, AnswersWhateverComes) {
  EXPECT_THAT(*validate_job(review("{}", "{}", "DELETE"), {}, {}), HasSubstr("\"allowed\":true"));
  EXPECT_THAT(*validate_job(review("{}", "{}", "CONNECT"), {}, {}),
              HasSubstr(R"("code":400,"message":"unknown operation \"CONNECT\"")"));
  EXPECT_THAT(*validate_job(review(R"({"spec":3})"), {}, {}), HasSubstr("\"code\":400"));
  EXPECT_FALSE(validate_job("[]", {}, {}));
}

TEST(Base64, Pads) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

}  // namespace
}  // namespace quorate::objects
