#include "src/jobs/workload_name.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "src/base/check.h"

namespace quorate::jobs {

std::string short_hash(std::string_view text, std::size_t digits) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  check(EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr) == 1,
        "SHA-1 is not available");
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string hex;
  for (unsigned int i = 0; i < size && hex.size() < digits; ++i) {
    hex += kHex[digest[i] >> 4];
    hex += kHex[digest[i] & 15];
  }
  hex.resize(std::min(hex.size(), digits));
  return hex;
}

namespace {

constexpr std::size_t kDigits = 5;

std::string cut_and_hashed(std::string name, std::string_view kind, std::string_view group,
                           std::string_view owner, std::string_view uid, std::size_t limit,
                           std::string_view extra) {
  name.resize(std::min(name.size(), limit - kDigits - 1));
  std::string hashed(kind);
  hashed.append("\n").append(group).append("\n").append(owner).append("\n").append(uid);
  if (!extra.empty()) hashed.append("\n").append(extra);
  return name + "-" + short_hash(hashed, kDigits);
}

}  // namespace

std::string workload_name(std::string_view kind, std::string_view group, std::string_view owner,
                          std::string_view uid, std::size_t limit, std::string_view extra) {
  std::string name;
  for (const char c : kind) {
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  name.append("-").append(owner);
  return cut_and_hashed(std::move(name), kind, group, owner, uid, limit, extra);
}

std::string variant_name(std::string_view parent, std::string_view parent_uid,
                         std::string_view flavor, std::size_t limit) {
  std::string name(parent.substr(0, parent.rfind('-')));
  name.append("-variant-").append(flavor);
  return cut_and_hashed(std::move(name), "Workload", "kueue.x-k8s.io", parent, parent_uid, limit,
                        flavor);
}

}  // namespace quorate::jobs
