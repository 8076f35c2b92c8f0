#include <algorithm>
#include <charconv>
#include <optional>

#include "src/cel/collections.h"
#include "src/cel/domain.h"
#include "src/cel/libraries.h"
#include "src/cel/numbers.h"

// IP addresses and networks (k8s.io/apiserver/pkg/cel/library ip.go and cidr.go), read as Go's
// net/netip reads them.
namespace quorate::cel {
namespace {

std::optional<int> small_number(std::string_view digits, int most) {
  if (digits.empty() || digits.size() > 3) return std::nullopt;
  if (digits.size() > 1 && digits[0] == '0') return std::nullopt;
  int value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value <= most ? std::optional(value) : std::nullopt;
}

bool parse_v4(std::string_view text, std::uint8_t* out) {
  for (int i = 0; i < 4; ++i) {
    const std::size_t dot = i < 3 ? text.find('.') : text.size();
    if (dot == std::string_view::npos) return false;
    const std::optional<int> part = small_number(text.substr(0, dot), 255);
    if (!part) return false;
    out[i] = static_cast<std::uint8_t>(*part);
    text.remove_prefix(std::min(dot + 1, text.size()));
  }
  return true;
}

std::optional<int> hex_group(std::string_view text) {
  if (text.empty() || text.size() > 4) return std::nullopt;
  int value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  const bool whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
  return whole && text[0] != '-' ? std::optional(value) : std::nullopt;
}

bool parse_v6(std::string_view text, std::array<std::uint8_t, 16>& out) {
  std::size_t at = 0;              // bytes written
  std::optional<std::size_t> gap;  // where "::" stands
  if (text.starts_with("::")) {
    gap = 0;
    text.remove_prefix(2);
    if (text.empty()) return true;
  }
  while (at < 16) {
    const std::size_t end = std::min(text.find(':'), text.size());
    const std::string_view group = text.substr(0, end);
    if (group.find('.') != std::string_view::npos) {
      // The last four bytes may be written as a v4 address.
      if (end != text.size() || at > 12 || (!gap && at != 12)) return false;
      if (!parse_v4(group, out.data() + at)) return false;
      at += 4;
      text = {};
      break;
    }
    const std::optional<int> value = hex_group(group);
    if (!value) return false;
    out[at++] = static_cast<std::uint8_t>(*value >> 8);
    out[at++] = static_cast<std::uint8_t>(*value & 0xFF);
    text.remove_prefix(end);
    if (text.empty()) break;
    text.remove_prefix(1);
    if (text.empty()) return false;  // a colon at the end
    if (text.starts_with(':')) {
      if (gap) return false;
      gap = at;
      text.remove_prefix(1);
      if (text.empty()) break;
    }
  }
  if (!text.empty()) return false;
  if (at == 16) return !gap;
  if (!gap) return false;
  const auto moved = static_cast<std::ptrdiff_t>(at - *gap);
  std::rotate(out.begin() + static_cast<std::ptrdiff_t>(*gap),
              out.begin() + static_cast<std::ptrdiff_t>(*gap) + moved, out.end());
  return true;
}

bool is_v4_in_v6(const Ip& ip) {
  return ip.v6 &&
         std::all_of(ip.bytes.begin(), ip.bytes.begin() + 10, [](auto b) { return b == 0; }) &&
         ip.bytes[10] == 0xFF && ip.bytes[11] == 0xFF;
}

std::optional<Ip> parse_any(std::string_view text) {
  Ip ip;
  if (text.find(':') == std::string_view::npos) {
    return parse_v4(text, ip.bytes.data()) ? std::optional(ip) : std::nullopt;
  }
  ip.v6 = true;
  // Rotating needs the groups behind the gap at the end; a gap leaves zeros in front of them.
  std::array<std::uint8_t, 16> bytes = {};
  if (!parse_v6(text, bytes)) return std::nullopt;
  ip.bytes = bytes;
  return ip;
}

}  // namespace

Outcome<Ip> parse_ip(std::string_view text) {
  const std::size_t percent = text.find('%');
  const std::optional<Ip> ip = parse_any(text.substr(0, percent));
  const bool has_zone = percent != std::string_view::npos;
  if (!ip || (has_zone && (!ip->v6 || percent + 1 == text.size()))) {
    return error(Errc::Invalid, "IP Address " + quote(text) +
                                    " parse error during conversion from string: ParseAddr(" +
                                    quote(text) + "): unable to parse IP");
  }
  if (has_zone) {
    return error(Errc::Invalid, "IP address " + quote(text) + " with zone value is not allowed");
  }
  if (is_v4_in_v6(*ip)) {
    return error(Errc::Invalid, "IPv4-mapped IPv6 address " + quote(text) + " is not allowed");
  }
  return *ip;
}

std::string format_ip(const Ip& ip) {
  if (!ip.v6) {
    return std::to_string(ip.bytes[0]) + '.' + std::to_string(ip.bytes[1]) + '.' +
           std::to_string(ip.bytes[2]) + '.' + std::to_string(ip.bytes[3]);
  }
  const auto group = [&](std::size_t i) { return ip.bytes[2 * i] << 8 | ip.bytes[2 * i + 1]; };
  // The longest run of zero groups, the first of equals, of at least two.
  std::size_t best = 8;
  std::size_t best_length = 1;
  for (std::size_t i = 0; i < 8;) {
    std::size_t end = i;
    while (end < 8 && group(end) == 0) ++end;
    if (end - i > best_length) {
      best = i;
      best_length = end - i;
    }
    i = std::max(end, i + 1);
  }
  std::string out;
  for (std::size_t i = 0; i < 8; ++i) {
    if (i == best) {
      out += "::";
      i += best_length - 1;
      continue;
    }
    if (!out.empty() && out.back() != ':') out += ':';
    std::array<char, 8> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), group(i), 16);
    out.append(digits.data(), end.ptr);
  }
  return out;
}

