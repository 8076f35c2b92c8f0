#include "src/kube/event_recorder.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/base/digest.h"
#include "src/base/thread_annotations.h"
#include "src/kube/json_scan.h"
#include "src/kube/loop_gate.h"
#include "src/kube/token_bucket.h"

namespace quorate::kube {
namespace {

constexpr std::size_t kMaxNote = 1024;
constexpr std::size_t kMaxReason = 128;

// At most `limit` bytes, not cut inside a UTF-8 character.
std::string cut(std::string text, std::size_t limit) {
  if (text.size() <= limit) return text;
  std::size_t end = limit;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  text.resize(end);
  return text;
}

std::string_view type_name(EventType type) {
  return type == EventType::Normal ? "Normal" : "Warning";
}

std::string reference_json(const ObjectReference& object) {
  std::string out = "{\"kind\":" + json_string(object.kind);
  const auto add = [&out](const char* name, const std::string& value) {
    if (!value.empty()) out.append(",\"").append(name).append("\":").append(json_string(value));
  };
  add("namespace", object.key.ns);
  add("name", object.key.name);
  add("uid", object.uid);
  add("apiVersion", object.api_version);
  add("resourceVersion", object.resource_version);
  return out + "}";
}

std::string series_json(std::int64_t count, Time last) {
  return "{\"count\":" + std::to_string(count) +
         ",\"lastObservedTime\":" + json_string(format_micro_time(last)) + "}";
}

// Equal for repetitions of one thing.
std::string series_key(const Event& event) {
  std::string out;
  const auto add = [&out](std::string_view part) { out.append(part).push_back('\0'); };
  add(event.regarding.kind);
  add(event.regarding.key.ns);
  add(event.regarding.key.name);
  add(event.regarding.uid);
  if (event.related) add(event.related->kind + "/" + event.related->key.text());
  add(type_name(event.type));
  add(event.reason);
  add(event.action);
  add(event.note);
  return out;
}

}  // namespace

// Belongs to the client's loop, but for what the mutex guards.
struct EventRecorder::Impl : std::enable_shared_from_this<EventRecorder::Impl> {
  struct Series {
    ObjectKey name;  // of the Event object
    bool created = false;
    std::int64_t count = 1;
    std::int64_t written = 1;  // the count the server has
    Time last;
    http::Steady last_seen;
    bool write_due = false;
  };
  struct ObjectBudget {
    TokenBucket tokens;
    http::Steady last_seen;
  };

  Impl(Client& c, EventOptions o)
      : client(c),
        loop(c.loop()),
        options(std::move(o)),
        gate(loop),
        tokens(options.qps, options.burst) {}

  void record(Event event) {
    sweep();
    if (event.action.empty()) event.action = event.reason;
    event.note = cut(std::move(event.note), kMaxNote);
    event.reason = cut(std::move(event.reason), kMaxReason);
    event.action = cut(std::move(event.action), kMaxReason);
    const std::string key = series_key(event);
    const auto found = series.find(key);
    if (found == series.end()) return first(key, event);
    if (loop.now() - found->second.last_seen < options.series_idle) {
      return repeated(key, found->second);
    }
    series.erase(found);
    first(key, event);
  }

  void repeated(const std::string& key, Series& known) {
    ++known.count;
    known.last = loop.wall();
    known.last_seen = loop.now();
    count(&EventStats::repeated);
    schedule_write(key, known);
  }

  void schedule_write(const std::string& key, Series& known) {
    if (std::exchange(known.write_due, true)) return;
    loop.after(options.series_interval, [weak = weak_from_this(), key] {
      const auto self = weak.lock();
      if (self && !self->closed) self->write_series(key);
    });
  }

  void write_series(const std::string& key) {
    const auto found = series.find(key);
    if (found == series.end()) return;
    Series& known = found->second;
    known.write_due = false;
    if (known.written == known.count) return;
    if (!known.created) return schedule_write(key, known);
    const std::int64_t told = known.count;
    ApiRequest request = patch(events(), known.name, PatchKind::Merge,
                               "{\"series\":" + series_json(told, known.last) + "}");
    known.written = told;
    send(std::move(request), &EventStats::updated, [key](Impl& self, bool good) {
      if (!good) self.series.erase(key);  // expired, most likely: the next one is a new event
    });
  }

  void first(const std::string& key, const Event& event) {
    if (!allowed(event.regarding) || pending >= options.max_pending) {
      return count(&EventStats::dropped);
    }
    Series fresh;
    fresh.last = loop.wall();
    fresh.last_seen = loop.now();
    // Cluster-scoped objects' events live in "default".
    fresh.name.ns = event.regarding.key.ns.empty() ? "default" : event.regarding.key.ns;
    fresh.name.name = unique_name(event.regarding.key.name, key);
    std::string json = event_json(event, fresh);
    ApiRequest request = create(events(), fresh.name, std::move(json));
    series.emplace(key, std::move(fresh));
    send(std::move(request), &EventStats::created, [key](Impl& self, bool good) {
      const auto found = self.series.find(key);
      if (found == self.series.end()) return;
      // A refused event has no object to count on: its next repetition tries anew.
      good ? void(found->second.created = true) : void(self.series.erase(found));
    });
  }

