// Objects of resource.k8s.io.

#include "src/objects/names.h"
#include "src/translate/translate.h"

namespace quorate::translate {

devices::ClassObject to_spec(const objects::DeviceClass& device_class) {
  return {device_class.meta.key.name, device_class.meta.created, device_class.spec};
}

devices::SliceObject to_spec(const objects::ResourceSlice& slice) {
  return {slice.meta.key.name, slice.spec};
}

devices::TaintRuleObject to_spec(const objects::DeviceTaintRule& rule) {
  return {rule.meta.key.name, rule.spec};
}

devices::TemplateObject to_spec(const objects::ResourceClaimTemplate& claim_template) {
  return {claim_template.meta.key, claim_template.spec};
}

devices::ClaimObject to_spec(const objects::ResourceClaim& claim) {
  devices::ClaimObject spec;
  spec.key = claim.meta.key;
  spec.uid = claim.meta.uid;
  spec.resource_version = claim.meta.resource_version;
  spec.terminating = claim.meta.deleted.has_value();
  spec.has_finalizer = objects::has_finalizer(claim.meta, objects::kClaimFinalizer);
  if (const objects::OwnerReference* owner = objects::controller_of(claim.meta)) {
    const std::size_t slash = owner->api_version.find('/');
    if (slash != std::string::npos) spec.owner_group = owner->api_version.substr(0, slash);
    spec.owner_kind = owner->kind;
    spec.owner_name = owner->name;
    spec.owner_uid = owner->uid;
  }
  spec.extended =
      objects::value_of(claim.meta.annotations, objects::kExtendedResourceClaim) == "true";
  spec.spec = claim.spec;
  spec.status = claim.status;
  return spec;
}

}  // namespace quorate::translate
