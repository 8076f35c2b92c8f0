#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace quorate::cel::utf8 {

inline constexpr std::uint32_t kReplacement = 0xFFFD;

// Takes one character off the front of `text` (not empty). A byte that begins no valid character is
// taken alone as U+FFFD, as Go ranges over a string.
inline std::uint32_t take(std::string_view& text) {
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return static_cast<unsigned char>(text[i]);
  };
  const std::uint32_t first = byte(0);
  std::size_t length = 1;
  std::uint32_t code = first;
  if (first >= 0xC2 && first < 0xE0) {
    length = 2;
    code = first & 0x1F;
  } else if (first >= 0xE0 && first < 0xF0) {
    length = 3;
    code = first & 0x0F;
  } else if (first >= 0xF0 && first < 0xF5) {
    length = 4;
    code = first & 0x07;
  } else if (first >= 0x80) {
    text.remove_prefix(1);
    return kReplacement;
  }
  bool valid = text.size() >= length;
  for (std::size_t i = 1; valid && i < length; ++i) {
    valid = (byte(i) & 0xC0) == 0x80;
    code = (code << 6) | (byte(i) & 0x3F);
  }
  if (length == 3) valid = valid && code >= 0x800 && (code < 0xD800 || code > 0xDFFF);
  if (length == 4) valid = valid && code >= 0x10000 && code <= 0x10FFFF;
  text.remove_prefix(valid ? length : 1);
  return valid ? code : kReplacement;
}

inline void append(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

// Whether no byte of `text` would be taken as a replacement for something invalid.
inline bool valid(std::string_view text) {
  while (!text.empty()) {
    const std::size_t before = text.size();
    if (take(text) == kReplacement && before - text.size() == 1) return false;
  }
  return true;
}

}  // namespace quorate::cel::utf8
