#include "admission/assigner.h"

#include <algorithm>
#include <array>

#include "admission/flavor_match.h"
#include "admission/topology_step.h"

namespace quorate::admission {
namespace {

using quota::Amount;
using quota::FlavorResource;

// One resource of a pod set group, all its pods together.
struct Wanted {
  std::uint32_t resource = 0;
  Quantity amount;
  Quantity had = {};  // of it, by the slice that is replaced

  // What has to come free for it; a slice that asks for less gives nothing to the others of its
  // workload before it has taken the place.
  Quantity more() const { return (amount - had).or_zero(); }
};

struct Graded {
  Mode mode = Mode::Fit;
  int level = 0;
};

// Whether `a` is preferred over `b`.
bool preferred(Graded a, Graded b, bool preemption_over_borrowing) {
  if (a.mode == Mode::NoFit) return false;
  if (b.mode == Mode::NoFit) return true;
  if ((a.mode == Mode::NoCandidates) != (b.mode == Mode::NoCandidates)) {
    return b.mode == Mode::NoCandidates;
  }
  if (preemption_over_borrowing) {
    return a.level != b.level ? a.level < b.level : a.mode > b.mode;
  }
  return a.mode != b.mode ? a.mode > b.mode : a.level < b.level;
}

bool try_next(Graded graded, const ClusterQueueSpec& spec) {
  switch (graded.mode) {
    case Mode::NoFit:
    case Mode::NoCandidates:
      return true;
    case Mode::Preempt:
    case Mode::Reclaim:
      if (spec.when_can_preempt == FungibilityPolicy::TryNextFlavor) return true;
      break;
    case Mode::Fit:
      break;
  }
  return graded.level > 0 && spec.when_can_borrow == FungibilityPolicy::TryNextFlavor;
}

// Pod sets of one name of group share flavors; every other one is alone.
std::vector<std::vector<std::size_t>> groups_of(const Facts& workload) {
  std::vector<std::vector<std::size_t>> groups;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < workload.pod_sets.size(); ++i) {
    const TopologyRequest* topology = workload.pod_sets[i].topology.get();
    const std::string name = topology == nullptr ? "" : topology->pod_set_group;
    const auto known = name.empty() ? names.end() : std::find(names.begin(), names.end(), name);
    if (known == names.end()) {
      names.push_back(name);
      groups.push_back({i});
    } else {
      groups[static_cast<std::size_t>(known - names.begin())].push_back(i);
    }
  }
  return groups;
}

class Assigner {
 public:
  Assigner(const AssignContext& context, const Facts& workload,
           std::span<const std::int32_t> counts, const Scan* resume,
           std::span<const TopologyShortage> impossible)
      : context_(context),
        workload_(workload),
        counts_(counts),
        resume_(resume),
        impossible_(impossible) {
    preemption_over_borrowing_ =
        context.spec.preference == FungibilityPreference::PreemptionOverBorrowing;
    all_topology_ =
        std::all_of(context.plan.groups.begin(), context.plan.groups.end(), [&](const auto& group) {
          return std::all_of(group.flavors.begin(), group.flavors.end(), [&](std::uint32_t slot) {
            const FlavorSpec* flavor = find_flavor(slot);
            return flavor != nullptr && !flavor->topology_name.empty();
          });
        });
  }

  Assignment run() {
    result_.scan.generation = context_.tree.generation(context_.node);
    result_.scan.pod_sets.resize(workload_.pod_sets.size());
    bool failed = false;
    for (const std::vector<std::size_t>& group : groups_of(workload_)) {
      if (!assign_group(group)) {
        failed = true;
        break;
      }
    }
    finish(failed);
    return std::move(result_);
  }
  // After run(): where not even an empty topology has the places.
  std::optional<TopologyShortage> no_places;

 private:
  // What a search came to: the choice for every resource of the resource group, or facts.
  struct Found {
    bool any = false;
    std::vector<FlavorChoice> choices;
    std::vector<Fact> facts;
    int position = -1;
  };

