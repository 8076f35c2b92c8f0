#include "src/kube/protobuf_envelope.h"

#include <protozero/pbf_reader.hpp>

#include "src/kube/annotations.h"

namespace quorate::kube {
namespace {

using protozero::pbf_reader;

std::string_view view(const protozero::data_view& data) { return {data.data(), data.size()}; }
pbf_reader reader(std::string_view message) { return pbf_reader(message.data(), message.size()); }

// The next length-delimited field; others are skipped. A field of an unexpected wire type is
// treated like an unknown one, because the library's getters assert.
bool next_bytes(pbf_reader& fields) {
  while (fields.next()) {
    if (fields.has_wire_type(protozero::pbf_wire_type::length_delimited)) return true;
    fields.skip();
  }
  return false;
}

// Runs a reader whose exceptions mean broken bytes.
template <class F>
auto guarded(std::string_view what, F read) -> decltype(read()) {
  try {
    return read();
  } catch (const protozero::exception& e) {
    return error(Errc::Invalid, std::string(what) + ": broken protobuf: " + e.what());
  }
}

bool is_initial_events_end(pbf_reader entry) {
  std::string_view key;
  std::string_view value;
  while (next_bytes(entry)) {
    if (entry.tag() == 1) {
      key = view(entry.get_view());
    } else if (entry.tag() == 2) {
      value = view(entry.get_view());
    } else {
      entry.skip();
    }
  }
  return key == kInitialEventsEnd && value == "true";
}

ProtobufMeta object_meta(pbf_reader fields) {
  ProtobufMeta out;
  while (next_bytes(fields)) {
    switch (fields.tag()) {
      case 1:
        out.meta.key.name = fields.get_string();
        break;
      case 3:
        out.meta.key.ns = fields.get_string();
        break;
      case 5:
        out.meta.uid = fields.get_string();
        break;
      case 6:
        out.meta.resource_version = fields.get_string();
        break;
      case 12:
        out.initial_events_end |= is_initial_events_end(fields.get_message());
        break;
      default:
        fields.skip();
    }
  }
  return out;
}

ListMeta list_meta(pbf_reader fields) {
  ListMeta out;
  while (next_bytes(fields)) {
    switch (fields.tag()) {
      case 2:
        out.resource_version = fields.get_string();
        break;
      case 3:
        out.continue_token = fields.get_string();
        break;
      default:
        fields.skip();
    }
  }
  return out;
}

int retry_after(pbf_reader details) {
  return details.next(5, protozero::pbf_wire_type::varint) ? details.get_int32() : 0;
}

}  // namespace

Outcome<Enveloped> open_envelope(std::string_view bytes) {
  if (!bytes.starts_with(std::string_view("k8s\0", 4))) {
    return error(Errc::Invalid, "not a Kubernetes protobuf body");
  }
  return guarded("envelope", [&]() -> Outcome<Enveloped> {
    Enveloped out;
    out.object.format = Format::Protobuf;
    pbf_reader fields = reader(bytes.substr(4));
    while (next_bytes(fields)) {
      switch (fields.tag()) {
        case 1: {
          pbf_reader type = fields.get_message();
          while (next_bytes(type)) {
            if (type.tag() == 1) {
              out.api_version = view(type.get_view());
            } else if (type.tag() == 2) {
              out.kind = view(type.get_view());
            } else {
              type.skip();
            }
          }
          break;
        }
        case 2:
          out.object.bytes = view(fields.get_view());
          break;
        case 3:
          if (const std::string encoding = fields.get_string(); !encoding.empty()) {
            return error(Errc::Invalid, "envelope: content encoding '" + encoding + "'");
          }
          break;
        case 4:
          if (view(fields.get_view()) == "application/json") out.object.format = Format::Json;
          break;
        default:
          fields.skip();
      }
    }
    return out;
  });
}

Outcome<ProtobufMeta> read_protobuf_meta(std::string_view message) {
  return guarded("metadata", [&]() -> Outcome<ProtobufMeta> {
    pbf_reader fields = reader(message);
    if (fields.next(1, protozero::pbf_wire_type::length_delimited))
      return object_meta(fields.get_message());
    return error(Errc::Invalid, "object without metadata");
  });
}

Outcome<ListMeta> read_protobuf_list(std::string_view message,
                                     const std::function<void(const RawObject& item)>& item) {
  return guarded("list", [&]() -> Outcome<ListMeta> {
    ListMeta out;
    pbf_reader fields = reader(message);
    while (next_bytes(fields)) {
      if (fields.tag() == 1) {
        out = list_meta(fields.get_message());
      } else if (fields.tag() == 2) {
        item(RawObject{Format::Protobuf, view(fields.get_view())});
      } else {
        fields.skip();
      }
    }
    return out;
  });
}

Outcome<Status> read_protobuf_status(std::string_view message) {
  return guarded("status", [&]() -> Outcome<Status> {
    Status out;
    pbf_reader fields = reader(message);
    while (next_bytes(fields)) {
      switch (fields.tag()) {
        case 3:
          out.message = fields.get_string();
          break;
        case 4:
          out.reason = fields.get_string();
          break;
        case 5:
          out.retry_after_seconds = retry_after(fields.get_message());
          break;
        default:
          fields.skip();
      }
    }
    pbf_reader again = reader(message);
    if (again.next(6, protozero::pbf_wire_type::varint)) out.code = again.get_int32();
    return out;
  });
}

Outcome<ProtobufWatchEvent> read_protobuf_watch_event(std::string_view message) {
  return guarded("watch event", [&]() -> Outcome<ProtobufWatchEvent> {
    ProtobufWatchEvent out;
    pbf_reader fields = reader(message);
    while (next_bytes(fields)) {
      if (fields.tag() == 1) {
        out.type = view(fields.get_view());
      } else if (fields.tag() == 2) {
        pbf_reader extension = fields.get_message();
        if (extension.next(1, protozero::pbf_wire_type::length_delimited))
          out.object = view(extension.get_view());
      } else {
        fields.skip();
      }
    }
    return out;
  });
}

}  // namespace quorate::kube
