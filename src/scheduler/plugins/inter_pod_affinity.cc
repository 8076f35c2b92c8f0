#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>

#include "src/scheduler/plugins/domains.h"
#include "src/scheduler/plugins/plugins.h"
#include "src/scheduler/plugins/pod_selectors.h"

namespace quorate::scheduler {
namespace {

using cluster::Occupant;

// Counts by (label key, value) over all nodes of the cluster; keys are added as terms name them.
class Counts {
 public:
  bool add(const cluster::Model& model, const std::string& key, std::uint32_t slot,
           std::int64_t amount) {
    auto at = by_key_.find(key);
    if (at == by_key_.end()) {
      at = by_key_.try_emplace(key, model, key, model.nodes()).first;
    }
    return at->second.add(slot, amount);
  }
  std::int64_t at(const std::string& key, std::uint32_t slot) const {
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? 0 : found->second.at_node(slot);
  }
  bool any_at(std::uint32_t slot) const {
    return std::ranges::any_of(by_key_,
                               [&](const auto& entry) { return entry.second.at_node(slot) > 0; });
  }
  bool empty() const {
    return std::ranges::all_of(by_key_, [](const auto& entry) { return entry.second.all_zero(); });
  }
  std::int64_t sum_at(std::uint32_t slot) const {
    std::int64_t sum = 0;
    for (const auto& [key, domains] : by_key_) sum += domains.at_node(slot);
    return sum;
  }

 private:
  std::map<std::string, Domains, std::less<>> by_key_;
};

// The pod under decision, as its own terms and those of others need it. Outlives no attempt.
struct Incoming {
  std::shared_ptr<const Occupant> who;
  const PodRelations* relations;

  explicit Incoming(const PodView& pod) : who(pod.demand->occupant), relations(&pod.relations()) {}
  bool says(const PodAffinityTerm& term, const Matched& other) const {
    return term_matches(term, who->ns, *who->labels, other);
  }
  bool says_all(const std::vector<PodAffinityTerm>& terms, const Matched& other) const {
    return std::ranges::all_of(terms, [&](const auto& term) { return says(term, other); });
  }
};

// Passes every occupant of the nodes that can matter: all, or those that have terms of their own.
template <class Visit>
void each_relevant(const cluster::Model& model, bool all, Visit visit) {
  if (!all && !model.terms().any()) return;
  for (const cluster::NodeId id : model.nodes()) {
    if (!all && model.node(id).with_terms == 0) continue;
    model.each_occupant(id, [&](const Occupant& who) {
      if (all || who.has_terms()) visit(id.slot, who);
    });
  }
}

// What the required terms of the pod and of those on nodes count.
class RequiredState final : public PluginState {
 public:
  RequiredState(const PodView& pod, const cluster::Model& model) : pod_(pod) {
    for (const PodAffinityTerm& term : anti()) {
      if (pod_.says(term, matched(model, *pod_.who))) exclusive_.push_back(&term.topology_key);
    }
    starts_series_ = pod_.says_all(affinity(), matched(model, *pod_.who));
    // Where the node has no such label there is no domain to share.
    for (const std::vector<PodAffinityTerm>* terms : {&affinity(), &anti()}) {
      for (const PodAffinityTerm& term : *terms) {
        keys_.try_emplace(term.topology_key, model, term.topology_key, model.nodes());
      }
    }
    each_relevant(model, !affinity().empty() || !anti().empty(),
                  [&](std::uint32_t slot, const Occupant& who) { count(model, slot, who, 1); });
  }

  Effect moved(const cluster::Model& model, const cluster::Move& move) override {
    return count(model, move.node, *move.who, move.by) ? Effect::All : Effect::None;
  }
  bool idle() const override { return affinity().empty() && anti().empty() && existing_.empty(); }

  bool affinity_holds(std::uint32_t slot) const {
    bool everywhere = true;
    for (const PodAffinityTerm& term : affinity()) {
      if (!has_key(term.topology_key, slot)) return false;
      everywhere = everywhere && affinity_.at(term.topology_key, slot) > 0;
    }
    // The first of a series of pods that want to be together finds nobody.
    return everywhere || (affinity_.empty() && starts_series_);
  }
  bool own_anti_holds(std::uint32_t slot) const {
    return std::ranges::all_of(anti(), [&](const PodAffinityTerm& term) {
      return anti_.at(term.topology_key, slot) <= 0;
    });
  }
  bool existing_anti_holds(std::uint32_t slot) const { return !existing_.any_at(slot); }
  // True if a second such pod cannot go where one is.
  bool exclusive(std::uint32_t slot) const {
    return std::ranges::any_of(exclusive_,
                               [&](const std::string* key) { return has_key(*key, slot); });
  }