Outcome<Cidr> parse_cidr(std::string_view text) {
  const auto fail = [&](std::string_view why) {
    return error(Errc::Invalid,
                 "network address parse error during conversion from string: netip.ParsePrefix(" +
                     quote(text) + "): " + std::string(why));
  };
  const std::size_t slash = text.rfind('/');
  if (slash == std::string_view::npos) return fail("no '/'");
  const std::optional<Ip> ip = parse_any(text.substr(0, slash));
  if (!ip) return fail("unable to parse IP");
  const std::optional<int> bits = small_number(text.substr(slash + 1), ip->v6 ? 128 : 32);
  if (!bits) return fail("bad bits after slash");
  if (is_v4_in_v6(*ip)) {
    return error(Errc::Invalid, "IPv4-mapped IPv6 address " + quote(text) + " is not allowed");
  }
  return Cidr{*ip, *bits};
}

std::string format_cidr(const Cidr& cidr) {
  return format_ip(cidr.address) + '/' + std::to_string(cidr.bits);
}

Ip masked(const Ip& ip, int bits) {
  Ip out = ip;
  for (std::size_t i = 0; i < out.bytes.size(); ++i) {
    const int kept = std::clamp(bits - static_cast<int>(i) * 8, 0, 8);
    out.bytes[i] = static_cast<std::uint8_t>(out.bytes[i] & (0xFF << (8 - kept)));
  }
  return out;
}

bool contains(const Cidr& cidr, const Ip& ip) {
  return cidr.address.v6 == ip.v6 && masked(cidr.address, cidr.bits) == masked(ip, cidr.bits);
}

