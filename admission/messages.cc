#include "admission/messages.h"

#include <algorithm>
#include <type_traits>
#include <vector>

namespace quorate::admission {
namespace {

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

std::string closed_message(const QueueClosed& closed) {
  const std::string& queue = closed.cluster_queue;
  if (closed.reason == "LocalQueueMissing")
    return "LocalQueue " + closed.subject + " doesn't exist";
  if (closed.reason == "LocalQueueStopped") return "LocalQueue " + closed.subject + " is inactive";
  if (closed.reason == "ClusterQueueMissing") return "ClusterQueue " + queue + " doesn't exist";
  if (closed.reason == "NamespaceMissing") {
    return "workload namespace \"" + closed.subject + "\" does not exist: namespaces \"" +
           closed.subject + "\" not found";
  }
  if (closed.reason == "NamespaceMismatch") {
    return "workload namespace doesn't match ClusterQueue selector";
  }
  if (closed.reason == "Gated") return "Admission is gated by: " + closed.subject;
  if (closed.reason == "PreemptionGated") return kPreemptionGatedMessage;
  if (closed.reason == "BetterVariantAdmitted") {
    return "A more favorable variant is already admitted";
  }
  if (closed.reason == "MigrationNotAllowed") {
    return "Another variant is admitted, and the ClusterQueue does not allow to migrate from it";
  }
  if (closed.reason == "OnHold") return "Job is on hold";
  if (closed.reason == "Deactivated") return "The workload is deactivated";
  if (closed.reason == "NotEvaluated") {
    return closed.subject.empty() ? "Workload is pending evaluation in the scheduling queue"
                                  : closed.subject + " cleared, waiting for quota reservation";
  }
  return "ClusterQueue " + queue + " is inactive";
}

// The pod set a flavor search failed for; empty for facts of another kind.
std::string pod_set_of(const Fact& fact) {
  return std::visit(
      [](const auto& one) -> std::string {
        using T = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<T, QuotaShortage> || std::is_same_v<T, FlavorMismatch> ||
                      std::is_same_v<T, ResourceNotCovered> ||
                      std::is_same_v<T, TopologyShortage> || std::is_same_v<T, NotPlaceable>) {
          return one.pod_set;
        } else {
          return "";
        }
      },
      fact);
}

std::string shortage_message(const QuotaShortage& shortage) {
  const auto text = [&](Quantity amount) { return format_quantity(shortage.resource, amount); };
  const std::string of = " for " + shortage.resource + " in flavor " + shortage.flavor + ", ";
  if (!shortage.beyond_capacity) {
    return "insufficient unused quota" + of + text(shortage.need - shortage.have) + " more needed";
  }
  return "insufficient quota" + of + "previously considered podsets requests (" +
         text(shortage.assumed) + ") + current podset request (" +
         text(shortage.need - shortage.assumed) + ") > maximum capacity (" + text(shortage.have) +
         ")";
}

std::string fact_message(const Fact& fact) {
  return std::visit(
      Overloaded{
          [](const QueueClosed& one) { return closed_message(one); },
          [](const QuotaShortage& one) { return shortage_message(one); },
          [](const FlavorMismatch& one) { return one.why; },
          [](const ResourceNotCovered& one) {
            return "resource " + one.resource + " unavailable in ClusterQueue";
          },
          [](const LostInCycle&) {
            return std::string("Workload no longer fits after processing another workload");
          },
          [](const AwaitsVictims& one) {
            return "Pending the preemption of " + std::to_string(one.victims.size()) +
                   " workload(s)";
          },
          [](const VictimsClaimed& one) {
            return std::string(
                       "Workload has overlapping preemption targets with another workload") +
                   (one.fits_afterwards ? ", but will fit after these preemptions complete" : "");
          },
          [](const OthersNotReady&) {
            return std::string("waiting for all admitted workloads to be in PodsReady condition");
          },
          [](const TopologyShortage& one) { return topology::text(one.failure); },
          [](const TopologyError& one) {
            return "failed to assign flavors to pod set " + one.pod_set + ": " + one.why;
          },
          [](const NotPlaceable& one) { return one.why; },
          [](const InvalidInput& one) { return one.why; },
      },
      fact);
}

std::string scope_text(const Scope& scope) {
  switch (scope.kind) {
    case Scope::Kind::ClusterQueue:
      return "ClusterQueue " + scope.name;
    case Scope::Kind::Cohort:
      return "cohort " + scope.name;
  }
  return scope.name;
}

std::string fact_explained(const Fact& fact) {
  return std::visit(
      Overloaded{
          [](const QuotaShortage& one) {
            const auto text = [&](Quantity amount) {
              return format_quantity(one.resource, amount.or_zero());
            };
            return "needs " + text(one.need) + " " + one.resource + " in flavor " + one.flavor +
                   ", " +
                   (one.beyond_capacity ? "at most " + text(one.have) + " possible in "
                                        : text(one.have) + " available in ") +
                   scope_text(one.scope);
          },
          [](const ResourceNotCovered& one) {
            return "needs " + one.resource + ", which the ClusterQueue does not offer";
          },
          [](const LostInCycle& one) {
            return one.to ? "lost its quota to " + one.to->text() + " in the same cycle"
                          : "lost its quota to another workload in the same cycle";
          },
          [](const AwaitsVictims& one) {
            std::string text = "waits for preempted workloads to stop: ";
            for (std::size_t i = 0; i < one.victims.size(); ++i) {
              text += (i == 0 ? "" : ", ") + one.victims[i].text();
            }
            return text;
          },
          [](const OthersNotReady& one) {
            return "fits, but " + std::to_string(one.workloads) +
                   " workload(s) that hold quota are not ready yet";
          },
          [](const TopologyShortage& one) {
            return "pod set " + one.pod_set + " has no place in flavor " + one.flavor + ": " +
                   topology::text(one.failure);
          },
          [](const NotPlaceable& one) {
            return "quota is free, but pod set " + one.pod_set +
                   " has no place on nodes: " + one.why;
          },
          [](const auto& one) { return fact_message(Fact(one)); },
      },
      fact);
}

bool told(const Fact& fact) {
  const auto* shortage = std::get_if<TopologyShortage>(&fact);
  return shortage == nullptr || !shortage->beside_quota;
}

bool from_placement(const Fact& fact) { return std::holds_alternative<NotPlaceable>(fact); }

// "couldn't assign flavors to pod set a: x, y; couldn't assign flavors to pod set b: z"
std::string flavor_message(std::vector<Fact> facts) {
  std::erase_if(facts, [](const Fact& fact) { return !told(fact); });
  std::string text;
  for (std::size_t i = 0; i < facts.size();) {
    const std::string pod_set = pod_set_of(facts[i]);
    if (!text.empty()) text += "; ";
    text += from_placement(facts[i]) ? "couldn't place pod set "
                                     : "couldn't assign flavors to pod set ";
    text += pod_set + ": ";
    std::vector<std::string> reasons;
    for (; i < facts.size() && pod_set_of(facts[i]) == pod_set; ++i) {
      reasons.push_back(fact_message(facts[i]));
    }
    std::sort(reasons.begin(), reasons.end());
    for (std::size_t k = 0; k < reasons.size(); ++k) text += (k == 0 ? "" : ", ") + reasons[k];
  }
  return text;
}

}  // namespace

