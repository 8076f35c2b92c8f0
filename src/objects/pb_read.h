#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/base/pod_template.h"
#include "src/objects/core_kinds.h"
#include "src/objects/meta.h"
#include "src/objects/node.h"
#include "src/objects/pod.h"
#include "src/objects/resource_claim.h"
#include "src/objects/resource_slice.h"

// Readers of protobuf messages: the bytes of one message in, merged into a value, so that a message
// that occurs twice is merged as protobuf says. They throw: PbFault about a field, or the library's
// own exceptions about malformed bytes; codec_protobuf.cc turns both into errors.
namespace quorate::objects {

struct PbFault {
  std::string path;
  std::string what;
};

// Runs `read`, naming where it was if it throws.
template <class Read>
void pb_at(std::string_view where, Read read) {
  try {
    read();
  } catch (PbFault& fault) {
    if (fault.path.empty() || fault.path.front() == '[') {
      fault.path.insert(0, where);
    } else {
      fault.path.insert(0, std::string(where) + ".");
    }
    throw;
  }
}
template <class Read>
void pb_at(std::string_view where, std::size_t index, Read read) {
  pb_at(std::string(where) + "[" + std::to_string(index) + "]", read);
}

void pb_read(std::string_view bytes, ObjectMeta& meta);
// Only deletionGracePeriodSeconds of an ObjectMeta.
std::optional<std::int64_t> pb_grace_period(std::string_view meta);
std::optional<Time> pb_time(std::string_view bytes);
void pb_read_pair(std::string_view entry, Labels& map);
void pb_read_amount(std::string_view entry, ResourceList& map);
void pb_read_requirement(std::string_view bytes, Requirement& requirement);
void pb_read_pod_affinity(std::string_view bytes, PodAffinity& affinity);
void pb_read_spread(std::string_view bytes, SpreadConstraint& spread);
// Adds the volume if it has a say in where the pod may run, and the image if it is one.
void pb_read_volume(std::string_view bytes, std::vector<PodVolume>& volumes,
                    std::vector<std::string>& images);
void pb_read_pod_spec(std::string_view bytes, PodTemplate& spec, std::string& node_name);

void pb_read(std::string_view bytes, Pod& pod);
void pb_read(std::string_view bytes, Node& node);
void pb_read(std::string_view bytes, Namespace& ns);
void pb_read(std::string_view bytes, PriorityClass& priority_class);
void pb_read(std::string_view bytes, ResourceSlice& slice);
void pb_read(std::string_view bytes, ResourceClaim& claim);

}  // namespace quorate::objects
