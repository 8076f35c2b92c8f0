#include "src/jobs/workload_name.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>

#include "src/base/check.h"

namespace quorate::jobs {

std::string workload_name(std::string_view kind, std::string_view group, std::string_view owner,
                          std::string_view uid, std::size_t limit) {
  constexpr std::size_t kDigits = 5;
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string hashed;
  for (const std::string_view part : {kind, group, owner, uid}) {
    hashed.append(hashed.empty() ? "" : "\n").append(part);
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  check(EVP_Digest(hashed.data(), hashed.size(), digest.data(), &size, EVP_sha1(), nullptr) == 1,
        "SHA-1 is not available");

  std::string name(kind);
  std::ranges::transform(name, name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  name.append("-").append(owner);
  name.resize(std::min(name.size(), limit - kDigits - 1));
  name += '-';
  for (std::size_t i = 0; i < kDigits; ++i) {
    const unsigned char byte = digest[i / 2];
    name += kHex[i % 2 == 0 ? byte >> 4 : byte & 15];
  }
  return name;
}

}  // namespace quorate::jobs
