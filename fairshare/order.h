#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "fairshare/share.h"
#include "src/base/time.h"

namespace quorate::fairshare {

// One workload that asks to be admitted, as its queue would stand with it.
struct Contender {
  bool borrowing = false;  // its queue would borrow what the workload asks for
  Share share;             // of its queue
  std::int64_t priority = 0;
  Time queued_at;
  std::string uid;
  std::size_t index = 0;  // of the caller
};

// Who goes first: one that takes nothing from others before one that borrows, then the lower share,
// the higher priority, the older; the uid makes the order total. One contender per queue: what one
// takes does not change the share of another queue, so the order holds for the whole cycle.
bool before(const Contender& a, const Contender& b);

}  // namespace quorate::fairshare
