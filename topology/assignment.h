#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace quorate::topology {

inline constexpr const char* kHostname = "kubernetes.io/hostname";

// Where the pods of a pod set go: pods by domain, sorted by the domains' values. Where the lowest
// level is the hostname it is the only level named, since it alone identifies a domain.
struct Assignment {
  std::vector<std::string> levels;
  struct Domain {
    std::vector<std::string> values;  // one per level
    std::int32_t count = 0;
    friend bool operator==(const Domain&, const Domain&) = default;
  };
  std::vector<Domain> domains;

  std::int64_t pods() const {
    std::int64_t sum = 0;
    for (const Domain& domain : domains) sum += domain.count;
    return sum;
  }
  friend bool operator==(const Assignment&, const Assignment&) = default;
};

// Both together: equal domains are added up, the result is sorted by values.
Assignment merged(const Assignment& a, const Assignment& b);

}  // namespace quorate::topology
