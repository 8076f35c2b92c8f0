#include "src/kube/raw_object.h"

#include "src/kube/json_meta.h"
#include "src/kube/protobuf_envelope.h"

namespace quorate::kube {

Outcome<Meta> read_meta(const RawObject& object) {
  if (object.format == Format::Json) {
    Outcome<JsonMeta> found = read_json_meta(object.bytes);
    if (!found) return tl::unexpected(found.error());
    return std::move(found->meta);
  }
  Outcome<ProtobufMeta> found = read_protobuf_meta(object.bytes);
  if (!found) return tl::unexpected(found.error());
  return std::move(found->meta);
}

Outcome<RawObject> Document::object() const {
  if (format == Format::Json) return RawObject{Format::Json, body};
  const Outcome<Enveloped> opened = open_envelope(body);
  if (!opened) return tl::unexpected(opened.error());
  return opened->object;
}

Outcome<ListMeta> read_list(const Document& list,
                            const std::function<void(const RawObject& item)>& item) {
  const Outcome<RawObject> whole = list.object();
  if (!whole) return tl::unexpected(whole.error());
  return whole->format == Format::Json ? read_json_list(whole->bytes, item)
                                       : read_protobuf_list(whole->bytes, item);
}

}  // namespace quorate::kube