  // "<object>.<hex>": the same name for a repeated request, another one for another event.
  std::string unique_name(const std::string& object, const std::string& key) {
    Digest digest;
    digest.text(key).number(loop.wall().nanos).number(++sequence).text(options.instance);
    return cut(object, 230) + "." + digest.hex();
  }

  std::string event_json(const Event& event, const Series& fresh) const {
    std::string out =
        R"({"apiVersion":"events.k8s.io/v1","kind":"Event","metadata":{"namespace":)" +
        json_string(fresh.name.ns) + ",\"name\":" + json_string(fresh.name.name) + "}";
    out += ",\"eventTime\":" + json_string(format_micro_time(fresh.last));
    out += ",\"reportingController\":" + json_string(options.controller);
    out += ",\"reportingInstance\":" + json_string(cut(options.instance, kMaxReason));
    out += ",\"type\":" + json_string(type_name(event.type));
    out += ",\"reason\":" + json_string(event.reason);
    out += ",\"action\":" + json_string(event.action);
    out += ",\"note\":" + json_string(event.note);
    out += ",\"regarding\":" + reference_json(event.regarding);
    if (event.related) out += ",\"related\":" + reference_json(*event.related);
    return out + "}";
  }

  bool allowed(const ObjectReference& object) {
    const double per_second = options.object_refill > Duration{}
                                  ? 1e9 / static_cast<double>(options.object_refill.nanos)
                                  : -1;
    const std::string key = object.kind + "/" + object.key.text();
    ObjectBudget& budget =
        budgets.try_emplace(key, ObjectBudget{TokenBucket(per_second, options.object_burst), {}})
            .first->second;
    budget.last_seen = loop.now();
    return budget.tokens.take(loop.now()) == Duration{} && tokens.take(loop.now()) == Duration{};
  }

  template <class Then>
  void send(ApiRequest request, std::uint64_t EventStats::*counter, Then then) {
    request.mutating = false;  // telling what happened is not acting as the leader
    ++pending;
    client.submit(std::move(request),
                  [weak = weak_from_this(), counter, then](const Outcome<Document>& answer) {
                    const auto self = weak.lock();
                    if (!self || self->closed) return;
                    --self->pending;
                    const bool good = answer || answer.error().code == Errc::AlreadyExists;
                    self->count(good ? counter : &EventStats::dropped);
                    then(*self, good);
                  });
  }

  // Forgets series and budgets that rested long enough, now and then.
  void sweep() {
    const http::Steady now = loop.now();
    if (now - last_sweep < options.series_idle && last_sweep != http::Steady{}) return;
    last_sweep = now;
    std::erase_if(series, [&](const auto& entry) {
      return now - entry.second.last_seen >= options.series_idle && !entry.second.write_due;
    });
    std::erase_if(budgets, [&](const auto& entry) {
      return now - entry.second.last_seen >= options.object_refill * options.object_burst;
    });
  }

  void count(std::uint64_t EventStats::*counter) EXCLUDES(mutex) {
    MutexLock lock(mutex);
    ++(stats.*counter);
  }

  Client& client;
  http::Loop& loop;
  const EventOptions options;
  LoopGate gate;
  bool closed = false;
  TokenBucket tokens;
  std::unordered_map<std::string, Series> series;
  std::unordered_map<std::string, ObjectBudget> budgets;
  int pending = 0;
  std::int64_t sequence = 0;
  http::Steady last_sweep;

  Mutex mutex;
  EventStats stats GUARDED_BY(mutex);
};

EventRecorder::EventRecorder(Client& client, EventOptions options)
    : impl_(std::make_shared<Impl>(client, std::move(options))) {}

EventRecorder::~EventRecorder() {
  impl_->loop.run_and_wait([this] {
    impl_->gate.close();
    impl_->closed = true;
  });
}

void EventRecorder::record(Event event) {
  impl_->gate.post([impl = impl_, event = std::move(event)]() mutable {
    if (!impl->closed) impl->record(std::move(event));
  });
}

void EventRecorder::flush() {
  impl_->gate.post([impl = impl_] {
    if (impl->closed) return;
    std::vector<std::string> keys;
    for (const auto& [key, known] : impl->series) {
      if (known.written != known.count) keys.push_back(key);
    }
    std::ranges::sort(keys);
    for (const std::string& key : keys) impl->write_series(key);
  });
}

EventStats EventRecorder::stats() const {
  MutexLock lock(impl_->mutex);
  return impl_->stats;
}

}  // namespace quorate::kube
