#include "src/kube/testing/wire_text.h"

#include "src/kube/annotations.h"
#include "src/kube/json_scan.h"

namespace quorate::kube {
namespace {

std::string varint(std::uint64_t value) {
  std::string out;
  while (value >= 0x80) {
    out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  return out += static_cast<char>(value);
}

}  // namespace

std::string object_json(const ObjectKey& key, std::string_view uid, std::string_view version,
                        std::string_view body) {
  std::string out = "{\"metadata\":{\"name\":" + json_string(key.name);
  if (!key.ns.empty()) out += ",\"namespace\":" + json_string(key.ns);
  if (!uid.empty()) out += ",\"uid\":" + json_string(uid);
  out += ",\"resourceVersion\":" + json_string(version) + "}";
  if (!body.empty()) out.append(",").append(body);
  return out + "}";
}

std::string status_json(int code, std::string_view reason, std::string_view message) {
  return R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":)" +
         json_string(message) + ",\"reason\":" + json_string(reason) +
         ",\"code\":" + std::to_string(code) + "}";
}

std::string pb_bytes(int field, std::string_view value) {
  return varint(static_cast<std::uint64_t>(field) << 3 | 2) + varint(value.size()) +
         std::string(value);
}

std::string pb_number(int field, std::uint64_t value) {
  return varint(static_cast<std::uint64_t>(field) << 3) + varint(value);
}

std::string pb_envelope(std::string_view kind, std::string_view message) {
  return std::string("k8s\0", 4) + pb_bytes(1, pb_bytes(1, "v1") + pb_bytes(2, kind)) +
         pb_bytes(2, message) + pb_bytes(3, "") + pb_bytes(4, "");
}

std::string pb_object(const ObjectKey& key, std::string_view uid, std::string_view version,
                      bool initial_events_end) {
  std::string meta = pb_bytes(1, key.name) + pb_bytes(3, key.ns) + pb_bytes(5, uid) +
                     pb_bytes(6, version) + pb_number(7, 1);
  if (initial_events_end) {
    meta += pb_bytes(12, pb_bytes(1, kInitialEventsEnd) + pb_bytes(2, "true"));
  }
  return pb_bytes(1, meta);
}

std::string pb_status(int code, std::string_view reason, std::string_view message) {
  return pb_bytes(2, "Failure") + pb_bytes(3, message) + pb_bytes(4, reason) +
         pb_number(6, static_cast<std::uint64_t>(code));
}

std::string pb_event(std::string_view type, std::string_view kind, std::string_view message) {
  const std::string event =
      pb_bytes(1, type) + pb_bytes(2, pb_bytes(1, pb_envelope(kind, message)));
  std::string out;
  for (const int shift : {24, 16, 8, 0}) out += static_cast<char>(event.size() >> shift & 0xff);
  return out + event;
}

}  // namespace quorate::kube
