#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "src/base/object_key.h"
#include "src/base/outcome.h"
#include "src/objects/meta.h"

// Reading Kubernetes objects, from JSON and from protobuf; equal documents give equal values.
//
// T is one of: Pod, Node, Namespace, PriorityClass, LimitRange, RuntimeClass, Job, DeviceClass,
// DeviceTaintRule, ResourceSlice, ResourceClaim, ResourceClaimTemplate, PodGroup (any of its
// versions, told apart by apiVersion), ResourceFlavor, ClusterQueue, LocalQueue, Cohort, Workload,
// WorkloadPriorityClass, AdmissionCheck, Topology. The *_protobuf functions exist for those whose
// KindInfo says protobuf.
//
// Common rules: unknown fields are ignored; null is absent; of a duplicate key the last one counts;
// API defaults are filled in. Errors are Invalid and name the field:
// "spec.resourceGroups[0].flavors[1].resources[0].nominalQuota: ...".
namespace quorate::objects {

struct ListMeta {
  std::string resource_version;
  std::string continue_token;
  std::int64_t remaining_items = 0;

  friend bool operator==(const ListMeta&, const ListMeta&) = default;
};

// An object, or why it cannot be understood together with which one it is: a bad object is
// reported on and its neighbours are not affected.
template <class T>
struct Decoded {
  ObjectKey key;
  std::string uid;
  std::string resource_version;
  Outcome<T> object;
};

template <class T>
Outcome<T> decode_json(std::string_view text);

// Hands over each item of a List as it is read, without holding the whole document.
// Errors: Invalid - the text is no list document; items handed over before the fault were whole.
template <class T>
using ItemSink = std::function<void(Decoded<T>)>;
template <class T>
Outcome<ListMeta> decode_list_json(std::string_view text, const ItemSink<T>& sink);

enum class WatchType { Added, Modified, Deleted, Bookmark, Error };

template <class T>
struct WatchItem {
  WatchType type = WatchType::Error;
  Decoded<T> decoded;               // of a bookmark only resource_version is set
  bool initial_events_end = false;  // the bookmark that ends a streamed initial list
  ApiStatus status;                 // of an error
};

// One line of a JSON watch.
// Errors: Invalid - no watch event at all.
template <class T>
Outcome<WatchItem<T>> decode_watch_json(std::string_view line);

Outcome<ApiStatus> decode_status_json(std::string_view text);

// Protobuf: bodies with the "k8s\0" envelope.
template <class T>
Outcome<T> decode_protobuf(std::string_view body);
template <class T>
Outcome<ListMeta> decode_list_protobuf(std::string_view body, const ItemSink<T>& sink);
// One frame of a protobuf watch, without its length.
template <class T>
Outcome<WatchItem<T>> decode_watch_protobuf(std::string_view frame);
Outcome<ApiStatus> decode_status_protobuf(std::string_view body);

// Cuts the body of a protobuf watch into frames, however it arrives.
class WatchFrames {
 public:
  static constexpr std::uint32_t kMaxFrame = 16u << 20;

  void feed(std::string_view bytes) { buffer_.append(bytes); }
  // The next whole frame, nullopt if more bytes are needed. The view lives until the next call.
  // Errors: Invalid - a frame of length 0 or above kMaxFrame; the stream is unusable from then on.
  Outcome<std::optional<std::string_view>> next();
  // The stream ended here: was it inside a frame?
  bool inside_frame() const { return start_ < buffer_.size(); }

 private:
  std::string buffer_;
  std::size_t start_ = 0;
};

}  // namespace quorate::objects
