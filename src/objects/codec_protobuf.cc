#include <exception>

#include "src/objects/codec.h"
#include "src/objects/kinds.h"
#include "src/objects/pb_fields.h"
#include "src/objects/pb_read.h"

namespace quorate::objects {
namespace {

using namespace pb;  // NOLINT: the spelling of fields

constexpr std::string_view kPrefix("k8s\0", 4);

template <class T>
constexpr KindInfo kKindOf{};
template <>
constexpr KindInfo kKindOf<Pod> = kinds::kPod;
template <>
constexpr KindInfo kKindOf<Node> = kinds::kNode;
template <>
constexpr KindInfo kKindOf<Namespace> = kinds::kNamespace;
template <>
constexpr KindInfo kKindOf<PriorityClass> = kinds::kPriorityClass;
template <>
constexpr KindInfo kKindOf<ResourceSlice> = kinds::kResourceSlice;
template <>
constexpr KindInfo kKindOf<ResourceClaim> = kinds::kResourceClaim;

// Runs what reads untrusted bytes; whatever it throws becomes an error.
template <class Read>
Outcome<void> guarded(Read read) {
  try {
    return read();
  } catch (const PbFault& fault) {
    return error(Errc::Invalid, fault.path.empty() ? fault.what : fault.path + ": " + fault.what);
  } catch (const std::exception& fault) {
    return error(Errc::Invalid, std::string("malformed protobuf: ") + fault.what());
  }
}

// runtime.Unknown: what the body holds and the bytes of it.
struct Envelope {
  std::string api_version, kind;
  std::string_view raw;
  bool json = false;
};

Outcome<void> open_envelope(std::string_view body, Envelope& envelope) {
  if (!body.starts_with(kPrefix)) return error(Errc::Invalid, "no Kubernetes protobuf: bad prefix");
  pbf_reader from = reader(body.substr(kPrefix.size()));
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(1): {
        pbf_reader type = reader(view(from));
        while (type.next()) {
          switch (type.tag_and_type()) {
            case bytes(1):
              envelope.api_version = text(type);
              break;
            case bytes(2):
              envelope.kind = text(type);
              break;
            default:
              type.skip();
          }
        }
        break;
      }
      case bytes(2):
        envelope.raw = view(from);
        break;
      case bytes(3):
        if (const std::string_view encoding = view(from); !encoding.empty()) {
          return error(Errc::Invalid, "content encoding " + std::string(encoding));
        }
        break;
      case bytes(4):
        envelope.json = view(from) == "application/json";
        break;
      default:
        from.skip();
    }
  }
  return {};
}

Outcome<void> expect(const Envelope& envelope, const std::string& api_version,
                     const std::string& kind) {
  if (envelope.api_version == api_version && envelope.kind == kind) return {};
  return error(Errc::Invalid, "expected " + api_version + " " + kind + ", got " +
                                  envelope.api_version + " " + envelope.kind);
}

// The metadata (field 1) of a message of any kind, as far as it can be read.
ObjectMeta salvage_meta(std::string_view message) {
  ObjectMeta meta;
  (void)guarded([&]() -> Outcome<void> {
    pbf_reader from = reader(message);
    while (from.next(1, protozero::pbf_wire_type::length_delimited)) pb_read(view(from), meta);
    return {};
  });
  return meta;
}

template <class T>
Decoded<T> decode(std::string_view message) {
  T object;
  const Outcome<void> read = guarded([&]() -> Outcome<void> {
    pb_read(message, object);
    return {};
  });
  if (!read) {
    ObjectMeta meta = salvage_meta(message);
    return {std::move(meta.key), std::move(meta.uid), std::move(meta.resource_version),
            tl::unexpected(read.error())};
  }
  return {object.meta.key, object.meta.uid, object.meta.resource_version, std::move(object)};
}

void read_list_meta(std::string_view message, ListMeta& meta) {
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(2):
        meta.resource_version = text(from);
        break;
      case bytes(3):
        meta.continue_token = text(from);
        break;
      case varint(4):
        meta.remaining_items = from.get_int64();
        break;
      default:
        from.skip();
    }
  }
}

void read_status(std::string_view message, ApiStatus& status) {
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(3):
        status.message = text(from);
        break;
      case bytes(4):
        status.reason = text(from);
        break;
      case bytes(5): {
        pbf_reader details = reader(view(from));
        while (details.next(5, protozero::pbf_wire_type::varint)) {
          status.retry_after_seconds = int32(details);
        }
        break;
      }
      case varint(6):
        status.code = int32(from);
        break;
      default:
        from.skip();
    }
  }
}

// Fills the item from the enveloped object of an event.
template <class T>
Outcome<void> read_event(std::string_view object, WatchItem<T>& item) {
  Envelope envelope;
  if (Outcome<void> opened = open_envelope(object, envelope); !opened) return opened;
  if (item.type == WatchType::Error) {
    if (Outcome<void> fits = expect(envelope, "v1", "Status"); !fits) return fits;
    read_status(envelope.raw, item.status);
    return {};
  }
  if (item.type == WatchType::Bookmark) {
    const ObjectMeta meta = salvage_meta(envelope.raw);
    item.decoded.resource_version = meta.resource_version;
    item.initial_events_end = value_of(meta.annotations, "k8s.io/initial-events-end") == "true";
    return {};
  }
  const KindInfo& kind = kKindOf<T>;
  if (Outcome<void> fits = expect(envelope, kind.api_version(), std::string(kind.kind)); !fits) {
    return fits;
  }
  item.decoded = decode<T>(envelope.raw);
  return {};
}