Reason reason_of(const Fact& fact) {
  return std::visit(
      Overloaded{
          [](const QueueClosed& one) {
            if (one.reason == "Gated" || one.reason == "PreemptionGated") {
              return Reason::AdmissionGated;
            }
            if (one.reason == "BetterVariantAdmitted" || one.reason == "MigrationNotAllowed") {
              return Reason::PendingEvaluation;
            }
            if (one.reason == "Deactivated") return Reason::Deactivated;
            if (one.reason == "NotEvaluated") return Reason::PendingEvaluation;
            if (one.reason == "LocalQueueStopped" || one.reason == "Inactive") {
              return Reason::Suspended;
            }
            return Reason::Misconfigured;
          },
          [](const QuotaShortage& one) {
            return one.beyond_capacity ? Reason::ExceedsMaxQuota : Reason::WaitingForQuota;
          },
          [](const FlavorMismatch&) { return Reason::NoMatchingFlavor; },
          [](const ResourceNotCovered&) { return Reason::NoMatchingFlavor; },
          [](const LostInCycle&) { return Reason::WaitingForQuota; },
          [](const AwaitsVictims&) { return Reason::WaitingForPreemptedWorkloads; },
          [](const VictimsClaimed& one) {
            return one.fits_afterwards ? Reason::WaitingForPreemptedWorkloads
                                       : Reason::WaitingForQuota;
          },
          [](const OthersNotReady&) { return Reason::WaitingForPodsReady; },
          [](const TopologyShortage&) { return Reason::TopologyPlacementFailed; },
          [](const TopologyError&) { return Reason::NoMatchingFlavor; },
          [](const NotPlaceable&) { return Reason::TopologyPlacementFailed; },
          [](const InvalidInput&) { return Reason::Misconfigured; },
      },
      fact);
}

