#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/exact_quantity.h"
#include "src/base/outcome.h"
#include "src/cel/arena.h"
#include "src/cel/value.h"

// The values of the Kubernetes libraries, and how they are read from text.
namespace quorate::cel {

// An amount, and how Go's resource.Quantity would hold it: as digits × 10^scale in an int64, or as
// a big decimal. Whether an amount "is an integer" hangs on that, not on its value alone.
struct Quantity {
  ExactQuantity amount;
  int scale = 0;  // 0, or the power of ten of the last digit kept
  bool decimal = false;
};
// Errors: Invalid - not a quantity. What is beyond 10^27 units clamps to that.
Outcome<Quantity> parse_quantity(std::string_view text);
Quantity add(const Quantity& a, const Quantity& b);
Quantity negate(const Quantity& a);
std::optional<std::int64_t> whole_units(const Quantity& quantity);
double approximate(const Quantity& quantity);

// A version as https://semver.org (2.0.0) has it.
struct Semver {
  std::uint64_t major = 0, minor = 0, patch = 0;
  std::string_view prerelease;  // "alpha.1"; empty: a release
  std::string_view build;       // takes no part in comparisons
};
// Reads a strict version; with `normalize` a leading "v", short forms and leading zeros are mended
// first. Texts of the result point into `arena`.
// Errors: Invalid - not such a text.
Outcome<Semver> parse_semver(Arena& arena, std::string_view text, bool normalize);
// By precedence: negative, 0 or positive.
int compare_semver(const Semver& a, const Semver& b);
std::string format_semver(const Semver& version);

struct Ip {
  std::array<std::uint8_t, 16> bytes = {};  // the first 4 when it is not v6
  bool v6 = false;
  friend bool operator==(const Ip&, const Ip&) = default;
};
// Errors: Invalid - no address, one with a zone, or a v4 address written as v6.
Outcome<Ip> parse_ip(std::string_view text);
std::string format_ip(const Ip& ip);

struct Cidr {
  Ip address;
  int bits = 0;
  friend bool operator==(const Cidr&, const Cidr&) = default;
};
Outcome<Cidr> parse_cidr(std::string_view text);
std::string format_cidr(const Cidr& cidr);
Ip masked(const Ip& ip, int bits);
bool contains(const Cidr& cidr, const Ip& ip);

// A URL taken apart; every part is as written, decoded only where its accessor says so.
struct Url {
  std::string_view text;    // the whole URL again, as it prints
  std::string_view scheme;  // lower case
  std::string_view host;    // with the port
  std::string_view escaped_path;
  std::string_view query;  // behind "?", still escaped
};
// An absolute URL or an absolute path. Errors: Invalid - neither.
Outcome<Url> parse_url(Arena& arena, std::string_view text);
std::string_view url_hostname(const Url& url);
std::string_view url_port(const Url& url);

// A named format that texts can be validated against.
struct Format {
  std::string_view name;           // "DNS1123Label"
  std::string_view function;       // "dns1123Label"
  std::uint64_t pattern_size = 0;  // what a validation costs
  std::vector<std::string> (*validate)(std::string_view text) = nullptr;
};
const Format* find_format(std::string_view function);

}  // namespace quorate::cel
