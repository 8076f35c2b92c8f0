#include "src/simulate/op_admission_review.h"

#include <string>

#include "src/objects/admission_review.h"
#include "src/objects/job_webhook.h"
#include "src/objects/json_writer.h"
#include "src/objects/kueue_webhook.h"
#include "src/objects/names.h"
#include "src/simulate/answer_table.h"
#include "src/simulate/complete.h"
#include "src/simulate/inputs.h"
#include "src/simulate/op_schedule.h"
#include "src/simulate/yaml_text.h"

namespace quorate::simulate {
namespace {

using objects::Json;
using objects::JsonDocument;
using objects::JsonWriter;

// What the webhooks together said of one object.
struct Verdict {
  std::string object;
  std::string operation;
  std::string uid;
  bool allowed = true;
  std::int64_t code = 200;
  std::string reason;
  std::string message;
  std::string patch;  // base64; "" for none
};

std::string unbase64(std::string_view text) {
  std::string out;
  std::uint32_t group = 0;
  int bits = 0;
  for (const char c : text) {
    const std::uint32_t digit = c >= 'A' && c <= 'Z'   ? static_cast<std::uint32_t>(c - 'A')
                                : c >= 'a' && c <= 'z' ? static_cast<std::uint32_t>(c - 'a') + 26
                                : c >= '0' && c <= '9' ? static_cast<std::uint32_t>(c - '0') + 52
                                : c == '+'             ? 62u
                                : c == '/'             ? 63u
                                                       : 64u;
    if (digit == 64) break;
    group = group << 6 | digit;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>(group >> bits & 255);
  }
  return out;
}

class Webhooks {
 public:
  explicit Webhooks(const Inputs& inputs)
      : objects_(inputs.loaded.objects), config_(inputs.config) {
    settings_ = {.manage_jobs_without_queue_name = config_.manage_jobs_without_queue_name,
                 .gates = config_.gates};
    view_.namespace_selected = [this](std::string_view ns) { return selected(std::string(ns)); };
    view_.has_default_queue = [this](std::string_view ns) {
      return objects_.of<objects::LocalQueue>().contains({std::string(ns), "default"});
    };
    view_.has_default_priority_class = [this] {
      return objects_.of<objects::WorkloadPriorityClass>().contains({"", "default"});
    };
    view_.owner_managed = [this](std::string_view ns, const objects::OwnerReference& owner) {
      const auto& jobs = objects_.of<objects::Job>();
      const auto found = jobs.find({std::string(ns), owner.name});
      return owner.kind == "Job" && found != jobs.end() &&
             managed(found->second, config_.manage_jobs_without_queue_name);
    };
  }

  // Errors: Invalid - no review that can be answered.
  Outcome<Verdict> judge(const std::string& review) const {
    JsonDocument document;
    const Outcome<objects::ReviewRequest> request = objects::read_review(review, document);
    if (!request) return tl::unexpected(request.error());
    const Json object = objects::review_object(document);
    const std::string kind = object["kind"].text();
    const Json metadata = object["metadata"];
    const ObjectKey key{metadata["namespace"].text(request->ns),
                        metadata["name"].text(request->name)};
    Verdict verdict{
        .object = kind + " " + key.text(), .operation = request->operation, .uid = request->uid};
    if (kind == "Job") {
      take(verdict, objects::mutate_job(review, settings_, view_, "x"));
      take(verdict, objects::validate_job(review, settings_, view_));
    } else {
      if (objects::kueue_defaults(kind))
        take(verdict, objects::mutate_kueue(review, config_.gates));
      if (objects::kueue_validates(kind)) {
        take(verdict, objects::validate_kueue(review, config_.gates));
      }
    }
    return verdict;
  }

 private:
  bool selected(const std::string& ns) const {
    const auto& all = objects_.of<objects::Namespace>();
    const auto found = all.find({"", ns});
    Labels labels = found == all.end() ? Labels{} : found->second.meta.labels;
    labels.emplace(objects::names::kNamespaceName, ns);
    return config_.managed_jobs_namespaces.matches(labels);
  }

