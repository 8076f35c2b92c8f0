#include <re2/re2.h>

#include <memory>

#include "src/cel/collections.h"
#include "src/cel/libraries.h"
#include "src/cel/node.h"

// Regular expressions of RE2's syntax, in time linear in the text (standard `matches`; Kubernetes'
// find and findAll).
namespace quorate::cel {
namespace {

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

RE2::Options options() {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(8 << 20);
  return options;
}

class Pattern final : public Prepared {
 public:
  explicit Pattern(std::string_view text) : regex(piece(text), options()) {}
  RE2 regex;
};

// What is wrong with a pattern, in the words of Go's regexp.
std::string fault_of(const RE2& regex) {
  std::string_view what = "internal error";
  switch (regex.error_code()) {
    case RE2::ErrorBadEscape:
      what = "invalid escape sequence";
      break;
    case RE2::ErrorBadCharClass:
      what = "invalid character class";
      break;
    case RE2::ErrorBadCharRange:
      what = "invalid character class range";
      break;
    case RE2::ErrorMissingBracket:
      what = "missing closing ]";
      break;
    case RE2::ErrorMissingParen:
      what = "missing closing )";
      break;
    case RE2::ErrorUnexpectedParen:
      what = "unexpected )";
      break;
    case RE2::ErrorTrailingBackslash:
      what = "trailing backslash at end of expression";
      break;
    case RE2::ErrorRepeatArgument:
      what = "missing argument to repetition operator";
      break;
    case RE2::ErrorRepeatSize:
      what = "invalid repeat count";
      break;
    case RE2::ErrorRepeatOp:
      what = "invalid nested repetition operator";
      break;
    case RE2::ErrorBadPerlOp:
      what = "invalid or unsupported Perl syntax";
      break;
    case RE2::ErrorBadUTF8:
      what = "invalid UTF-8";
      break;
    case RE2::ErrorBadNamedCapture:
      what = "invalid named capture";
      break;
    case RE2::ErrorPatternTooLarge:
      what = "expression too large";
      break;
    case RE2::NoError:
    case RE2::ErrorInternal:
      break;
  }
  return "error parsing regexp: " + std::string(what) + ": `" + regex.error_arg() + "`";
}

// The pattern of a call: prepared when it was a literal.
class Regex {
 public:
  Regex(const Call& call, std::size_t argument) {
    if (call.prepared != nullptr) {
      regex_ = &static_cast<const Pattern*>(call.prepared)->regex;
    } else {
      own_ = std::make_unique<Pattern>(call[argument].text());
      regex_ = &own_->regex;
    }
  }
  const RE2& operator*() const { return *regex_; }
  const RE2* operator->() const { return regex_; }

 private:
  std::unique_ptr<Pattern> own_;
  const RE2* regex_;
};

Value matches(const Call& call) {
  const Regex regex(call, 1);
  if (!regex->ok()) return call.fail(fault_of(*regex));
  return Value::boolean(RE2::PartialMatch(piece(call[0].text()), *regex));
}

Value find(const Call& call) {
  const Regex regex(call, 1);
  if (!regex->ok()) return call.fail("Illegal regex: " + fault_of(*regex));
  const std::string_view text = call[0].text();
  re2::StringPiece found;
  if (!regex->Match(piece(text), 0, text.size(), RE2::UNANCHORED, &found, 1)) {
    return Value::string({});
  }
  return Value::string({found.data(), found.size()});
}

// Successive matches that do not overlap; an empty one directly behind another does not count.
Value find_all(const Call& call) {
  const Regex regex(call, 1);
  if (!regex->ok()) return call.fail("Illegal regex: " + fault_of(*regex));
  const std::string_view text = call[0].text();
  std::int64_t left = call.args.size() > 2 ? call[2].as_int() : -1;
  GrowingList* found = call.arena.make<GrowingList>(call.arena);
  std::size_t at = 0;
  std::size_t last_end = std::string_view::npos;
  re2::StringPiece match;
  while (left != 0 && at <= text.size() &&
         regex->Match(piece(text), at, text.size(), RE2::UNANCHORED, &match, 1)) {
    const std::size_t start = static_cast<std::size_t>(match.data() - text.data());
    const std::size_t end = start + match.size();
    if (!(match.empty() && start == last_end)) {
      found->push_back(Value::string({match.data(), match.size()}));
      --left;
    }
    last_end = end;
    if (match.empty()) {
      // On to the next character.
      at = end + 1;
      while (at < text.size() && (text[at] & 0xC0) == 0x80) ++at;
    } else {
      at = end;
    }
  }
  return Value::list(found);
}

}  // namespace

std::unique_ptr<Prepared> prepare_pattern(std::string_view pattern, std::string& fault) {
  auto prepared = std::make_unique<Pattern>(pattern);
  if (prepared->regex.ok()) return prepared;
  fault = fault_of(prepared->regex);
  return nullptr;
}

int pattern_argument(const Overload& overload) {
  const bool takes_one = overload.cost == CostRule::Matches || overload.cost == CostRule::Find;
  return takes_one ? 1 : -1;
}

std::span<const Declaration> regex_library() {
  static constexpr Declaration kLibrary[] = {
      {"matches", "matches", "(string, string) bool", matches, CostRule::Matches},
      {"matches", "matches_string", "string.(string) bool", matches, CostRule::Matches},
      {"find", "string_find_string", "string.(string) string", find, CostRule::Find},
      {"findAll", "string_find_all_string", "string.(string) list(string)", find_all,
       CostRule::Find},
      {"findAll", "string_find_all_string_int", "string.(string, int) list(string)", find_all,
       CostRule::Find},
  };
  return kLibrary;
}

}  // namespace quorate::cel
