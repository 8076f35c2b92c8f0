#include "src/objects/kueue_webhook.h"

#include <optional>

#include "src/objects/admission_review.h"
#include "src/objects/json_writer.h"
#include "src/objects/names.h"
#include "src/objects/read.h"
#include "src/objects/webhook_kueue.h"

namespace quorate::objects {
namespace {

// One review of one object.
class Review {
 public:
  Review(const JsonDocument& document, const ReviewRequest& request, const FeatureGates& gates)
      : object_(review_object(document)),
        old_(review_old_object(document)),
        request_(request),
        gates_(gates),
        kind_(object_["kind"].text()),
        version_(object_["apiVersion"].text()) {}

  const std::string& kind() const { return kind_; }

  JsonPatch defaults() const {
    JsonPatch patch;
    if (request_.operation != "CREATE") return patch;
    if (kind_ == "Workload") {
      if (!gates_.enabled("PartialAdmission")) drop_minimums(patch);
    } else {
      add_finalizer(patch);
    }
    return patch;
  }

  FieldErrors faults() const {
    if (kind_ == "ClusterQueue") {
      const auto before = old<ClusterQueue>();
      return webhook_faults(
          now<ClusterQueue>(), before ? &*before : nullptr, gates_,
          selector_faults(object_["spec"]["namespaceSelector"], "spec.namespaceSelector"));
    }
    if (kind_ == "Cohort") return webhook_faults(now<Cohort>());
    if (kind_ == "ResourceFlavor") return webhook_faults(now<ResourceFlavor>());
    const auto before = old<Workload>();
    return webhook_faults(now<Workload>(), before ? &*before : nullptr, gates_);
  }

 private:
  template <class T>
  T now() const {
    T object;
    read(object_, version_, object);
    return object;
  }
  // What an update replaces.
  template <class T>
  std::optional<T> old() const {
    if (request_.operation != "UPDATE" || !old_.is_object()) return std::nullopt;
    T object;
    read(old_, old_["apiVersion"].text(version_), object);
    return object;
  }

  void add_finalizer(JsonPatch& patch) const {
    const ObjectMeta meta = read_meta(object_["metadata"]);
    if (has_finalizer(meta, names::kResourceInUse)) return;
    const std::string value = "\"" + std::string(names::kResourceInUse) + "\"";
    if (meta.finalizers.empty()) {
      patch.add({"metadata", "finalizers"}, "[" + value + "]");
    } else {
      patch.add({"metadata", "finalizers", "-"}, value);
    }
  }

  void drop_minimums(JsonPatch& patch) const {
    const auto workload = now<Workload>();
    for (std::size_t i = 0; i < workload.pod_sets.size(); ++i) {
      if (!workload.pod_sets[i].min_count) continue;
      patch.remove({"spec", "podSets", std::to_string(i), "minCount"});
    }
  }

  Json object_, old_;
  const ReviewRequest& request_;
  const FeatureGates& gates_;
  std::string kind_, version_;
};

std::string undecodable(const ReviewRequest& request, std::string_view why) {
  return answer_refused(request.uid, 400, "BadRequest", why);
}

}  // namespace

bool kueue_defaults(std::string_view kind) {
  return kind == "ClusterQueue" || kind == "ResourceFlavor" || kind == "Workload";
}
bool kueue_validates(std::string_view kind) { return kueue_defaults(kind) || kind == "Cohort"; }

Outcome<std::string> mutate_kueue(std::string_view text, const FeatureGates& gates) {
  JsonDocument document;
  const Outcome<ReviewRequest> request = read_review(text, document);
  if (!request) return tl::unexpected(request.error());
  const Review review(document, *request, gates);
  if (!kueue_defaults(review.kind())) {
    return undecodable(*request, "kind \"" + review.kind() + "\" has no defaulting");
  }
  const JsonPatch patch = review.defaults();
  if (document.fault()) return undecodable(*request, *document.fault());
  return answer_allowed(request->uid, patch);
}

Outcome<std::string> validate_kueue(std::string_view text, const FeatureGates& gates) {
  JsonDocument document;
  const Outcome<ReviewRequest> request = read_review(text, document);
  if (!request) return tl::unexpected(request.error());
  const Review review(document, *request, gates);
  if (request->operation == "DELETE") return answer_allowed(request->uid);
  if (request->operation != "CREATE" && request->operation != "UPDATE") {
    return undecodable(*request, "unknown operation \"" + request->operation + "\"");
  }
  if (!kueue_validates(review.kind())) {
    return undecodable(*request, "kind \"" + review.kind() + "\" has no validation");
  }
  const FieldErrors faults = review.faults();
  if (document.fault()) return undecodable(*request, *document.fault());
  if (!faults.empty()) return answer_refused(request->uid, 403, "Forbidden", join(faults));
  return answer_allowed(request->uid);
}

}  // namespace quorate::objects
