#include "src/scheduler/queue.h"

#include <algorithm>

namespace quorate::scheduler {

void Queue::configure(const Config& config) {
  initial_backoff_ = config.pod_initial_backoff;
  max_backoff_ = config.pod_max_backoff;
  flush_after_ = config.unschedulable_flush;
  pop_early_ = config.pop_from_backoff;
}

// initial * 2^(failures - 1), at most the maximum.
Duration Queue::backoff(int failures) const {
  Duration wait = initial_backoff_;
  for (int i = 1; i < failures && wait < max_backoff_; ++i) wait = wait * 2;
  return std::min(wait, max_backoff_);
}

void Queue::leave(Entry& entry) {
  switch (entry.where) {
    case Where::Held:
      break;
    case Where::Active:
      active_.erase(entry.rank);
      break;
    case Where::Backoff:
      backoff_.erase({entry.backoff_until, entry.rank.entity});
      early_.erase(entry.rank);
      break;
    case Where::Unschedulable:
      unschedulable_.erase(entry.rank.entity);
      flush_.erase({entry.flush_at, entry.rank.entity});
      break;
  }
  entry.where = Where::Held;
}

void Queue::enter_active(Entry& entry) {
  leave(entry);
  entry.where = Where::Active;
  active_.insert(entry.rank);
}

void Queue::enter_backoff(Entry& entry) {
  leave(entry);
  entry.where = Where::Backoff;
  backoff_.insert({entry.backoff_until, entry.rank.entity});
  if (!entry.after_error) early_.insert(entry.rank);
}

void Queue::offer(const Rank& rank, Time now) {
  const auto [at, is_new] = entries_.try_emplace(rank.entity);
  Entry& entry = at->second;
  if (is_new) {
    entry.rank = rank;
    enter_active(entry);
    return;
  }
  if (entry.rank.priority != rank.priority || entry.rank.incomplete != rank.incomplete) {
    const Where was = entry.where;
    if (was == Where::Active || was == Where::Backoff) leave(entry);
    entry.rank.priority = rank.priority;
    entry.rank.incomplete = rank.incomplete;
    if (was == Where::Active) enter_active(entry);
    if (was == Where::Backoff) enter_backoff(entry);
  }
  if (entry.where != Where::Held) return;
  if (entry.backoff_until > now) {
    enter_backoff(entry);
  } else {
    enter_active(entry);
  }
}

void Queue::hold(const EntityKey& entity) {
  if (const auto found = entries_.find(entity); found != entries_.end()) leave(found->second);
}

void Queue::remove(const EntityKey& entity) {
  hold(entity);
  entries_.erase(entity);
}

std::optional<EntityKey> Queue::first_early() const {
  return early_.empty() ? std::nullopt : std::optional(early_.begin()->entity);
}

std::optional<EntityKey> Queue::pop(Time now) {
  tick(now);
  std::optional<EntityKey> next;
  if (!active_.empty()) {
    next = active_.begin()->entity;
  } else if (pop_early_) {
    next = first_early();
  }
  if (next) leave(entries_.at(*next));
  return next;
}

void Queue::unschedulable(const EntityKey& entity, Time now, std::uint64_t rejectors) {
  Entry& entry = entries_.at(entity);
  leave(entry);
  entry.rank.since = now;
  ++entry.attempts;
  entry.errors = 0;
  entry.after_error = false;
  entry.backoff_until = now + backoff(entry.attempts);
  entry.flush_at = now + flush_after_;
  entry.rejectors = rejectors;
  entry.where = Where::Unschedulable;
  unschedulable_.insert(entity);
  flush_.insert({entry.flush_at, entity});
}

void Queue::failed(const EntityKey& entity, Time now) {
  Entry& entry = entries_.at(entity);
  leave(entry);
  entry.rank.since = now;
  ++entry.errors;
  entry.after_error = true;
  entry.backoff_until = now + backoff(entry.errors);
  enter_backoff(entry);
}

void Queue::succeeded(const EntityKey& entity) {
  Entry& entry = entries_.at(entity);
  leave(entry);
  entry.attempts = 0;
  entry.after_error = false;
}

void Queue::confirmed(const EntityKey& entity) {
  if (const auto found = entries_.find(entity); found != entries_.end()) found->second.errors = 0;
}

void Queue::activate(const EntityKey& entity, Time now) {
  const auto found = entries_.find(entity);
  if (found == entries_.end() || found->second.where != Where::Unschedulable) return;
  if (found->second.backoff_until > now && !found->second.rank.incomplete) {
    enter_backoff(found->second);
  } else {
    enter_active(found->second);
  }
}

bool Queue::is_queued(const EntityKey& entity) const {
  const auto found = entries_.find(entity);
  return found != entries_.end() &&
         (found->second.where == Where::Active || found->second.where == Where::Backoff);
}

void Queue::tick(Time now) {
  while (!backoff_.empty() && backoff_.begin()->first <= now) {
    enter_active(entries_.at(backoff_.begin()->second));
  }
  while (!flush_.empty() && flush_.begin()->first <= now) {
    activate(EntityKey(flush_.begin()->second), now);
  }
}

std::optional<Time> Queue::next_wakeup() const {
  std::optional<Time> wakeup;
  if (!backoff_.empty()) wakeup = backoff_.begin()->first;
  if (!flush_.empty() && (!wakeup || flush_.begin()->first < *wakeup)) {
    wakeup = flush_.begin()->first;
  }
  return wakeup;
}

}  // namespace quorate::scheduler
