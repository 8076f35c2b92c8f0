#include "topology/failure.h"

#include <algorithm>

namespace quorate::topology {

std::string text(const Failure& failure) {
  if (!failure.error.empty()) return failure.error;
  std::string text = "topology \"" + failure.topology + "\" ";
  const std::string unit = failure.slices ? " slice(s)" : " pod(s)";
  if (!failure.layers.empty()) {
    text += "doesn't allow to fit";
    for (const Failure::LayerFit& layer : failure.layers) {
      text += "; " + std::to_string(layer.fitting) + "/" + std::to_string(layer.wanted) +
              " slice(s) fit on level " + layer.level;
    }
  } else if (failure.fitting <= 0) {
    text += "doesn't allow to fit any of " + std::to_string(failure.wanted) + unit;
  } else {
    text += "allows to fit only " + std::to_string(failure.fitting) + " out of " +
            std::to_string(failure.wanted) + unit;
  }
  if (failure.excluded.empty()) return text;
  std::vector<std::string> items;
  for (const auto& [why, leaves] : failure.excluded) {
    items.push_back(why + ": " + std::to_string(leaves));
  }
  std::sort(items.begin(), items.end());
  text += ". Total nodes: " + std::to_string(failure.leaves) + "; excluded: ";
  for (std::size_t i = 0; i < items.size(); ++i) text += (i == 0 ? "" : ", ") + items[i];
  return text;
}

}  // namespace quorate::topology
