#include "src/simulate/op_preempt_targets.h"

#include <algorithm>
#include <set>

#include "admission/messages.h"
#include "src/objects/json.h"
#include "src/simulate/answer.h"
#include "src/simulate/op_schedule.h"
#include "src/simulate/write_status.h"

namespace quorate::simulate {
namespace {

constexpr const char* kAssume = "quorate.dev/assume-flavors";
constexpr const char* kPin = "quorate.dev/assumed";  // key of the taints that pin flavors

// By pod set, then resource: the flavor.
using AssumedFlavors = std::map<std::string, std::map<std::string, std::string>>;

// The workload that is asked about: not finished, without quota.
// Errors: Invalid - there is none, or more than one.
Outcome<ObjectKey> asked(const Objects& objects) {
  std::vector<ObjectKey> found;
  for (const auto& [key, workload] : objects.of<objects::Workload>()) {
    if (!reserved(workload) && !finished(workload)) found.push_back(key);
  }
  if (found.size() == 1) return found.front();
  std::string names;
  for (const ObjectKey& key : found) names += (names.empty() ? ": " : ", ") + key.text();
  return error(Errc::Invalid,
               "--op preempt-targets needs exactly one pending Workload; there are " +
                   std::to_string(found.size()) + names);
}

// '{"main":{"cpu":"default"}}'
// Errors: Invalid - no such annotation, not of that form, or it names what is not there.
Outcome<AssumedFlavors> assumed_flavors(const objects::Workload& workload, const Objects& objects) {
  const std::string where =
      "Workload " + workload.meta.key.text() + ": metadata.annotations[" + kAssume + "]: ";
  const auto found = workload.meta.annotations.find(kAssume);
  if (found == workload.meta.annotations.end()) {
    return error(Errc::Invalid, where + "Required value");
  }
  objects::JsonDocument document;
  if (const Outcome<void> parsed = document.parse(found->second); !parsed) {
    return error(Errc::Invalid, where + parsed.error().message);
  }
  AssumedFlavors flavors;
  document.root().members([&](std::string_view pod_set, objects::Json resources) {
    auto& of_set = flavors[std::string(pod_set)];
    resources.members([&](std::string_view resource, objects::Json flavor) {
      of_set[std::string(resource)] = flavor.required_text();
    });
  });
  if (document.fault()) return error(Errc::Invalid, where + *document.fault());
  for (const auto& [name, resources] : flavors) {
    if (std::ranges::find(workload.pod_sets, name, &objects::PodSet::name) ==
        workload.pod_sets.end()) {
      return error(Errc::Invalid, where + "no pod set \"" + name + "\"");
    }
    for (const auto& [resource, flavor] : resources) {
      if (objects.of<objects::ResourceFlavor>().contains({"", flavor})) continue;
      return error(Errc::Invalid, where + "no ResourceFlavor \"" + flavor + "\"");
    }
  }
  return flavors;
}

// Leaves each pod set no other flavors than those assumed for it: every flavor gets a taint of its
// own, and the pod set tolerates the taints of its flavors. A flavor belongs to one resource group
// of a queue, so that this decides the flavor of each resource. Pod sets of which nothing is
// assumed tolerate all.
void pin(Objects& objects, const ObjectKey& key, const AssumedFlavors& assumed) {
  for (auto& [name, flavor] : objects.of<objects::ResourceFlavor>()) {
    flavor.node_taints.push_back({.key = kPin, .value = name.name, .effect = "NoSchedule"});
  }
  for (objects::PodSet& set : objects.of<objects::Workload>().at(key).pod_sets) {
    PodTemplate pod = *set.pod_template.parsed;
    const auto flavors = assumed.find(set.name);
    if (flavors == assumed.end()) {
      pod.tolerations.push_back({.key = kPin, .op = "Exists"});
    } else {
      for (const auto& [resource, flavor] : flavors->second) {
        pod.tolerations.push_back({.key = kPin, .op = "Equal", .value = flavor});
      }
    }
    set.pod_template.parsed = std::make_shared<const PodTemplate>(std::move(pod));
  }
}

// Takes out what only the pinning said.
void unpin(WaitingEntry& entry) {
  std::erase_if(entry.proof.facts, [](const admission::Fact& fact) {
    const auto* mismatch = std::get_if<admission::FlavorMismatch>(&fact);
    return mismatch != nullptr && mismatch->why.find(kPin) != std::string::npos;
  });
  if (!entry.proof.facts.empty()) entry.message = admission::message_of(entry.proof);
}

// In the order of the search, those among them who are on their way out already, too.
std::vector<EvictedEntry> targets_of(const Cycle& cycle, const ObjectKey& preemptor,
                                     const Objects& objects) {
  std::map<ObjectKey, std::string> reasons;
  std::vector<ObjectKey> order;
  for (const admission::Decision& decision : cycle.decisions) {
    if (const auto* evict = std::get_if<admission::Evict>(&decision)) {
      reasons[evict->workload] = evict->preemption_reason;
    } else if (const auto* hold = std::get_if<admission::Hold>(&decision);
               hold != nullptr && hold->workload == preemptor) {
      for (const admission::Fact& fact : hold->proof.facts) {
        const auto* awaits = std::get_if<admission::AwaitsVictims>(&fact);
        if (awaits != nullptr) order = awaits->victims;
      }
    }
  }
  std::vector<EvictedEntry> targets;
  for (const ObjectKey& victim : order) {
    std::string reason = reasons[victim];
    if (reason.empty()) {
      const objects::Condition* before =
          objects::find_condition(objects.of<objects::Workload>().at(victim).status.conditions,
                                  objects::conditions::kPreempted);
      if (before != nullptr) reason = before->reason;
    }
    targets.push_back({victim, preemptor, std::move(reason), ""});
  }
  return targets;
}

int refuse(const Streams& streams, const std::string& text) {
  streams.err << text << "\n";
  return kUnusable;
}

}  // namespace

int op_preempt_targets(const Options& options, const Streams& streams) {
  std::optional<Inputs> inputs = read_inputs(options, streams);
  if (!inputs) return kUnusable;
  Objects& objects = inputs->loaded.objects;
  const Outcome<ObjectKey> key = asked(objects);
  if (!key) return refuse(streams, key.error().message);
  const Outcome<AssumedFlavors> flavors =
      assumed_flavors(objects.of<objects::Workload>().at(*key), objects);
  if (!flavors) return refuse(streams, flavors.error().message);
  pin(objects, *key, *flavors);

  Options raw = options;
  raw.finish_evictions = false;
  SimulatedCluster cluster = cluster_of(raw, *inputs);
  const Cycle cycle = cluster.cycle(SimulatedCluster::Survey::All);
  Answer answer;
  CycleAnswer& told =
      answer.cycles.emplace_back(answer_of(cycle, cluster, SimulatedCluster::Survey::All));
  told.number = 1;
  // It is asked who would have to leave, not what else happens.
  told.admitted.clear();
  told.evicted.clear();
  told.preempted = targets_of(cycle, *key, cluster.objects());
  std::erase_if(told.pending, [&](const WaitingEntry& each) { return each.workload != *key; });
  for (WaitingEntry& entry : told.pending) unpin(entry);
  print(answer, options, streams);
  return kRan;
}

}  // namespace quorate::simulate
