#include "src/scheduler/evaluation.h"

#include <algorithm>
#include <map>

namespace quorate::scheduler {
namespace {

class Tally final : public ReasonSink {
 public:
  void add(std::string_view reason) override {
    const auto found = counts_.find(reason);
    if (found == counts_.end()) {
      counts_.emplace(reason, 1);
    } else {
      ++found->second;
    }
  }
  void add(std::string_view reason, std::int64_t times) {
    if (times > 0) counts_[std::string(reason)] += times;
  }
  // "<n> <reason>" each, ordered as texts.
  std::string text() const {
    std::set<std::string> parts;
    for (const auto& [reason, count] : counts_) parts.insert(std::to_string(count) + " " + reason);
    std::string joined;
    for (const std::string& part : parts) joined += (joined.empty() ? "" : ", ") + part;
    return joined;
  }

 private:
  std::map<std::string, std::int64_t, std::less<>> counts_;
};

constexpr std::uint32_t kNoIndex = 0xffffffffu;

std::int64_t normalized(Normalize how, std::int64_t raw, std::int64_t highest) {
  switch (how) {
    case Normalize::None:
      return raw;
    case Normalize::ToMaximum:
      return highest == 0 ? 0 : raw * 100 / highest;
    case Normalize::ReversedToMaximum:
      return highest == 0 ? 100 : 100 - raw * 100 / highest;
  }
  return raw;
}

}  // namespace

Evaluation::Evaluation(const Framework& framework, const cluster::Model& model, const PodView& pod,
                       std::span<const cluster::NodeId> nodes)
    : framework_(&framework), model_(&model), pod_(pod), nodes_(nodes) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const std::uint32_t slot = nodes_[i].slot;
    if (slot >= index_of_.size()) index_of_.resize(slot + 1, kNoIndex);
    index_of_[slot] = static_cast<std::uint32_t>(i);
  }
  start();
}

void Evaluation::start() {
  caught_up_ = model_->usage_changes().count();
  moves_seen_ = model_->moves().count();
  class_filters_.clear();
  node_filters_.clear();
  linked_filters_.clear();
  scores_.clear();
  joint_.clear();
  states_.clear();
  conflict_.reset();
  only_.reset();
  decided_by_ = kUnknown;
  same_within_class_ = true;
  feasible_ = 0;
  fixed_.assign(nodes_.size(), 0);
  plain_.assign(nodes_.size(), kOutsideNames);
  refused_by_.assign(nodes_.size(), kOutsideNames);
  pre_filter();
  if (conflict_) return;
  pre_score();
  class_refusal_.assign(model_->class_slots(), kUnknown);
  for (std::size_t i = 0; i < nodes_.size(); ++i) check(i);
}

void Evaluation::pre_filter() {
  const auto& filters = framework_->filters;
  states_.resize(filters.size());
  for (std::size_t i = 0; i < filters.size(); ++i) {
    const auto position = static_cast<std::uint8_t>(i);
    if (filters[i].pre != nullptr) {
      PreFilterResult result = filters[i].pre->pre_filter(pod_, *model_, nodes_);
      if (result.status.code == Code::Skip) continue;
      if (!result.status.ok()) {
        conflict_ = result.status.message;
        decided_by_ = position;
        return;
      }
      if (result.nodes) {
        if (only_) {
          std::erase_if(*only_, [&](const std::string& n) { return !result.nodes->contains(n); });
        } else {
          only_ = result.nodes;
        }
        decided_by_ = position;
      }
      states_[i] = std::move(result.state);
    }
    switch (filters[i].plugin->filter_reach(pod_)) {
      case Reach::NodeClass:
        class_filters_.push_back(position);
        break;
      case Reach::Linked:
        linked_filters_.push_back(position);
        break;
      case Reach::Node:
        node_filters_.push_back(position);
        // NodeResourcesFit and NodePorts look at usage, the others at the node itself.
        if ((filters[i].plugin->events() & kUsageFreed) == 0 || states_[i] != nullptr) {
          same_within_class_ = false;
        }
        break;
    }
  }
}

