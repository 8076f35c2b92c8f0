#pragma once

// Queues, who holds quota of them, and one workload that wants in: what flavor assignment and the
// search for victims make of it, as one line of text.

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "admission/assigner.h"
#include "admission/testing/builders.h"

namespace quorate::admission::testing {

class PreemptionWorld : public Holders {
 public:
  static constexpr Time kNow = Time::from_seconds(100'000);

  // "a@k {f/cpu=2} (reclaim=Any); cohort x<r".
  void queues(const std::string& lines) {
    for (const std::string& line : items(lines)) {
      if (line.rfind("cohort ", 0) == 0) {
        const CohortSpec spec = cohort(line);
        tree.put_cohort(spec.name, spec.parent, spec.resource_groups, names);
        sharing.set_weight(tree.cohort(spec.name), spec.fair_weight);
        continue;
      }
      const ClusterQueueSpec spec = queue(line);
      sharing.set_weight(
          tree.put_cluster_queue(spec.name, spec.cohort, spec.resource_groups, names),
          spec.fair_weight);
      specs[spec.name] = spec;
      plans[spec.name] = compile(spec, names);
      for (const auto& group : spec.resource_groups) {
        for (const auto& flavor : group.flavors) {
          flavors[names.flavors.intern(flavor.flavor).slot] =
              std::make_shared<const FlavorSpec>(FlavorSpec{flavor.flavor});
        }
      }
    }
    tree.settle();
    sharing.shape_changed();
  }

  // "a@s f/cpu=3 p-1", "b1..b5@b f/cpu=1", then any of: "reserved t-10", "created t-10", "EVICTED",
  // "boost 5", "local l1 usage 4".
  void holding(const std::string& lines) {
    for (const std::string& line : items(lines)) {
      const std::size_t dots = line.find(".."), at = line.find('@');
      if (dots == std::string::npos || dots > at) {
        hold_one(line);
        continue;
      }
      const std::size_t digit = line.find_first_of("0123456789");
      const int from = std::stoi(line.substr(digit));
      const int to = std::stoi(line.substr(line.find_first_of("0123456789", dots)));
      for (int i = from; i <= to; ++i) {
        hold_one(line.substr(0, digit) + std::to_string(i) + line.substr(at));
      }
    }
  }

  // "s p1 t-50 main*1: cpu=3": the workload p for queue s, priority 1.
  std::shared_ptr<const Facts> incoming(const std::string& line) {
    const std::size_t pods = line.find("main*");
    const std::vector<std::string> head = words(line.substr(0, pods));
    Time created = kNow;
    if (head.size() > 2) created = kNow + Duration::seconds(std::stoi(head[2].substr(1)));
    WorkloadSpec spec = workload("p", line.substr(pods), std::stoi(head.at(1).substr(1)), created);
    spec.queue_name = head[0];
    return compile_facts(spec);
  }

  AssignContext context(const std::string& queue_name, const Preemption& preemption) {
    return {tree,
            tree.cluster_queue(queue_name),
            specs.at(queue_name),
            plans.at(queue_name),
            flavors,
            names,
            order,
            false,
            fair_sharing,
            &preemption};
  }
  Preemption preemption() {
    std::optional<FairRules> fair;
    if (fair_sharing) {
      fair.emplace(FairRules{sharing, config.fair_strategies, config.preempt_within_nominal});
    }
    return Preemption({journal, tree, *this}, fair);
  }

  Assignment assign(const Facts& facts) {
    const Preemption search = preemption();
    return assign_or_shrink(context(facts.queue_name, search), facts, nullptr);
  }

  // "Preempt cpu>f level 1: b1 InCohortReclamation, b2 InCohortReclamation"; targets by name.
  std::string run(const std::string& line) {
    const std::shared_ptr<const Facts> facts = incoming(line);
    return print(assign(*facts), *facts);
  }

  std::string print(const Assignment& got, const Facts& facts) const {
    if (got.mode == Mode::NoFit) return "NoFit " + reason_text(got.reason);
    std::string text = got.mode == Mode::Fit ? "Fit" : "Preempt";
    for (std::size_t i = 0; i < got.pod_sets.size(); ++i) {
      if (got.pod_sets[i].count != facts.pod_sets[i].remaining) {
        text += " [" + std::to_string(got.pod_sets[i].count) + "]";
      }
      std::vector<std::string> choices;
      for (const FlavorChoice& choice : got.pod_sets[i].choices) {
        choices.push_back(" " + names.resources.name({choice.resource, 0}) + ">" +
                          names.flavors.name({choice.flavor, 0}));
      }
      std::sort(choices.begin(), choices.end());
      for (const std::string& choice : choices) text += choice;
    }
    if (got.level > 0) text += " level " + std::to_string(got.level);
    return got.mode == Mode::Fit ? text : text + ": " + print(got.targets);
  }

  static std::string print(const std::vector<Target>& targets) {
    std::vector<std::string> list;
    for (const Target& target : targets) {
      list.push_back(target.victim.facts->key.name + " " + std::string(kind_name(target.kind)));
    }
    std::sort(list.begin(), list.end());
    std::string all;
    for (const std::string& one : list) all += (all.empty() ? "" : ", ") + one;
    return all.empty() ? "none" : all;
  }

  void each(quota::NodeId queue,
            const std::function<void(const Candidate&)>& visit) const override {
    for (const Held& one : held) {
      if (one.candidate.node == queue) visit(one.candidate);
    }
  }

  struct Held {
    std::shared_ptr<const Facts> facts;
    quota::ResourceMap usage;
    Candidate candidate;
  };

  Journal journal;
  quota::Names names;
  quota::CohortTree tree{journal};
  fairshare::Sharing sharing;
  ResourceOrder order;
  std::map<std::string, ClusterQueueSpec> specs;
  std::map<std::string, QueuePlan> plans;
  FlavorTable flavors;
  std::deque<Held> held;  // addresses stay
  Config config;
  bool fair_sharing = false;

 private:
  std::shared_ptr<const Facts> compile_facts(const WorkloadSpec& spec) {
    return compiler_.compile(spec, {&config, &limits_, &classes_}, names, order);
  }

  void hold_one(const std::string& line) {
    const quota::testing::UsageLine used = quota::testing::parse_usage(line);
    const std::vector<std::string> parts = words(line);
    Held& one = held.emplace_back();
    std::string requests;
    for (const auto& [flavor, resource, amount] : used.amounts) {
      one.usage.add(names.pair(flavor, resource), amount);
      requests +=
          (requests.empty() ? "" : ", ") + resource + "=" + format_quantity(resource, amount);
    }
    WorkloadSpec spec = workload(used.name, "main*1: " + requests, used.priority, kNow);
    spec.queue_name = used.queue;
    Time reserved = kNow;
    Candidate& candidate = one.candidate;
    for (std::size_t i = 3; i < parts.size(); ++i) {
      const auto seconds = [&] { return Duration::seconds(std::stoi(parts.at(i).substr(1))); };
      if (parts[i] == "reserved") {
        ++i;
        reserved = kNow + seconds();
      } else if (parts[i] == "created") {
        ++i;
        spec.created = kNow + seconds();
      } else if (parts[i] == "boost") {
        spec.priority_boost = std::stoi(parts.at(++i));
      } else if (parts[i] == "EVICTED") {
        candidate.evicted = true;
      } else if (parts[i] == "local") {
        spec.queue_name = parts.at(++i);
      } else if (parts[i] == "usage") {
        candidate.local_usage =
            fairshare::RecentUsage(fairshare::Wide256(std::stoi(parts.at(++i))), 1);
      } else {
        ADD_FAILURE() << "unknown word " << parts[i];
      }
    }
    one.facts = compile_facts(spec);
    candidate.workload = {static_cast<std::uint32_t>(held.size()), 0};
    candidate.node = tree.cluster_queue(used.queue);
    candidate.facts = one.facts.get();
    candidate.usage = &one.usage;
    candidate.reserved = reserved;
    candidate.local_queue = one.facts->queue_name;
    for (const auto& [fr, amount] : one.usage) tree.charge(candidate.node, fr, amount);
  }

  FactsCompiler compiler_;
  LimitSummary limits_;
  std::map<std::string, RuntimeClassSpec> classes_;
};

}  // namespace quorate::admission::testing
