#include "fairshare/order.h"

namespace quorate::fairshare {

bool before(const Contender& a, const Contender& b) {
  if (a.borrowing != b.borrowing) return b.borrowing;
  if (a.share != b.share) return a.share < b.share;
  return std::tuple(-a.priority, a.queued_at, std::string_view(a.uid)) <
         std::tuple(-b.priority, b.queued_at, std::string_view(b.uid));
}

}  // namespace quorate::fairshare
