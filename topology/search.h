#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "topology/counts.h"

namespace quorate::topology {

// A domain with what it was given.
struct Share {
  std::uint32_t domain = 0;
  std::int64_t pods = 0;
  std::int64_t leaders = 0;

  friend bool operator==(const Share&, const Share&) = default;
};

// Not all slices find a place: how many would, and where the search ended.
struct NoRoom {
  std::int64_t fitting = 0;
  std::size_t level = 0;
};

// The choice of domains level by level, on counted domains. Greedy: the fewest domains at the
// level where the pods shall be together, then the fewest below them.
class Search {
 public:
  Search(const Tree& tree, const Plan& plan, const Counts& counts, const Profile& profile)
      : tree_(tree), plan_(plan), counts_(counts), profile_(profile) {}

  // Leaves with pods or leaders, by rank.
  std::variant<std::vector<Share>, NoRoom> run(std::int64_t pods) const;

  // Goes down from chosen domains of a level to the leaves, each parent for itself.
  std::vector<Share> below(std::size_t level, std::vector<Share> chosen) const;

  // --- pieces, also for balanced placement ---

  enum class Unit { Slices, Pods };
  static constexpr std::size_t kAll = static_cast<std::size_t>(-1);
  using Domains = std::vector<std::uint32_t>;

  // `most`: so many at the front are in order, none of the others comes before them.
  void sort_plain(const std::vector<Count>& counts, Domains& domains,
                  std::size_t most = kAll) const;
  void sort_with_leader(const std::vector<Count>& counts, Domains& domains) const;

 private:
  std::int64_t amount(const Count& count, Unit unit, bool with_leader) const;
  std::size_t best_fit(const std::vector<Count>& counts, const Domains& domains, std::size_t from,
                       std::int64_t needed, std::int64_t leaders, Unit unit) const;
  void leader_first(const std::vector<Count>& counts, Domains& domains, std::int64_t needed,
                    std::int64_t leaders, Unit unit) const;
  std::variant<Domains, NoRoom> choose(std::int64_t slices, std::size_t* level) const;
  std::optional<std::uint32_t> one_domain(const std::vector<Count>& counts,
                                          std::int64_t slices) const;
  std::variant<Domains, NoRoom> several(std::size_t level, Domains domains,
                                        std::int64_t slices) const;
  std::vector<Share> distribute(const std::vector<Count>& counts, Domains domains,
                                std::int64_t pods, std::int64_t leaders, std::int64_t size,
                                Unit unit) const;

  const Tree& tree_;
  const Plan& plan_;
  const Counts& counts_;
  const Profile& profile_;
};

// All domains of a level, by their values.
Search::Domains all_domains(const Tree& tree, std::size_t level);

}  // namespace quorate::topology
