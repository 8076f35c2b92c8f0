#include "src/base/digest.h"

namespace quorate {
namespace {

constexpr std::uint64_t kPrime = 0x100000001b3u;

}  // namespace

Digest& Digest::bytes(std::string_view raw) {
  for (const char c : raw) {
    state_ ^= static_cast<unsigned char>(c);
    state_ *= kPrime;
  }
  return *this;
}

Digest& Digest::text(std::string_view text) {
  return number(static_cast<std::int64_t>(text.size())).bytes(text);
}

Digest& Digest::number(std::int64_t value) {
  auto rest = static_cast<std::uint64_t>(value);
  for (int i = 0; i < 8; ++i) {
    state_ ^= rest & 0xffu;
    state_ *= kPrime;
    rest >>= 8;
  }
  return *this;
}

std::string Digest::hex() const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out(16, '0');
  std::uint64_t rest = state_;
  for (auto digit = out.rbegin(); digit != out.rend(); ++digit) {
    *digit = kDigits[rest & 0xfu];
    rest >>= 4;
  }
  return out;
}

}  // namespace quorate
