#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/base/labels.h"
#include "src/objects/feature_gates.h"
#include "src/objects/field_error.h"
#include "src/objects/flavors.h"
#include "src/objects/json.h"
#include "src/objects/queues.h"
#include "src/objects/workload.h"

// What the admission webhooks of Kueue's own kinds refuse, in the order in which they look, with
// the reference's paths and words. `before` is the object that an update replaces, nullptr on a
// create. Rules that the schema enforces (types, enums, CEL) are not repeated.
namespace quorate::objects {

FieldErrors webhook_faults(const ClusterQueue& queue, const ClusterQueue* before,
                           const FeatureGates& gates, const FieldErrors& selector_faults = {});
FieldErrors webhook_faults(const Cohort& cohort);
FieldErrors webhook_faults(const ResourceFlavor& flavor);
FieldErrors webhook_faults(const Workload& workload, const Workload* before,
                           const FeatureGates& gates);

// A label selector as it was written: its typed form no longer shows which part was which.
FieldErrors selector_faults(Json selector, const std::string& path);

// Parts that several kinds share.
FieldErrors labels_faults(const Labels& labels, const std::string& path);
// Keys, and 256 KiB of keys and values together.
FieldErrors annotations_faults(const Labels& annotations, const std::string& path);
// The annotation kueue.x-k8s.io/admission-gated-by; `before` as above.
FieldErrors gated_by_faults(const Labels& annotations, const Labels* before);

// Errors of one rule.
FieldError invalid(std::string path, std::string value, std::string detail);
FieldError invalid_text(std::string path, std::string_view value, std::string detail);
FieldError not_supported(std::string path, std::string_view value,
                         const std::vector<std::string>& supported);
FieldError immutable(std::string path, std::string value);
void append(FieldErrors& errors, FieldErrors more);
// "<path>[<index>]", "<path>[<key>]"
std::string at(const std::string& path, std::size_t index);
std::string at(const std::string& path, std::string_view key);

}  // namespace quorate::objects
