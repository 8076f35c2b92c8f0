#include "src/cluster/occupancy.h"

#include "src/base/check.h"

namespace quorate::cluster {

void Terms::count(const PodRelations& relations, std::int32_t by) {
  owners_ += by;
  check(owners_ >= 0, "terms left more often than they came");
  each_term(relations, [&](const PodAffinityTerm& term) {
    each_key(term, [&](const std::string& key) {
      const auto at = keys_.try_emplace(key, 0).first;
      if ((at->second += by) == 0) keys_.erase(at);
    });
  });
}

}  // namespace quorate::cluster
