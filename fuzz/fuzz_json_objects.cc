// Any bytes are an object, a list or a watch event of each kind, or an error; what can be written
// back reads as the same value.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/base/check.h"
#include "src/objects/codec.h"
#include "src/objects/core_kinds.h"
#include "src/objects/device_class.h"
#include "src/objects/encode.h"
#include "src/objects/flavors.h"
#include "src/objects/node.h"
#include "src/objects/resource_claim.h"
#include "src/objects/resource_slice.h"
#include "src/objects/validate.h"

namespace {

using quorate::check;
using namespace quorate::objects;

template <class T>
void read(std::string_view text) {
  (void)decode_json<T>(text);
}

template <class T>
void round_trip(std::string_view text) {
  const auto object = decode_json<T>(text);
  if (!object) return;
  const std::string once = encode_json(*object, WithStatus::Yes);
  const auto again = decode_json<T>(once);
  check(again.has_value(), "what was written can be read");
  check(encode_json(*again, WithStatus::Yes) == once, "equal values have equal bytes");
}

template <class T>
void judge(std::string_view text) {
  if (const auto object = decode_json<T>(text)) (void)join(validate(*object));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read<Pod>(text);
  read<Node>(text);
  read<Namespace>(text);
  read<LimitRange>(text);
  read<RuntimeClass>(text);
  judge<ResourceSlice>(text);
  judge<ResourceClaim>(text);
  judge<ResourceClaimTemplate>(text);
  judge<DeviceClass>(text);
  judge<DeviceTaintRule>(text);
  read<Job>(text);
  judge<ClusterQueue>(text);
  judge<LocalQueue>(text);
  judge<Cohort>(text);
  judge<ResourceFlavor>(text);
  judge<Topology>(text);
  judge<AdmissionCheck>(text);
  judge<Workload>(text);
  round_trip<Workload>(text);
  round_trip<PodGroup>(text);
  // The frame around an object is the same for every kind.
  (void)decode_list_json<PodGroup>(text, [](Decoded<PodGroup>) {});
  (void)decode_watch_json<Workload>(text);
  (void)decode_status_json(text);
  if (const auto source = parse_template(text)) {
    const auto again = parse_template(*source->json);
    check(again && *again == *source, "canonical text is canonical");
  }
  return 0;
}
