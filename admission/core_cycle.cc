// The admission cycle: one head per ClusterQueue is nominated on the unchanged state, the nominees
// are put in order and processed one by one.

#include <algorithm>
#include <tuple>

#include "admission/core.h"

namespace quorate::admission {

std::vector<Decision> Core::cycle(Time now) {
  now_ = now;
  ++cycle_;
  out_.clear();
  settle();
  recharge_places();
  run_move_backs();
  run_offers();
  fire_timers();
  run_samples();
  reconcile_dirty();
  run_second_passes();
  run_heads();
  reconcile_undecided();
  return std::move(out_);
}

bool Core::busy() const {
  if (!tree_.settled() || !dirty_.empty() || !opening_.empty() || !offers_.empty()) {
    return true;
  }
  if (std::any_of(move_backs_.begin(), move_backs_.end(), [&](const auto& entry) {
        return !entry.second.due || *entry.second.due <= now_;
      })) {
    return true;
  }
  return std::any_of(trees_.begin(), trees_.end(), [&](const auto& entry) {
    return entry.second.awake &&
           std::any_of(entry.second.queues.begin(), entry.second.queues.end(), [&](QueueId id) {
             const ClusterQueue& queue = queues_.at(id);
             return queue.active.active && heap_top(queue);
           });
  });
}

std::optional<Time> Core::next_wakeup() const {
  std::optional<Time> next;
  const auto consider = [&next](Time time) {
    if (!next || time < *next) next = time;
  };
  for (const auto& [slot, request] : move_backs_) {
    if (request.due) consider(*request.due);
  }
  if (!timers_.empty()) consider(timers_.front().first);
  if (!samples_.empty()) consider(samples_.front().first);
  return next;
}

// --- heads ---

std::vector<Core::Entry> Core::pop_heads(std::vector<std::uint32_t>& trees) {
  std::vector<Entry> heads;
  for (auto& [slot, tree] : trees_) {
    if (!tree.awake) continue;
    const std::size_t before = heads.size();
    for (const QueueId id : tree.queues) {
      ClusterQueue& queue = queues_.at(id);
      if (!queue.active.active) continue;
      // Equals of a workload that failed are not evaluated again.
      if (queue.by_usage) refresh_due(queue);
      park_failed(id);
      if (heap_top(queue)) heads.push_back({heap_pop(id), id, {}, false});
    }
    if (heads.size() == before) {
      tree.awake = false;
    } else {
      trees.push_back(slot);
    }
  }
  return heads;
}

void Core::run_heads() {
  std::vector<std::uint32_t> trees;
  std::vector<Entry> heads = pop_heads(trees);

  std::vector<Entry> nominees;
  const std::size_t decided = out_.size();
  for (Entry& head : heads) {
    if (!nominate(head)) continue;
    nominees.push_back({head.workload, head.queue, std::move(head.assignment), head.resumed});
  }
  sort_decisions(decided);  // heads come in no meaningful order
  std::vector<bool> progressed(trees.size(), false);
  CycleState state;
  const auto run = [&](Entry& entry) {
    if (!process(entry, state)) return;
    const std::uint32_t root = tree_.root(queues_.at(entry.queue).node).slot;
    const auto at = std::lower_bound(trees.begin(), trees.end(), root);
    progressed[static_cast<std::size_t>(at - trees.begin())] = true;
  };
  if (config_.fair_sharing) {
    fairshare::Tournament entries = tournament(nominees);
    while (const std::optional<std::size_t> winner = entries.next()) run(nominees[*winner]);
  } else {
    order(nominees);
    for (Entry& entry : nominees) run(entry);
  }
  end_reservations(state);
  quieten(trees, heads, progressed, state.displaced);
}

// Lets trees sleep in which another cycle would do what this one did: nothing was admitted, the
// same heads are back at the top, and none of them has flavors left to try. Heads whose scans are
// out of step with each other get as many cycles as the longest scan has flavors. Places do not
// belong to a tree: `displaced` ones, with an entry that lost its places, may find others (or the
// same, if they were only kept for somebody) as long as any tree is awake.
void Core::quieten(const std::vector<std::uint32_t>& trees, const std::vector<Entry>& heads,
                   const std::vector<bool>& progressed,
                   const std::vector<std::uint32_t>& displaced) {
  std::map<std::uint32_t, std::pair<bool, bool>> states;  // same heads, scans complete
  for (const std::uint32_t slot : trees) states[slot] = {true, true};
  for (const Entry& head : heads) {
    const ClusterQueue& queue = queues_.at(head.queue);
    auto& [same, complete] = states[tree_.root(queue.node).slot];
    if (const WorkloadId top = heap_top(queue); top && top != head.workload) same = false;
    const Workload& workload = workloads_.at(head.workload);
    if (workload.bucket != Bucket::Heap) same = false;
    if (head.resumed || workload.scan) complete = false;
  }
  bool any_awake = false;
  for (std::size_t i = 0; i < trees.size(); ++i) {
    Tree& tree = trees_.at(trees[i]);
    const auto& [same, complete] = states.at(trees[i]);
    if (progressed[i] || !same) {
      tree.unchanged = 0;
      any_awake = true;
      continue;
    }
    int longest = 1;
    for (const QueueId id : tree.queues) {
      for (const QueuePlan::Group& group : queues_.at(id).plan.groups) {
        longest = std::max(longest, static_cast<int>(group.flavors.size()));
      }
    }
    if (complete || ++tree.unchanged > longest) tree.awake = false;
    any_awake = any_awake || tree.awake;
  }
  if (!any_awake) return;
  for (const std::uint32_t root : displaced) trees_.at(root).awake = true;
}

// --- nomination ---

Preemption Core::preemption(const Holders& holders) {
  std::optional<FairRules> fair;
  if (config_.fair_sharing) {
    fair.emplace(FairRules{sharing_, config_.fair_strategies, config_.preempt_within_nominal});
  }
  return Preemption({*journal_, tree_, holders}, fair);
}

AssignContext Core::assign_context(const Entry& entry, const Preemption& preemption) {
  const ClusterQueue& queue = queues_.at(entry.queue);
  return {tree_,
          queue.node,
          *queue.spec,
          queue.plan,
          flavors_,
          names_,
          order_,
          config_.ignore_undeclared_resources,
          config_.fair_sharing,
          &preemption,
          nullptr,
          entry.replaced.get(),
          topology_context()};
}

TopologyContext Core::topology_context() {
  if (!config_.topology.enabled) return {};
  return {&inventory_, &config_.topology, &checks_, journal_};
}

bool Core::nominate(Entry& entry) {
  const WorkloadId id = entry.workload;
  const Facts& facts = *workloads_.at(id).facts;
  ClusterQueue& queue = queues_.at(entry.queue);
  const auto refuse = [&](RequeueReason reason, Reason shown, Proof proof) {
    hold(id, shown, std::move(proof));
    requeue(id, reason, workloads_.at(id).scan);
    return false;
  };
  const auto closed = [&](const char* why) {
    return Proof{Layer::Queue, {QueueClosed{queue.name, why, facts.key.ns}}};
  };

  const bool failed_checks =
      std::any_of(facts.checks.begin(), facts.checks.end(), [](const CheckStatus& check) {
        return check.state == CheckState::Retry || check.state == CheckState::Rejected;
      });
  if (failed_checks) {
    return refuse(RequeueReason::NotNominated, Reason::PendingEvaluation, {Layer::Check, {}});
  }
  if (!namespaces_.contains(facts.key.ns)) {
    return refuse(RequeueReason::NotNominated, Reason::Misconfigured, closed("NamespaceMissing"));
  }
  if (!namespace_matches(queue, facts.key.ns)) {
    return refuse(RequeueReason::NamespaceMismatch, Reason::Misconfigured,
                  closed("NamespaceMismatch"));
  }
  if (facts.invalid) {
    return refuse(RequeueReason::NotNominated, Reason::Misconfigured,
                  {Layer::Queue, {*facts.invalid}});
  }

  // An old scan position is worth keeping while nothing came free for the queue, and in the cycle
  // that follows the one it is from.
  std::shared_ptr<const Scan>& scan = workloads_.at(id).scan;
  if (scan && scan->generation < tree_.generation(queue.node) &&
      (cycle_ - scan->cycle > 1 || !config_.keep_scan_progress)) {
    scan.reset();
  }
  entry.resumed = scan != nullptr;
  find_predecessor(entry);
  const HolderView holders(*this, entry.predecessor);
  const Preemption search = preemption(holders);
  entry.assignment = assign_or_shrink(assign_context(entry, search), facts, scan.get());
  entry.assignment.scan.cycle = cycle_;
  return true;
}

// --- order ---

bool Core::is_preemptor(const Entry& entry) const {
  const ClusterQueue& queue = queues_.at(entry.queue);
  return config_.prioritize_preemptors && queue.preemptor == entry.workload &&
         queue.preemptor_generation == workloads_.at(entry.workload).facts->generation;
}

void Core::order(std::vector<Entry>& entries) const {
  std::sort(entries.begin(), entries.end(), [this](const Entry& a, const Entry& b) {
    const auto key = [this](const Entry& entry) {
      const Facts& facts = *workloads_.at(entry.workload).facts;
      return std::tuple(!is_preemptor(entry), entry.assignment.level,
                        config_.priority_within_cohort ? -facts.priority : 0, facts.queued_at,
                        std::string_view(facts.uid), std::string_view(facts.key.ns),
                        std::string_view(facts.key.name));
    };
    return key(a) < key(b);
  });
}

std::optional<NotPlaceable> Core::place_gang(const Entry& entry) {
  if (port_ == nullptr) return std::nullopt;
  const ClusterQueueSpec* queue = queues_.at(entry.queue).spec.get();
  const std::optional<bool> asked = queue != nullptr ? queue->prove_placement : std::nullopt;
  if (!asked.value_or(config_.prove_placement)) return std::nullopt;
  const Facts& facts = *workloads_.at(entry.workload).facts;
  GangToPlace gang{facts.key, facts.uid, {}};
  for (std::size_t i = 0; i < entry.assignment.pod_sets.size(); ++i) {
    const PodSetResult& set = entry.assignment.pod_sets[i];
    if (set.count == 0 || set.delayed == DelayedTopology::Pending) continue;
    PodSetToPlace pods{set.name, set.count, facts.pod_sets[i].shape->pod, {}, {}};
    std::vector<std::uint32_t> seen;
    for (const FlavorChoice& choice : set.choices) {
      if (std::find(seen.begin(), seen.end(), choice.flavor) != seen.end()) continue;
      seen.push_back(choice.flavor);
      const FlavorSpec& flavor = *flavors_.at(choice.flavor);
      pods.node_labels.insert(flavor.node_labels.begin(), flavor.node_labels.end());
      pods.tolerations.insert(pods.tolerations.end(), flavor.tolerations.begin(),
                              flavor.tolerations.end());
    }
    if (!set.topology) {
      gang.pod_sets.push_back(std::move(pods));
      continue;
    }
    // Its places are chosen; on nodes they are proven domain by domain.
    for (const TopologyAssignment::Domain& domain : set.topology->domains) {
      PodSetToPlace& there = gang.pod_sets.emplace_back(pods);
      there.count = domain.count;
      for (std::size_t level = 0; level < domain.values.size(); ++level) {
        there.node_labels[set.topology->levels[level]] = domain.values[level];
      }
    }
  }
  return gang.pod_sets.empty() ? std::nullopt : port_->reserve(gang);
}

std::shared_ptr<const Admission> Core::admission_of(const Entry& entry) const {
  auto admission = std::make_shared<Admission>();
  admission->cluster_queue = queues_.at(entry.queue).name;
  const Facts& facts = *workloads_.at(entry.workload).facts;
  for (std::size_t i = 0; i < entry.assignment.pod_sets.size(); ++i) {
    const PodSetResult& set = entry.assignment.pod_sets[i];
    PodSetAssignment& assigned = admission->pod_sets.emplace_back();
    assigned.name = facts.pod_sets[i].name;
    assigned.count = set.count;
    for (const FlavorChoice& choice : set.choices) {
      const std::string& resource = names_.resources.name({choice.resource, 0});
      assigned.flavors[resource] = names_.flavors.name({choice.flavor, 0});
      assigned.usage[resource] = choice.amount;
    }
    assigned.topology = set.topology;
    assigned.delayed = set.delayed;
  }
  return admission;
}

}  // namespace quorate::admission
