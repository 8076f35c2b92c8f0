// Placement for workloads that hold quota already: what was put off until the checks were ready,
// and what a failed node took away.

#include <algorithm>
#include <tuple>

#include "admission/core.h"

namespace quorate::admission {
namespace {

constexpr Duration kFirstPass = Duration::seconds(1);
constexpr std::int64_t kLongestDelaySeconds = 30;

bool uses_host(const PodSetAssignment& pods, const std::string& host) {
  if (!pods.topology || pods.topology->levels != std::vector<std::string>{topology::kHostname}) {
    return false;
  }
  const auto& domains = pods.topology->domains;
  return std::any_of(domains.begin(), domains.end(), [&](const TopologyAssignment::Domain& one) {
    return one.values.front() == host;
  });
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

// The first node of its assignment that is known to have failed; "" if there is none.
std::string Core::node_to_replace(const Workload& workload) const {
  if (!config_.topology.replace_nodes || !workload.held) return "";
  for (const std::string& node : workload.facts->unhealthy_nodes) {
    const auto& pod_sets = workload.held->admission->pod_sets;
    if (std::any_of(pod_sets.begin(), pod_sets.end(),
                    [&](const PodSetAssignment& pods) { return uses_host(pods, node); })) {
      return node;
    }
  }
  return "";
}

bool Core::needs_second_pass(const Workload& workload) const {
  const Facts& facts = *workload.facts;
  if (!workload.held || workload.assumed || facts.finished() || facts.evicted() || !facts.active) {
    return false;
  }
  if (!node_to_replace(workload).empty()) return true;
  return !workload.admitted && awaits_places(workload) && !facts.checks.empty() &&
         std::all_of(facts.checks.begin(), facts.checks.end(),
                     [](const CheckStatus& check) { return check.state == CheckState::Ready; });
}

// Schedules a pass that is needed, and takes one that is due.
void Core::reconcile_second_pass(WorkloadId id) {
  Workload& workload = workloads_.at(id);
  if (!needs_second_pass(workload)) {
    workload.pass_due = {};
    workload.passes_failed = 0;
    return;
  }
  if (workload.pass_due == Time{}) {
    workload.pass_due = now_ + kFirstPass;
    set_timer(id, workload.pass_due);
  } else if (workload.pass_due <= now_) {
    due_passes_.push_back(id);
  }
}

void Core::run_second_passes() {
  std::vector<WorkloadId> ids;
  ids.swap(due_passes_);
  std::sort(ids.begin(), ids.end(), [this](WorkloadId a, WorkloadId b) {
    const auto key = [this](WorkloadId id) {
      const Facts& facts = *workloads_.at(id).facts;
      return std::tuple(-facts.priority, facts.queued_at, std::string_view(facts.uid),
                        std::string_view(facts.key.ns), std::string_view(facts.key.name));
    };
    return key(a) < key(b);
  });
  for (const WorkloadId id : ids) {
    if (!needs_second_pass(workloads_.at(id))) continue;
    if (!queues_.at(workloads_.at(id).held->queue).spec) continue;
    second_pass(id);
  }
}

void Core::second_pass(WorkloadId id) {
  Workload& workload = workloads_.at(id);
  const Facts& facts = *workload.facts;
  const std::string failed_node = node_to_replace(workload);
  const HolderView holders(*this, {});
  const Preemption none = preemption(holders);
  AssignContext context = assign_context({id, workload.held->queue, {}}, none);
  context.topology.second_pass = true;
  Admission admission = *workload.held->admission;
  bool placed = true;
  if (failed_node.empty()) {
    placed = place_delayed(context, facts, admission);
  } else if (!(facts.pod_owned && config_.topology.skip_pod_owned)) {
    placed = replace_host(context, facts, failed_node, admission);
  }
  if (!placed && !failed_node.empty() && config_.topology.replace_fail_fast) {
    evict_for_nodes(id, "Workload was evicted as there was no replacement for unhealthy node(s): " +
                            joined(facts.unhealthy_nodes));
    return;
  }
  if (!placed) {
    ++workload.passes_failed;
    const std::int64_t seconds = workload.passes_failed < 5
                                     ? std::int64_t{1} << workload.passes_failed
                                     : kLongestDelaySeconds;
    workload.pass_due = now_ + Duration::seconds(seconds);
    set_timer(id, workload.pass_due);
    return;
  }
  // The same quota with other places.
  workload.before_pass = workload.held;
  charge_places(workload.held->places, -1);
  auto held = std::make_shared<Reservation>(*workload.held);
  held->admission = std::make_shared<const Admission>(std::move(admission));
  held->places = places_of(facts, *held->admission);
  workload.held = held;
  charge_places(held->places, 1);
  workload.assumed = true;
  workload.written = false;
  workload.decided = now_;
  workload.decided_on = workload.facts;
  workload.pass_due = {};
  workload.passes_failed = 0;
  const bool admitted = workload.admitted || checks_ready(workload);
  set_admitted(id, admitted);
  out_.push_back(Admit{facts.key, facts.uid, *held->admission, admitted,
                       reserved_message(held->admission->cluster_queue)});
}

// Places the pod sets whose placement was put off. False if they do not all find one.
bool Core::place_delayed(const AssignContext& context, const Facts& facts, Admission& admission) {
  Assignment assignment = assignment_of(context, facts, admission);
  for (std::size_t i = 0; i < facts.pod_sets.size(); ++i) {
    PodSetResult& pods = assignment.pod_sets[i];
    if (pods.delayed != DelayedTopology::Pending || pods.topology) pods.topology_flavor.clear();
    pods.delayed = DelayedTopology::None;
  }
  Places places = find_places(context, facts, assignment, Occupancy::Current);
  if (places.failure) return false;
  for (std::size_t i = 0; i < facts.pod_sets.size(); ++i) {
    if (!places.pod_sets[i]) continue;
    for (PodSetAssignment& assigned : admission.pod_sets) {
      if (assigned.name != facts.pod_sets[i].name) continue;
      assigned.topology = std::move(places.pod_sets[i]);
      assigned.delayed = DelayedTopology::Ready;
      break;
    }
  }
  return true;
}

// Moves what ran on the failed host. False if there is no place for it.
bool Core::replace_host(const AssignContext& context, const Facts& facts, const std::string& host,
                        Admission& admission) {
  const Assignment assignment = assignment_of(context, facts, admission);
  for (std::size_t i = 0; i < facts.pod_sets.size(); ++i) {
    const auto assigned = std::find_if(
        admission.pod_sets.begin(), admission.pod_sets.end(),
        [&](const PodSetAssignment& one) { return one.name == facts.pod_sets[i].name; });
    if (assigned == admission.pod_sets.end() || !uses_host(*assigned, host)) continue;
    std::optional<TopologyAssignment> moved = move_from_host(
        context, facts, i, assignment.pod_sets[i].topology_flavor, *assigned->topology, host);
    if (!moved) return false;
    assigned->topology = std::move(moved);
  }
  return true;
}

// The write of new places failed: the old ones hold. False if it was not about such.
bool Core::undo_second_pass(WorkloadId id) {
  Workload& workload = workloads_.at(id);
  if (!workload.before_pass || !workload.held) return false;
  charge_places(workload.held->places, -1);
  workload.held = std::move(workload.before_pass);
  workload.before_pass.reset();
  charge_places(workload.held->places, 1);
  workload.assumed = false;
  workload.decided_on.reset();
  set_admitted(id, workload.facts->is_true(Cond::Admitted));
  return true;
}

void Core::evict_for_nodes(WorkloadId id, const std::string& message) {
  Workload& workload = workloads_.at(id);
  workload.pass_due = {};
  issue(id, Evict{workload.facts->key,
                  workload.facts->uid,
                  "NodeFailures",
                  message,
                  "",
                  {},
                  "",
                  std::nullopt});
}

}  // namespace quorate::admission
