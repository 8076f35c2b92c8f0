#pragma once

// Families of concurrent admission as objects: which Workload is a parent, which a variant, and
// what a variant is made of. When they come and go: admission/variants.h.

#include <string>
#include <string_view>

#include "src/objects/queues.h"
#include "src/objects/workload.h"

namespace quorate::translate {

bool is_parent_of_variants(const objects::Workload& workload);
bool is_variant(const objects::Workload& workload);

// Whether `queue`, the Workload's own, has it queued as variants, and it is no parent yet. One that
// holds quota goes on as it is. So does a slice of an elastic job, which takes the place of another
// in the flavors that it has.
bool wants_variants(const objects::Workload& workload, const objects::ClusterQueue& queue);

// The variant of `parent` for one flavor, to be created under `name`.
objects::Workload variant_of(const objects::Workload& parent, std::string_view flavor,
                             std::string name);

}  // namespace quorate::translate
