#include "admission/variants.h"

#include <algorithm>
#include <utility>

namespace quorate::admission {
namespace {

using Kind = VariantStep::Kind;

// A gate opens so long after the one before.
constexpr Duration kGateInterval = Duration::seconds(300);

std::string quoted(const ObjectKey& key) { return "\"" + key.text() + "\""; }

bool admitted(const WorkloadSpec& workload) {
  return workload.admission && workload.condition_true("Admitted");
}

// Might be admitted by a cycle.
bool candidate(const WorkloadSpec& workload) {
  return workload.active && !workload.gated && !workload.admission &&
         !workload.condition_true("Finished");
}

class Planner {
 public:
  Planner(const WorkloadSpec& parent, std::vector<WorkloadSpec> variants,
          const ClusterQueueSpec& queue, Time now)
      : parent_(parent),
        policy_(queue.concurrent_admission.value_or(ConcurrentAdmission{})),
        now_(now) {
    for (const quota::ResourceGroup& group : queue.resource_groups) {
      for (const quota::FlavorQuotas& flavor : group.flavors) flavors_.push_back(flavor.flavor);
      break;  // the others do not count
    }
    last_acceptable_ = policy_.last_acceptable_flavor.empty()
                           ? flavors_.size()
                           : place(policy_.last_acceptable_flavor);
    for (WorkloadSpec& variant : variants) {
      const std::size_t at = place_of(variant);
      if (at == flavors_.size() && !variant.condition_true("Finished")) {
        add(Kind::Delete, variant, "", "");
        plan_.steps.back().flavor = flavor_of(variant);
      } else {
        variants_.push_back({at, std::move(variant)});
      }
    }
    std::sort(variants_.begin(), variants_.end(), [](const auto& a, const auto& b) {
      return std::pair(a.first, a.second.key) < std::pair(b.first, b.second.key);
    });
  }

  VariantPlan run() {
    if (parent_.condition_true("Finished")) {
      for (const auto& [at, variant] : variants_) {
        if (!variant.condition_true("Finished")) add(Kind::Finish, variant, "", "");
      }
      return std::move(plan_);
    }
    create();
    if (follow_evictions()) return std::move(plan_);
    const auto running = std::find_if(variants_.begin(), variants_.end(),
                                      [](const auto& one) { return admitted(one.second); });
    for (const auto& [at, variant] : variants_) switch_variant(at, variant, running);
    follow_admission(running == variants_.end() ? nullptr : &running->second);
    open_gate();
    return std::move(plan_);
  }

 private:
  using Variants = std::vector<std::pair<std::size_t, WorkloadSpec>>;  // by place of the flavor

  static std::string flavor_of(const WorkloadSpec& variant) {
    return variant.allowed_flavors.empty() ? "" : variant.allowed_flavors.front();
  }
  std::size_t place(const std::string& flavor) const {
    return static_cast<std::size_t>(std::find(flavors_.begin(), flavors_.end(), flavor) -
                                    flavors_.begin());
  }
  std::size_t place_of(const WorkloadSpec& variant) const { return place(flavor_of(variant)); }

  void add(Kind kind, const WorkloadSpec& workload, std::string reason, std::string message) {
    plan_.steps.push_back({kind, workload.key, "", std::move(reason), std::move(message)});
  }

  void create() {
    for (std::size_t at = 0; at < flavors_.size(); ++at) {
      const bool there = std::any_of(variants_.begin(), variants_.end(),
                                     [&](const auto& one) { return one.first == at; });
      if (!there) plan_.steps.push_back({Kind::Create, {}, flavors_[at], "", ""});
    }
  }

  // The job stops before the quota of an admitted variant is given back. True: it has not yet.
  bool follow_evictions() {
    if (const WorkloadSpec* orphan = evicted_with_parent()) {
      const ConditionView& why = *parent_.condition("Evicted");
      add(Kind::EvictVariant, *orphan, why.reason, why.message);
      return true;
    }
    for (const auto& [at, variant] : variants_) {
      if (!variant.admission || !variant.condition_true("Evicted")) continue;
      // One that was never admitted has no job to stop.
      if (admitted(variant) && parent_.admission) {
        if (!parent_.condition_true("Evicted")) {
          add(Kind::EvictParent, parent_, "VariantEvicted", "Admitted variant was evicted");
        }
        return true;
      }
      add(Kind::Release, variant, "", "");
    }
    return false;
  }

