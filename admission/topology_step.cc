#include "admission/topology_step.h"

#include <algorithm>
#include <set>

#include "admission/flavor_match.h"
#include "admission/placement_trial.h"

namespace quorate::admission {
namespace {

constexpr const char* kMultiKueue = "kueue.x-k8s.io/multikueue";
constexpr const char* kProvisioning = "kueue.x-k8s.io/provisioning-request";

const FlavorSpec& flavor_spec(const AssignContext& context, std::uint32_t slot) {
  return *context.flavors.at(slot);
}

// Whether a check of that controller applies to the flavor; "" asks about any flavor.
bool has_check(const AssignContext& context, const char* controller, const std::string& flavor) {
  return std::any_of(context.spec.admission_checks.begin(), context.spec.admission_checks.end(),
                     [&](const AdmissionCheckRule& rule) {
                       const auto check = context.topology.checks->find(rule.check);
                       if (check == context.topology.checks->end() ||
                           check->second.controller_name != controller) {
                         return false;
                       }
                       return flavor.empty() || rule.on_flavors.empty() ||
                              std::find(rule.on_flavors.begin(), rule.on_flavors.end(), flavor) !=
                                  rule.on_flavors.end();
                     });
}

// What stands behind a pod set's request. In a second pass also what the checks add to its pods;
// returns what is wrong with that.
std::string fill(const AssignContext& context, const Facts& workload, std::size_t pod_set,
                 std::int64_t count, const FlavorSpec& flavor, topology::Tree& tree,
                 topology::PodSetAsk& to) {
  const PodSetFacts& pods = workload.pod_sets[pod_set];
  const PodTemplate& pod = *pods.shape->pod;
  if (pods.topology) to.group = pods.topology->pod_set_group;
  topology::Ask& ask = to.ask;
  ask.wish = wish_of(pods.topology.get());
  ask.pods = count;
  ask.pod = tree.amounts(pod_requests(pod));
  ask.filter = {pod.node_selector, pod.node_affinity, pod.tolerations};
  ask.filter.tolerations.insert(ask.filter.tolerations.end(), flavor.tolerations.begin(),
                                flavor.tolerations.end());
  if (!context.topology.second_pass) return "";
  return add_updates(workload.checks, pods.name, ask.filter);
}

// Behind the facts of this pod set and those before it, so that each pod set's stand together.
void insert_fact(const Facts& workload, std::size_t pod_set, Fact fact, std::vector<Fact>& facts) {
  const auto position = [&](const Fact& one) {
    const std::string name = std::visit(
        [](const auto& each) -> std::string {
          if constexpr (requires { each.pod_set; }) {
            return each.pod_set;
          } else {
            return "";
          }
        },
        one);
    for (std::size_t i = 0; i < workload.pod_sets.size(); ++i) {
      if (workload.pod_sets[i].name == name) return i;
    }
    return workload.pod_sets.size();
  };
  const auto at = std::find_if(facts.begin(), facts.end(),
                               [&](const Fact& one) { return position(one) > pod_set; });
  facts.insert(at, std::move(fact));
}

void lower(PodSetResult& pods, Mode mode) {
  pods.mode = std::min(pods.mode, mode);
  for (FlavorChoice& choice : pods.choices) choice.mode = std::min(choice.mode, mode);
}

std::size_t index_of(const Facts& workload, const std::string& pod_set) {
  for (std::size_t i = 0; i < workload.pod_sets.size(); ++i) {
    if (workload.pod_sets[i].name == pod_set) return i;
  }
  return 0;
}

// What stopped a pod set in the topology: it, and with it the assignment, has that mode at best.
void refuse(const Facts& workload, TopologyShortage shortage, Mode mode, Assignment& assignment) {
  const std::size_t i = index_of(workload, shortage.pod_set);
  lower(assignment.pod_sets[i], mode);
  assignment.mode = std::min(assignment.mode, mode);
  insert_fact(workload, i, std::move(shortage), assignment.facts);
}

}  // namespace

topology::Wish wish_of(const TopologyRequest* request) {
  if (request == nullptr) return {};
  return {request->required_level, request->preferred_level, request->unconstrained,
          request->layers};
}

std::string add_updates(const std::vector<CheckStatus>& checks, const std::string& pod_set,
                        topology::NodeFilter& filter) {
  for (const CheckStatus& check : checks) {
    if (check.state != CheckState::Ready) continue;
    for (const PodSetUpdate& update : check.updates) {
      if (update.pod_set != pod_set) continue;
      for (const auto& [key, value] : update.node_selector) {
        const auto [at, added] = filter.node_selector.emplace(key, value);
        if (added || at->second == value) continue;
        return "invalid podSetUpdate for PodSet " + pod_set +
               ", error: invalid admission check PodSetUpdate: conflict for nodeSelector: conflict "
               "for key=" +
               key + ", value1=" + at->second + ", value2=" + value;
      }
      filter.tolerations.insert(filter.tolerations.end(), update.tolerations.begin(),
                                update.tolerations.end());
    }
  }
  return "";
}

bool placed_by_topology(const PodSetFacts& pods, bool all_topology) {
  return all_topology || requests_topology(pods.topology.get());
}

std::variant<std::vector<std::string>, TopologyError> topology_flavors(const AssignContext& context,
                                                                       const Facts& workload,
                                                                       const Assignment& assignment,
                                                                       bool all_topology) {
  std::vector<std::string> flavors(assignment.pod_sets.size());
  std::map<std::string, std::string> of_group;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < assignment.pod_sets.size(); ++i) {
    const PodSetFacts& pods = workload.pod_sets[i];
    if (assignment.pod_sets[i].count == 0 || !placed_by_topology(pods, all_topology)) continue;
    std::set<std::string> found;
    for (const FlavorChoice& choice : assignment.pod_sets[i].choices) {
      const FlavorSpec& flavor = flavor_spec(context, choice.flavor);
      if (!flavor.topology_name.empty()) found.insert(flavor.name);
    }
    if (found.size() > 1) {
      std::string names;
      for (const std::string& name : found) names += (names.empty() ? "" : ", ") + name;
      return TopologyError{pods.name, "more than one TAS flavor assigned: " + names};
    }
    if (found.empty()) {
      open.push_back(i);
      continue;
    }
    flavors[i] = *found.begin();
    if (pods.topology && !pods.topology->pod_set_group.empty()) {
      of_group.emplace(pods.topology->pod_set_group, flavors[i]);
    }
  }
  for (const std::size_t i : open) {
    const PodSetFacts& pods = workload.pod_sets[i];
    const auto group = pods.topology ? of_group.find(pods.topology->pod_set_group) : of_group.end();
    if (group == of_group.end()) return TopologyError{pods.name, "no TAS flavor assigned"};
    flavors[i] = group->second;
  }
  return flavors;
}

