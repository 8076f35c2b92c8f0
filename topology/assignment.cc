#include "topology/assignment.h"

#include <map>

namespace quorate::topology {

Assignment merged(const Assignment& a, const Assignment& b) {
  std::map<std::vector<std::string>, std::int32_t> sums;
  for (const Assignment* one : {&a, &b}) {
    for (const Assignment::Domain& domain : one->domains) sums[domain.values] += domain.count;
  }
  Assignment sum{a.levels.empty() ? b.levels : a.levels, {}};
  for (const auto& [values, count] : sums) sum.domains.push_back({values, count});
  return sum;
}

}  // namespace quorate::topology
