#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "src/cel/arena.h"

namespace quorate::cel {

enum class Kind : std::uint8_t {
  Null,
  Bool,
  Int,
  Uint,
  Double,
  String,
  Bytes,
  Duration,
  Timestamp,
  List,
  Map,
  Type,
  Optional,
  Quantity,
  Semver,
  Ip,
  Cidr,
  Url,
  Format,
  Error,
};

class List;
class Map;
struct Quantity;
class Type;
struct Semver;
struct Ip;
struct Cidr;
struct Url;
struct Format;

// One value of the language: 16 bytes that are copied freely. Whatever does not fit in them lives
// in an Arena (or in a program's constants, or in the host's input) and is only pointed to, so a
// value is valid as long as what it was computed from.
//
// An error is a value too: it travels until `&&`, `||`, `?:` or a comprehension absorbs it.
class Value {
 public:
  constexpr Value() = default;

  static constexpr Value null() { return {}; }
  static constexpr Value boolean(bool b) {
    Value v(Kind::Bool);
    v.as_.boolean = b;
    return v;
  }
  static constexpr Value integer(std::int64_t i) {
    Value v(Kind::Int);
    v.as_.integer = i;
    return v;
  }
  static constexpr Value unsigned_integer(std::uint64_t u) {
    Value v(Kind::Uint);
    v.as_.uinteger = u;
    return v;
  }
  static constexpr Value number(double d) {
    Value v(Kind::Double);
    v.as_.number = d;
    return v;
  }
  // The text is not copied; it is UTF-8 and shorter than 4 GiB.
  static constexpr Value string(std::string_view text) { return Value(Kind::String, text); }
  static constexpr Value bytes(std::string_view text) { return Value(Kind::Bytes, text); }
  static constexpr Value error(std::string_view message) { return Value(Kind::Error, message); }
  static constexpr Value duration(std::int64_t nanos) {
    Value v(Kind::Duration);
    v.as_.integer = nanos;
    return v;
  }
  // Seconds since 1970-01-01T00:00:00Z, and 0..999999999 nanoseconds after that.
  static constexpr Value timestamp(std::int64_t seconds, std::uint32_t nanos) {
    Value v(Kind::Timestamp);
    v.as_.integer = seconds;
    v.extra_ = nanos;
    return v;
  }
  static constexpr Value list(const List* l) { return pointer(Kind::List, l); }
  static constexpr Value map(const Map* m) { return pointer(Kind::Map, m); }
  static constexpr Value type(const Type* t) { return pointer(Kind::Type, t); }
  // nullptr: none.
  static constexpr Value optional(const Value* inner) { return pointer(Kind::Optional, inner); }
  static constexpr Value quantity(const Quantity* q) { return pointer(Kind::Quantity, q); }
  static constexpr Value semver(const Semver* s) { return pointer(Kind::Semver, s); }
  static constexpr Value ip(const Ip* i) { return pointer(Kind::Ip, i); }
  static constexpr Value cidr(const Cidr* c) { return pointer(Kind::Cidr, c); }
  static constexpr Value url(const Url* u) { return pointer(Kind::Url, u); }
  static constexpr Value format(const Format* f) { return pointer(Kind::Format, f); }

  constexpr Kind kind() const { return kind_; }
  constexpr bool is_error() const { return kind_ == Kind::Error; }
  constexpr bool is(Kind kind) const { return kind_ == kind; }
  constexpr bool is_true() const { return kind_ == Kind::Bool && as_.boolean; }
  constexpr bool is_false() const { return kind_ == Kind::Bool && !as_.boolean; }