Places find_places(const AssignContext& context, const Facts& workload,
                   const Assignment& assignment, Occupancy occupancy, PlaceCounters* counters) {
  Places places;
  places.pod_sets.resize(assignment.pod_sets.size());
  std::map<std::string, std::vector<std::size_t>> by_flavor;
  for (std::size_t i = 0; i < assignment.pod_sets.size(); ++i) {
    const PodSetResult& pods = assignment.pod_sets[i];
    if (pods.topology_flavor.empty() || pods.delayed == DelayedTopology::Pending) continue;
    by_flavor[pods.topology_flavor].push_back(i);
  }
  topology::Options options;
  options.profile = context.topology.config->profile;
  options.empty = occupancy == Occupancy::Empty;
  std::optional<std::size_t> failed;
  for (const auto& [name, members] : by_flavor) {
    const FlavorSpec& flavor = flavor_spec(context, context.names.flavors.intern(name).slot);
    topology::Tree* tree = context.topology.inventory->tree(name);
    if (tree == nullptr) {
      topology::Failure missing;
      missing.topology = flavor.topology_name;
      missing.error = "workload requires Topology, but there is no TAS cache information";
      places.failure = TopologyShortage{workload.pod_sets[members.front()].name, name, missing};
      return places;
    }
    std::vector<topology::PodSetAsk> asks;
    for (const std::size_t i : members) {
      topology::PodSetAsk& ask = asks.emplace_back();
      topology::Failure conflict;
      conflict.error = fill(context, workload, i, assignment.pod_sets[i].count, flavor, *tree, ask);
      if (conflict.error.empty()) continue;
      places.failure = TopologyShortage{workload.pod_sets[i].name, name, std::move(conflict)};
      return places;
    }
    for (auto& [at, outcome] : topology::place_all(
             *tree, asks, options, counters == nullptr ? nullptr : &(*counters)[name])) {
      const std::size_t i = members[at];
      if (const auto* failure = std::get_if<topology::Failure>(&outcome)) {
        if (!failed || i < *failed) {
          failed = i;
          places.failure = TopologyShortage{workload.pod_sets[i].name, name, *failure};
        }
      } else {
        places.pod_sets[i] = std::get<topology::Assignment>(std::move(outcome));
      }
    }
  }
  return places;
}

