// What becomes of one nominated workload after those before it in the cycle: it waits, preempts, or
// is admitted.

#include <algorithm>

#include "admission/core.h"

namespace quorate::admission {
namespace {

// Where the last thing that failed belongs.
Layer layer_of(const std::vector<Fact>& facts) {
  const bool topology = std::any_of(facts.begin(), facts.end(), [](const Fact& fact) {
    return std::holds_alternative<TopologyShortage>(fact);
  });
  return topology ? Layer::Topology : Layer::Quota;
}

}  // namespace

// Whether one of its targets is the victim of an entry before it.
bool Core::overlaps(const Entry& entry) const {
  return std::any_of(entry.assignment.targets.begin(), entry.assignment.targets.end(),
                     [&](const Target& target) {
                       return workloads_.at(target.victim.workload).claimed == cycle_;
                     });
}

// For a trial: what these workloads hold is free.
void Core::take_out(const std::vector<Candidate>& holders) {
  for (const Candidate& holder : holders) {
    for (const auto& [fr, amount] : *holder.usage) tree_.release(holder.node, fr, amount);
    charge_places(*holder.places, -1);
  }
}

// Whether it fits beside those before it once all victims, theirs and its own, are gone.
Core::Fitting Core::fits(const Entry& entry, const CycleState& state) {
  const quota::NodeId node = queues_.at(entry.queue).node;
  Transaction trial(*journal_);
  const auto claimed = state.claimed.find(tree_.root(node).slot);
  if (claimed != state.claimed.end()) take_out(claimed->second);
  for (const Target& target : entry.assignment.targets) take_out({target.victim});
  const bool quota = std::all_of(
      entry.assignment.usage.begin(), entry.assignment.usage.end(), [&](const auto& wanted) {
        return quota::Amount{wanted.second} <= tree_.available(node, wanted.first).or_zero();
      });
  if (!quota) return Fitting::No;
  const Facts& facts = *workloads_.at(entry.workload).facts;
  return places_free(inventory_, facts, entry.assignment) ? Fitting::Yes : Fitting::NoPlace;
}

// Its flavors once more, on the state as it is.
void Core::assign_anew(Entry& entry) {
  const Assignment nominated = std::move(entry.assignment);
  const HolderView holders(*this, entry.predecessor);
  const Preemption search = preemption(holders);
  entry.assignment =
      assign_again(assign_context(entry, search), *workloads_.at(entry.workload).facts, nominated);
}

// …as if the victims of the entries before it were gone already.
void Core::assign_without_claimed(Entry& entry, const CycleState& state) {
  Transaction trial(*journal_);
  take_out(state.claimed.at(tree_.root(queues_.at(entry.queue).node).slot));
  assign_anew(entry);
  entry.deferred = entry.assignment.mode == Mode::Fit;
}

// Keeps quota, and the places of its assignment, from those behind it in this cycle.
void Core::reserve(const Entry& entry, const quota::ResourceMap& usage, CycleState& state) {
  for (const auto& [fr, amount] : usage) {
    tree_.charge(queues_.at(entry.queue).node, fr, amount);
  }
  state.changed = true;
  state.reserved.push_back({entry.queue, usage});
  state.places.push_back(places_of(entry));
  charge_places(state.places.back(), 1);
}

void Core::end_reservations(const CycleState& state) {
  for (const auto& [queue, usage] : state.reserved) {
    for (const auto& [fr, amount] : usage) tree_.release(queues_.at(queue).node, fr, amount);
  }
  for (const std::vector<TopologyUse>& places : state.places) charge_places(places, -1);
}

// True if the workload was admitted or others were told to leave for it.
bool Core::process(Entry& entry, CycleState& state) {
  const WorkloadId id = entry.workload;
  const WorkloadId sibling = admitted_sibling(entry);
  const auto closed = [&](const char* why) {
    return Proof{Layer::Queue, {QueueClosed{queues_.at(entry.queue).name, why, ""}}};
  };
  if (sibling && favor_of(entry.queue, sibling) < favor_of(entry.queue, id)) {
    hold(id, Reason::PendingEvaluation, closed("BetterVariantAdmitted"));
    requeue(id, RequeueReason::FailedAfterNomination, nullptr);
    return false;
  }
  if (config_.recompute_on_target_overlap && overlaps(entry)) {
    assign_without_claimed(entry, state);
  } else if (state.changed && config_.topology.recompute_in_cycle &&
             entry.assignment.mode != Mode::NoFit && fits(entry, state) == Fitting::NoPlace) {
    assign_anew(entry);
  }
  const Assignment& assignment = entry.assignment;
  const auto wait = [&](Reason reason, Proof proof, RequeueReason requeued, bool keep_scan) {
    hold(id, reason, std::move(proof));
    requeue(id, requeued, keep_scan ? std::make_shared<const Scan>(assignment.scan) : nullptr);
    return false;
  };
  const Proof proof{layer_of(assignment.facts), assignment.facts};
  if (assignment.mode == Mode::NoFit) {
    return wait(assignment.reason, proof, RequeueReason::NoFit, true);
  }
  if (assignment.mode != Mode::Fit && assignment.targets.empty()) {
    // It keeps what is left of its own quota from those behind it.
    if (keeps_quota(entry)) reserve(entry, reserve_without_candidates(entry), state);
    return wait(Reason::WaitingForQuota, proof, RequeueReason::NoCandidates, true);
  }
  if (assignment.mode != Mode::Fit && workloads_.at(id).facts->preemption_gated()) {
    return wait(Reason::AdmissionGated, closed("PreemptionGated"), RequeueReason::PreemptionGated,
                false);
  }
  if (entry.deferred) {
    reserve(entry, assignment.usage, state);
    return wait(Reason::WaitingForPreemptedWorkloads, {Layer::Quota, {VictimsClaimed{true}}},
                RequeueReason::PendingPreemption, false);
  }
  const bool overlap = overlaps(entry);
  const Fitting fitting = overlap ? Fitting::No : fits(entry, state);
  if (fitting != Fitting::Yes) {
    if (fitting == Fitting::NoPlace) {
      state.displaced.push_back(tree_.root(queues_.at(entry.queue).node).slot);
    }
    const Fact why = overlap ? Fact(VictimsClaimed{false}) : Fact(LostInCycle{});
    return wait(Reason::WaitingForQuota, {Layer::Quota, {why}},
                RequeueReason::FailedAfterNomination, config_.keep_scan_progress);
  }
  if (assignment.targets.empty()) {
    if (!must_wait_for_ready()) {
      if (sibling && !may_migrate(entry)) {
        return wait(Reason::PendingEvaluation, closed("MigrationNotAllowed"),
                    RequeueReason::FailedAfterNomination, true);
      }
      if (sibling) {
        reserve(entry, assignment.usage, state);
        return migrate(entry, sibling);
      }
      const bool admitted = try_admit(entry);
      state.changed = state.changed || admitted;
      return admitted;
    }
    waits_for_ready_ = true;
    return wait(Reason::WaitingForPodsReady, {Layer::Startup, {OthersNotReady{unready_}}},
                RequeueReason::FailedAfterNomination, true);
  }

  std::vector<Candidate>& claimed = state.claimed[tree_.root(queues_.at(entry.queue).node).slot];
  for (const Target& target : assignment.targets) {
    workloads_.at(target.victim.workload).claimed = cycle_;
    claimed.push_back(target.victim);
  }
  reserve(entry, assignment.usage, state);
  const bool told = preempt(entry);
  requeue(id, RequeueReason::PendingPreemption, nullptr);
  return told;
}

// With reclaim Any the quota can be had back from whoever takes it meanwhile.
bool Core::keeps_quota(const Entry& entry) const {
  return queues_.at(entry.queue).spec->reclaim_within_cohort != PreemptionPolicy::Any ||
         is_preemptor(entry);
}

quota::ResourceMap Core::reserve_without_candidates(const Entry& entry) const {
  quota::ResourceMap own;
  const ClusterQueue& queue = queues_.at(entry.queue);
  for (const auto& [fr, wanted] : entry.assignment.usage) {
    quota::Amount most = tree_.nominal(queue.node, fr) - tree_.usage(queue.node, fr);
    if (entry.assignment.level > 0) {
      const Limit limit = tree_.borrowing_limit(queue.node, fr);
      most = limit.bound ? most + quota::Amount{*limit.bound} : quota::Amount{wanted};
    }
    own.add(fr, std::min(quota::Amount{wanted}, most.or_zero()).quantity());
  }
  return own;
}

// Admits the workload if its pods have a place, where that has to be proved.
bool Core::try_admit(Entry& entry) {
  const WorkloadId id = entry.workload;
  const Assignment& assignment = entry.assignment;
  Transaction trial(*journal_);
  const quota::NodeId node = queues_.at(entry.queue).node;
  for (const auto& [fr, amount] : assignment.usage) tree_.charge(node, fr, amount);
  // The pods of a slice that is replaced stay where they are; there is no gang to be placed anew.
  const std::optional<NotPlaceable> refused = entry.predecessor ? std::nullopt : place_gang(entry);
  if (refused) {
    trial.roll_back();
    std::int64_t pods = 0;
    for (const PodSetResult& set : assignment.pod_sets) pods += set.count;
    queues_.at(entry.queue).waits_for_nodes = true;
    hold(id, Reason::TopologyPlacementFailed, {pods > 1 ? Layer::Gang : Layer::Node, {*refused}});
    requeue(id, RequeueReason::NoFit, std::make_shared<const Scan>(assignment.scan));
    return false;
  }
  // The reservation charges the same usage once more, under the name of the workload.
  for (const auto& [fr, amount] : assignment.usage) tree_.release(node, fr, amount);
  trial.commit();
  admit(entry);
  return true;
}

void Core::admit(Entry& entry) {
  const WorkloadId id = entry.workload;
  const std::shared_ptr<const Admission> admission = admission_of(entry);
  hold_quota(id, admission);
  Workload& workload = workloads_.at(id);
  workload.scan.reset();
  workload.issued = workload.issued_hold = 0;
  workload.assumed = true;
  workload.written = false;
  workload.decided = now_;
  workload.decided_on = workload.facts;
  const bool admitted = checks_ready(workload);
  set_admitted(id, admitted);
  expect_penalty(id);
  out_.push_back(Admit{workload.facts->key, workload.facts->uid, *admission, admitted,
                       reserved_message(admission->cluster_queue)});
  take_the_place(id);
}

}  // namespace quorate::admission
