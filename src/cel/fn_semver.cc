#include <charconv>

#include "src/cel/collections.h"
#include "src/cel/domain.h"
#include "src/cel/libraries.h"
#include "src/cel/numbers.h"

// kubernetes.Semver: versions by https://semver.org 2.0.0.
namespace quorate::cel {
namespace {

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// A number without leading zeros.
Outcome<std::uint64_t> version_number(std::string_view text, std::string_view which) {
  if (text.empty()) {
    return error(Errc::Invalid, "strconv.ParseUint: parsing \"\": invalid syntax");
  }
  if (!all_digits(text)) {
    return error(Errc::Invalid,
                 "Invalid character(s) found in " + std::string(which) + " number " + quote(text));
  }
  if (text.size() > 1 && text[0] == '0') {
    return error(Errc::Invalid, which == "major" || which == "minor" || which == "patch"
                                    ? std::string(1, static_cast<char>(which[0] - 32)) +
                                          std::string(which.substr(1)) +
                                          " number must not contain leading zeroes " + quote(text)
                                    : "leading zeroes " + quote(text));
  }
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc()) {
    return error(Errc::Invalid,
                 "strconv.ParseUint: parsing " + quote(text) + ": value out of range");
  }
  return number;
}

// Whether the parts between dots are identifiers. Errors: Invalid - what is wrong with the first
// that is none.
Outcome<void> check_identifiers(std::string_view text, bool prerelease) {
  for (;;) {
    const std::size_t dot = text.find('.');
    const std::string_view part = text.substr(0, dot);
    constexpr std::string_view kAllowed =
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-";
    const std::string_view what = prerelease ? "prerelease" : "build meta data";
    if (part.empty()) {
      return error(Errc::Invalid, prerelease ? "Prerelease is empty" : "Build meta data is empty");
    }
    if (prerelease && all_digits(part) && part.size() > 1 && part[0] == '0') {
      return error(Errc::Invalid,
                   "Numeric PreRelease version must not contain leading zeroes " + quote(part));
    }
    if (part.find_first_not_of(kAllowed) != std::string_view::npos) {
      return error(Errc::Invalid,
                   "Invalid character(s) found in " + std::string(what) + ' ' + quote(part));
    }
    if (dot == std::string_view::npos) return {};
    text.remove_prefix(dot + 1);
  }
}

Outcome<Semver> parse_strict(std::string_view text) {
  if (text.empty()) return error(Errc::Invalid, "Version string empty");
  const std::size_t first = text.find('.');
  const std::size_t second = first == std::string_view::npos ? first : text.find('.', first + 1);
  if (second == std::string_view::npos) {
    return error(Errc::Invalid, "No Major.Minor.Patch elements found");
  }
  Semver version;
  std::string_view rest = text.substr(second + 1);
  if (const std::size_t plus = rest.find('+'); plus != std::string_view::npos) {
    version.build = rest.substr(plus + 1);
    rest = rest.substr(0, plus);
  }
  const bool has_build = rest.size() < text.size() - second - 1;
  bool has_prerelease = false;
  if (const std::size_t dash = rest.find('-'); dash != std::string_view::npos) {
    version.prerelease = rest.substr(dash + 1);
    rest = rest.substr(0, dash);
    has_prerelease = true;
  }
  const Outcome<std::uint64_t> major = version_number(text.substr(0, first), "major");
  if (!major) return tl::unexpected(major.error());
  const Outcome<std::uint64_t> minor =
      version_number(text.substr(first + 1, second - first - 1), "minor");
  if (!minor) return tl::unexpected(minor.error());
  const Outcome<std::uint64_t> patch = version_number(rest, "patch");
  if (!patch) return tl::unexpected(patch.error());
  if (has_prerelease) {
    if (const Outcome<void> good = check_identifiers(version.prerelease, true); !good) {
      return tl::unexpected(good.error());
    }
  }
  if (has_build) {
    if (const Outcome<void> good = check_identifiers(version.build, false); !good) {
      return tl::unexpected(good.error());
    }
  }
  version.major = *major;
  version.minor = *minor;
  version.patch = *patch;
  return version;
}

// "v1.02" to "1.2.0". Errors: Invalid - a short version with more than numbers.
Outcome<std::string> normalized(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  std::string out;
  int parts = 0;
  for (bool more = true; more && parts < 3; ++parts) {
    const std::size_t dot = parts == 2 ? std::string_view::npos : text.find('.');
    std::string_view part = text.substr(0, dot);
    more = dot != std::string_view::npos;
    const bool last = !more;
    if (last && parts < 2 && part.find_first_of("+-") != std::string_view::npos) {
      return error(Errc::Invalid, "short version cannot contain PreRelease/Build meta data");
    }
    std::string mended(part);
    if (part.size() > 1) {
      mended.erase(0, std::min(mended.find_first_not_of('0'), mended.size()));
      if (mended.empty() || mended[0] < '0' || mended[0] > '9') mended.insert(0, 1, '0');
    }
    out += (parts == 0 ? "" : ".") + mended;
    if (more) text.remove_prefix(dot + 1);
  }
  for (; parts < 3; ++parts) out += ".0";
  return out;
}

int order(std::uint64_t a, std::uint64_t b) { return a < b ? -1 : a > b ? 1 : 0; }

// Numbers by value and before words; words by their bytes.
int compare_identifier(std::string_view a, std::string_view b) {
  const bool a_number = all_digits(a);
  const bool b_number = all_digits(b);
  if (a_number != b_number) return a_number ? -1 : 1;
  if (a_number && a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  const int found = a.compare(b);
  return found < 0 ? -1 : found > 0 ? 1 : 0;
}

int compare_prerelease(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a.empty() == b.empty() ? 0 : a.empty() ? 1 : -1;
  for (;;) {
    const std::size_t a_dot = a.find('.');
    const std::size_t b_dot = b.find('.');
    if (const int found = compare_identifier(a.substr(0, a_dot), b.substr(0, b_dot)); found != 0) {
      return found;
    }
    const bool a_ends = a_dot == std::string_view::npos;
    const bool b_ends = b_dot == std::string_view::npos;
    if (a_ends || b_ends) return a_ends == b_ends ? 0 : a_ends ? -1 : 1;
    a.remove_prefix(a_dot + 1);
    b.remove_prefix(b_dot + 1);
  }
}

}  // namespace

Outcome<Semver> parse_semver(Arena& arena, std::string_view text, bool normalize) {
  if (!normalize) return parse_strict(arena.copy(text));
  const Outcome<std::string> mended = normalized(text);
  if (!mended) return tl::unexpected(mended.error());
  return parse_strict(arena.copy(*mended));
}

int compare_semver(const Semver& a, const Semver& b) {
  if (const int found = order(a.major, b.major); found != 0) return found;
  if (const int found = order(a.minor, b.minor); found != 0) return found;
  if (const int found = order(a.patch, b.patch); found != 0) return found;
  return compare_prerelease(a.prerelease, b.prerelease);
}

std::string format_semver(const Semver& v) {
  std::string text =
      std::to_string(v.major) + '.' + std::to_string(v.minor) + '.' + std::to_string(v.patch);
  if (!v.prerelease.empty()) text += '-' + std::string(v.prerelease);
  if (!v.build.empty()) text += '+' + std::string(v.build);
  return text;
}

namespace {

Outcome<Semver> parse(const Call& call) {
  return parse_semver(call.arena, call[0].text(), call.args.size() > 1 && call[1].as_bool());
}
Value from_text(const Call& call) {
  const Outcome<Semver> version = parse(call);
  if (!version) return call.fail(version.error().message);
  return Value::semver(call.arena.make<Semver>(*version));
}
Value is_semver(const Call& call) { return Value::boolean(parse(call).has_value()); }
int compare(const Call& call) { return compare_semver(call[0].as_semver(), call[1].as_semver()); }
Value is_greater(const Call& call) { return Value::boolean(compare(call) > 0); }
Value is_less(const Call& call) { return Value::boolean(compare(call) < 0); }
Value compare_to(const Call& call) { return Value::integer(compare(call)); }
Value number(std::uint64_t n) { return Value::integer(static_cast<std::int64_t>(n)); }
Value major_of(const Call& call) { return number(call[0].as_semver().major); }
Value minor_of(const Call& call) { return number(call[0].as_semver().minor); }
Value patch_of(const Call& call) { return number(call[0].as_semver().patch); }

}  // namespace

std::span<const Declaration> semver_library() {
  static constexpr Declaration kLibrary[] = {
      {"semver", "string_to_semver", "(string) semver", from_text, CostRule::Parse},
      {"semver", "string_bool_to_semver", "(string, bool) semver", from_text, CostRule::Parse},
      {"isSemver", "is_semver_string", "(string) bool", is_semver, CostRule::Parse},
      {"isSemver", "is_semver_string_bool", "(string, bool) bool", is_semver, CostRule::Parse},
      {"isGreaterThan", "semver_is_greater_than", "semver.(semver) bool", is_greater,
       CostRule::Accessor},
      {"isLessThan", "semver_is_less_than", "semver.(semver) bool", is_less, CostRule::Accessor},
      {"compareTo", "semver_compare_to", "semver.(semver) int", compare_to, CostRule::Accessor},
      {"major", "semver_major", "semver.() int", major_of, CostRule::Accessor},
      {"minor", "semver_minor", "semver.() int", minor_of, CostRule::Accessor},
      {"patch", "semver_patch", "semver.() int", patch_of, CostRule::Accessor},
  };
  return kLibrary;
}

}  // namespace quorate::cel
