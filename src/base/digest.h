#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace quorate {

// A running 64-bit FNV-1a hash over names and values; equal on every machine and compiler. Each
// value is framed (texts by length, integers by width), so that no two sequences of calls collide
// by concatenation.
class Digest {
 public:
  Digest& bytes(std::string_view raw);
  Digest& text(std::string_view text);
  Digest& number(std::int64_t value);

  std::uint64_t value() const { return state_; }
  std::string hex() const;  // 16 lower-case digits

 private:
  std::uint64_t state_ = 0xcbf29ce484222325u;
};

}  // namespace quorate
