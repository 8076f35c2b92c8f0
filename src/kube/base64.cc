#include "src/kube/base64.h"

#include <cstdint>

namespace quorate::kube {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::optional<std::string> base64_decode(std::string_view text) {
  std::string out;
  std::uint32_t bits = 0;
  int digits = 0;
  int padding = 0;
  for (const char c : text) {
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    const std::size_t value = kAlphabet.find(c);
    if (value == std::string_view::npos || padding > 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    if (++digits % 4 == 0) {
      out += static_cast<char>(bits >> 16 & 0xff);
      out += static_cast<char>(bits >> 8 & 0xff);
      out += static_cast<char>(bits & 0xff);
    }
  }
  const int rest = digits % 4;
  if (rest == 1 || (rest + padding) % 4 != 0 || padding > 2) return std::nullopt;
  if (rest == 2) out += static_cast<char>(bits >> 4 & 0xff);
  if (rest == 3) {
    out += static_cast<char>(bits >> 10 & 0xff);
    out += static_cast<char>(bits >> 2 & 0xff);
  }
  return out;
}

std::string base64_encode(std::string_view bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      bits = bits << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    }
    const std::size_t left = bytes.size() - i;
    out += kAlphabet[bits >> 18 & 63];
    out += kAlphabet[bits >> 12 & 63];
    out += left > 1 ? kAlphabet[bits >> 6 & 63] : '=';
    out += left > 2 ? kAlphabet[bits & 63] : '=';
  }
  return out;
}

}  // namespace quorate::kube