std::optional<WatchType> watch_type(std::string_view text) {
  if (text == "ADDED") return WatchType::Added;
  if (text == "MODIFIED") return WatchType::Modified;
  if (text == "DELETED") return WatchType::Deleted;
  if (text == "BOOKMARK") return WatchType::Bookmark;
  if (text == "ERROR") return WatchType::Error;
  return std::nullopt;
}

}  // namespace

template <class T>
Outcome<T> decode_protobuf(std::string_view body) {
  const KindInfo& kind = kKindOf<T>;
  Envelope envelope;
  const Outcome<void> opened = guarded([&]() -> Outcome<void> {
    if (Outcome<void> done = open_envelope(body, envelope); !done) return done;
    return expect(envelope, kind.api_version(), std::string(kind.kind));
  });
  if (!opened) return tl::unexpected(opened.error());
  if (envelope.json) return decode_json<T>(envelope.raw);
  return decode<T>(envelope.raw).object;
}

template <class T>
Outcome<ListMeta> decode_list_protobuf(std::string_view body, const ItemSink<T>& sink) {
  const KindInfo& kind = kKindOf<T>;
  ListMeta meta;
  Envelope envelope;
  const Outcome<void> opened = guarded([&]() -> Outcome<void> {
    if (Outcome<void> done = open_envelope(body, envelope); !done) return done;
    return expect(envelope, kind.api_version(), std::string(kind.kind) + "List");
  });
  if (!opened) return tl::unexpected(opened.error());
  if (envelope.json) return decode_list_json<T>(envelope.raw, sink);

  // The sink is called outside the guard: what it throws is not about these bytes.
  pbf_reader from = reader(envelope.raw);
  while (true) {
    std::optional<std::string_view> item;
    bool more = false;
    const Outcome<void> step = guarded([&]() -> Outcome<void> {
      if (!from.next()) return {};
      more = true;
      switch (from.tag_and_type()) {
        case bytes(1):
          read_list_meta(view(from), meta);
          break;
        case bytes(2):
          item = view(from);
          break;
        default:
          from.skip();
      }
      return {};
    });
    if (!step) return tl::unexpected(step.error());
    if (item) sink(decode<T>(*item));
    if (!more) return meta;
  }
}

template <class T>
Outcome<WatchItem<T>> decode_watch_protobuf(std::string_view frame) {
  WatchItem<T> item{.decoded = {.object = T{}}};
  const Outcome<void> done = guarded([&]() -> Outcome<void> {
    std::string_view type, object;
    pbf_reader from = reader(frame);
    while (from.next()) {
      switch (from.tag_and_type()) {
        case bytes(1):
          type = view(from);
          break;
        case bytes(2): {
          pbf_reader extension = reader(view(from));
          while (extension.next(1, protozero::pbf_wire_type::length_delimited)) {
            object = view(extension);
          }
          break;
        }
        default:
          from.skip();
      }
    }
    const std::optional<WatchType> known = watch_type(type);
    if (!known) return error(Errc::Invalid, "no watch event: type " + std::string(type));
    item.type = *known;
    return read_event(object, item);
  });
  if (!done) return tl::unexpected(done.error());
  return item;
}

Outcome<ApiStatus> decode_status_protobuf(std::string_view body) {
  ApiStatus status;
  Envelope envelope;
  const Outcome<void> done = guarded([&]() -> Outcome<void> {
    if (Outcome<void> opened = open_envelope(body, envelope); !opened) return opened;
    if (Outcome<void> fits = expect(envelope, "v1", "Status"); !fits) return fits;
    if (!envelope.json) read_status(envelope.raw, status);
    return {};
  });
  if (!done) return tl::unexpected(done.error());
  if (envelope.json) return decode_status_json(envelope.raw);
  return status;
}

Outcome<std::optional<std::string_view>> WatchFrames::next() {
  if (start_ == buffer_.size() || start_ > (1u << 20)) {
    buffer_.erase(0, start_);
    start_ = 0;
  }
  const std::string_view rest = std::string_view(buffer_).substr(start_);
  if (rest.size() < 4) return std::optional<std::string_view>{};
  std::uint32_t size = 0;
  for (int i = 0; i < 4; ++i) size = size << 8 | static_cast<unsigned char>(rest[i]);
  if (size == 0 || size > kMaxFrame) {
    return error(Errc::Invalid, "watch frame of " + std::to_string(size) + " bytes");
  }
  if (rest.size() - 4 < size) return std::optional<std::string_view>{};
  start_ += 4 + std::size_t{size};
  return std::optional(rest.substr(4, size));
}

#define QUORATE_PROTOBUF_KIND(T)                                                            \
  template Outcome<T> decode_protobuf<T>(std::string_view);                                 \
  template Outcome<ListMeta> decode_list_protobuf<T>(std::string_view, const ItemSink<T>&); \
  template Outcome<WatchItem<T>> decode_watch_protobuf<T>(std::string_view);
QUORATE_PROTOBUF_KIND(Pod)
QUORATE_PROTOBUF_KIND(Node)
QUORATE_PROTOBUF_KIND(Namespace)
QUORATE_PROTOBUF_KIND(PriorityClass)
QUORATE_PROTOBUF_KIND(ResourceSlice)
QUORATE_PROTOBUF_KIND(ResourceClaim)
#undef QUORATE_PROTOBUF_KIND

}  // namespace quorate::objects
