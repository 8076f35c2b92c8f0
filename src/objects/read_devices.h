#pragma once

#include <string>
#include <vector>

#include "src/base/device_types.h"
#include "src/objects/json.h"

// Parts that several resource.k8s.io kinds share.
namespace quorate::objects {

std::vector<std::string> read_selectors(Json json);
dra::Opaque read_opaque(Json json);
dra::ClaimSpec read_claim_spec(Json json);
dra::DeviceTaint read_device_taint(Json json);
// The terms of a core/v1 NodeSelector.
dra::NodeTerms read_node_terms(Json json);

}  // namespace quorate::objects
