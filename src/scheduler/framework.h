#pragma once

// The extension points. A plugin is one immutable object, made with its arguments, that implements
// the interfaces of the points it takes part in; a new one is a file in plugins/ and a line in
// registry.cc. What it works out about a pod is a PluginState.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/transaction.h"
#include "src/scheduler/config.h"
#include "src/scheduler/decision.h"
#include "src/scheduler/group_plan.h"
#include "src/scheduler/rank.h"
#include "src/scheduler/status.h"
#include "src/scheduler/views.h"

namespace quorate::devices {
struct PodDevices;
}

namespace quorate::scheduler {

class Plugin {
 public:
  virtual ~Plugin() = default;
  virtual std::string_view name() const = 0;
};

using Plugins = std::vector<std::shared_ptr<const Plugin>>;

// May the pod be tried at all? A rejected pod is held without a word until it changes.
class PreEnqueuePlugin : public virtual Plugin {
 public:
  virtual Status pre_enqueue(const cluster::PodSpec& pod) const = 0;
};

// The order of the queue; exactly one plugin is active.
class QueueSortPlugin : public virtual Plugin {
 public:
  virtual bool before(const Rank& a, const Rank& b) const = 0;
};

// What a plugin worked out about one pod before it looks at nodes, kept while the pod and its
// equals are tried. It follows pods that come and go, those of a trial included.
class PluginState {
 public:
  enum class Effect : std::uint8_t {
    None,
    Node,  // the answer for the node of the move may be another
    All,   // the answers for all nodes may be others
  };

