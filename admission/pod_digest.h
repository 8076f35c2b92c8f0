#pragma once

#include <cstdint>

#include "src/base/pod_template.h"

namespace quorate::admission {

// A digest of what of a pod decides how it is scheduled; equal pods have equal digests.
std::uint64_t digest_of(const PodTemplate& pod);

}  // namespace quorate::admission