  const FlavorSpec* find_flavor(std::uint32_t slot) const {
    const auto found = context_.flavors.find(slot);
    return found == context_.flavors.end() ? nullptr : found->second.get();
  }
  const std::string& flavor_name(std::uint32_t slot) const {
    return context_.names.flavors.name({slot, 0});
  }
  const std::string& resource_name(std::uint32_t slot) const {
    return context_.names.resources.name({slot, 0});
  }

  // The requests of one pod set, the pods themselves among them where the queue counts pods.
  std::vector<Wanted> requests_of(std::size_t i) const {
    const PodSetFacts& pods = workload_.pod_sets[i];
    std::vector<Wanted> wanted;
    for (const auto& [resource, amount] : pods.shape->requests) {
      wanted.push_back({resource, amount * counts_[i], had(i, resource)});
    }
    if (context_.plan.covers_pods) {
      const std::uint32_t pods_slot = context_.names.resources.intern("pods").slot;
      insert(wanted, {pods_slot, Quantity{counts_[i]}, had(i, pods_slot)});
    }
    return wanted;
  }

  Quantity had(std::size_t i, std::uint32_t resource) const {
    Quantity amount;
    if (context_.replaced == nullptr) return amount;
    for (const Replaced::Part& part : context_.replaced->parts) {
      if (part.resource == resource && part.pod_set == workload_.pod_sets[i].name) {
        amount += part.amount;
      }
    }
    return amount;
  }

  // The flavor from which the slice that is replaced has resources of this group; nullopt: none.
  std::optional<std::uint32_t> flavor_had(const QueuePlan::Group& resources,
                                          const std::vector<std::size_t>& group) const {
    if (context_.replaced == nullptr) return std::nullopt;
    for (const Replaced::Part& part : context_.replaced->parts) {
      const bool here = std::any_of(group.begin(), group.end(), [&](std::size_t i) {
        return part.pod_set == workload_.pod_sets[i].name;
      });
      const auto& covered = resources.resources;
      if (here && std::find(covered.begin(), covered.end(), part.resource) != covered.end()) {
        return part.flavor;
      }
    }
    return std::nullopt;
  }

  void insert(std::vector<Wanted>& wanted, Wanted one) const {
    const auto same = std::find_if(wanted.begin(), wanted.end(), [&](const Wanted& known) {
      return known.resource == one.resource;
    });
    if (same != wanted.end()) {
      // A template cannot set the number of pods; everything else adds up over the group.
      same->amount += one.amount;
      same->had += one.had;
      return;
    }
    const auto at = std::find_if(wanted.begin(), wanted.end(), [&](const Wanted& known) {
      return context_.order.before(context_.names, one.resource, known.resource);
    });
    wanted.insert(at, one);
  }

