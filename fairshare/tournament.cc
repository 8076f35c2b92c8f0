#include "fairshare/tournament.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "src/base/transaction.h"

namespace quorate::fairshare {

using quota::NodeId;

Tournament::Tournament(quota::CohortTree& tree, Journal& journal, const Sharing& sharing,
                       TournamentRules rules, std::vector<Contender> contenders)
    : tree_(tree),
      journal_(journal),
      sharing_(sharing),
      rules_(rules),
      contenders_(std::move(contenders)) {
  vertices_.push_back({});
  for (Index i = 0; i < contenders_.size(); ++i) {
    vertices_[vertex_of(contenders_[i].queue)].own.push_back(i);
  }
  // Children come after their parents, so that going backwards every field is complete before its
  // champion is looked for.
  for (Index vertex = static_cast<Index>(vertices_.size()); vertex-- > 1;) {
    if (const auto best = champion(vertex)) enter(*best);
  }
}

Tournament::Index Tournament::vertex_of(NodeId node) {
  if (const auto found = index_.find(node.slot); found != index_.end()) return found->second;
  const NodeId above = tree_.in_cycle(node) ? NodeId{} : tree_.parent(node);
  const Index parent = above ? vertex_of(above) : 0;
  const auto index = static_cast<Index>(vertices_.size());
  vertices_.push_back({node, parent, {}, {}});
  index_.emplace(node.slot, index);
  return index;
}

bool Tournament::better(const Standing& a, const Standing& b) const {
  const Contender& x = contenders_[a.contender];
  const Contender& y = contenders_[b.contender];
  if (rules_.preemptors_first && x.preemptor != y.preemptor) return x.preemptor;
  if (rules_.non_borrowing_first && a.borrowing != b.borrowing) return b.borrowing;
  if (const auto order = a.share <=> b.share; order != 0) return order < 0;
  if (rules_.by_priority && x.priority != y.priority) return x.priority > y.priority;
  return std::tuple(x.queued_at, x.uid, std::string_view(tree_.name(x.queue)), a.contender) <
         std::tuple(y.queued_at, y.uid, std::string_view(tree_.name(y.queue)), b.contender);
}

Tournament::Standing Tournament::standing(Index vertex, Index contender) {
  Standing at{vertex, contender, false, {}};
  // Between trees nothing is shared.
  if (vertices_[vertex].parent == 0) return at;
  const Contender& of = contenders_[contender];
  const NodeId node = vertices_[vertex].node;
  Transaction trial(journal_);
  for (const auto& [fr, amount] : *of.usage) tree_.charge(of.queue, fr, amount);
  at.share = sharing_.share(tree_, node);
  at.borrowing = std::any_of(of.usage->begin(), of.usage->end(), [&](const auto& wanted) {
    return wanted.second > Quantity{} && tree_.borrowing_with(node, wanted.first, quota::Amount{});
  });
  return at;
}

std::optional<Tournament::Standing> Tournament::champion(Index vertex) {
  const Vertex& at = vertices_[vertex];
  if (!at.field.empty()) return standing(vertex, at.field.front().contender);
  std::optional<Standing> best;
  for (const Index contender : at.own) {
    const Standing candidate = standing(vertex, contender);
    if (!best || better(candidate, *best)) best = candidate;
  }
  return best;
}

void Tournament::enter(const Standing& standing) {
  std::vector<Standing>& field = vertices_[vertices_[standing.child].parent].field;
  field.push_back(standing);
  std::push_heap(field.begin(), field.end(),
                 [this](const Standing& a, const Standing& b) { return better(b, a); });
}

std::optional<std::size_t> Tournament::next() {
  if (last_ != kNone) {
    Index vertex = index_.at(contenders_[last_].queue.slot);
    std::erase(vertices_[vertex].own, last_);
    // The winner was the champion of every field on its way, so it is at the top of each.
    while (vertex != 0) {
      std::vector<Standing>& field = vertices_[vertices_[vertex].parent].field;
      std::pop_heap(field.begin(), field.end(),
                    [this](const Standing& a, const Standing& b) { return better(b, a); });
      field.pop_back();
      if (const auto best = champion(vertex)) enter(*best);
      vertex = vertices_[vertex].parent;
    }
    last_ = kNone;
  }
  if (vertices_[0].field.empty()) return std::nullopt;
  last_ = vertices_[0].field.front().contender;
  return last_;
}

}  // namespace quorate::fairshare
