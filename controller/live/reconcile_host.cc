#include "controller/live/reconcile_host.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>

#include "controller/live/log.h"

namespace quorate::controller {
namespace {

// How long writes that come in bursts wait for more of their kind.
constexpr Duration kBurst = Duration::seconds(2);

}  // namespace

ReconcileHost::ReconcileHost(Dependencies dependencies, ReconcileParts parts,
                             ReconcileSettings settings, LabelSelector managed_namespaces)
    : to_(std::move(dependencies)),
      parts_(parts),
      settings_(std::move(settings)),
      managed_namespaces_(std::move(managed_namespaces)),
      queue_(to_.client.loop(), {.base = Duration::millis(20), .max = Duration::seconds(60)}) {}

ReconcileHost::~ReconcileHost() { stop(); }

void ReconcileHost::start(int threads) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

void ReconcileHost::stop() {
  queue_.shut_down();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void ReconcileHost::work() {
  while (const std::optional<WorkKey> key = queue_.next()) {
    process(*key);
    queue_.done(*key);
  }
}

void ReconcileHost::process(const WorkKey& key) {
  Plan plan = look(key);
  name_parents(plan);
  if (plan.look_again > Duration{}) queue_.add_after(key, plan.look_again);

  const std::pair<int, ObjectKey> burst{static_cast<int>(key.kind), key.key};
  bool burst_over = false;
  {
    const std::int64_t now = to_.client.loop().now().nanos;
    MutexLock lock(mutex_);
    if (plan.later.empty()) {
      wanted_since_.erase(burst);
    } else {
      const auto [since, fresh] = wanted_since_.emplace(burst, now);
      if (fresh) {
        queue_.add_after(key, kBurst);
      } else if (now - since->second >= kBurst.nanos) {
        burst_over = true;
        wanted_since_.erase(since);
      }
    }
  }
  if (burst_over) {
    plan.writes.insert(plan.writes.end(), std::make_move_iterator(plan.later.begin()),
                       std::make_move_iterator(plan.later.end()));
  }
  for (auto at = plan.writes.begin(); at != plan.writes.end();) {
    const Write& write = *at;
    const auto end = std::find_if(at, plan.writes.end(), [](const Write& one) {
      return !std::holds_alternative<UngatePod>(one);
    });
    const bool together = end - at > 1;
    const Outcome<void> done = together ? carry_out_together({at, end}) : carry_out(key, write);
    at = together ? end : at + 1;
    if (!done) {
      const Error& why = done.error();
      if (why.code == Errc::Fenced) return;
      if (why.code != Errc::Conflict) {
        log_warn("write failed", {{"write", describe(write)}, {"reason", why.message}});
      }
      if (why.code == Errc::Invalid) report_refused(key, write, why);
      return queue_.retry(key);
    }
  }
  queue_.forget(key);
}

}  // namespace quorate::controller
