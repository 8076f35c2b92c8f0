#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "src/scheduler/config.h"
#include "src/scheduler/framework.h"
#include "src/scheduler/rank.h"

namespace quorate::scheduler {

// What waits to be tried, and since when. Reads no clock: every move is told the time.
//
// An entity is in one place: active (tried next), backing off, unschedulable (waits for an event
// that can help, or for the flush), or held (known, but not to be tried). Attempts are counted
// while it is known, so that what is held and comes back still backs off.
class Queue {
 public:
  explicit Queue(const QueueSortPlugin& sort) : active_(Order{&sort}) {}

  void configure(const Config& config);

  bool knows(const EntityKey& entity) const { return entries_.contains(entity); }
  // New ones become active at once; held ones too, or back off first if they still have to. Of a
  // known one that is not held only the rank's priority and urgency change.
  void offer(const Rank& rank, Time now);
  void hold(const EntityKey& entity);
  void remove(const EntityKey& entity);

  // Takes the next one to try; it counts as held until one of the three below says how it went.
  std::optional<EntityKey> pop(Time now);
  void unschedulable(const EntityKey& entity, Time now, std::uint64_t rejectors);
  void failed(const EntityKey& entity, Time now);  // an error: retried after a backoff
  void succeeded(const EntityKey& entity);         // nothing is left to try; attempts forgotten
  // Errors in a row end only when what was decided is seen done, as binding can fail too.
  void confirmed(const EntityKey& entity);

  // An event helps an unschedulable one: it backs off if it has to, else it is active. A gang that
  // misses members does not back off, or a newcomer would take the place. No-op elsewhere.
  void activate(const EntityKey& entity, Time now);

  // Visits (entity, rejectors) of the unschedulable ones in the order of their keys.
  template <class Visit>
  void each_unschedulable(Visit visit) const {
    for (const EntityKey& entity : unschedulable_) visit(entity, entries_.at(entity).rejectors);
  }
  bool any_unschedulable() const { return !unschedulable_.empty(); }
  bool is_unschedulable(const EntityKey& entity) const { return unschedulable_.contains(entity); }
  bool is_queued(const EntityKey& entity) const;  // active or backing off

  // Lets time pass: backoffs end, old unschedulable entries are flushed.
  void tick(Time now);
  bool ready() const { return !active_.empty() || (pop_early_ && first_early().has_value()); }
  std::optional<Time> next_wakeup() const;

 private:
  enum class Where { Held, Active, Backoff, Unschedulable };
  struct Entry {
    Rank rank;
    Where where = Where::Held;
    int attempts = 0;  // in vain, for lack of a place
    int errors = 0;    // in a row
    Time backoff_until{std::numeric_limits<std::int64_t>::min()};
    Time flush_at;
    bool after_error = false;
    std::uint64_t rejectors = 0;
  };
  struct Order {
    const QueueSortPlugin* sort;
    bool operator()(const Rank& a, const Rank& b) const { return sort->before(a, b); }
  };
  using Timed = std::pair<Time, EntityKey>;

  void leave(Entry& entry);
  void enter_active(Entry& entry);
  void enter_backoff(Entry& entry);
  Duration backoff(int failures) const;
  std::optional<EntityKey> first_early() const;

  Duration initial_backoff_ = Duration::seconds(1);
  Duration max_backoff_ = Duration::seconds(10);
  Duration flush_after_ = Duration::seconds(300);
  bool pop_early_ = true;
  std::map<EntityKey, Entry> entries_;
  std::set<Rank, Order> active_;
  std::set<Timed> backoff_;
  std::set<Rank, Order> early_{active_.key_comp()};  // backing off, but not after an error
  std::set<EntityKey> unschedulable_;
  std::set<Timed> flush_;
};

}  // namespace quorate::scheduler
