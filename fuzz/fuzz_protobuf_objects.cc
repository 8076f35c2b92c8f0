// Any bytes are an object, a list, a watch frame or a stream of frames, or an error.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/base/check.h"
#include "src/objects/codec.h"
#include "src/objects/core_kinds.h"
#include "src/objects/node.h"
#include "src/objects/pod.h"
#include "src/objects/resource_claim.h"
#include "src/objects/resource_slice.h"

namespace {

using quorate::check;
using namespace quorate::objects;

template <class T>
void read(std::string_view bytes) {
  (void)decode_protobuf<T>(bytes);
  (void)decode_list_protobuf<T>(bytes, [](Decoded<T>) {});
  (void)decode_watch_protobuf<T>(bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read<Pod>(bytes);
  read<Node>(bytes);
  read<Namespace>(bytes);
  read<PriorityClass>(bytes);
  read<ResourceSlice>(bytes);
  read<ResourceClaim>(bytes);
  (void)decode_status_protobuf(bytes);

  WatchFrames frames;
  frames.feed(bytes);
  std::size_t seen = 0;
  for (auto frame = frames.next(); frame && *frame; frame = frames.next()) {
    seen += 4 + (*frame)->size();
    (void)decode_watch_protobuf<Pod>(**frame);
  }
  check(seen <= size, "frames are part of the stream");
  return 0;
}
