#pragma once

#include <string>

#include "src/base/device_types.h"
#include "src/objects/field_error.h"
#include "src/objects/meta.h"

namespace quorate::objects {

// resource.k8s.io/v1
struct ResourceClaim {
  ObjectMeta meta;
  dra::ClaimSpec spec;
  dra::ClaimStatus status;

  friend bool operator==(const ResourceClaim&, const ResourceClaim&) = default;
};

struct ResourceClaimTemplate {
  ObjectMeta meta;
  // What generated claims carry besides what their controller adds.
  Labels claim_labels;
  Labels claim_annotations;
  dra::ClaimSpec spec;

  friend bool operator==(const ResourceClaimTemplate&, const ResourceClaimTemplate&) = default;
};

inline constexpr std::string_view kClaimFinalizer = "resource.kubernetes.io/delete-protection";
inline constexpr std::string_view kPodClaimName = "resource.kubernetes.io/pod-claim-name";
inline constexpr std::string_view kExtendedResourceClaim =
    "resource.kubernetes.io/extended-resource-claim";

// What the API server refuses beyond the types of fields; CEL is checked by whoever compiles it.
FieldErrors validate(const ResourceClaim& claim);
FieldErrors validate(const ResourceClaimTemplate& claim_template);

// Whole objects, for create and for tests.
std::string encode_json(const ResourceClaim& claim);

// Merge patches (application/merge-patch+json), refused by the server when the object has changed
// since `resource_version`. A merge patch leaves the fields alone that we do not know.
//
// Of the status subresource: allocation and reservedFor as they are in `status` (without an
// allocation both are cleared, and with them what drivers said about the devices).
std::string claim_status_patch(std::string_view uid, std::string_view resource_version,
                               const dra::ClaimStatus& status);
// Strategic merge patch of the status subresource that takes one consumer away.
std::string claim_unreserve_patch(std::string_view claim_uid, std::string_view consumer_uid);

}  // namespace quorate::objects
