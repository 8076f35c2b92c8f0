#pragma once

#include <protozero/pbf_reader.hpp>

#include <cstdint>
#include <string>
#include <string_view>

// How the pb_*.cc files spell protobuf fields: a field number together with the wire type it must
// have, so that a field of another type is skipped like an unknown one (the library's getters
// assert the type).
namespace quorate::objects::pb {

using protozero::pbf_reader;

constexpr std::uint32_t bytes(std::uint32_t field) {
  return protozero::tag_and_type(field, protozero::pbf_wire_type::length_delimited);
}
constexpr std::uint32_t varint(std::uint32_t field) {
  return protozero::tag_and_type(field, protozero::pbf_wire_type::varint);
}

inline pbf_reader reader(std::string_view message) {
  return pbf_reader(message.data(), message.size());
}
inline std::string_view view(pbf_reader& from) {
  const protozero::data_view found = from.get_view();
  return {found.data(), found.size()};
}
inline std::string text(pbf_reader& from) { return std::string(view(from)); }
inline bool boolean(pbf_reader& from) { return from.get_uint64() != 0; }
// Negative int32 values come as ten bytes; what does not fit is cut as protobuf cuts it.
inline std::int32_t int32(pbf_reader& from) { return static_cast<std::int32_t>(from.get_int64()); }

}  // namespace quorate::objects::pb
