#include "src/translate/variants.h"

#include <algorithm>
#include <utility>

#include "admission/variants.h"
#include "src/objects/kinds.h"
#include "src/objects/names.h"

namespace quorate::translate {

namespace conditions = objects::conditions;
namespace names = objects::names;
using objects::Workload;

bool is_parent_of_variants(const Workload& workload) {
  return objects::value_of(workload.meta.labels, admission::kVariantParentLabel) == "true";
}

bool is_variant(const Workload& workload) {
  const objects::OwnerReference* owner = objects::controller_of(workload.meta);
  return owner != nullptr && owner->kind == "Workload";
}

bool wants_variants(const Workload& workload, const objects::ClusterQueue& queue) {
  if (!queue.concurrent_admission || workload.meta.deleted) return false;
  if (is_parent_of_variants(workload) || is_variant(workload)) return false;
  const bool slice = objects::value_of(workload.meta.annotations, names::kElasticJob) == "true" ||
                     !objects::value_of(workload.meta.annotations, names::kSliceName).empty();
  return !slice && !objects::is_true(workload.status.conditions, conditions::kQuotaReserved) &&
         !objects::is_true(workload.status.conditions, conditions::kFinished);
}

Workload variant_of(const Workload& parent, std::string_view flavor, std::string name) {
  Workload variant = parent;
  variant.meta = {};
  variant.status = {};
  variant.meta.key = {parent.meta.key.ns, std::move(name)};
  variant.meta.labels = parent.meta.labels;
  variant.meta.labels.erase(std::string(admission::kVariantParentLabel));
  variant.meta.annotations = parent.meta.annotations;
  variant.meta.annotations[std::string(admission::kAllowedFlavorsAnnotation)] = flavor;
  variant.meta.owners = {{.api_version = objects::kinds::kWorkload.api_version(),
                          .kind = "Workload",
                          .name = parent.meta.key.name,
                          .uid = parent.meta.uid,
                          .controller = true,
                          .block_owner_deletion = true}};
  const auto gate = std::ranges::find(variant.preemption_gates, admission::kVariantGate);
  if (gate == variant.preemption_gates.end()) {
    variant.preemption_gates.emplace_back(admission::kVariantGate);
  }
  return variant;
}

}  // namespace quorate::translate
