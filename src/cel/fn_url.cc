#include <algorithm>
#include <vector>

#include "src/cel/collections.h"
#include "src/cel/domain.h"
#include "src/cel/libraries.h"
#include "src/cel/numbers.h"

// kubernetes.URL (k8s.io/apiserver/pkg/cel/library/urls.go), taken apart as Go's net/url does it.
namespace quorate::cel {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
int hex_value(char c) { return is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10; }

// Whether every "%" begins two hexadecimal digits.
bool well_escaped(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') continue;
    if (i + 2 >= text.size() || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) return false;
  }
  return true;
}

std::string unescaped(std::string_view text, bool plus_is_space) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      out += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      out += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

// The path as it prints: as it was written when that is valid, else escaped anew.
std::string escaped_path(std::string_view path) {
  constexpr std::string_view kPlain = "-_.~$&+,/:;=@!'()*[]%";
  const auto plain = [&](char c) {
    return is_letter(c) || is_digit(c) || kPlain.find(c) != std::string_view::npos;
  };
  if (std::ranges::all_of(path, plain)) return std::string(path);
  constexpr std::string_view kHex = "0123456789ABCDEF";
  constexpr std::string_view kKept = "-_.~$&+,/:;=@";
  std::string out;
  for (const char c : unescaped(path, false)) {
    if (is_letter(c) || is_digit(c) || kKept.find(c) != std::string_view::npos) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  return out;
}

// Errors: Invalid - the reason, for "parse "…": …".
Outcome<std::string_view> take_scheme(std::string_view& rest) {
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const char c = rest[i];
    if (is_letter(c)) continue;
    if (is_digit(c) || c == '+' || c == '-' || c == '.') {
      if (i == 0) return std::string_view();
      continue;
    }
    if (c != ':') return std::string_view();
    if (i == 0) return error(Errc::Invalid, "missing protocol scheme");
    const std::string_view scheme = rest.substr(0, i);
    rest.remove_prefix(i + 1);
    return scheme;
  }
  return std::string_view();
}

Outcome<void> check_port(std::string_view port) {
  if (port.empty()) return {};
  const bool good = port[0] == ':' &&
                    std::all_of(port.begin() + 1, port.end(), [](char c) { return is_digit(c); });
  if (good) return {};
  return error(Errc::Invalid, "invalid port " + quote(port) + " after host");
}

Outcome<std::string> parse_host(std::string_view host) {
  if (host.starts_with('[')) {
    const std::size_t end = host.rfind(']');
    if (end == std::string_view::npos) return error(Errc::Invalid, "missing ']' in host");
    if (const Outcome<void> port = check_port(host.substr(end + 1)); !port) {
      return tl::unexpected(port.error());
    }
    if (!parse_ip(host.substr(1, end - 1)) && host.find('%') == std::string_view::npos) {
      return error(Errc::Invalid, "invalid host");
    }
  } else if (const std::size_t colon = host.rfind(':'); colon != std::string_view::npos) {
    if (const Outcome<void> port = check_port(host.substr(colon)); !port) {
      return tl::unexpected(port.error());
    }
  }
  constexpr std::string_view kAllowed = "-_.~!$&'()*+,;=:[]<>\"%";
  for (const char c : host) {
    const bool good = is_letter(c) || is_digit(c) || (c & 0x80) != 0 ||
                      kAllowed.find(c) != std::string_view::npos;
    if (!good) {
      return error(Errc::Invalid,
                   "invalid character " + quote(std::string_view(&c, 1)) + " in host name");
    }
  }
  if (!well_escaped(host)) return error(Errc::Invalid, "invalid URL escape in host");
  return unescaped(host, false);
}

Outcome<void> check_user(std::string_view user) {
  constexpr std::string_view kAllowed = "-._:~!$&'()*+,;=%@";
  for (const char c : user) {
    if (!is_letter(c) && !is_digit(c) && kAllowed.find(c) == std::string_view::npos) {
      return error(Errc::Invalid, "net/url: invalid userinfo");
    }
  }
  return {};
}

struct Parts {
  std::string_view scheme, path, query;
  std::string host;
};

