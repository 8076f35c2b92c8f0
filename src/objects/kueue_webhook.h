#pragma once

#include <string>
#include <string_view>

#include "src/base/outcome.h"
#include "src/objects/feature_gates.h"

// The admission webhooks of Kueue's own kinds as functions from review text to review text. They
// look at nothing but their arguments; equal arguments give equal bytes.
namespace quorate::objects {

// The kinds that have such webhooks.
bool kueue_defaults(std::string_view kind);   // ClusterQueue, ResourceFlavor, Workload
bool kueue_validates(std::string_view kind);  // these, and Cohort

// Answers an AdmissionReview with what is filled in on a create: allowed, with a JSON patch if the
// object changes; code 400 if it cannot be decoded or is of no such kind.
// Errors: Invalid - the text is no AdmissionReview with a uid, so there is nobody to answer.
Outcome<std::string> mutate_kueue(std::string_view review, const FeatureGates& gates);

// Answers an AdmissionReview: allowed, or refused with code 403 and all faults; code 400 as above.
// Errors: as above.
Outcome<std::string> validate_kueue(std::string_view review, const FeatureGates& gates);

}  // namespace quorate::objects