  bool assign_group(const std::vector<std::size_t>& group) {
    std::vector<Wanted> wanted;
    for (const std::size_t i : group) {
      for (const Wanted& one : requests_of(i)) insert(wanted, one);
    }
    gravest_ = Reason::None;

    std::vector<FlavorChoice> choices;
    std::vector<std::pair<std::uint32_t, int>> positions;
    std::vector<Fact> facts;
    bool failed = false;
    for (const Wanted& one : wanted) {
      const QueuePlan::Group* resources = context_.plan.group_of(one.resource);
      if (resources == nullptr) {
        if (one.amount == Quantity{} || context_.ignore_undeclared) continue;
        facts = {ResourceNotCovered{"", resource_name(one.resource)}};
        gravest_ = std::max(gravest_, Reason::NoMatchingFlavor);
        failed = true;
        break;
      }
      if (chosen(choices, one.resource) != nullptr) continue;
      Found found = search(*resources, wanted, group, one.resource);
      if (!found.any) {
        facts = std::move(found.facts);
        failed = true;
        break;
      }
      for (const FlavorChoice& choice : found.choices) {
        positions.push_back({choice.resource, found.position});
        choices.push_back(choice);
      }
      facts.insert(facts.end(), found.facts.begin(), found.facts.end());
    }

    for (const std::size_t i : group) {
      for (Fact fact : facts) result_.facts.push_back(for_pod_set(std::move(fact), i));
      PodSetResult& pods = result_.pod_sets.emplace_back();
      pods.name = workload_.pod_sets[i].name;
      pods.count = counts_[i];
      if (failed) {
        pods.mode = Mode::NoFit;
        continue;
      }
      for (const Wanted& one : requests_of(i)) {
        const FlavorChoice* choice = chosen(choices, one.resource);
        if (choice == nullptr) continue;  // nothing of it is wanted, or it does not count
        pods.choices.push_back(*choice);
        pods.choices.back().amount = one.amount;
        pods.mode = std::min(pods.mode, choice->mode);
        result_.level = std::max(result_.level, choice->level);
        const auto position =
            std::find_if(positions.begin(), positions.end(),
                         [&](const auto& entry) { return entry.first == one.resource; });
        result_.scan.pod_sets[i].push_back({one.resource, position->second});
      }
    }
    if (failed) return false;
    for (const FlavorChoice& choice : choices) {
      const auto one = std::find_if(wanted.begin(), wanted.end(), [&](const Wanted& each) {
        return each.resource == choice.resource;
      });
      result_.usage.add({choice.flavor, choice.resource}, one->more());
    }
    return true;
  }

  static const FlavorChoice* chosen(const std::vector<FlavorChoice>& choices,
                                    std::uint32_t resource) {
    const auto found = std::find_if(choices.begin(), choices.end(), [&](const FlavorChoice& one) {
      return one.resource == resource;
    });
    return found == choices.end() ? nullptr : &*found;
  }

  Fact for_pod_set(Fact fact, std::size_t i) const {
    const std::string& name = workload_.pod_sets[i].name;
    if (auto* shortage = std::get_if<QuotaShortage>(&fact)) shortage->pod_set = name;
    if (auto* wrong = std::get_if<FlavorMismatch>(&fact)) wrong->pod_set = name;
    if (auto* missing = std::get_if<ResourceNotCovered>(&fact)) missing->pod_set = name;
    return fact;
  }

  // Scans the flavors of one resource group for all resources that are wanted of it.
  Found search(const QueuePlan::Group& resources, const std::vector<Wanted>& wanted,
               const std::vector<std::size_t>& group, std::uint32_t trigger) {
    std::vector<Wanted> here;
    for (const Wanted& one : wanted) {
      const auto& covered = resources.resources;
      if (std::find(covered.begin(), covered.end(), one.resource) != covered.end()) {
        here.push_back(one);
      }
    }
    Found found;
    Graded best{Mode::NoFit, 0};
    Reason mildest = Reason::None;  // over the flavors that do not fit
    const std::size_t count = resources.flavors.size();
    const int resumed = resume_ == nullptr ? 0 : resume_->start(group.front(), trigger);
    const std::size_t start =
        static_cast<std::size_t>(resumed) < count ? static_cast<std::size_t>(resumed) : 0;
    std::size_t last = count;
    bool stopped = false;
    const std::optional<std::uint32_t> kept = flavor_had(resources, group);
    for (std::size_t i = start; i < count && !stopped; ++i) {
      last = i;
      const std::uint32_t flavor = resources.flavors[i];
      if (!workload_.allows(flavor) || !may_try(flavor, group.front(), trigger)) continue;
      if (kept && *kept != flavor) {
        found.facts.push_back(FlavorMismatch{
            "", flavor_name(flavor),
            "could not assign " + flavor_name(flavor) +
                " flavor since the original workload is assigned: " + flavor_name(*kept)});
        continue;
      }
      if (const std::optional<std::string> why = unusable(flavor, group, resources)) {
        found.facts.push_back(FlavorMismatch{"", flavor_name(flavor), *why});
        note(mildest, Reason::NoMatchingFlavor);
        continue;
      }
      const std::size_t facts_before = found.facts.size();
      std::vector<FlavorChoice> choices;
      const Graded graded = grade(flavor, here, choices, found.facts);
      if (graded.mode == Mode::NoFit) {
        Reason worst = Reason::None;
        for (std::size_t k = facts_before; k < found.facts.size(); ++k) {
          worst = std::max(worst, reason_of(found.facts[k]));
        }
        note(mildest, worst);
      }
      stopped = !try_next(graded, context_.spec);
      if (stopped || preferred(graded, best, preemption_over_borrowing_)) {
        best = graded;
        found.choices = std::move(choices);
        found.any = true;
      }
    }
    found.position = stopped && last + 1 < count ? static_cast<int>(last) : -1;
    if (best.mode == Mode::Fit) found.facts.clear();
    // Counts if the pod set ends without a flavor, whatever this resource group found.
    gravest_ = std::max(gravest_, mildest);
    return found;
  }

