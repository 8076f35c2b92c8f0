#include "admission/backoff.h"

#include "src/base/digest.h"

namespace quorate::admission {
namespace {

std::int64_t doubled(std::int32_t n, std::int64_t base, std::int64_t max) {
  std::int64_t delay = base;
  for (std::int32_t i = 1; i < n; ++i) {
    const std::int64_t next = delay * 2 <= max ? delay * 2 : max;
    if (next == delay) break;  // stays there
    delay = next;
  }
  return delay;
}

}  // namespace

Duration requeue_delay(std::int32_t n, std::int32_t base_seconds, std::int32_t max_seconds,
                       std::string_view uid) {
  const std::int64_t seconds = doubled(n, base_seconds, max_seconds);
  // A second has 1e9 ns, a ten-thousandth of it 1e5: below 2^31 * 1e5, no overflow.
  constexpr std::int64_t kSpread = 100'000;
  const std::uint64_t draw = Digest().text(uid).number(n).value() % kSpread;
  return Duration::seconds(seconds) + Duration{seconds * static_cast<std::int64_t>(draw)};
}

Duration second_pass_delay(std::int32_t n) { return Duration::seconds(doubled(n, 1, 30)); }

}  // namespace quorate::admission
