#include "admission/spec.h"

#include <algorithm>

namespace quorate::admission {

const ConditionView* WorkloadSpec::condition(std::string_view type) const {
  const auto found = std::find_if(conditions.begin(), conditions.end(),
                                  [&](const ConditionView& one) { return one.type == type; });
  return found == conditions.end() ? nullptr : &*found;
}

bool WorkloadSpec::condition_true(std::string_view type) const {
  const ConditionView* found = condition(type);
  return found != nullptr && found->status == ConditionView::Status::True;
}

}  // namespace quorate::admission
