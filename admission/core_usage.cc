// Admission fair sharing: the LocalQueues of one ClusterQueue take turns by what they used of late
// (fairshare/usage_ledger.h).

#include <algorithm>
#include <utility>

#include "admission/core.h"

namespace quorate::admission {
namespace {

bool later(const std::pair<Time, LocalId>& a, const std::pair<Time, LocalId>& b) {
  return a.first > b.first;
}

}  // namespace

// Brings the queue and its LocalQueues in line with its spec and the configuration.
void Core::follow_usage_mode(QueueId id) {
  ClusterQueue& queue = queues_.at(id);
  const bool by_usage = config_.usage_sharing && queue.spec && queue.spec->by_usage;
  if (queue.by_usage != by_usage) {
    const std::vector<WorkloadId> waiting = in_heap(queue);
    for (const WorkloadId workload : waiting) heap_of(queue, workload).clear();
    queue.by_usage = by_usage;
    for (const WorkloadId workload : waiting) add_to_heap(queue, workload);
  }
  for (const LocalId local_id : queue.locals) {
    LocalQueue& local = locals_.at(local_id);
    if (!by_usage || !local.spec) {
      if (local.ledger) changed(local_id);
      local.ledger.reset();
      local.usage = {};
      continue;
    }
    if (!local.ledger) {
      local.ledger.emplace();
      opening_.push_back(local_id);
    }
    usage_changed(local_id);
  }
}

// Of a workload that just got quota, until it is admitted.
void Core::expect_penalty(WorkloadId id) {
  const Workload& workload = workloads_.at(id);
  if (!workload.local) return;
  LocalQueue& local = locals_.at(workload.local);
  const ClusterQueue& queue = queues_.at(workload.held->queue);
  if (!queue.by_usage || !local.ledger) return;
  ExactAmounts requests;
  for (const PodSetFacts& pods : workload.facts->pod_sets) {
    for (const auto& [resource, amount] : pods.shape->requests) {
      // What the queue does not cover is not its business.
      if (queue.plan.group_of(resource) == nullptr) continue;
      const std::string& name = names_.resources.name({resource, 0});
      ExactQuantity& sum = requests[name];
      sum = sum + ExactQuantity::of(name, amount * pods.remaining);
    }
  }
  const UsageSharing& sharing = *config_.usage_sharing;
  local.ledger->expect(
      workload.facts->uid,
      fairshare::penalty_of(requests, sharing.sampling_interval, sharing.half_life));
  usage_changed(workload.local);
}

void Core::drop_penalty(WorkloadId id) {
  const Workload& workload = workloads_.at(id);
  if (!workload.local) return;
  LocalQueue& local = locals_.at(workload.local);
  if (local.ledger && local.ledger->drop(workload.facts->uid)) usage_changed(workload.local);
}

namespace {

// By resource, flavors together.
ExactAmounts by_resource(const quota::ResourceMap& usage, const quota::Names& names) {
  ExactAmounts amounts;
  for (const auto& [fr, amount] : usage) {
    ExactQuantity& sum = amounts[names.resource(fr)];
    sum = sum + ExactQuantity::of(names.resource(fr), amount);
  }
  return amounts;
}

}  // namespace

// Once the API shows, or is known to have been told, that the workload is admitted.
void Core::settle_penalty(WorkloadId id) {
  const Workload& workload = workloads_.at(id);
  if (!workload.local || !workload.admitted) return;
  LocalQueue& local = locals_.at(workload.local);
  if (!local.ledger || !config_.usage_sharing) return;
  if (local.ledger->settle(workload.facts->uid, by_resource(local.admitted_usage, names_),
                           config_.usage_sharing->half_life, now_)) {
    usage_changed(workload.local);
  }
}

void Core::refresh(LocalId id) {
  LocalQueue& local = locals_.at(id);
  const bool moved = local.ledger->refresh(by_resource(local.admitted_usage, names_),
                                           config_.usage_sharing->half_life, now_);
  local.at_rest = !moved;
  if (moved) usage_changed(id);
}

// Accounts that are due are brought up to date before the queue's order is asked for, so that it
// does not depend on who asked for a wake-up.
void Core::refresh_due(const ClusterQueue& queue) {
  for (const LocalId id : queue.locals) {
    const LocalQueue& local = locals_.at(id);
    if (!local.ledger || !local.ledger->is_open()) continue;
    if (now_ >= *local.ledger->updated() + config_.usage_sharing->sampling_interval) refresh(id);
  }
}

void Core::run_samples() {
  for (const LocalId id : std::exchange(opening_, {})) {
    LocalQueue* local = locals_.find(id);
    if (local == nullptr || !local->ledger || !local->spec) continue;
    local->ledger->open(local->spec->consumed, now_);
    usage_changed(id);
  }
  while (!samples_.empty() && samples_.front().first <= now_) {
    std::pop_heap(samples_.begin(), samples_.end(), later);
    const auto [due, id] = samples_.back();
    samples_.pop_back();
    LocalQueue* local = locals_.find(id);
    if (local == nullptr || !local->ledger || local->sample != due) continue;
    local->sample = {};
    const Time next = *local->ledger->updated() + config_.usage_sharing->sampling_interval;
    if (next <= now_) refresh(id);  // else it was refreshed meanwhile
    schedule_sample(id);
  }
}

void Core::usage_changed(LocalId id) {
  LocalQueue& local = locals_.at(id);
  if (!local.ledger || !config_.usage_sharing) return;
  local.usage =
      local.ledger->usage(config_.usage_sharing->resource_weights, local.spec->fair_weight);
  local.at_rest = false;
  changed(id);
  if (local.queue && !local.heap.empty()) wake(local.queue);
  schedule_sample(id);
}

// Sets the timer of the next sample, if that could change something.
void Core::schedule_sample(LocalId id) {
  LocalQueue& local = locals_.at(id);
  if (!config_.usage_sharing || !local.ledger || !local.ledger->is_open() || local.at_rest) return;
  if (!config_.usage_sharing->sample_idle && local.heap.empty()) return;
  if (local.ledger->consumed().empty() && local.admitted_usage.empty()) return;
  const Time due = *local.ledger->updated() + config_.usage_sharing->sampling_interval;
  // An earlier timer sets the next one when it fires.
  if (local.sample != Time{} && local.sample <= due) return;
  local.sample = due;
  samples_.push_back({due, id});
  std::push_heap(samples_.begin(), samples_.end(), later);
}

}  // namespace quorate::admission