  // With pinned flavors: whether it is the one that the resource had.
  bool may_try(std::uint32_t flavor, std::size_t pod_set, std::uint32_t resource) const {
    if (context_.pinned == nullptr || pod_set >= context_.pinned->pod_sets.size()) return true;
    const FlavorChoice* had = chosen(context_.pinned->pod_sets[pod_set].choices, resource);
    return had == nullptr || had->flavor == flavor;
  }

  static void note(Reason& mildest, Reason reason) {
    if (mildest == Reason::None || reason < mildest) mildest = reason;
  }

  std::optional<std::string> unusable(std::uint32_t slot, const std::vector<std::size_t>& group,
                                      const QueuePlan::Group& resources) const {
    const FlavorSpec* flavor = find_flavor(slot);
    if (flavor == nullptr) return "flavor " + flavor_name(slot) + " not found";
    for (const std::size_t i : group) {
      const PodSetFacts& pods = workload_.pod_sets[i];
      for (const TopologyShortage& one : impossible_) {
        if (one.flavor == flavor->name && one.pod_set == pods.name) {
          return topology::text(one.failure);
        }
      }
      if (context_.topology.inventory != nullptr) {
        const topology::Tree* tree = context_.topology.inventory->tree(flavor->name);
        const bool covers = flavor->topology_name.empty() && covers_own_requests(pods, resources);
        if (auto why = topology_mismatch(pods, *flavor, covers, all_topology_, tree)) return why;
      }
      if (auto why = mismatch(pods, *flavor)) return why;
    }
    return std::nullopt;
  }

  // Whether the group has a resource that the pods themselves ask for: others are quotas only,
  // which a transformation brought in.
  bool covers_own_requests(const PodSetFacts& pods, const QueuePlan::Group& resources) const {
    const ResourceList own = pod_requests(*pods.shape->pod);
    return std::any_of(
        resources.resources.begin(), resources.resources.end(),
        [&](std::uint32_t resource) { return own.contains(resource_name(resource)); });
  }

  // How the flavor could serve all of `wanted`: the least preferred of its resources.
  Graded grade(std::uint32_t flavor, const std::vector<Wanted>& wanted,
               std::vector<FlavorChoice>& choices, std::vector<Fact>& facts) const {
    Graded least;
    Mode worst = Mode::Fit;
    for (const Wanted& one : wanted) {
      const Graded graded = grade_one(flavor, one, facts);
      worst = std::min(worst, graded.mode);
      if (preferred(least, graded, preemption_over_borrowing_)) least = graded;
      choices.push_back({one.resource, flavor, graded.mode, graded.level, one.amount});
    }
    // Where borrowing less counts more than fitting, the relation alone would take a flavor for
    // fitting although one of its resources is not free.
    least.mode = worst;
    return least;
  }

