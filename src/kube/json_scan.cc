#include "src/kube/json_scan.h"

#include <charconv>
#include <cstdint>
#include <cstring>

namespace quorate::kube {
namespace {

constexpr std::size_t kCutOff = std::string_view::npos;

std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size() &&
         (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t')) {
    ++at;
  }
  return at;
}

// `at` stands on the opening quote; answers the place behind the closing one.
std::size_t skip_string(std::string_view text, std::size_t at) {
  ++at;
  for (;;) {
    const auto* found = static_cast<const char*>(
        at < text.size() ? std::memchr(text.data() + at, '"', text.size() - at) : nullptr);
    if (found == nullptr) return kCutOff;
    const auto quote = static_cast<std::size_t>(found - text.data());
    std::size_t backslashes = 0;
    while (quote - backslashes > at && text[quote - backslashes - 1] == '\\') ++backslashes;
    if (backslashes % 2 == 0) return quote + 1;
    at = quote + 1;
  }
}

std::size_t skip_value(std::string_view text, std::size_t at) {
  if (at >= text.size()) return kCutOff;
  if (text[at] == '"') return skip_string(text, at);
  if (text[at] != '{' && text[at] != '[') {
    const std::size_t end = text.find_first_of(",]} \n\r\t", at);
    return end == at ? kCutOff : std::min(end, text.size());
  }
  std::size_t depth = 0;
  for (;;) {
    at = text.find_first_of("\"{}[]", at);
    if (at == kCutOff) return kCutOff;
    if (text[at] == '"') {
      at = skip_string(text, at);
      if (at == kCutOff) return kCutOff;
      continue;
    }
    depth += text[at] == '{' || text[at] == '[' ? 1 : -1;
    ++at;
    if (depth == 0) return at;
  }
}

tl::unexpected<Error> malformed(std::string_view text, std::size_t at, std::string_view what) {
  const std::size_t place = std::min(at, text.size());
  return error(Errc::Invalid, "JSON: " + std::string(what) + " at byte " + std::to_string(place));
}

// "\uXXXX" at text[at] is the u; nullopt when the digits are not four hex digits.
std::optional<std::uint32_t> hex4(std::string_view text, std::size_t at) {
  if (at + 4 > text.size()) return std::nullopt;
  std::uint32_t value = 0;
  const auto [end, ec] = std::from_chars(text.data() + at, text.data() + at + 4, value, 16);
  if (ec != std::errc{} || end != text.data() + at + 4) return std::nullopt;
  return value;
}

void append_utf8(std::string& out, std::uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | c >> 18);
    out += static_cast<char>(0x80 | (c >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  }
}

// The length of the well-formed UTF-8 sequence at `at`, or 0.
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  std::uint32_t value = 0;
  if (lead >= 0xc2 && lead <= 0xdf) {
    length = 2;
    value = lead & 0x1f;
  } else if (lead >= 0xe0 && lead <= 0xef) {
    length = 3;
    value = lead & 0x0f;
  } else if (lead >= 0xf0 && lead <= 0xf4) {
    length = 4;
    value = lead & 0x07;
  } else {
    return 0;
  }
  if (at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return 0;
    value = value << 6 | (byte(at + i) & 0x3f);
  }
  const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  return overlong || surrogate || value > 0x10ffff ? 0 : length;
}

}  // namespace

Outcome<void> each_member(
    std::string_view text,
    const std::function<bool(std::string_view key, std::string_view value)>& member) {
  std::size_t at = skip_space(text, 0);
  if (at >= text.size() || text[at] != '{') return malformed(text, at, "no object");
  at = skip_space(text, at + 1);
  if (at < text.size() && text[at] == '}') return {};
  for (;;) {
    if (at >= text.size() || text[at] != '"') return malformed(text, at, "no member name");
    const std::size_t key_end = skip_string(text, at);
    if (key_end == kCutOff) return malformed(text, text.size(), "unfinished name");
    const std::string_view key = text.substr(at + 1, key_end - at - 2);
    at = skip_space(text, key_end);
    if (at >= text.size() || text[at] != ':') return malformed(text, at, "no colon");
    at = skip_space(text, at + 1);
    const std::size_t value_end = skip_value(text, at);
    if (value_end == kCutOff) return malformed(text, at, "unfinished value");
    if (!member(key, text.substr(at, value_end - at))) return {};
    at = skip_space(text, value_end);
    if (at < text.size() && text[at] == '}') return {};
    if (at >= text.size() || text[at] != ',') return malformed(text, at, "no comma");
    at = skip_space(text, at + 1);
  }
}

Outcome<void> each_element(std::string_view text,
                           const std::function<bool(std::string_view value)>& element) {
  std::size_t at = skip_space(text, 0);
  if (text.substr(at).starts_with("null")) return {};
  if (at >= text.size() || text[at] != '[') return malformed(text, at, "no array");
  at = skip_space(text, at + 1);
  if (at < text.size() && text[at] == ']') return {};
  for (;;) {
    const std::size_t end = skip_value(text, at);
    if (end == kCutOff) return malformed(text, at, "unfinished element");
    if (!element(text.substr(at, end - at))) return {};
    at = skip_space(text, end);
    if (at < text.size() && text[at] == ']') return {};
    if (at >= text.size() || text[at] != ',') return malformed(text, at, "no comma");
    at = skip_space(text, at + 1);
  }
}

std::optional<std::string> string_value(std::string_view raw) {
  if (raw.size() < 2 || raw.front() != '"' || raw.back() != '"') return std::nullopt;
  raw = raw.substr(1, raw.size() - 2);
  std::string out;
  out.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\') {
      out += raw[i];
      continue;
    }
    if (++i >= raw.size()) return std::nullopt;
    switch (raw[i]) {
      case 'b':
        out += '\b';
        break;
      case 'f':
        out += '\f';
        break;
      case 'n':
        out += '\n';
        break;
      case 'r':
        out += '\r';
        break;
      case 't':
        out += '\t';
        break;
      case 'u': {
        const std::optional<std::uint32_t> first = hex4(raw, i + 1);
        if (!first) return std::nullopt;
        i += 4;
        std::uint32_t c = *first;
        if (c >= 0xd800 && c < 0xdc00 && raw.substr(i + 1).starts_with("\\u")) {
          const std::optional<std::uint32_t> second = hex4(raw, i + 3);
          if (second && *second >= 0xdc00 && *second < 0xe000) {
            c = 0x10000 + ((c - 0xd800) << 10) + (*second - 0xdc00);
            i += 6;
          }
        }
        append_utf8(out, c >= 0xd800 && c < 0xe000 ? 0xfffd : c);
        break;
      }
      default:
        out += raw[i];  // quote, backslash, slash
    }
  }
  return out;
}

std::optional<std::int64_t> integer_value(std::string_view raw) {
  std::int64_t value = 0;
  const auto [end, ec] = std::from_chars(raw.data(), raw.data() + raw.size(), value);
  if (ec != std::errc{} || end != raw.data() + raw.size()) return std::nullopt;
  return value;
}

std::string json_string(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = utf8_length(text, i);
    if (length == 0) {
      out += "\xef\xbf\xbd";
      ++i;
      continue;
    }
    if (byte == '"' || byte == '\\') {
      out += '\\';
      out += text[i];
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out.append(text.substr(i, length));
    }
    i += length;
  }
  return out += '"';
}

}  // namespace quorate::kube