Outcome<Parts> take_apart(std::string_view text, bool is_request) {
  Parts parts;
  for (const char c : text) {
    if ((c >= 0 && c < 0x20) || c == 0x7F) {
      return error(Errc::Invalid, "net/url: invalid control character in URL");
    }
  }
  if (text.empty() && is_request) return error(Errc::Invalid, "empty url");
  if (text == "*") {
    parts.path = text;
    return parts;
  }
  std::string_view rest = text;
  const Outcome<std::string_view> scheme = take_scheme(rest);
  if (!scheme) return tl::unexpected(scheme.error());
  parts.scheme = *scheme;
  if (const std::size_t mark = rest.find('?'); mark != std::string_view::npos) {
    parts.query = rest.substr(mark + 1);
    rest = rest.substr(0, mark);
  }
  if (!rest.starts_with('/')) {
    if (!parts.scheme.empty()) return parts;  // opaque: "mailto:x"
    if (is_request) return error(Errc::Invalid, "invalid URI for request");
    if (rest.substr(0, rest.find('/')).find(':') != std::string_view::npos) {
      return error(Errc::Invalid, "first path segment in URL cannot contain colon");
    }
  }
  const bool has_authority = (!parts.scheme.empty() || (!is_request && !rest.starts_with("///"))) &&
                             rest.starts_with("//");
  if (has_authority) {
    rest.remove_prefix(2);
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    std::string_view authority = rest.substr(0, slash);
    rest.remove_prefix(slash);
    if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
      if (const Outcome<void> user = check_user(authority.substr(0, at)); !user) {
        return tl::unexpected(user.error());
      }
      authority.remove_prefix(at + 1);
    }
    Outcome<std::string> host = parse_host(authority);
    if (!host) return tl::unexpected(host.error());
    parts.host = std::move(*host);
  }
  if (!well_escaped(rest)) return error(Errc::Invalid, "invalid URL escape in path");
  parts.path = rest;
  return parts;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return out;
}

}  // namespace

Outcome<Url> parse_url(Arena& arena, std::string_view text) {
  const auto fail = [&](const Error& why) {
    return error(Errc::Invalid, "parse " + quote(text) + ": " + why.message);
  };
  // As a request first, which wants it absolute; then again without its fragment.
  if (const Outcome<Parts> request = take_apart(text, true); !request) {
    return fail(request.error());
  }
  const Outcome<Parts> parts = take_apart(text.substr(0, text.find('#')), false);
  if (!parts) return fail(parts.error());
  Url url;
  url.text = arena.copy(text);
  url.scheme = arena.copy(lower(parts->scheme));
  url.host = arena.copy(parts->host);
  url.escaped_path = arena.copy(parts->path == "*" ? "*" : escaped_path(parts->path));
  url.query = arena.copy(parts->query);
  return url;
}

namespace {

// Splits "host:port"; the port keeps digits only when they are one.
std::pair<std::string_view, std::string_view> host_and_port(std::string_view host) {
  std::string_view port;
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && check_port(host.substr(colon))) {
    port = host.substr(colon + 1);
    host = host.substr(0, colon);
  }
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return {host, port};
}

}  // namespace

std::string_view url_hostname(const Url& url) { return host_and_port(url.host).first; }
std::string_view url_port(const Url& url) { return host_and_port(url.host).second; }

namespace {

Value from_text(const Call& call) {
  const Outcome<Url> url = parse_url(call.arena, call[0].text());
  if (url) return Value::url(call.arena.make<Url>(*url));
  return call.fail("URL parse error during conversion from string: " + url.error().message);
}
Value is_url(const Call& call) {
  return Value::boolean(take_apart(call[0].text(), true).has_value());
}
Value scheme(const Call& call) { return Value::string(call[0].as_url().scheme); }
Value host(const Call& call) { return Value::string(call[0].as_url().host); }
Value hostname(const Call& call) { return Value::string(url_hostname(call[0].as_url())); }
Value port(const Call& call) { return Value::string(url_port(call[0].as_url())); }
Value path(const Call& call) { return Value::string(call[0].as_url().escaped_path); }

// The values of each key in their order; pairs that are badly escaped or hold ";" are left out.
Value query(const Call& call) {
  ArrayMap* map = call.arena.make<ArrayMap>(call.arena);
  std::vector<GrowingList*> lists;
  std::string_view rest = call[0].as_url().query;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view pair = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const std::string_view key = pair.substr(0, equals);
    const std::string_view value = pair.substr(std::min(equals + 1, pair.size()));
    if (pair.empty() || pair.find(';') != std::string_view::npos || !well_escaped(key) ||
        !well_escaped(value)) {
      continue;
    }
    const Value name = make_string(call.arena, unescaped(key, true));
    std::size_t index = 0;
    while (index < map->size() && !equal(map->entry(index).first, name)) ++index;
    if (index == map->size()) {
      lists.push_back(call.arena.make<GrowingList>(call.arena));
      map->insert(name, Value::list(lists.back()));
    }
    lists[index]->push_back(make_string(call.arena, unescaped(value, true)));
  }
  return Value::map(map);
}

}  // namespace

std::span<const Declaration> url_library() {
  static constexpr Declaration kLibrary[] = {
      {"url", "string_to_url", "(string) url", from_text, CostRule::Url},
      {"getScheme", "url_get_scheme", "url.() string", scheme, CostRule::Accessor},
      {"getHost", "url_get_host", "url.() string", host, CostRule::Accessor},
      {"getHostname", "url_get_hostname", "url.() string", hostname, CostRule::Accessor},
      {"getPort", "url_get_port", "url.() string", port, CostRule::Accessor},
      {"getEscapedPath", "url_get_escaped_path", "url.() string", path, CostRule::Accessor},
      {"getQuery", "url_get_query", "url.() map(string, list(string))", query, CostRule::Accessor},
      {"isURL", "is_url_string", "(string) bool", is_url},
  };
  return kLibrary;
}

}  // namespace quorate::cel
