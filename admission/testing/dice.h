#pragma once

// Random queues for property tests; the same seed gives the same queues everywhere.

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>

namespace quorate::admission::testing {

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : random_(seed) {}

  // Both ends included. Not std::uniform_int_distribution, whose numbers differ by library.
  int pick(int from, int to) {
    return from + static_cast<int>(random_() % static_cast<std::uint32_t>(to - from + 1));
  }
  bool one_in(int count) { return pick(1, count) == 1; }
  std::string one_of(std::initializer_list<const char*> list) {
    return list.begin()[pick(0, static_cast<int>(list.size()) - 1)];
  }

 private:
  std::mt19937 random_;
};

// "q@x {f/cpu=3 b1, g/cpu=2} (within=LowerPriority reclaim=Any …)".
//
// Without `any`, quota is reclaimed by priority only; without `borrowing`, nobody preempts in other
// queues while it borrows.
inline std::string random_queue(Dice& dice, const std::string& name, const std::string& cohort,
                                bool any, bool borrowing) {
  const auto quota = [&](const char* flavor, int most) {
    std::string text = std::string(flavor) + "/cpu=" + std::to_string(dice.pick(0, most));
    if (!cohort.empty() && dice.one_in(4)) text += " b" + std::to_string(dice.pick(0, 4));
    if (!cohort.empty() && dice.one_in(4)) text += " l" + std::to_string(dice.pick(0, 3));
    return text;
  };
  std::string line = name + (cohort.empty() ? "" : "@" + cohort) + " {" + quota("f", 6) + ", " +
                     quota("g", 4) + "}";
  line += " (within=" + dice.one_of({"Never", "LowerPriority", "LowerOrNewerEqualPriority"});
  std::string reclaim = dice.one_of({"Never", "LowerPriority", "Any", "Any"});
  if (reclaim == "Any" && !any) reclaim = "LowerPriority";
  line += " reclaim=" + reclaim;
  if (reclaim != "Never" && borrowing && dice.one_in(2)) {
    line += " bwc=LowerPriority";
    if (dice.one_in(2)) line += " threshold=" + std::to_string(dice.pick(-2, 2));
  }
  line += " whenCanPreempt=" + dice.one_of({"MayStopSearch", "TryNextFlavor"});
  line += " whenCanBorrow=" + dice.one_of({"MayStopSearch", "TryNextFlavor"});
  if (dice.one_in(4)) line += " StrictFIFO";
  return line + ")";
}

// Queues q0, q1, … in a tree r with children x and y, and some alone.
inline std::string random_queues(Dice& dice, int count, bool any = true, bool borrowing = true) {
  std::string lines =
      "cohort r {f/cpu=" + std::to_string(dice.pick(0, 3)) + "}; cohort x<r; cohort y<r";
  for (int i = 0; i < count; ++i) {
    lines += "; " + random_queue(dice, "q" + std::to_string(i),
                                 dice.one_of({"r", "x", "x", "y", "y", ""}), any, borrowing);
  }
  return lines;
}

}  // namespace quorate::admission::testing
