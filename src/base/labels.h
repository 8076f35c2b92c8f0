#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quorate {

// Labels, annotations, node selectors: few entries, sorted by key so that order never depends on
// a hash.
using Labels = std::map<std::string, std::string, std::less<>>;

// One requirement of a label selector or node selector term.
struct Requirement {
  enum class Op { In, NotIn, Exists, DoesNotExist, Gt, Lt };

  std::string key;
  Op op = Op::In;
  std::vector<std::string> values;

  friend bool operator==(const Requirement&, const Requirement&) = default;
};

// metav1.LabelSelector with matchLabels turned into In requirements. Whether an absent selector
// matches all or nothing is for the holder of the optional to say; `{}` matches everything.
struct LabelSelector {
  std::vector<Requirement> requirements;

  bool matches(const Labels& labels) const;
  friend bool operator==(const LabelSelector&, const LabelSelector&) = default;
};

// Kubernetes' meaning of one requirement: NotIn and DoesNotExist hold for an absent key; Gt and Lt
// compare whole numbers and fail on anything else.
bool matches(const Requirement& requirement, const Labels& labels);

}  // namespace quorate