  Graded grade_one(std::uint32_t flavor, const Wanted& one, std::vector<Fact>& facts) const {
    const quota::CohortTree& tree = context_.tree;
    const FlavorResource fr{flavor, one.resource};
    const Quantity assumed = result_.usage[fr];
    const Quantity need = assumed + one.more();
    const auto shortage = [&](quota::NodeId scope, Quantity have, bool beyond) {
      return QuotaShortage{
          scope_of(scope), "",     flavor_name(flavor), resource_name(one.resource), have, need,
          beyond,          assumed};
    };
    const Amount most = tree.potential(context_.node, fr);
    if (Amount{need} > most) {
      facts.push_back(shortage(tree.limits_potential(context_.node, fr), most.quantity(), true));
      return {Mode::NoFit, 0};
    }
    const quota::BorrowLevel level = tree.level(context_.node, fr, need);
    const Amount free = tree.available(context_.node, fr).or_zero();
    if (Amount{need} <= free) return {Mode::Fit, level.level};
    facts.push_back(shortage(tree.limits_available(context_.node, fr), free.quantity(), false));
    if (!may_preempt(context_.spec, context_.fair_sharing, tree.nominal(context_.node, fr), need,
                     level.may_reclaim)) {
      return {Mode::NoFit, level.level};
    }
    if (context_.preemption == nullptr) return {Mode::NoCandidates, level.level};
    const Simulated outcome =
        context_.preemption->simulate(workload_, context_.node, context_.spec, fr, need);
    return {outcome.mode, outcome.level};
  }

  Scope scope_of(quota::NodeId node) const {
    return {context_.tree.is_cluster_queue(node) ? Scope::Kind::ClusterQueue : Scope::Kind::Cohort,
            context_.tree.name(node)};
  }

  void finish(bool failed) {
    // Pod sets that share flavors were looked at together.
    const auto position = [&](const PodSetResult& pods) {
      return std::find_if(workload_.pod_sets.begin(), workload_.pod_sets.end(),
                          [&](const PodSetFacts& one) { return one.name == pods.name; });
    };
    std::stable_sort(result_.pod_sets.begin(), result_.pod_sets.end(),
                     [&](const auto& a, const auto& b) { return position(a) < position(b); });
    result_.mode = Mode::Fit;
    for (const PodSetResult& pods : result_.pod_sets) {
      result_.mode = std::min(result_.mode, pods.mode);
    }
    if (result_.pod_sets.empty()) result_.mode = Mode::NoFit;
    if (failed) result_.reason = gravest_ == Reason::None ? Reason::NoMatchingFlavor : gravest_;
    if (!failed) no_places = assign_places(context_, workload_, result_, all_topology_);
  }

  const AssignContext& context_;
  const Facts& workload_;
  std::span<const std::int32_t> counts_;
  const Scan* resume_;
  std::span<const TopologyShortage> impossible_;  // flavors that are no choice for a pod set
  bool preemption_over_borrowing_ = false;
  bool all_topology_ = false;
  Assignment result_;
  Reason gravest_ = Reason::None;  // of the pod sets looked at last
};

}  // namespace

bool Scan::pending() const {
  return std::any_of(pod_sets.begin(), pod_sets.end(), [](const auto& positions) {
    return std::any_of(positions.begin(), positions.end(),
                       [](const Position& one) { return one.flavor != -1; });
  });
}

int Scan::start(std::size_t pod_set, std::uint32_t resource) const {
  if (pod_set >= pod_sets.size()) return 0;
  for (const Position& one : pod_sets[pod_set]) {
    if (one.resource == resource) return one.flavor + 1;
  }
  return 0;
}

Assignment assign(const AssignContext& context, const Facts& workload,
                  std::span<const std::int32_t> counts, const Scan* resume) {
  Assigner assigner(context, workload, counts, resume, {});
  Assignment first = assigner.run();
  if (!assigner.no_places) return first;
  // Quota chose a flavor whose nodes can never hold the pods: the others are looked at from the
  // start. What is told if none of them will do is about the first.
  std::vector<TopologyShortage> impossible{*assigner.no_places};
  while (true) {  // each turn takes one flavor from one pod set
    Assigner again(context, workload, counts, nullptr, impossible);
    Assignment other = again.run();
    if (other.mode > Mode::NoCandidates) return other;
    if (!again.no_places) return first;
    impossible.push_back(*again.no_places);
  }
}

}  // namespace quorate::admission
