#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "src/base/object_key.h"
#include "src/base/outcome.h"

namespace quorate::kube {

enum class Format { Json, Protobuf };

// One object as it came over the wire. Valid only during the call that hands it over.
//
// Json: the object's text. Protobuf: the object's message, out of its envelope.
struct RawObject {
  Format format = Format::Json;
  std::string_view bytes;
};

// What every object says about itself.
struct Meta {
  ObjectKey key;
  std::string uid;
  std::string resource_version;

  friend bool operator==(const Meta&, const Meta&) = default;
};

// Errors: Invalid - not an object, or without metadata.
Outcome<Meta> read_meta(const RawObject& object);

// The answer of the API server to a get or a write.
struct Document {
  Format format = Format::Json;
  std::string body;  // JSON, or a protobuf envelope

  // The object in it. Errors: Invalid - the envelope is broken.
  Outcome<RawObject> object() const;
};

// Page of a list: `item` is called for each object, in the order of the list.
struct ListMeta {
  std::string resource_version;
  std::string continue_token;
};
// Errors: Invalid - not a list; `item` may have been called before.
Outcome<ListMeta> read_list(const Document& list,
                            const std::function<void(const RawObject& item)>& item);

}  // namespace quorate::kube