 private:
  const std::vector<PodAffinityTerm>& affinity() const { return pod_.relations->affinity.required; }
  const std::vector<PodAffinityTerm>& anti() const {
    return pod_.relations->anti_affinity.required;
  }
  bool has_key(const std::string& key, std::uint32_t slot) const {
    return keys_.at(key).of(slot) != Domains::kNone;
  }

  bool count(const cluster::Model& model, std::uint32_t slot, const Occupant& who,
             std::int32_t by) {
    bool any = false;
    if (!affinity().empty() || !anti().empty()) {
      const Matched other = matched(model, who);
      if (!affinity().empty() && pod_.says_all(affinity(), other)) {
        for (const PodAffinityTerm& term : affinity()) {
          any |= affinity_.add(model, term.topology_key, slot, by);
        }
      }
      for (const PodAffinityTerm& term : anti()) {
        if (pod_.says(term, other)) any |= anti_.add(model, term.topology_key, slot, by);
      }
    }
    if (!who.has_terms()) return any;
    const Matched incoming = matched(model, *pod_.who);
    for (const PodAffinityTerm& term : who.pod->relations->anti_affinity.required) {
      if (!term_matches(term, who.ns, *who.labels, incoming)) continue;
      any |= existing_.add(model, term.topology_key, slot, by);
    }
    return any;
  }

  Incoming pod_;
  Counts affinity_, anti_, existing_;
  std::map<std::string, Domains, std::less<>> keys_;  // of the pod's own terms
  std::vector<const std::string*> exclusive_;
  bool starts_series_ = false;
};

// Weights that the preferred terms of the pod and the terms of those on nodes give to domains.
class PreferredState final : public PluginState {
 public:
  PreferredState(const PodView& pod, const cluster::Model& model, const InterPodArgs& args)
      : pod_(pod), args_(args) {
    each_relevant(model, has_own(),
                  [&](std::uint32_t slot, const Occupant& who) { count(model, slot, who, 1); });
  }

  Effect moved(const cluster::Model& model, const cluster::Move& move) override {
    count(model, move.node, *move.who, move.by);
    return Effect::None;  // no filter looks at it
  }
  bool idle() const override { return weights_.empty(); }
  std::int64_t score(std::uint32_t slot) const { return weights_.sum_at(slot); }

 private:
  bool has_own() const {
    return !pod_.relations->affinity.preferred.empty() ||
           !pod_.relations->anti_affinity.preferred.empty();
  }

  void count(const cluster::Model& model, std::uint32_t slot, const Occupant& who,
             std::int32_t by) {
    const auto add = [&](const PodAffinityTerm& term, std::int64_t weight) {
      weights_.add(model, term.topology_key, slot, weight * by);
    };
    if (has_own()) {
      const Matched other = matched(model, who);
      for (const auto& [weight, term] : pod_.relations->affinity.preferred) {
        if (pod_.says(term, other)) add(term, weight);
      }
      for (const auto& [weight, term] : pod_.relations->anti_affinity.preferred) {
        if (pod_.says(term, other)) add(term, -std::int64_t{weight});
      }
    }
    if (!who.has_terms()) return;
    const Matched incoming = matched(model, *pod_.who);
    const auto says = [&](const PodAffinityTerm& term) {
      return term_matches(term, who.ns, *who.labels, incoming);
    };
    const PodRelations& theirs = *who.pod->relations;
    if (args_.hard_weight > 0) {
      for (const PodAffinityTerm& term : theirs.affinity.required) {
        if (says(term)) add(term, args_.hard_weight);
      }
    }
    for (const auto& [weight, term] : theirs.affinity.preferred) {
      if (says(term)) add(term, weight);
    }
    for (const auto& [weight, term] : theirs.anti_affinity.preferred) {
      if (says(term)) add(term, -std::int64_t{weight});
    }
  }

