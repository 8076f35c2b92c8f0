#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace quorate::topology {

// Why pods could not be placed, as the search that failed saw it.
struct Failure {
  // Whole slices of one layer that found room, of those that are asked for.
  struct LayerFit {
    std::string level;
    std::int64_t fitting = 0, wanted = 0;
    friend bool operator==(const LayerFit&, const LayerFit&) = default;
  };

  std::string topology;
  std::string level;         // where the search ended
  std::string error;         // the request cannot be understood here; nothing else is set then
  bool slices = false;       // counted in slices, not pods
  std::int64_t fitting = 0;  // pods (slices) that would find room
  std::int64_t wanted = 0;
  std::int64_t leaves = 0;                                     // looked at
  std::vector<std::pair<std::string, std::int64_t>> excluded;  // why leaves were left out, how many
  std::vector<LayerFit> layers;                                // outermost first; of inner layers

  friend bool operator==(const Failure&, const Failure&) = default;
};

// Kueue's words, to the letter: `topology "t" allows to fit only 2 out of 3 pod(s). Total …`.
std::string text(const Failure& failure);

}  // namespace quorate::topology