std::optional<TopologyShortage> assign_places(const AssignContext& context, const Facts& workload,
                                              Assignment& assignment, bool all_topology) {
  if (context.topology.inventory == nullptr || assignment.mode == Mode::NoFit) return std::nullopt;
  auto flavors = topology_flavors(context, workload, assignment, all_topology);
  if (auto* error = std::get_if<TopologyError>(&flavors)) {
    const std::size_t i = index_of(workload, error->pod_set);
    lower(assignment.pod_sets[i], Mode::NoFit);
    assignment.mode = Mode::NoFit;
    assignment.facts = {std::move(*error)};
    assignment.reason = Reason::NoMatchingFlavor;
    return std::nullopt;
  }
  bool any = false;
  const bool elsewhere = has_check(context, kMultiKueue, "");
  for (std::size_t i = 0; i < assignment.pod_sets.size(); ++i) {
    PodSetResult& pods = assignment.pod_sets[i];
    pods.topology_flavor = std::move(std::get<std::vector<std::string>>(flavors)[i]);
    if (pods.topology_flavor.empty()) continue;
    if (elsewhere || has_check(context, kProvisioning, pods.topology_flavor)) {
      pods.delayed = DelayedTopology::Pending;
    } else {
      any = true;
    }
  }
  if (!any) return std::nullopt;

  const bool had_quota = assignment.mode == Mode::Fit;
  if (had_quota) {
    Places places = find_places(context, workload, assignment, Occupancy::Current);
    if (!places.failure) {
      for (std::size_t i = 0; i < places.pod_sets.size(); ++i) {
        assignment.pod_sets[i].topology = std::move(places.pod_sets[i]);
      }
      return std::nullopt;
    }
    refuse(workload, std::move(*places.failure), Mode::Preempt, assignment);
  }
  // Preemption may make room, if there is room in the topology at all.
  Places places = find_places(context, workload, assignment, Occupancy::Empty);
  if (places.failure) {
    if (had_quota) {
      lower(assignment.pod_sets[index_of(workload, places.failure->pod_set)], Mode::NoFit);
      assignment.mode = Mode::NoFit;
    } else {
      TopologyShortage shortage = *places.failure;
      shortage.beside_quota = true;
      refuse(workload, std::move(shortage), Mode::NoFit, assignment);
    }
    assignment.reason = std::max(assignment.reason, Reason::TopologyPlacementFailed);
    return places.failure;
  }
  for (std::size_t i = 0; i < assignment.pod_sets.size(); ++i) {
    PodSetResult& pods = assignment.pod_sets[i];
    if (pods.topology_flavor.empty() || pods.delayed == DelayedTopology::Pending) continue;
    lower(pods, Mode::Preempt);
    pods.topology = std::move(places.pod_sets[i]);  // what to keep free for it meanwhile
  }
  return std::nullopt;
}

bool places_free(topology::Inventory& inventory, const Facts& workload,
                 const Assignment& assignment) {
  std::map<topology::Tree*, topology::Assumed> wanted;
  for (std::size_t i = 0; i < assignment.pod_sets.size(); ++i) {
    const PodSetResult& pods = assignment.pod_sets[i];
    if (!pods.topology) continue;
    topology::Tree* tree = inventory.tree(pods.topology_flavor);
    if (tree == nullptr) return false;
    tree->settle();
    const topology::Amounts pod = tree->amounts(pod_requests(*workload.pod_sets[i].shape->pod));
    for (const TopologyAssignment::Domain& domain : pods.topology->domains) {
      if (tree->find_leaf(domain.values) == topology::Tree::kNone) return false;
    }
    topology::assume(*tree, *pods.topology, pod, wanted[tree]);
  }
  return std::all_of(wanted.begin(), wanted.end(), [](const auto& of_tree) {
    return std::all_of(of_tree.second.begin(), of_tree.second.end(), [&](const auto& of_leaf) {
      return std::all_of(of_leaf.second.begin(), of_leaf.second.end(), [&](const auto& one) {
        return of_tree.first->free(of_leaf.first, one.first, false) >= one.second;
      });
    });
  });
}

