#include "src/cel/ast.h"
#include "src/cel/collections.h"
#include "src/cel/libraries.h"

// Sizes, and how macros build maps.
namespace quorate::cel {
namespace {

Value size(const Call& call) {
  switch (call[0].kind()) {
    case Kind::String:
    case Kind::Bytes:
    case Kind::List:
    case Kind::Map:
      return Value::integer(static_cast<std::int64_t>(size_of(call[0])));
    default:
      return no_such_overload(call);
  }
}

// A comprehension's accumulator is added to by a node of its own (Evaluation::insert).
Value map_insert(const Call& call) { return no_such_overload(call); }

}  // namespace

std::span<const Declaration> collection_library() {
  static constexpr Declaration kLibrary[] = {
      {"size", "size_bytes", "(bytes) int", size},
      {"size", "bytes_size", "bytes.() int", size},
      {"size", "size_list", "(list(A)) int", size},
      {"size", "list_size", "list(A).() int", size},
      {"size", "size_map", "(map(A, B)) int", size},
      {"size", "map_size", "map(A, B).() int", size},
      {"size", "size_string", "(string) int", size},
      {"size", "string_size", "string.() int", size},
      {op::kMapInsert, "cel_@mapInsert_map_key_value", "(map(K, V), K, V) map(K, V)", map_insert},
      {op::kMapInsert, "cel_@mapInsert_map_map", "(map(K, V), map(K, V)) map(K, V)", map_insert},
  };
  return kLibrary;
}

}  // namespace quorate::cel
