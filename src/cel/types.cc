#include "src/cel/types.h"

#include <utility>

namespace quorate::cel {

namespace types {
constexpr Type simple(TypeKind kind, std::string_view name = {}) {
  Type type;
  type.kind = kind;
  type.name = name;
  return type;
}
constexpr Type composed(TypeKind kind, std::span<const Type* const> parameters,
                        std::string_view name = {}) {
  Type type = simple(kind, name);
  type.parameters = parameters;
  return type;
}
constinit const Type kError = simple(TypeKind::Error);
constinit const Type kDyn = simple(TypeKind::Dyn);
constinit const Type kAny = simple(TypeKind::Any);
constinit const Type kNull = simple(TypeKind::Null);
constinit const Type kBool = simple(TypeKind::Bool);
constinit const Type kInt = simple(TypeKind::Int);
constinit const Type kUint = simple(TypeKind::Uint);
constinit const Type kDouble = simple(TypeKind::Double);
constinit const Type kString = simple(TypeKind::String);
constinit const Type kBytes = simple(TypeKind::Bytes);
constinit const Type kDuration = simple(TypeKind::Duration);
constinit const Type kTimestamp = simple(TypeKind::Timestamp);
constinit const Type kType = simple(TypeKind::Type);
constinit const Type kQuantity = simple(TypeKind::Object, "kubernetes.Quantity");
constinit const Type kSemver = simple(TypeKind::Object, "kubernetes.Semver");
constinit const Type kUrl = simple(TypeKind::Object, "kubernetes.URL");
constinit const Type kFormat = simple(TypeKind::Object, "kubernetes.NamedFormat");
constinit const Type kIp = simple(TypeKind::Opaque, "net.IP");
constinit const Type kCidr = simple(TypeKind::Opaque, "net.CIDR");
namespace {
constinit const Type* const kDynTwice[] = {&kDyn, &kDyn};
}
constinit const Type kListOfDyn = composed(TypeKind::List, {kDynTwice, 1});
constinit const Type kMapOfDyn = composed(TypeKind::Map, {kDynTwice, 2});
constinit const Type kOptionalOfDyn = composed(TypeKind::Opaque, {kDynTwice, 1}, kOptionalName);
}  // namespace types

bool same_type(const Type& a, const Type& b) {
  if (&a == &b) return true;
  if (a.kind != b.kind || a.name != b.name || a.parameters.size() != b.parameters.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.parameters.size(); ++i) {
    if (!same_type(*a.parameters[i], *b.parameters[i])) return false;
  }
  return true;
}

std::string_view runtime_name(const Type& type) {
  switch (type.kind) {
    case TypeKind::Error:
      return "error";
    case TypeKind::Dyn:
      return "dyn";
    case TypeKind::Any:
      return "any";
    case TypeKind::Null:
      return "null_type";
    case TypeKind::Bool:
      return "bool";
    case TypeKind::Int:
      return "int";
    case TypeKind::Uint:
      return "uint";
    case TypeKind::Double:
      return "double";
    case TypeKind::String:
      return "string";
    case TypeKind::Bytes:
      return "bytes";
    case TypeKind::Duration:
      return "google.protobuf.Duration";
    case TypeKind::Timestamp:
      return "google.protobuf.Timestamp";
    case TypeKind::List:
      return "list";
    case TypeKind::Map:
      return "map";
    case TypeKind::Type:
      return "type";
    case TypeKind::Opaque:
    case TypeKind::Object:
    case TypeKind::Parameter:
      return type.name;
  }
  return {};
}

std::string format_type(const Type& type) {
  switch (type.kind) {
    case TypeKind::Error:
      return "!error!";
    case TypeKind::Null:
      return "null";
    case TypeKind::Duration:
      return "duration";
    case TypeKind::Timestamp:
      return "timestamp";
    default:
      break;
  }
  std::string text(runtime_name(type));
  if (type.parameters.empty()) return text;
  text += '(';
  for (std::size_t i = 0; i < type.parameters.size(); ++i) {
    if (i > 0) text += ", ";
    text += format_type(*type.parameters[i]);
  }
  return text + ')';
}

const Type* TypePool::make(TypeKind kind, std::string_view name,
                           std::vector<const Type*> parameters) {
  Type type;
  type.kind = kind;
  if (!name.empty()) type.name = names_.emplace_back(name);
  if (!parameters.empty()) type.parameters = parameters_.emplace_back(std::move(parameters));
  return &types_.emplace_back(type);
}

const Type* TypePool::list(const Type* element) { return make(TypeKind::List, {}, {element}); }
const Type* TypePool::map(const Type* key, const Type* value) {
  return make(TypeKind::Map, {}, {key, value});
}
const Type* TypePool::optional(const Type* value) {
  return make(TypeKind::Opaque, kOptionalName, {value});
}
const Type* TypePool::type_of(const Type* type) { return make(TypeKind::Type, {}, {type}); }
const Type* TypePool::opaque(std::string_view name, std::span<const Type* const> parameters) {
  return make(TypeKind::Opaque, name, {parameters.begin(), parameters.end()});
}
const Type* TypePool::object(std::string_view name) { return make(TypeKind::Object, name, {}); }
const Type* TypePool::parameter(std::string_view name) {
  return make(TypeKind::Parameter, name, {});
}
const Type* TypePool::with_most_elements(const Type* type, std::uint64_t most) {
  Type copy = *type;
  copy.most_elements = most;
  return &types_.emplace_back(copy);
}

}  // namespace quorate::cel
