#pragma once

// Who is on which node, as the selectors of other pods see it: the pods there, and those that a
// trial or a reservation has put there.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "src/base/labels.h"
#include "src/base/pod_template.h"

namespace quorate::cluster {

// A pod as others see it, and what it says about others. Immutable and shared.
struct Occupant {
  std::string ns;    // "" where it is not known
  std::string name;  // "" for a pod that does not exist yet
  std::string uid;
  std::shared_ptr<const Labels> labels;  // never null
  std::shared_ptr<const PodTemplate> pod;
  bool terminating = false;

  // True if it has pod affinity or anti-affinity terms.
  bool has_terms() const {
    return !pod->relations.is_default() &&
           !(pod->relations->affinity.empty() && pod->relations->anti_affinity.empty());
  }
};

// A pod came to a node or left it.
struct Move {
  std::uint32_t node = 0;  // slot
  std::int32_t by = 0;     // +1 or -1
  std::shared_ptr<const Occupant> who;
};

// The last moves, so that what is derived from who is where can follow instead of looking at every
// pod. Undoing a move is a move too.
class Moves {
 public:
  static constexpr std::uint64_t kKept = 2048;

  void add(Move move) { log_[count_++ % kKept] = std::move(move); }
  // Moves so far; a reader keeps it and later asks for those since.
  std::uint64_t count() const { return count_; }
  bool remembers(std::uint64_t since) const { return count_ - since <= kKept; }
  const Move& operator[](std::uint64_t number) const { return log_[number % kKept]; }

 private:
  std::array<Move, kKept> log_;
  std::uint64_t count_ = 0;
};

// What the affinity terms of all occupants look at.
class Terms {
 public:
  void count(const PodRelations& relations, std::int32_t by);
  bool any() const { return owners_ > 0; }
  // Label keys that some term mentions, with how often.
  const std::map<std::string, std::int64_t, std::less<>>& keys() const { return keys_; }

 private:
  std::int64_t owners_ = 0;
  std::map<std::string, std::int64_t, std::less<>> keys_;
};

// The label keys that a term's selectors mention, each passed to visit(key).
template <class Visit>
void each_key(const PodAffinityTerm& term, Visit visit) {
  if (term.selector) {
    for (const Requirement& one : term.selector->requirements) visit(one.key);
  }
  for (const std::string& key : term.match_label_keys) visit(key);
  for (const std::string& key : term.mismatch_label_keys) visit(key);
}

template <class Visit>
void each_term(const PodRelations& relations, Visit visit) {
  for (const PodAffinity* affinity : {&relations.affinity, &relations.anti_affinity}) {
    for (const PodAffinityTerm& term : affinity->required) visit(term);
    for (const auto& [weight, term] : affinity->preferred) visit(term);
  }
}

}  // namespace quorate::cluster