std::string reason_text(Reason reason) {
  switch (reason) {
    case Reason::None:
      return "NoMatchingFlavor";  // an empty reason is not a valid condition
    case Reason::TopologyPlacementFailed:
      return "TopologyPlacementFailed";
    case Reason::WaitingForQuota:
      return "WaitingForQuota";
    case Reason::ExceedsMaxQuota:
      return "ExceedsMaxQuota";
    case Reason::NoMatchingFlavor:
      return "NoMatchingFlavor";
    case Reason::PendingEvaluation:
      return "PendingEvaluation";
    case Reason::WaitingForPreemptedWorkloads:
      return "WaitingForPreemptedWorkloads";
    case Reason::Misconfigured:
      return "Misconfigured";
    case Reason::Suspended:
      return "Suspended";
    case Reason::WaitingForPodsReady:
      return "WaitingForPodsReady";
    case Reason::AdmissionGated:
      return "AdmissionGated";
    case Reason::Deactivated:
      return "Deactivated";
  }
  return "";
}

std::string_view layer_text(Layer layer) {
  switch (layer) {
    case Layer::Queue:
      return "queue";
    case Layer::Quota:
      return "quota";
    case Layer::Check:
      return "check";
    case Layer::Topology:
      return "topology";
    case Layer::Gang:
      return "gang";
    case Layer::Device:
      return "device";
    case Layer::Node:
      return "node";
    case Layer::Startup:
      return "startup";
  }
  return "";
}

std::string message_of(const Proof& proof) {
  if (proof.facts.empty()) return proof.layer == Layer::Check ? kFailedChecksMessage : "";
  const Fact& first = proof.facts.front();
  if (pod_set_of(first).empty()) return fact_message(first);
  // What is done about the shortage comes behind it.
  const Fact& last = proof.facts.back();
  if (!std::holds_alternative<AwaitsVictims>(last)) return flavor_message(proof.facts);
  const std::vector<Fact> short_of(proof.facts.begin(), proof.facts.end() - 1);
  return flavor_message(short_of) + ". " + fact_message(last);
}

std::string explain(const Proof& proof) {
  if (proof.facts.empty()) return message_of(proof);
  std::string text;
  for (const Fact& fact : proof.facts) {
    if (!text.empty()) text += "; ";
    text += fact_explained(fact);
  }
  return text;
}

std::string preempted_message(std::string_view kind, const std::string& uid,
                              const std::string& job_uid, const std::string& preemptor_path,
                              const std::string& victim_path) {
  std::string why(kind);
  if (kind == "InClusterQueue") {
    why = "prioritization in the ClusterQueue";
  } else if (kind == "InCohortReclamation") {
    why = "reclamation within the cohort";
  } else if (kind == "InCohortFairSharing") {
    why = "Fair Sharing within the cohort";
  } else if (kind == "InCohortReclaimWhileBorrowing") {
    why = "reclamation within the cohort while borrowing";
  }
  const auto known = [](const std::string& text) { return text.empty() ? "UNKNOWN" : text; };
  return "Preempted to accommodate a workload (UID: " + known(uid) + ", JobUID: " + known(job_uid) +
         ") due to " + why + "; preemptor path: " + known(preemptor_path) +
         "; preemptee path: " + known(victim_path);
}

std::string replaced_message(const std::string& uid, const std::string& job_uid) {
  const auto known = [](const std::string& text) { return text.empty() ? "UNKNOWN" : text; };
  return "Replaced to accommodate a workload (UID: " + known(uid) + ", JobUID: " + known(job_uid) +
         ") due to workload slice aggregation";
}

std::string migration_message(const std::string& uid) {
  return "Evicted to accommodate a workload (UID: " + (uid.empty() ? "UNKNOWN" : uid) +
         ") due to migration to more favorable resource flavor";
}

std::string checks_in(const std::vector<CheckStatus>& checks, CheckState state) {
  std::string text;
  int count = 0;
  for (const CheckStatus& check : checks) {
    if (check.state != state) continue;
    text += (count++ == 0 ? "" : "; ") + ("\"" + check.name + "\" (" + check.message + ")");
  }
  if (count == 0) return "";
  return std::string(count == 1 ? "AdmissionCheck" : "AdmissionChecks") +
         (state == CheckState::Rejected ? " in Rejected state: " : " in Retry state: ") + text;
}

std::string deactivated_message(const std::string& cause) {
  return "The workload is deactivated" + (cause.empty() ? "" : " due to " + cause);
}

std::string requeued_message(const std::string& reason) {
  if (reason == "Reactivated") return "The workload was reactivated";
  if (reason == "BackoffFinished") return "The workload backoff was finished";
  if (reason == "LocalQueueRestarted") return "The LocalQueue was restarted after being stopped";
  return "The ClusterQueue was restarted after being stopped";
}

std::string reserved_message(const std::string& cluster_queue) {
  return "Quota reserved in ClusterQueue " + cluster_queue;
}

}  // namespace quorate::admission
