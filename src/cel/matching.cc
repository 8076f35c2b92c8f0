#include "src/cel/matching.h"

#include <cmath>

namespace quorate::cel {
namespace {

bool matches_list(const Type& type, const List& list) {
  return list.size() == 0 || matches(*type.parameters[0], list.at(0));
}

bool matches_map(const Type& type, const Map& map) {
  if (map.size() == 0) return true;
  const auto [key, value] = map.entry(0);
  return matches(*type.parameters[0], key) && matches(*type.parameters[1], value);
}

bool is_library_value(Kind kind) {
  switch (kind) {
    case Kind::Quantity:
    case Kind::Semver:
    case Kind::Ip:
    case Kind::Cidr:
    case Kind::Url:
    case Kind::Format:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool matches(const Type& type, const Value& value) {
  switch (type.kind) {
    case TypeKind::Dyn:
    case TypeKind::Any:
    case TypeKind::Error:
    case TypeKind::Parameter:
      return true;
    case TypeKind::Null:
      return value.is(Kind::Null);
    case TypeKind::Bool:
      return value.is(Kind::Bool);
    case TypeKind::Int:
      return value.is(Kind::Int);
    case TypeKind::Uint:
      return value.is(Kind::Uint);
    case TypeKind::Double:
      return value.is(Kind::Double);
    case TypeKind::String:
      return value.is(Kind::String);
    case TypeKind::Bytes:
      return value.is(Kind::Bytes);
    case TypeKind::Duration:
      return value.is(Kind::Duration);
    case TypeKind::Timestamp:
      return value.is(Kind::Timestamp);
    case TypeKind::Type:
      return value.is(Kind::Type);
    case TypeKind::List:
      return value.is(Kind::List) && matches_list(type, value.as_list());
    case TypeKind::Map:
      return value.is(Kind::Map) && matches_map(type, value.as_map());
    case TypeKind::Opaque:
    case TypeKind::Object:
      return type.name == type_name(value);
  }
  return false;
}

const Overload* first_match(std::span<const Overload* const> overloads,
                            std::span<const Value> args) {
  for (const Overload* overload : overloads) {
    bool all = true;
    for (std::size_t i = 0; all && i < args.size(); ++i) all = matches(*overload->args[i], args[i]);
    if (all) return overload;
  }
  return nullptr;
}

bool contains(const List& list, const Value& value) {
  const std::size_t size = list.size();
  for (std::size_t i = 0; i < size; ++i) {
    if (equal(list.at(i), value)) return true;
  }
  return false;
}

bool refuses_equality(const Value& left, const Value& right) {
  return left.kind() != right.kind() && is_library_value(left.kind()) && !right.is(Kind::Null);
}

bool is_key(const Value& value) {
  switch (value.kind()) {
    case Kind::Bool:
    case Kind::Int:
    case Kind::Uint:
    case Kind::Double:
    case Kind::String:
      return true;
    default:
      return false;
  }
}

std::string_view go_type(Kind kind) {
  switch (kind) {
    case Kind::Null:
      return "types.Null";
    case Kind::Bool:
      return "types.Bool";
    case Kind::Int:
      return "types.Int";
    case Kind::Uint:
      return "types.Uint";
    case Kind::Double:
      return "types.Double";
    case Kind::String:
      return "types.String";
    case Kind::Bytes:
      return "types.Bytes";
    case Kind::Duration:
      return "types.Duration";
    case Kind::Timestamp:
      return "types.Timestamp";
    case Kind::Type:
      return "*types.Type";
    case Kind::Optional:
      return "*types.Optional";
    case Kind::Quantity:
      return "cel.Quantity";
    case Kind::Semver:
      return "cel.Semver";
    case Kind::Ip:
      return "cel.IP";
    case Kind::Cidr:
      return "cel.CIDR";
    case Kind::Url:
      return "cel.URL";
    case Kind::Format:
      return "cel.Format";
    case Kind::List:
    case Kind::Map:
    case Kind::Error:
      break;
  }
  return "value";
}

bool whole_int(double number, std::int64_t& out) {
  if (!(number >= -9223372036854775808.0 && number < 9223372036854775808.0)) return false;
  if (number != std::trunc(number)) return false;
  out = static_cast<std::int64_t>(number);
  return true;
}

}  // namespace quorate::cel
