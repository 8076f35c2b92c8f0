#include "src/cel/libraries.h"

// The string functions of the standard.
namespace quorate::cel {
namespace {

Value contains_text(const Call& call) {
  return Value::boolean(call[0].text().find(call[1].text()) != std::string_view::npos);
}
Value starts_with(const Call& call) {
  return Value::boolean(call[0].text().starts_with(call[1].text()));
}
Value ends_with(const Call& call) {
  return Value::boolean(call[0].text().ends_with(call[1].text()));
}

}  // namespace

std::span<const Declaration> text_library() {
  static constexpr Declaration kLibrary[] = {
      {"contains", "contains_string", "string.(string) bool", contains_text, CostRule::Contains},
      {"endsWith", "ends_with_string", "string.(string) bool", ends_with, CostRule::Affix},
      {"startsWith", "starts_with_string", "string.(string) bool", starts_with, CostRule::Affix},
  };
  return kLibrary;
}

}  // namespace quorate::cel
