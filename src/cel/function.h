#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "src/cel/arena.h"
#include "src/cel/types.h"
#include "src/cel/value.h"

namespace quorate::cel {

// What a call costs; the sizes are those of its arguments, s0 the receiver's where there is one.
// See cost.h for the formulas.
enum class CostRule : std::uint8_t {
  One,
  Free,     // only its parts cost
  Logical,  // && and ||: its parts, of which the second may be skipped
  Choice,   // ?: the condition and one branch
  Dyn,      // dyn(x) keeps what is known of x
  Index,
  Equality,
  Order,   // <, <=, … of strings and bytes
  Concat,  // of strings and bytes
  ConcatLists,
  Affix,  // startsWith, endsWith
  ToBytes,
  ToText,  // bytes to string
  Quote,
  FormatText,
  InList,
  Matches,
  Contains,
  // Those below hold by the name of the function, also when it is not known which overload it is.
  ListTraversal,
  Includes,
  Transform,  // a string of the same size or less
  Url,
  Parse,
  Replace,
  Split,
  Join,
  Find,
  IsCanonical,
  CidrIp,
  ContainsIp,
  ContainsIpText,
  ContainsCidr,
  ContainsCidrText,
  Validate,
  Accessor,  // 1, by the name
  // Again by overload.
  SetsOnce,
  SetsTwice,
  ListSlice,
  ListRange,
  ListReverse,
  ListFlatten,
  ListDistinct,
  ListSort,
  ListSortBy,
};

// Something made once from a literal argument, such as a compiled pattern.
class Prepared {
 public:
  virtual ~Prepared() = default;
};

struct Call {
  Arena& arena;
  std::span<const Value> args;  // none is an error
  const Prepared* prepared = nullptr;
  std::string_view function = {};

  const Value& operator[](std::size_t i) const { return args[i]; }
  Value fail(std::string_view message) const;
};
using Implementation = Value (*)(const Call&);

// One line of a library: "contains", "contains_string", "string.(string) bool".
//
// A signature is "[receiver.](argument, …) result". Types are those of the language by name,
// list(T), map(K, V), optional(T), type(T), the library types quantity, semver, ip, cidr, url and
// format, and single capital letters for what may be any type but is the same throughout.
struct Declaration {
  std::string_view function;
  std::string_view id;
  std::string_view signature;
  Implementation implementation;
  CostRule cost = CostRule::One;
};

struct Overload {
  std::string_view function;
  std::string_view id;
  bool is_member = false;
  std::vector<const Type*> args;  // the receiver first
  const Type* result = nullptr;
  bool is_generic = false;  // has type parameters
  Implementation implementation = nullptr;
  CostRule cost = CostRule::One;
};

// "no such overload"; with the function's name when its first argument has no such operation at
// all; or with the types it was called with.
Value no_such_overload(const Call& call);
Value no_such_operation(const Call& call);
Value no_such_overload(Arena& arena, std::string_view function, std::span<const Value> args);

}  // namespace quorate::cel
