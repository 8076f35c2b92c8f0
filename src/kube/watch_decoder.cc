#include "src/kube/watch_decoder.h"

#include "src/kube/json_meta.h"
#include "src/kube/json_scan.h"
#include "src/kube/protobuf_envelope.h"
#include "src/kube/status.h"

namespace quorate::kube {
namespace {

constexpr std::size_t kFrameHeader = 4;

std::optional<WatchEvent::Type> type_of(std::string_view name) {
  if (name == "ADDED") return WatchEvent::Type::Added;
  if (name == "MODIFIED") return WatchEvent::Type::Modified;
  if (name == "DELETED") return WatchEvent::Type::Deleted;
  if (name == "BOOKMARK") return WatchEvent::Type::Bookmark;
  if (name == "ERROR") return WatchEvent::Type::Error;
  return std::nullopt;
}

// Fills what follows from event.type and event.object.
Outcome<void> complete(WatchEvent& event) {
  const bool json = event.object.format == Format::Json;
  if (event.type == WatchEvent::Type::Error) {
    const Outcome<Status> status =
        json ? read_json_status(event.object.bytes) : read_protobuf_status(event.object.bytes);
    if (!status) return tl::unexpected(status.error());
    event.error = error_of(*status, "watch");
    return {};
  }
  if (json) {
    Outcome<JsonMeta> found = read_json_meta(event.object.bytes);
    if (!found) return tl::unexpected(found.error());
    event.meta = std::move(found->meta);
    event.initial_events_end = found->initial_events_end;
  } else {
    Outcome<ProtobufMeta> found = read_protobuf_meta(event.object.bytes);
    if (!found) return tl::unexpected(found.error());
    event.meta = std::move(found->meta);
    event.initial_events_end = found->initial_events_end;
  }
  return {};
}

Outcome<WatchEvent> json_event(std::string_view line) {
  WatchEvent out;
  std::string_view type;
  const Outcome<void> read = each_member(line, [&](std::string_view key, std::string_view value) {
    if (key == "type" && value.size() > 2) type = value.substr(1, value.size() - 2);
    if (key == "object") out.object = {Format::Json, value};
    return true;
  });
  if (!read) return tl::unexpected(read.error());
  const std::optional<WatchEvent::Type> known = type_of(type);
  if (!known) return error(Errc::Invalid, "watch event of type '" + std::string(type) + "'");
  out.type = *known;
  if (const Outcome<void> done = complete(out); !done) return tl::unexpected(done.error());
  return out;
}

Outcome<WatchEvent> protobuf_event(std::string_view frame) {
  const Outcome<ProtobufWatchEvent> read = read_protobuf_watch_event(frame);
  if (!read) return tl::unexpected(read.error());
  const std::optional<WatchEvent::Type> known = type_of(read->type);
  if (!known) return error(Errc::Invalid, "watch event of type '" + std::string(read->type) + "'");
  const Outcome<Enveloped> opened = open_envelope(read->object);
  if (!opened) return tl::unexpected(opened.error());
  WatchEvent out;
  out.type = *known;
  out.object = opened->object;
  if (const Outcome<void> done = complete(out); !done) return tl::unexpected(done.error());
  return out;
}

std::uint32_t frame_length(std::string_view header) {
  std::uint32_t length = 0;
  for (std::size_t i = 0; i < kFrameHeader; ++i) {
    length = length << 8 | static_cast<unsigned char>(header[i]);
  }
  return length;
}

}  // namespace

Outcome<bool> WatchDecoder::one_frame(std::string_view frame,
                                      const std::function<bool(const WatchEvent&)>& event) {
  const Outcome<WatchEvent> decoded =
      format_ == Format::Json ? json_event(frame) : protobuf_event(frame);
  if (!decoded) return within("watch", decoded.error());
  return event(*decoded);
}

// What of `text` is whole: nullopt when more bytes are needed, else {frame, bytes used}.
Outcome<std::optional<WatchDecoder::Cut>> WatchDecoder::cut(std::string_view text) {
  if (format_ == Format::Json) {
    const std::size_t end = text.find('\n', searched_);
    if (end == std::string_view::npos) {
      if (text.size() > max_event_bytes_) {
        return error(Errc::Invalid, "watch: event longer than the limit");
      }
      searched_ = text.size();
      return std::optional<Cut>{};
    }
    searched_ = 0;
    return std::optional<Cut>{Cut{text.substr(0, end), end + 1}};
  }
  if (text.size() < kFrameHeader) return std::optional<Cut>{};
  const std::uint32_t length = frame_length(text);
  if (length == 0 || length > max_event_bytes_) {
    return error(Errc::Invalid, "watch: frame of " + std::to_string(length) + " bytes");
  }
  if (text.size() < kFrameHeader + length) return std::optional<Cut>{};
  return std::optional<Cut>{Cut{text.substr(kFrameHeader, length), kFrameHeader + length}};
}

Outcome<void> WatchDecoder::feed(std::string_view bytes,
                                 const std::function<bool(const WatchEvent&)>& event) {
  // Usually nothing is pending and whole events lie in `bytes`: then nothing is copied.
  std::string joined;
  if (!pending_.empty()) {
    joined = std::move(pending_);
    joined.append(bytes);
    bytes = joined;
  }
  pending_.clear();
  for (;;) {
    const Outcome<std::optional<Cut>> next = cut(bytes);
    if (!next) return tl::unexpected(next.error());
    if (!*next) break;
    const Cut frame = **next;
    bytes.remove_prefix(frame.used);
    if (frame.bytes.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const Outcome<bool> go_on = one_frame(frame.bytes, event);
    if (!go_on) return tl::unexpected(go_on.error());
    if (!*go_on) return {};
  }
  if (bytes.data() == joined.data() && bytes.size() == joined.size()) {
    pending_ = std::move(joined);
  } else {
    pending_ = bytes;
  }
  return {};
}

}  // namespace quorate::kube