void Evaluation::pre_score() {
  for (const Framework::Score& score : framework_->scores) {
    if (score.weight == 0) continue;
    if (score.pre != nullptr && score.pre->pre_score(pod_) == Code::Skip) continue;
    ActiveScore active{score.plugin,
                       score.weight,
                       score.plugin->score_reach(pod_),
                       score.plugin->normalize_score(),
                       false,
                       {},
                       {},
                       {}};
    if (active.normalize != Normalize::None) active.raw.assign(nodes_.size(), 0);
    if (active.reach == Reach::NodeClass) {
      active.by_class.assign(model_->class_slots(), 0);
      active.class_known.assign(model_->class_slots(), false);
    }
    scores_.push_back(std::move(active));
  }
  for (const Framework::JointScore& score : framework_->joint_scores) {
    if (score.weight == 0) continue;
    std::unique_ptr<PluginState> state = score.plugin->joint_state(pod_, *model_, nodes_);
    if (state == nullptr) continue;
    PodView pod = pod_;
    pod.state = state.get();
    states_.push_back(std::move(state));
    joint_.push_back({score.plugin, score.weight, pod});
  }
}

NodeView Evaluation::view(std::size_t index) const {
  return {*model_, nodes_[index], *model_->node(nodes_[index]).spec};
}

PodView Evaluation::pod_for(std::uint8_t position) const {
  PodView pod = pod_;
  pod.state = states_[position].get();
  return pod;
}

Code Evaluation::filter(std::uint8_t position, const NodeView& node) const {
  const FilterPlugin& plugin = *framework_->filters[position].plugin;
  if (states_[position] == nullptr) return plugin.filter(pod_, node);
  return plugin.filter(pod_for(position), node);
}

// Position of the first filter, in their order, that refuses the node; kFits if none does. Linked
// ones aside.
std::uint8_t Evaluation::first_refusal(std::size_t index) {
  const cluster::Node& node = model_->node(nodes_[index]);
  const NodeView at{*model_, nodes_[index], *node.spec};
  if (only_ && !only_->contains(node.spec->name)) return kOutsideNames;
  std::uint8_t& of_class = class_refusal_[node.node_class.slot];
  if (of_class == kUnknown) {
    of_class = kFits;
    for (const std::uint8_t position : class_filters_) {
      if (filter(position, at) == Code::Success) continue;
      of_class = position;
      break;
    }
  }
  for (const std::uint8_t position : node_filters_) {
    if (position > of_class) break;
    const Code code = filter(position, at);
    if (code == Code::Success) continue;
    if (code == Code::Error) failed_.insert(index);
    return position;
  }
  return of_class;
}

std::uint8_t Evaluation::linked_refusal(std::size_t index) const {
  if (plain_[index] == kOutsideNames) return kOutsideNames;
  for (const std::uint8_t position : linked_filters_) {
    if (position > plain_[index]) break;
    if (states_[position]->idle()) continue;
    if (filter(position, view(index)) != Code::Success) return position;
  }
  return plain_[index];
}

void Evaluation::set_refusal(std::size_t index, std::uint8_t position) {
  if (feasible(index)) --feasible_;
  refused_by_[index] = position;
  if (feasible(index)) ++feasible_;
}

void Evaluation::check(std::size_t index) {
  failed_.erase(index);
  plain_[index] = first_refusal(index);
  if (plain_[index] == kFits) rate(index);
  set_refusal(index, linked_refusal(index));
}