  virtual ~PluginState() = default;
  virtual Effect moved(const cluster::Model& model, const cluster::Move& move) = 0;
  // True if nobody anywhere matters to the pod so far: its filter lets every node through, its
  // score is the same for all.
  virtual bool idle() const { return false; }
};

struct PreFilterResult {
  // Skip: the plugin's filter need not run. UnschedulableAndUnresolvable: no node will do.
  Status status;
  std::optional<std::set<std::string, std::less<>>> nodes;  // only these can do
  std::unique_ptr<PluginState> state;
};

class PreFilterPlugin : public virtual Plugin {
 public:
  // `nodes` are those that the pod may be placed on, by name.
  virtual PreFilterResult pre_filter(const PodView& pod, const cluster::Model& model,
                                     std::span<const cluster::NodeId> nodes) const = 0;
};

// How far the answer for one node holds: for every node of its class, or for it alone, and then
// until its usage changes.
// Linked: the pods on other nodes matter too; such a filter has a state whose moved() says when.
enum class Reach : std::uint8_t { NodeClass, Node, Linked };

// Collects the reasons of nodes, each counted once per node.
class ReasonSink {
 public:
  virtual ~ReasonSink() = default;
  virtual void add(std::string_view reason) = 0;
};

class FilterPlugin : public virtual Plugin {
 public:
  virtual Reach filter_reach(const PodView& pod) const = 0;
  virtual Code filter(const PodView& pod, const NodeView& node) const = 0;
  // The error, where filter() answered Code::Error: the whole attempt fails with it.
  virtual std::string failure(const PodView&, const NodeView&) const { return "error"; }
  // Says why filter() did not answer Success, in kube-scheduler's words.
  virtual void why(const PodView& pod, const NodeView& node, ReasonSink& reasons) const = 0;
  // How many identical pods could run there beside what is there, at most `most`, as far as this
  // filter goes; filter() answers Success if and only if that is at least 1. Of a Linked filter an
  // upper bound, wherever else pods may be put meanwhile.
  virtual std::int64_t copies(const PodView& pod, const NodeView& node, std::int64_t most) const {
    return filter(pod, node) == Code::Success ? most : 0;
  }
  // The events that can make a rejected pod fit, and whether this one does. A missed event costs
  // time (the flush of old entries), never correctness.
  virtual EventKinds events() const = 0;
  virtual bool helps(const ClusterEvent& event, const PodView& pod, const NodeView& node) const {
    return (event.kinds & events()) != 0 && filter(pod, node) == Code::Success;
  }
};

// Of the nodes that refused a pod: how many could be helped by evicting pods, how many not.
struct FilterOutcome {
  std::int64_t nodes = 0;
  std::int64_t unschedulable = 0;
  std::int64_t unresolvable = 0;
  // Of those that could be helped: why evicting did not help, with how many nodes each. Empty:
  // there was nobody to evict anywhere.
  std::map<std::string, std::int64_t> after_eviction;
  std::string not_eligible;  // why nobody was even looked for; "" if somebody was
};

// What follows the fit error of a pod that no node takes.
class PostFilterPlugin : public virtual Plugin {
 public:
  virtual Status post_filter(const PodView& pod, const FilterOutcome& outcome) const = 0;
  // The same for a group of which `policy` is the preemption policy; `finding` is what evicting
  // others came to.
  virtual Status post_filter_group(std::string_view policy, std::string_view finding) const = 0;
};

class PreScorePlugin : public virtual Plugin {
 public:
  virtual Code pre_score(const PodView& pod) const = 0;  // Skip: its score need not run
};

// A score that compares the feasible nodes with each other and looks at the pods on all nodes.
class JointScorePlugin : public virtual Plugin {
 public:
  // PreScore; nullptr: Skip.
  virtual std::unique_ptr<PluginState> joint_state(
      const PodView& pod, const cluster::Model& model,
      std::span<const cluster::NodeId> nodes) const = 0;
  // Score and NormalizeScore: 0..100 for each feasible node.
  virtual void joint_scores(const PodView& pod, const cluster::Model& model,
                            std::span<const cluster::NodeId> feasible,
                            std::span<std::int64_t> scores) const = 0;
  virtual std::int64_t joint_weight() const { return 1; }
};

// NormalizeScore: how raw scores become 0..100 over the feasible nodes.
enum class Normalize : std::uint8_t { None, ToMaximum, ReversedToMaximum };

class ScorePlugin : public virtual Plugin {
 public:
  virtual Reach score_reach(const PodView& pod) const = 0;
  virtual std::int64_t score(const PodView& pod, const NodeView& node) const = 0;
  virtual Normalize normalize_score() const { return Normalize::None; }
  virtual std::int64_t default_weight() const { return 1; }
};

struct BindContext {
  const cluster::PodSpec& pod;
  std::string_view node;
  const GroupStanding* group = nullptr;  // nullptr: a pod of its own
  // What was chosen for its claims; nullptr: it has none.
  const devices::PodDevices* devices = nullptr;
};

// The pod is assumed on the node; a plugin takes what else it needs. Anything but Success
// unreserves all plugins in reverse order and forgets the pod.
class ReservePlugin : public virtual Plugin {
 public:
  virtual Status reserve(cluster::Model& model, Journal& journal, const BindContext& at) const = 0;
  virtual void unreserve(cluster::Model& model, Journal& journal, const BindContext& at) const = 0;
};

class PermitPlugin : public virtual Plugin {
 public:
  virtual Status permit(const BindContext& at) const = 0;
};

class PreBindPlugin : public virtual Plugin {
 public:
  virtual Status pre_bind(const BindContext& at) const = 0;
};

// The first that does not Skip binds.
class BindPlugin : public virtual Plugin {
 public:
  virtual std::optional<Bind> bind(const BindContext& at) const = 0;
};

// Told when a bind is confirmed.
class PostBindPlugin : public virtual Plugin {
 public:
  virtual void post_bind(cluster::Model& model, Journal& journal, const BindContext& at) const = 0;
};

// --- groups ---

class GroupPreEnqueuePlugin : public virtual Plugin {
 public:
  virtual Status pre_enqueue_group(const GroupStanding& group) const = 0;
};

class PlacementGeneratePlugin : public virtual Plugin {
 public:
  // For a group of which `members` are on nodes already. nullopt: no opinion. Otherwise the
  // placements, in the order to try them; none: nowhere.
  virtual std::optional<std::vector<Placement>> generate(const cluster::Model& model,
                                                         std::string_view topology_key,
                                                         std::span<const cluster::NodeId> members,
                                                         std::span<const cluster::NodeId> nodes,
                                                         Status& status) const = 0;
};

// Plans the members on the nodes of one placement; leaves the model as it was.
class PlanGroupPlugin : public virtual Plugin {
 public:
  virtual GroupPlan plan(const GroupPlanInput& input) const = 0;
};

class PlacementScorePlugin : public virtual Plugin {
 public:
  virtual std::int64_t score_placement(const cluster::Model& model, const GroupPlanInput& input,
                                       const GroupPlan& plan) const = 0;
};

// The plugins of one profile by extension point, in the order of the registry.
class Framework {
 public:
  struct Score {
    const ScorePlugin* plugin;
    const PreScorePlugin* pre;  // nullptr if it has none
    std::int64_t weight;
  };
  struct JointScore {
    const JointScorePlugin* plugin;
    std::int64_t weight;
  };
  struct Filter {
    const FilterPlugin* plugin;
    const PreFilterPlugin* pre;  // nullptr if it has none
  };

  explicit Framework(const Profile& profile);

  std::string scheduler_name;
  std::vector<const PreEnqueuePlugin*> pre_enqueue;
  const QueueSortPlugin* queue_sort = nullptr;
  std::vector<Filter> filters;
  std::vector<const PostFilterPlugin*> post_filter;
  std::vector<Score> scores;
  std::vector<JointScore> joint_scores;
  std::vector<const ReservePlugin*> reserve;
  std::vector<const PermitPlugin*> permit;
  std::vector<const PreBindPlugin*> pre_bind;
  std::vector<const BindPlugin*> bind;
  std::vector<const PostBindPlugin*> post_bind;
  std::vector<const GroupPreEnqueuePlugin*> group_pre_enqueue;
  std::vector<const PlacementGeneratePlugin*> placement_generate;
  std::vector<const PlacementScorePlugin*> placement_score;
  const PlanGroupPlugin* plan_group = nullptr;

 private:
  Plugins plugins_;  // keeps them; copies share
};

}  // namespace quorate::scheduler