  // Each is for the kind that it names.
  constexpr bool as_bool() const { return as_.boolean; }
  constexpr std::int64_t as_int() const { return as_.integer; }
  constexpr std::uint64_t as_uint() const { return as_.uinteger; }
  constexpr double as_double() const { return as_.number; }
  constexpr std::string_view text() const { return {as_.text, extra_}; }  // String, Bytes, Error
  constexpr std::int64_t nanos() const { return as_.integer; }            // Duration
  constexpr std::int64_t seconds() const { return as_.integer; }          // Timestamp
  constexpr std::uint32_t subsecond_nanos() const { return extra_; }      // Timestamp
  const List& as_list() const { return *static_cast<const List*>(as_.pointer); }
  const Map& as_map() const { return *static_cast<const Map*>(as_.pointer); }
  const Type* as_type() const { return static_cast<const Type*>(as_.pointer); }
  const Value* as_optional() const { return static_cast<const Value*>(as_.pointer); }
  const Quantity& as_quantity() const { return *static_cast<const Quantity*>(as_.pointer); }
  const Semver& as_semver() const { return *static_cast<const Semver*>(as_.pointer); }
  const Ip& as_ip() const { return *static_cast<const Ip*>(as_.pointer); }
  const Cidr& as_cidr() const { return *static_cast<const Cidr*>(as_.pointer); }
  const Url& as_url() const { return *static_cast<const Url*>(as_.pointer); }
  const Format& as_format() const { return *static_cast<const Format*>(as_.pointer); }

 private:
  constexpr explicit Value(Kind kind) : kind_(kind) {}
  constexpr Value(Kind kind, std::string_view text)
      : kind_(kind), extra_(static_cast<std::uint32_t>(text.size())) {
    as_.text = text.data();
  }
  static constexpr Value pointer(Kind kind, const void* p) {
    Value v(kind);
    v.as_.pointer = p;
    return v;
  }

  Kind kind_ = Kind::Null;
  std::uint32_t extra_ = 0;
  union {
    std::int64_t integer = 0;
    std::uint64_t uinteger;
    double number;
    bool boolean;
    const char* text;
    const void* pointer;
  } as_;
};

// A list or a map as the language sees it. Hosts implement them, or build ArrayList and ArrayMap.
class List {
 public:
  virtual std::size_t size() const = 0;
  virtual Value at(std::size_t index) const = 0;  // index < size()

 protected:
  ~List() = default;
};

class Map {
 public:
  virtual std::size_t size() const = 0;
  // The value under `key`, or nullptr. Numbers match across their types: 1, 1u and 1.0 are one key.
  virtual const Value* find(const Value& key) const = 0;
  // Whether `key in map`; differs from find() where a map answers for keys that it does not have.
  virtual bool contains(const Value& key) const { return find(key) != nullptr; }
  virtual std::pair<Value, Value> entry(std::size_t index) const = 0;  // index < size()

 protected:
  ~Map() = default;
};

// Equality of the language: numbers compare across int, uint and double; values of other different
// kinds are unequal; NaN equals nothing.
bool equal(const Value& a, const Value& b);

// Three-way order of two numbers of any numeric kinds; `unordered` when one is NaN.
enum class Ordering : std::uint8_t { Less, Equal, Greater, Unordered };
Ordering compare_numbers(const Value& a, const Value& b);

// Order of two values of kinds that have one (bool, numbers, string, bytes, timestamp, duration).
// Errors: nullopt-like `comparable == false` when the kinds do not compare.
struct Comparison {
  bool comparable = false;
  Ordering order = Ordering::Unordered;
};
Comparison compare(const Value& a, const Value& b);

constexpr bool is_number(Kind kind) {
  return kind == Kind::Int || kind == Kind::Uint || kind == Kind::Double;
}

// Equal values have equal hashes; the same on every machine.
std::uint64_t hash(const Value& value);

// The name of the value's runtime type: "int", "list", "kubernetes.Quantity".
std::string_view type_name(const Value& value);
const Type* type_of(const Value& value);

// The number of characters, bytes, elements or entries; 1 for what has no size. This is the size
// that costs are counted in.
std::uint64_t size_of(const Value& value);
std::size_t count_characters(std::string_view utf8);

// A readable form, for error texts, tests and tools: [1, "a"], {"k": 1u}, duration("1s").
std::string to_string(const Value& value);

}  // namespace quorate::cel