void Evaluation::rate(std::size_t index) {
  const cluster::Node& node = model_->node(nodes_[index]);
  const NodeView at{*model_, nodes_[index], *node.spec};
  std::int64_t fixed = 0;
  for (ActiveScore& score : scores_) {
    std::int64_t raw = 0;
    if (score.reach == Reach::Node) {
      raw = score.plugin->score(pod_, at);
    } else {
      const std::uint32_t slot = node.node_class.slot;
      if (!score.class_known[slot]) {
        score.by_class[slot] = score.plugin->score(pod_, at);
        score.class_known[slot] = true;
      }
      raw = score.by_class[slot];
    }
    if (score.normalize == Normalize::None) {
      fixed += score.weight * raw;
    } else {
      score.raw[index] = raw;
      score.matters |= raw != 0;
    }
  }
  fixed_[index] = fixed;
}

std::optional<std::size_t> Evaluation::index_of(cluster::NodeId node) const {
  if (!node || node.slot >= index_of_.size() || index_of_[node.slot] == kNoIndex) {
    return std::nullopt;
  }
  const std::size_t index = index_of_[node.slot];
  return nodes_[index] == node ? std::optional(index) : std::nullopt;
}

void Evaluation::follow_moves() {
  const cluster::Moves& moves = model_->moves();
  if (moves_seen_ == moves.count()) return;
  if (!moves.remembers(moves_seen_)) {
    start();
    return;
  }
  bool all = false;
  for (std::uint64_t n = moves_seen_; n < moves.count(); ++n) {
    const cluster::Move& move = moves[n];
    for (const std::unique_ptr<PluginState>& state : states_) {
      if (state == nullptr) continue;
      all |= state->moved(*model_, move) == PluginState::Effect::All;
    }
  }
  moves_seen_ = moves.count();
  if (!all) return;
  for (std::size_t i = 0; i < nodes_.size(); ++i) set_refusal(i, linked_refusal(i));
}

void Evaluation::catch_up() {
  if (conflict_) {
    // Why no node will do may have gone.
    if (moves_seen_ != model_->moves().count()) start();
    return;
  }
  follow_moves();
  const cluster::Changes& changes = model_->usage_changes();
  if (!changes.remembers(caught_up_)) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) check(i);
  } else {
    for (std::uint64_t n = caught_up_; n < changes.count(); ++n) {
      const std::uint32_t slot = changes[n];
      if (slot >= index_of_.size() || index_of_[slot] == kNoIndex) continue;
      if (plain_[index_of_[slot]] != kOutsideNames) check(index_of_[slot]);
    }
  }
  caught_up_ = changes.count();
}

void Evaluation::refresh(std::size_t index) {
  if (conflict_) return;
  follow_moves();
  if (plain_[index] != kOutsideNames) check(index);
}

bool Evaluation::linked() const {
  const PodRelations& relations = pod_.relations();
  if (!relations.affinity.required.empty() || !relations.anti_affinity.required.empty())
    return true;
  return std::ranges::any_of(linked_filters_, [&](std::uint8_t p) { return !states_[p]->idle(); });
}

std::optional<std::size_t> Evaluation::best() const {
  if (feasible_ == 0) return std::nullopt;
  // A normalised score of which every node has 0 gives all of them the same.
  std::vector<std::pair<const ActiveScore*, std::int64_t>> relative;  // with its highest raw score
  for (const ActiveScore& score : scores_) {
    if (!score.matters) continue;
    std::int64_t highest = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (feasible(i)) highest = std::max(highest, score.raw[i]);
    }
    relative.emplace_back(&score, highest);
  }
  std::vector<std::int64_t> joint;  // by node index
  const bool compare = std::ranges::any_of(
      joint_, [](const ActiveJoint& score) { return !score.pod.state->idle(); });
  if (compare && feasible_ > 1) {
    std::vector<cluster::NodeId> nodes;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (feasible(i)) nodes.push_back(nodes_[i]);
    }
    joint.assign(nodes_.size(), 0);
    std::vector<std::int64_t> scores(nodes.size());
    for (const ActiveJoint& score : joint_) {
      if (score.pod.state->idle()) continue;
      std::ranges::fill(scores, 0);
      score.plugin->joint_scores(score.pod, *model_, nodes, scores);
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        joint[index_of_[nodes[i].slot]] += score.weight * scores[i];
      }
    }
  }
  std::optional<std::size_t> best;
  std::int64_t best_total = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (!feasible(i)) continue;
    std::int64_t total = fixed_[i] + (joint.empty() ? 0 : joint[i]);
    for (const auto& [score, highest] : relative) {
      total += score->weight * normalized(score->normalize, score->raw[i], highest);
    }
    const bool better = !best || total > best_total ||
                        (total == best_total && model_->used(nodes_[i], cluster::kPods) <
                                                    model_->used(nodes_[*best], cluster::kPods));
    if (!better) continue;  // equal in everything: the earlier name stays
    best = i;
    best_total = total;
  }
  return best;
}