namespace {

Value from_text(const Call& call) {
  const Outcome<Ip> ip = parse_ip(call[0].text());
  return ip ? Value::ip(call.arena.make<Ip>(*ip)) : call.fail(ip.error().message);
}
Value is_ip(const Call& call) { return Value::boolean(parse_ip(call[0].text()).has_value()); }
Value is_canonical(const Call& call) {
  const Outcome<Ip> ip = parse_ip(call[0].text());
  return ip ? Value::boolean(format_ip(*ip) == call[0].text()) : call.fail(ip.error().message);
}
Value family(const Call& call) { return Value::integer(call[0].as_ip().v6 ? 6 : 4); }

Value is_unspecified(const Call& call) {
  return Value::boolean(std::ranges::all_of(call[0].as_ip().bytes, [](auto b) { return b == 0; }));
}
bool loopback(const Ip& ip) {
  if (!ip.v6) return ip.bytes[0] == 127;
  Ip one;
  one.v6 = true;
  one.bytes[15] = 1;
  return ip == one;
}
Value is_loopback(const Call& call) { return Value::boolean(loopback(call[0].as_ip())); }
Value is_link_local_multicast(const Call& call) {
  const Ip& ip = call[0].as_ip();
  return Value::boolean(ip.v6 ? ip.bytes[0] == 0xFF && (ip.bytes[1] & 0x0F) == 0x02
                              : ip.bytes[0] == 224 && ip.bytes[1] == 0 && ip.bytes[2] == 0);
}
bool link_local_unicast(const Ip& ip) {
  return ip.v6 ? ip.bytes[0] == 0xFE && (ip.bytes[1] & 0xC0) == 0x80
               : ip.bytes[0] == 169 && ip.bytes[1] == 254;
}
Value is_link_local_unicast(const Call& call) {
  return Value::boolean(link_local_unicast(call[0].as_ip()));
}
Value is_global_unicast(const Call& call) {
  const Ip& ip = call[0].as_ip();
  const bool multicast = ip.v6 ? ip.bytes[0] == 0xFF : (ip.bytes[0] & 0xF0) == 0xE0;
  const bool broadcast = !ip.v6 && std::all_of(ip.bytes.begin(), ip.bytes.begin() + 4,
                                               [](auto b) { return b == 0xFF; });
  const bool unspecified = std::ranges::all_of(ip.bytes, [](auto b) { return b == 0; });
  return Value::boolean(!multicast && !broadcast && !unspecified && !loopback(ip) &&
                        !link_local_unicast(ip));
}

Value make(const Call& call, const Cidr& cidr) { return Value::cidr(call.arena.make<Cidr>(cidr)); }
std::string prefixed(const Error& fault) {
  return "network address parse error during conversion from string: " + fault.message;
}
Value cidr_from_text(const Call& call) {
  const Outcome<Cidr> cidr = parse_cidr(call[0].text());
  return cidr ? make(call, *cidr) : call.fail(prefixed(cidr.error()));
}
Value is_cidr(const Call& call) { return Value::boolean(parse_cidr(call[0].text()).has_value()); }
Value contains_ip(const Call& call) {
  const Cidr& cidr = call[0].as_cidr();
  if (call[1].is(Kind::Ip)) return Value::boolean(contains(cidr, call[1].as_ip()));
  const Outcome<Ip> ip = parse_ip(call[1].text());
  return ip ? Value::boolean(contains(cidr, *ip)) : no_such_overload(call);
}
Value contains_cidr(const Call& call) {
  const Cidr& outer = call[0].as_cidr();
  const auto holds = [&](const Cidr& inner) {
    return Value::boolean(outer.bits <= inner.bits && contains(outer, inner.address));
  };
  if (call[1].is(Kind::Cidr)) return holds(call[1].as_cidr());
  const Outcome<Cidr> cidr = parse_cidr(call[1].text());
  return cidr ? holds(*cidr) : call.fail(prefixed(cidr.error()));
}
Value address(const Call& call) { return Value::ip(&call[0].as_cidr().address); }
Value prefix_length(const Call& call) { return Value::integer(call[0].as_cidr().bits); }
Value masked_cidr(const Call& call) {
  const Cidr& cidr = call[0].as_cidr();
  return make(call, {masked(cidr.address, cidr.bits), cidr.bits});
}

}  // namespace

std::span<const Declaration> network_library() {
  static constexpr Declaration kLibrary[] = {
      {"ip", "string_to_ip", "(string) ip", from_text, CostRule::Parse},
      {"ip", "cidr_ip", "cidr.() ip", address, CostRule::CidrIp},
      {"family", "ip_family", "ip.() int", family, CostRule::Accessor},
      {"ip.isCanonical", "ip_is_canonical", "(string) bool", is_canonical, CostRule::IsCanonical},
      {"isUnspecified", "ip_is_unspecified", "ip.() bool", is_unspecified, CostRule::Accessor},
      {"isLoopback", "ip_is_loopback", "ip.() bool", is_loopback, CostRule::Accessor},
      {"isLinkLocalMulticast", "ip_is_link_local_multicast", "ip.() bool", is_link_local_multicast,
       CostRule::Accessor},
      {"isLinkLocalUnicast", "ip_is_link_local_unicast", "ip.() bool", is_link_local_unicast,
       CostRule::Accessor},
      {"isGlobalUnicast", "ip_is_global_unicast", "ip.() bool", is_global_unicast,
       CostRule::Accessor},
      {"isIP", "is_ip", "(string) bool", is_ip, CostRule::Parse},
      {"cidr", "string_to_cidr", "(string) cidr", cidr_from_text, CostRule::Parse},
      {"containsIP", "cidr_contains_ip_string", "cidr.(string) bool", contains_ip,
       CostRule::ContainsIpText},
      {"containsIP", "cidr_contains_ip_ip", "cidr.(ip) bool", contains_ip, CostRule::ContainsIp},
      {"containsCIDR", "cidr_contains_cidr_string", "cidr.(string) bool", contains_cidr,
       CostRule::ContainsCidrText},
      {"containsCIDR", "cidr_contains_cidr", "cidr.(cidr) bool", contains_cidr,
       CostRule::ContainsCidr},
      {"prefixLength", "cidr_prefix_length", "cidr.() int", prefix_length, CostRule::Accessor},
      {"masked", "cidr_masked", "cidr.() cidr", masked_cidr, CostRule::Accessor},
      {"isCIDR", "is_cidr", "(string) bool", is_cidr, CostRule::Parse},
  };
  return kLibrary;
}

}  // namespace quorate::cel