  Incoming pod_;
  InterPodArgs args_;
  Counts weights_;
};

enum class Verdict { Fits, Affinity, OwnAnti, ExistingAnti };

Verdict judge(const PodView& pod, std::uint32_t slot) {
  if (pod.state == nullptr) return Verdict::Fits;
  const auto& state = *static_cast<const RequiredState*>(pod.state);
  if (state.idle()) return Verdict::Fits;
  if (!state.affinity_holds(slot)) return Verdict::Affinity;
  if (!state.own_anti_holds(slot)) return Verdict::OwnAnti;
  if (!state.existing_anti_holds(slot)) return Verdict::ExistingAnti;
  return Verdict::Fits;
}

// Pods that want to share a domain with others, or must not; terms of the pods that are there count
// as well as the pod's own.
class InterPodAffinity final : public PreFilterPlugin,
                               public FilterPlugin,
                               public JointScorePlugin {
 public:
  explicit InterPodAffinity(const InterPodArgs& args) : args_(args) {}

  std::string_view name() const override { return "InterPodAffinity"; }

  PreFilterResult pre_filter(const PodView& pod, const cluster::Model& model,
                             std::span<const cluster::NodeId>) const override {
    return {{}, std::nullopt, std::make_unique<RequiredState>(pod, model)};
  }
  Reach filter_reach(const PodView&) const override { return Reach::Linked; }
  Code filter(const PodView& pod, const NodeView& node) const override {
    switch (judge(pod, node.id.slot)) {
      case Verdict::Fits:
        return Code::Success;
      case Verdict::Affinity:
        return Code::UnschedulableAndUnresolvable;
      case Verdict::OwnAnti:
      case Verdict::ExistingAnti:
        return Code::Unschedulable;
    }
    return Code::Success;
  }
  void why(const PodView& pod, const NodeView& node, ReasonSink& reasons) const override {
    switch (judge(pod, node.id.slot)) {
      case Verdict::Fits:
        return;
      case Verdict::Affinity:
        return reasons.add("node(s) didn't match pod affinity rules");
      case Verdict::OwnAnti:
        return reasons.add("node(s) didn't match pod anti-affinity rules");
      case Verdict::ExistingAnti:
        return reasons.add("node(s) didn't satisfy existing pods anti-affinity rules");
    }
  }
  // Who comes elsewhere can bring what the affinity asks for, never undo what an anti-affinity
  // forbids.
  std::int64_t copies(const PodView& pod, const NodeView& node, std::int64_t most) const override {
    if (pod.state == nullptr) return most;
    const auto& state = *static_cast<const RequiredState*>(pod.state);
    if (state.idle()) return most;
    const std::uint32_t slot = node.id.slot;
    if (!state.own_anti_holds(slot) || !state.existing_anti_holds(slot)) return 0;
    return state.exclusive(slot) ? std::min<std::int64_t>(most, 1) : most;
  }
  EventKinds events() const override {
    return kNodeAdded | kNodeLabels | kUsageFreed | kPodArrived | kNamespaces;
  }
  bool helps(const ClusterEvent& event, const PodView&, const NodeView&) const override {
    return (event.kinds & events()) != 0;
  }

  std::unique_ptr<PluginState> joint_state(const PodView& pod, const cluster::Model& model,
                                           std::span<const cluster::NodeId>) const override {
    const PodRelations& own = pod.relations();
    const bool has_own = !own.affinity.preferred.empty() || !own.anti_affinity.preferred.empty();
    if (args_.ignore_preferred_of_existing && !has_own) return nullptr;
    return std::make_unique<PreferredState>(pod, model, args_);
  }

  void joint_scores(const PodView& pod, const cluster::Model&,
                    std::span<const cluster::NodeId> feasible,
                    std::span<std::int64_t> scores) const override {
    const auto& state = *static_cast<const PreferredState*>(pod.state);
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t most = std::numeric_limits<std::int64_t>::min();
    for (std::size_t i = 0; i < feasible.size(); ++i) {
      scores[i] = state.score(feasible[i].slot);
      least = std::min(least, scores[i]);
      most = std::max(most, scores[i]);
    }
    for (std::int64_t& score : scores) {
      // The reference's rounding: one division and one product of IEEE doubles, which are the same
      // everywhere.
      score = most == least
                  ? 0
                  : static_cast<std::int64_t>(100.0 * (static_cast<double>(score - least) /
                                                       static_cast<double>(most - least)));
    }
  }
  std::int64_t joint_weight() const override { return 2; }

 private:
  InterPodArgs args_;
};

}  // namespace

std::shared_ptr<const Plugin> make_inter_pod_affinity(const InterPodArgs& args) {
  return std::make_shared<const InterPodAffinity>(args);
}

}  // namespace quorate::scheduler