std::int64_t Evaluation::copies(std::size_t index, std::int64_t most) const {
  if (conflict_ || plain_[index] != kFits) return 0;
  const NodeView at = view(index);
  for (const std::vector<std::uint8_t>* filters : {&node_filters_, &linked_filters_}) {
    for (const std::uint8_t position : *filters) {
      most = framework_->filters[position].plugin->copies(pod_for(position), at, most);
    }
  }
  return most;
}

std::optional<std::string> Evaluation::error() const {
  if (failed_.empty()) return std::nullopt;
  const std::size_t index = *failed_.begin();
  const FilterPlugin& filter = *framework_->filters[refused_by_[index]].plugin;
  return "running \"" + std::string(filter.name()) +
         "\" filter plugin: " + filter.failure(pod_, view(index));
}

Code Evaluation::refusal(std::size_t index) const {
  const std::uint8_t position = refused_by_[index];
  if (conflict_ || position == kOutsideNames) return Code::UnschedulableAndUnresolvable;
  if (position == kFits) return Code::Success;
  return filter(position, view(index));
}

std::vector<std::string> Evaluation::why(std::size_t index) const {
  class Collected final : public ReasonSink {
   public:
    void add(std::string_view reason) override { reasons.emplace_back(reason); }
    std::vector<std::string> reasons;
  };
  Collected sink;
  const std::uint8_t position = refused_by_[index];
  if (conflict_) {
    sink.add(*conflict_);
  } else if (position == kOutsideNames) {
    sink.add("node(s) didn't satisfy plugin(s) [" +
             std::string(framework_->filters[decided_by_].plugin->name()) + "]");
  } else if (position != kFits) {
    framework_->filters[position].plugin->why(pod_for(position), view(index), sink);
  }
  return std::move(sink.reasons);
}

FitError Evaluation::fit_error() const {
  FitError error;
  error.outcome.nodes = static_cast<std::int64_t>(nodes_.size());
  if (nodes_.empty()) {
    error.text = "no nodes available to schedule pods";
    return error;
  }
  const std::string head = "0/" + std::to_string(nodes_.size()) + " nodes are available: ";
  if (conflict_) {
    error.text = head + *conflict_ + ".";
    error.outcome.unresolvable = error.outcome.nodes;
    error.rejectors = std::uint64_t{1} << decided_by_;
    return error;
  }
  Tally tally;
  std::int64_t outside = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const std::uint8_t position = refused_by_[i];
    if (position == kFits) continue;
    if (position == kOutsideNames) {
      ++outside;
      ++error.outcome.unresolvable;
      error.rejectors |= std::uint64_t{1} << decided_by_;
      continue;
    }
    framework_->filters[position].plugin->why(pod_for(position), view(i), tally);
    const Code code = this->filter(position, view(i));
    ++(code == Code::Unschedulable ? error.outcome.unschedulable : error.outcome.unresolvable);
    error.rejectors |= std::uint64_t{1} << position;
  }
  if (outside > 0) {
    const std::string plugin(framework_->filters[decided_by_].plugin->name());
    tally.add("node(s) didn't satisfy plugin(s) [" + plugin + "]", outside);
  }
  error.text = head + tally.text() + ".";
  return error;
}

}  // namespace quorate::scheduler
