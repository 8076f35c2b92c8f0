#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "src/base/outcome.h"
#include "src/kube/raw_object.h"

namespace quorate::kube {

// The parts of Kubernetes' protobuf that every kind shares.

// The message inside an envelope ("k8s\0" and runtime.Unknown).
// Errors: Invalid - no envelope, or a compressed one.
struct Enveloped {
  RawObject object;  // Json when the envelope says that it carries JSON
  std::string_view api_version;
  std::string_view kind;
};
Outcome<Enveloped> open_envelope(std::string_view bytes);

struct ProtobufMeta {
  Meta meta;
  bool initial_events_end = false;  // the annotation on a watch-list's last initial bookmark
};
Outcome<ProtobufMeta> read_protobuf_meta(std::string_view message);

Outcome<ListMeta> read_protobuf_list(std::string_view message,
                                     const std::function<void(const RawObject& item)>& item);

// metav1.Status
struct Status {
  int code = 0;
  std::string reason;
  std::string message;
  int retry_after_seconds = 0;
};
Outcome<Status> read_protobuf_status(std::string_view message);

struct ProtobufWatchEvent {
  std::string_view type;
  std::string_view object;  // an envelope
};
Outcome<ProtobufWatchEvent> read_protobuf_watch_event(std::string_view message);

}  // namespace quorate::kube
