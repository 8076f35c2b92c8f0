#pragma once

#include <string>
#include <string_view>

namespace quorate::kube {

// RFC 7396 on JSON texts; members keep their order, new ones come last. For tests.
std::string merge_patch(std::string_view target, std::string_view patch);

}  // namespace quorate::kube