  // The variant that runs although its parent was evicted for a reason of its own since.
  const WorkloadSpec* evicted_with_parent() const {
    const ConditionView* evicted = parent_.condition("Evicted");
    if (!parent_.active || !parent_.condition_true("Evicted")) return nullptr;
    if (evicted->reason == "VariantEvicted" || evicted->reason == "ConcurrentAdmission") {
      return nullptr;
    }
    for (const auto& [at, variant] : variants_) {
      if (!admitted(variant) || variant.condition_true("Evicted")) continue;
      if (variant.condition("Admitted")->last_transition < evicted->last_transition) {
        return &variant;
      }
    }
    return nullptr;
  }

  // Whether a variant should be tried, and the words of the event that says so.
  void switch_variant(std::size_t at, const WorkloadSpec& variant, Variants::iterator running) {
    const auto off = [&](std::string why) {
      if (variant.active) add(Kind::Deactivate, variant, "", std::move(why));
    };
    const auto on = [&](std::string why) {
      if (!variant.active) add(Kind::Activate, variant, "", std::move(why));
    };
    if (!parent_.active) return off("Parent Workload " + quoted(parent_.key) + " not active");
    if (running == variants_.end()) return on("no other Variant being admitted");
    if (running->second.key == variant.key) return;
    const std::string who = quoted(running->second.key);
    if (policy_.retain_first) {
      return off("RetainFirstAdmission: another Variant " + who + " is admitted");
    }
    const std::string& last = policy_.last_acceptable_flavor;
    if (at > last_acceptable_) {
      return off("being below lastAcceptableFlavor: \"" + last +
                 "\" and another Variant admitted " + who);
    }
    if (at > running->first) return off("being lower priority than admitted Variant " + who);
    on(last.empty() ? "being higher priority than admitted Variant " + who
                    : "being at least lastAcceptableFlavor: \"" + last +
                          "\" and higher priority than admitted Variant " + who);
  }

  void follow_admission(const WorkloadSpec* running) {
    if (running == nullptr) {
      if (admitted(parent_) && !parent_.condition_true("Evicted")) {
        add(Kind::EvictParent, parent_, "ConcurrentAdmission", "No variant is running");
      }
      return;
    }
    // What is on its way out starts nothing.
    if (running->condition_true("Evicted") || !parent_.active) return;
    if (!admitted(parent_)) {
      add(Kind::AdmitParent, *running, "Admitted",
          "The variant " + running->key.name + " is admitted");
      return;
    }
    const ConditionView* ready = parent_.condition("PodsReady");
    const ConditionView* shown = running->condition("PodsReady");
    if (ready != nullptr && (shown == nullptr || !(*shown == *ready))) {
      add(Kind::CopyReadiness, *running, "", "");
    }
  }

  static const PreemptionGate* gate_of(const WorkloadSpec& variant) {
    const auto gate =
        std::find_if(variant.preemption_gates.begin(), variant.preemption_gates.end(),
                     [](const PreemptionGate& one) { return one.name == kVariantGate; });
    return gate == variant.preemption_gates.end() ? nullptr : &*gate;
  }

  // Preemption is tried for one variant after another, so that not all of them push others out for
  // a job that runs once.
  void open_gate() {
    const WorkloadSpec* next = nullptr;
    std::optional<Time> last;
    for (const auto& [at, variant] : variants_) {
      const PreemptionGate* gate = candidate(variant) ? gate_of(variant) : nullptr;
      if (gate == nullptr) continue;
      if (gate->open) {
        last = std::max(last.value_or(gate->last_transition), gate->last_transition);
      } else if (next == nullptr && variant.condition_true("BlockedOnPreemptionGates")) {
        next = &variant;
      }
    }
    if (next == nullptr) return;
    if (!last || *last + kGateInterval <= now_) {
      add(Kind::OpenGate, *next, "", "");
    } else {
      plan_.look_again = *last + kGateInterval;
    }
  }

  const WorkloadSpec& parent_;
  const ConcurrentAdmission policy_;
  const Time now_;
  std::vector<std::string> flavors_;
  std::size_t last_acceptable_ = 0;
  Variants variants_;
  VariantPlan plan_;
};

}  // namespace

VariantPlan plan_variants(const WorkloadSpec& parent, std::vector<WorkloadSpec> variants,
                          const ClusterQueueSpec& queue, Time now) {
  return Planner(parent, std::move(variants), queue, now).run();
}

}  // namespace quorate::admission
