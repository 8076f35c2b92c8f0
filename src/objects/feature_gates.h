#pragma once

#include <map>
#include <string>
#include <string_view>

#include "src/base/outcome.h"

namespace quorate::objects {

// Kueue's feature gates: known names, defaults, and what was switched.
class FeatureGates {
 public:
  static bool known(std::string_view name);

  // The gate's setting, or its default. `name` must be known.
  bool enabled(std::string_view name) const;

  // Sets several at once: AllAlpha and AllBeta first, then each by name.
  // Errors: Invalid - an unknown gate, a locked one set otherwise, or a gate that is on while one
  // that it requires is off.
  static Outcome<FeatureGates> from(const std::map<std::string, bool>& wanted);
  // Reads "A=true,B=false".
  static Outcome<std::map<std::string, bool>> parse_flag(std::string_view flag);

  friend bool operator==(const FeatureGates&, const FeatureGates&) = default;

 private:
  std::map<std::string, bool, std::less<>> set_;
};

}  // namespace quorate::objects
