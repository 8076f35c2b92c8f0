#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quorate::cel {

enum class TypeKind : std::uint8_t {
  Error,  // stands where checking failed; assignable to everything so that one fault is told once
  Dyn,
  Any,  // dyn under its protobuf name
  Null,
  Bool,
  Int,
  Uint,
  Double,
  String,
  Bytes,
  Duration,
  Timestamp,
  List,    // of parameters[0]
  Map,     // from parameters[0] to parameters[1]
  Type,    // the type of a type
  Opaque,  // named, with parameters: optional_type(V), net.IP
  Object,  // named: has fields, or is a type of a library, such as kubernetes.Quantity
  Parameter,
};

// A static type. Types of an environment live as long as it does, those made while checking as long
// as the check; equality is by content.
class Type {
 public:
  TypeKind kind = TypeKind::Dyn;
  std::string_view name;  // of Opaque, Object and Parameter
  std::span<const Type* const> parameters;

  // The most elements (characters, entries) that a value of this type has, for the static cost
  // estimate; 0: not declared. Does not take part in equality.
  std::uint64_t most_elements = 0;
};

bool same_type(const Type& a, const Type& b);

// As cel-go prints it: "list(dyn)", "map(string, int)", "optional_type(int)", "type(int)".
std::string format_type(const Type& type);
// The name of the runtime type: "list" for list(int).
std::string_view runtime_name(const Type& type);

namespace types {
extern const Type kError, kDyn, kAny, kNull, kBool, kInt, kUint, kDouble, kString, kBytes,
    kDuration, kTimestamp, kListOfDyn, kMapOfDyn, kType, kQuantity, kSemver, kIp, kCidr, kUrl,
    kFormat, kOptionalOfDyn;
}  // namespace types

// Owns types that are made from others.
class TypePool {
 public:
  const Type* list(const Type* element);
  const Type* map(const Type* key, const Type* value);
  const Type* optional(const Type* value);
  const Type* type_of(const Type* type);
  const Type* opaque(std::string_view name, std::span<const Type* const> parameters);
  const Type* object(std::string_view name);
  const Type* parameter(std::string_view name);
  const Type* with_most_elements(const Type* type, std::uint64_t most);

 private:
  const Type* make(TypeKind kind, std::string_view name, std::vector<const Type*> parameters);

  std::deque<Type> types_;
  std::deque<std::vector<const Type*>> parameters_;
  std::deque<std::string> names_;
};

inline bool is_dyn(const Type& t) { return t.kind == TypeKind::Dyn || t.kind == TypeKind::Any; }
inline bool is_error(const Type& t) { return t.kind == TypeKind::Error; }
inline constexpr std::string_view kOptionalName = "optional_type";
inline bool is_optional(const Type& t) {
  return t.kind == TypeKind::Opaque && t.name == kOptionalName;
}

}  // namespace quorate::cel
