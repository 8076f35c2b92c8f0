#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "src/scheduler/framework.h"

namespace quorate::scheduler {

// Why no node took a pod, counted over nodes, and its text.
struct FitError {
  std::string text;  // without what PostFilter adds
  FilterOutcome outcome;
  std::uint64_t rejectors = 0;  // bit = position of the filter that refused some node
};

// One pod (and whatever has the same shape) against a list of nodes: which are feasible, and how
// good. Filters and scores that reach over a class of nodes run once per class. After the usage of
// a node changed, refresh() it; other nodes are looked at again only where the pods that came or
// went matter to them.
class Evaluation {
 public:
  // Borrows everything; `nodes` are in the order of their names.
  Evaluation(const Framework& framework, const cluster::Model& model, const PodView& pod,
             std::span<const cluster::NodeId> nodes);

  std::span<const cluster::NodeId> nodes() const { return nodes_; }
  const PodView& pod() const { return pod_; }
  bool feasible(std::size_t index) const { return refused_by_[index] == kFits; }
  std::size_t feasible_count() const { return feasible_; }
  void refresh(std::size_t index);
  // Catches up with every change of usage since it was made or last caught up. The nodes
  // themselves must be the same.
  void catch_up();
  std::optional<std::size_t> index_of(cluster::NodeId node) const;

  // The node with the highest sum of weighted scores. Ties go to the node with fewer pods, then to
  // the first name. nullopt: none is feasible.
  std::optional<std::size_t> best() const;

  // How many identical pods would fit on the node beside what is there, at most `most`. An upper
  // bound if the places of the pods depend on each other.
  std::int64_t copies(std::size_t index, std::int64_t most) const;

  // True if only the classes of nodes and their usage tell nodes apart for this pod.
  bool same_within_class() const { return same_within_class_ && !linked(); }
  // True if where one such pod goes changes where another may go, apart from the room it takes.
  bool linked() const;

  FitError fit_error() const;
  // The error of a filter, of the first node that has one: the attempt fails with it.
  std::optional<std::string> error() const;
  // What the filter that refused a node answered, and its reasons.
  Code refusal(std::size_t index) const;
  std::vector<std::string> why(std::size_t index) const;

 private:
  static constexpr std::uint8_t kFits = 0xff;
  static constexpr std::uint8_t kOutsideNames = 0xfe;  // excluded by PreFilter
  static constexpr std::uint8_t kUnknown = 0xfd;

  struct ActiveScore {
    const ScorePlugin* plugin;
    std::int64_t weight;
    Reach reach;
    Normalize normalize;
    bool matters = false;                // normalised: some node got more than 0
    std::vector<std::int64_t> raw;       // normalised: by node index, of feasible nodes
    std::vector<std::int64_t> by_class;  // by class slot, if it reaches over classes
    std::vector<bool> class_known;
  };

  struct ActiveJoint {
    const JointScorePlugin* plugin;
    std::int64_t weight;
    PodView pod;
  };

  void start();
  NodeView view(std::size_t index) const;
  // The pod as the filter at that position sees it.
  PodView pod_for(std::uint8_t position) const;
  Code filter(std::uint8_t position, const NodeView& node) const;
  std::uint8_t first_refusal(std::size_t index);
  std::uint8_t linked_refusal(std::size_t index) const;
  void check(std::size_t index);
  void set_refusal(std::size_t index, std::uint8_t position);
  void follow_moves();
  void rate(std::size_t index);
  void pre_filter();
  void pre_score();

  const Framework* framework_;
  const cluster::Model* model_;
  PodView pod_;
  std::span<const cluster::NodeId> nodes_;
  std::vector<std::uint8_t> class_filters_;  // positions in Framework::filters
  std::vector<std::uint8_t> node_filters_;
  std::vector<std::uint8_t> linked_filters_;
  std::vector<std::unique_ptr<PluginState>> states_;  // of filters, by position; and of joint_
  std::vector<ActiveScore> scores_;
  std::vector<ActiveJoint> joint_;
  std::vector<std::uint8_t> class_refusal_;  // by class slot
  std::vector<std::uint8_t> plain_;       // by node index: refused by a filter that is not linked
  std::vector<std::uint8_t> refused_by_;  // by node index
  std::vector<std::int64_t> fixed_;       // by node index: sum of what is not normalised
  std::vector<std::uint32_t> index_of_;   // by node slot
  std::uint64_t caught_up_ = 0;           // changes of usage seen
  std::uint64_t moves_seen_ = 0;
  std::size_t feasible_ = 0;
  std::set<std::size_t> failed_;  // node indexes where a filter ended with an error
  bool same_within_class_ = true;
  // Of PreFilter: a message that rules out every node, or the only names that can do.
  std::optional<std::string> conflict_;
  std::optional<std::set<std::string, std::less<>>> only_;
  std::uint8_t decided_by_ = kUnknown;  // filter whose PreFilter said so
};

}  // namespace quorate::scheduler
