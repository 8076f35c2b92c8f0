#pragma once

#include <cstdint>

#include "src/base/pod_template.h"

namespace quorate::admission {

// A digest of what of a pod decides how it is scheduled; equal pods have equal digests.
std::uint64_t digest_of(const PodTemplate& pod);

// True if two pods are equal in everything that digest_of() looks at, and in what their containers
// are called.
bool same_pod(const PodTemplate& a, const PodTemplate& b);

}  // namespace quorate::admission