  // Adds one webhook's answer; the first refusal stands.
  static void take(Verdict& verdict, const Outcome<std::string>& answer) {
    if (!verdict.allowed) return;
    JsonDocument document;
    if (!answer || !document.parse(*answer)) return;
    const Json response = document.root()["response"];
    verdict.allowed = response["allowed"].boolean();
    const Json status = response["status"];
    verdict.code = status["code"].int64();
    verdict.reason = status["reason"].text();
    verdict.message = status["message"].text();
    if (response["patch"].present()) verdict.patch = response["patch"].text();
    if (!verdict.allowed) verdict.patch.clear();
  }

  const Objects& objects_;
  const objects::Configuration& config_;
  objects::JobWebhookSettings settings_;
  objects::JobWebhookView view_;
};

std::string review_of(const Loader::Text& text, std::size_t number) {
  JsonWriter out;
  out.open().field("apiVersion", "admission.k8s.io/v1").field("kind", "AdmissionReview");
  out.key("request").open().field("uid", std::string_view("review-" + std::to_string(number)));
  out.field("operation", "CREATE").key("object").raw(text.json).close().close();
  return out.take();
}

void write(JsonWriter& out, const Verdict& verdict) {
  out.open().field("apiVersion", "admission.k8s.io/v1").field("kind", "AdmissionReview");
  out.field("object", std::string_view(verdict.object));
  out.field("operation", std::string_view(verdict.operation));
  out.key("response").open().field("uid", std::string_view(verdict.uid));
  out.field("allowed", verdict.allowed).key("status").open().field("code", verdict.code);
  out.field_unless_empty("reason", verdict.reason).field_unless_empty("message", verdict.message);
  out.close().key("warnings").open_list().close_list();
  if (!verdict.patch.empty()) {
    out.field("patchType", "JSONPatch").field("patch", std::string_view(verdict.patch));
  }
  out.close();
  out.key("patch");
  if (verdict.patch.empty()) {
    out.open_list().close_list();
  } else {
    out.raw(unbase64(verdict.patch));
  }
  out.close();
}

}  // namespace

int op_admission_review(const Options& options, const Streams& streams) {
  Options as_read = options;
  as_read.op = "admission-review";
  const std::optional<Inputs> inputs = read_inputs(as_read, streams);
  if (!inputs) return kUnusable;
  std::vector<std::string> reviews;
  for (const Loader::Text& review : inputs->loaded.reviews) reviews.push_back(review.json);
  if (reviews.empty()) {
    for (const Loader::Text& text : inputs->loaded.texts) {
      reviews.push_back(review_of(text, reviews.size() + 1));
    }
  }
  const Webhooks webhooks(*inputs);
  std::vector<Verdict> verdicts;
  for (const std::string& review : reviews) {
    const Outcome<Verdict> verdict = webhooks.judge(review);
    if (!verdict) {
      streams.err << verdict.error().message << "\n";
      return kUnusable;
    }
    verdicts.push_back(*verdict);
  }
  const std::string format = format_of(options, streams);
  if (format == "table") {
    std::vector<std::vector<std::string>> rows = {{"OBJECT", "OPERATION", "ALLOWED", "DETAIL"}};
    for (const Verdict& each : verdicts) {
      rows.push_back({each.object, each.operation, each.allowed ? "yes" : "no",
                      each.allowed ? unbase64(each.patch) : each.message});
    }
    streams.out << table(rows);
    return kRan;
  }
  JsonWriter out;
  out.open().key("reviews").open_list();
  for (const Verdict& each : verdicts) write(out, each);
  out.close_list().close();
  streams.out << (format == "yaml" ? yaml_of_json(out.str()) : out.str() + "\n");
  return kRan;
}

}  // namespace quorate::simulate
