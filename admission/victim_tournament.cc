#include "admission/victim_tournament.h"

#include <algorithm>
#include <utility>

namespace quorate::admission {

using quota::NodeId;

VictimTournament::VictimTournament(const quota::CohortTree& tree, const fairshare::Sharing& sharing,
                                   const std::vector<NodeId>& path,
                                   std::vector<QueueOfVictims> queues)
    : tree_(tree), sharing_(sharing), path_(path), queues_(std::move(queues)) {
  vertices_.push_back({path_.back(), nullptr, {}, false});
  for (QueueOfVictims& queue : queues_) vertices_[vertex_of(queue.node)].queue = &queue;
}

std::size_t VictimTournament::vertex_of(NodeId node) {
  const auto found = std::find_if(vertices_.begin(), vertices_.end(),
                                  [&](const Vertex& one) { return one.node == node; });
  if (found != vertices_.end()) return static_cast<std::size_t>(found - vertices_.begin());
  const std::size_t above = vertex_of(tree_.parent(node));
  vertices_.push_back({node, nullptr, {}, false});
  vertices_[above].children.push_back(vertices_.size() - 1);
  return vertices_.size() - 1;
}

bool VictimTournament::on_path(NodeId node) const {
  return std::find(path_.begin(), path_.end(), node) != path_.end();
}

bool VictimTournament::has_nothing(const Vertex& vertex) const {
  if (vertex.queue != nullptr && vertex.queue->empty()) return true;
  return !on_path(vertex.node) && !fairshare::is_borrowing(tree_, vertex.node);
}

const Candidate* VictimTournament::first(std::size_t vertex) const {
  const Vertex& at = vertices_[vertex];
  if (at.pruned) return nullptr;
  if (at.queue != nullptr) return at.queue->empty() ? nullptr : &at.queue->front();
  const Candidate* best = nullptr;
  for (const std::size_t child : at.children) {
    const Candidate* one = first(child);
    if (one == nullptr) continue;
    if (best == nullptr || taken_before(*one, *best, path_.front())) best = one;
  }
  return best;
}

bool VictimTournament::offers_first(std::size_t a, std::size_t b) const {
  const Candidate* mine = first(a);
  const Candidate* other = first(b);
  if (mine == nullptr || other == nullptr) return mine != nullptr;
  return taken_before(*mine, *other, path_.front());
}

std::size_t VictimTournament::best_child(std::size_t cohort, bool of_queues) {
  std::size_t best = kNone;
  fairshare::Share highest;
  for (const std::size_t child : vertices_[cohort].children) {
    Vertex& vertex = vertices_[child];
    if (vertex.pruned || (vertex.queue != nullptr) != of_queues) continue;
    if (has_nothing(vertex)) {
      vertex.pruned = true;
      continue;
    }
    const fairshare::Share share = sharing_.share(tree_, vertex.node);
    if (best == kNone || share > highest || (share == highest && offers_first(child, best))) {
      best = child;
      highest = share;
    }
  }
  return best;
}

QueueOfVictims* VictimTournament::next() {
  // A queue without cohort is a root itself.
  if (Vertex& root = vertices_.front(); root.queue != nullptr) {
    return root.queue->empty() ? nullptr : root.queue;
  }
  std::size_t at = 0;
  while (!vertices_.front().pruned) {
    const std::size_t queue = best_child(at, true), cohort = best_child(at, false);
    if (queue == kNone && cohort == kNone) {
      vertices_[at].pruned = true;
      at = 0;
      continue;
    }
    const bool down =
        cohort != kNone && (queue == kNone || sharing_.share(tree_, vertices_[cohort].node) >=
                                                  sharing_.share(tree_, vertices_[queue].node));
    if (!down) return vertices_[queue].queue;
    at = cohort;
  }
  return nullptr;
}

}  // namespace quorate::admission
