#include "src/kube/testing/merge_patch.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "src/kube/json_scan.h"

namespace quorate::kube {

std::string merge_patch(std::string_view target, std::string_view patch) {
  if (!patch.starts_with('{')) return std::string(patch);
  std::vector<std::pair<std::string, std::string>> members;
  if (target.starts_with('{')) {
    (void)each_member(target, [&](std::string_view key, std::string_view value) {
      members.emplace_back(key, value);
      return true;
    });
  }
  (void)each_member(patch, [&](std::string_view key, std::string_view value) {
    const auto found = std::ranges::find(
        members, key, [](const auto& m) -> const std::string& { return m.first; });
    const std::string old = found == members.end() ? "" : found->second;
    if (value == "null") {
      if (found != members.end()) members.erase(found);
    } else if (found != members.end()) {
      found->second = merge_patch(old, value);
    } else {
      members.emplace_back(key, merge_patch("", value));
    }
    return true;
  });
  std::string out = "{";
  for (const auto& [key, value] : members) {
    if (out.size() > 1) out += ',';
    out.append("\"").append(key).append("\":").append(value);
  }
  return out + "}";
}

}  // namespace quorate::kube
