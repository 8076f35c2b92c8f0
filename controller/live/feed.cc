#include "controller/live/feed.h"

namespace quorate::controller {
namespace {

void append_field(std::string& out, int number, std::string_view bytes) {
  out += static_cast<char>(number << 3 | 2);  // length-delimited
  std::size_t size = bytes.size();
  for (; size >= 0x80; size >>= 7) out += static_cast<char>((size & 0x7f) | 0x80);
  out += static_cast<char>(size);
  out += bytes;
}

}  // namespace

std::string in_envelope(const objects::KindInfo& kind, std::string_view message) {
  std::string type;  // TypeMeta
  append_field(type, 1, kind.api_version());
  append_field(type, 2, kind.kind);
  std::string body("k8s\0", 4);
  body.reserve(message.size() + type.size() + 16);
  append_field(body, 1, type);  // runtime.Unknown
  append_field(body, 2, message);
  return body;
}

}  // namespace quorate::controller
