#pragma once

#include "src/simulate/command.h"

namespace quorate::simulate {

// --op admission-review: what the webhooks answer to the AdmissionReviews of the input; where there
// are none, to the creation of each of its objects.
int op_admission_review(const Options& options, const Streams& streams);

}  // namespace quorate::simulate
