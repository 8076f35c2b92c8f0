#pragma once

#include <functional>
#include <string_view>

#include "src/base/outcome.h"
#include "src/kube/protobuf_envelope.h"
#include "src/kube/raw_object.h"

namespace quorate::kube {

// The parts of Kubernetes' JSON that every kind shares.

struct JsonMeta {
  Meta meta;
  bool initial_events_end = false;
};
Outcome<JsonMeta> read_json_meta(std::string_view object);

// Items of a typed list carry neither kind nor apiVersion.
Outcome<ListMeta> read_json_list(std::string_view list,
                                 const std::function<void(const RawObject& item)>& item);

Outcome<Status> read_json_status(std::string_view object);

}  // namespace quorate::kube
