#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admission/spec.h"

namespace quorate::admission {

// The label of a parent of variants (its value is "true"), the annotation of a variant with the
// flavors that it may use, and the preemption gate that every variant has.
inline constexpr std::string_view kVariantParentLabel =
    "kueue.x-k8s.io/concurrent-admission-parent";
inline constexpr std::string_view kAllowedFlavorsAnnotation =
    "kueue.x-k8s.io/workload-allowed-resource-flavors";
inline constexpr std::string_view kVariantGate = "kueue.x-k8s.io/concurrent-admission";

// One change that brings a family of variants towards what its policy wants.
struct VariantStep {
  enum class Kind {
    Create,         // a variant for `flavor`
    Delete,         // `workload`, whose flavor the queue does not list any more
    EvictParent,    // Evicted=True with `reason` and `message`; its job stops
    EvictVariant,   // likewise, and its state of requeuing is the parent's
    Release,        // the quota of `workload`, an evicted variant
    Deactivate,     // spec.active=false of `workload`; `message` is the event's
    Activate,       // …true
    AdmitParent,    // with the admission of `workload`; `message` is that of condition Admitted
    CopyReadiness,  // condition PodsReady of the parent, to `workload`
    Finish,         // `workload`, as its parent is
    OpenGate,       // kVariantGate of `workload`
  };
  Kind kind = Kind::Create;
  ObjectKey workload;  // the variant concerned; none with Create
  std::string flavor;
  std::string reason;
  std::string message;

  friend bool operator==(const VariantStep&, const VariantStep&) = default;
};

struct VariantPlan {
  std::vector<VariantStep> steps;
  std::optional<Time> look_again;  // when the next gate may open

  friend bool operator==(const VariantPlan&, const VariantPlan&) = default;
};

// What to do next about a parent and its variants (KEP-8691): level-based, so that applying the
// steps and asking again ends with none. `variants` are all workloads that the parent owns, in any
// order; `queue` is their ClusterQueue, with one resource group and a policy.
VariantPlan plan_variants(const WorkloadSpec& parent, std::vector<WorkloadSpec> variants,
                          const ClusterQueueSpec& queue, Time now);

}  // namespace quorate::admission