void assign_places_without_targets(const AssignContext& context, const Facts& workload,
                                   Assignment& assignment) {
  const bool any = std::any_of(assignment.pod_sets.begin(), assignment.pod_sets.end(),
                               [](const PodSetResult& pods) { return pods.topology.has_value(); });
  if (!any || context.topology.journal == nullptr) return;
  Transaction trial(*context.topology.journal);
  TopologyTrial gone(*context.topology.journal, context, workload, assignment);
  for (const Target& target : assignment.targets) gone.removed(target.victim);
  Places places = find_places(context, workload, assignment, Occupancy::Current);
  if (places.failure) return;
  for (std::size_t i = 0; i < places.pod_sets.size(); ++i) {
    if (places.pod_sets[i]) assignment.pod_sets[i].topology = std::move(places.pod_sets[i]);
  }
}

Assignment assignment_of(const AssignContext& context, const Facts& workload,
                         const Admission& admission) {
  Assignment assignment;
  for (const PodSetFacts& pods : workload.pod_sets) {
    PodSetResult& result = assignment.pod_sets.emplace_back();
    result.name = pods.name;
    const auto assigned =
        std::find_if(admission.pod_sets.begin(), admission.pod_sets.end(),
                     [&](const PodSetAssignment& one) { return one.name == pods.name; });
    if (assigned == admission.pod_sets.end()) continue;
    result.count = assigned->count;
    result.topology = assigned->topology;
    result.delayed = assigned->delayed;
    for (const auto& [resource, flavor] : assigned->flavors) {
      const quota::FlavorId id = context.names.flavors.intern(flavor);
      const auto known = context.flavors.find(id.slot);
      if (known == context.flavors.end()) continue;
      result.choices.push_back({context.names.resources.intern(resource).slot, id.slot});
      if (!known->second->topology_name.empty()) result.topology_flavor = flavor;
    }
  }
  // A pod set that requests nothing is where its group is.
  for (std::size_t i = 0; i < assignment.pod_sets.size(); ++i) {
    PodSetResult& result = assignment.pod_sets[i];
    if (!result.topology_flavor.empty() ||
        (!result.topology && result.delayed == DelayedTopology::None)) {
      continue;
    }
    for (const PodSetResult& other : assignment.pod_sets) {
      if (result.topology_flavor.empty()) result.topology_flavor = other.topology_flavor;
    }
  }
  return assignment;
}

std::optional<TopologyAssignment> move_from_host(const AssignContext& context,
                                                 const Facts& workload, std::size_t pod_set,
                                                 const std::string& flavor,
                                                 const TopologyAssignment& old,
                                                 const std::string& host) {
  topology::Tree* tree = context.topology.inventory->tree(flavor);
  if (tree == nullptr) return std::nullopt;
  topology::PodSetAsk ask;
  const FlavorSpec& spec = flavor_spec(context, context.names.flavors.intern(flavor).slot);
  if (!fill(context, workload, pod_set, old.pods(), spec, *tree, ask).empty()) return std::nullopt;
  topology::Options options;
  options.profile = context.topology.config->profile;
  const topology::Outcome found = topology::replace(*tree, ask.ask, old, {host}, options);
  if (const auto* placed = std::get_if<topology::Placed>(&found)) return placed->pods;
  return std::nullopt;
}

std::vector<TopologyUse> topology_uses(const Facts& workload, const Admission& admission,
                                       const std::function<bool(const std::string&)>& is_topology) {
  std::vector<TopologyUse> uses;
  const auto flavor_of = [&](const PodSetAssignment& assigned) -> std::string {
    for (const auto& [resource, flavor] : assigned.flavors) {
      if (is_topology(flavor)) return flavor;
    }
    return "";
  };
  for (const PodSetAssignment& assigned : admission.pod_sets) {
    if (!assigned.topology) continue;
    const auto pods =
        std::find_if(workload.pod_sets.begin(), workload.pod_sets.end(),
                     [&](const PodSetFacts& one) { return one.name == assigned.name; });
    if (pods == workload.pod_sets.end()) continue;
    std::string flavor = flavor_of(assigned);
    // A pod set that requests nothing is where its group is.
    for (const PodSetAssignment& other : admission.pod_sets) {
      if (flavor.empty() && other.topology) flavor = flavor_of(other);
    }
    if (flavor.empty()) continue;
    uses.push_back({std::move(flavor), *assigned.topology, pod_requests(*pods->shape->pod)});
  }
  return uses;
}

}  // namespace quorate::admission
