#include "controller/live/status_writer.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "controller/live/feed.h"
#include "controller/live/log.h"
#include "src/objects/names.h"

namespace quorate::controller {
namespace {

using objects::Workload;

// What a bundle of changes tells the engine when it is written; a Hold expects nothing.
bool is_hold(const StatusChange& change) {
  const auto* decision = std::get_if<admission::Decision>(&change);
  return decision != nullptr && std::holds_alternative<admission::Hold>(*decision);
}

// Nobody waits for it: it is written a little later, with what else comes until then.
bool can_wait(const StatusChange& change) {
  const auto* decision = std::get_if<admission::Decision>(&change);
  return decision != nullptr && (std::holds_alternative<admission::Hold>(*decision) ||
                                 std::holds_alternative<admission::ListChecks>(*decision));
}

bool engine_waits_for(const StatusChange& change) {
  return !is_hold(change) && std::holds_alternative<admission::Decision>(change);
}

std::string class_of(const Workload& workload) {
  return workload.priority_class ? workload.priority_class->name : std::string();
}

double seconds(Duration duration) { return static_cast<double>(duration.nanos) / 1e9; }

}  // namespace

struct StatusWriter::Shared : std::enable_shared_from_this<StatusWriter::Shared> {
  struct Item {
    StatusChange change;
    std::optional<std::vector<std::string>> required_checks;
  };
  enum class Turn {
    Idle,
    Delayed,  // a timer of ours will queue it
    Lazy,     // in the lazy queue
    Urgent,   // in the urgent queue
    InFlight,
  };
  struct Entry {
    Turn turn = Turn::Idle;
    std::vector<Item> waiting;
    std::vector<Item> in_flight;
    bool urgent = false;       // something that waits is more than a reason to wait
    bool backing_off = false;  // Delayed because the last try failed
    std::uint32_t failures = 0;
  };

  Shared(kube::Client& writing_client, Store<Workload>& workloads, kube::EventRecorder& recorder,
         MetricRegistry& registry, Post post_event, Limits bounds)
      : client(writing_client),
        store(workloads),
        events(recorder),
        metrics(registry),
        post(std::move(post_event)),
        limits(bounds) {}

  void submit(Item item);
  void queue(const ObjectKey& key, Entry& entry) REQUIRES(mutex);
  void queue_after(const ObjectKey& key, Duration delay);
  void pump_soon();
  void pump();
  void send(const ObjectKey& key, std::vector<Item> changes, bool urgent);
  std::string replaced_cluster(const Workload& workload) const;
  void answered(const ObjectKey& key, bool urgent, const Workload& before,
                Outcome<kube::Document> answer);
  void finish(const ObjectKey& key, bool urgent);
  void retry(const ObjectKey& key, bool urgent, const Error& why);
  void report(const std::vector<Item>& changes, bool succeeded, bool gone,
              const std::string& message);
  void record(const Workload& before, const std::vector<Item>& changes);

  kube::Client& client;
  Store<Workload>& store;
  kube::EventRecorder& events;
  MetricRegistry& metrics;
  const Post post;
  const Limits limits;

  Mutex mutex;
  std::map<ObjectKey, Entry> entries GUARDED_BY(mutex);
  std::deque<ObjectKey> urgent_queue GUARDED_BY(mutex);
  std::deque<ObjectKey> lazy_queue GUARDED_BY(mutex);
  int urgent_in_flight GUARDED_BY(mutex) = 0;
  int lazy_in_flight GUARDED_BY(mutex) = 0;
  bool stopped GUARDED_BY(mutex) = false;
};

void StatusWriter::Shared::submit(Item item) {
  const bool lazy = can_wait(item.change);
  const ObjectKey key = workload_of(item.change);
  bool delay = false;
  {
    MutexLock lock(mutex);
    if (stopped) return;
    Entry& entry = entries[key];
    // A later Hold says all that an earlier one said.
    std::erase_if(entry.waiting, [&](const Item& before) {
      return uid_of(before.change) != uid_of(item.change) ||
             (is_hold(item.change) && is_hold(before.change));
    });
    entry.waiting.push_back(std::move(item));
    entry.urgent = entry.urgent || !lazy;
    const bool overtakes =
        !lazy && !entry.backing_off && (entry.turn == Turn::Delayed || entry.turn == Turn::Lazy);
    if (entry.turn == Turn::Idle && lazy) {
      entry.turn = Turn::Delayed;
      delay = true;
    } else if (entry.turn == Turn::Idle || overtakes) {
      queue(key, entry);
    }
  }
  if (delay) {
    queue_after(key, limits.lazy_delay);
  } else {
    pump_soon();
  }
}

void StatusWriter::Shared::queue(const ObjectKey& key, Entry& entry) {
  entry.turn = entry.urgent ? Turn::Urgent : Turn::Lazy;
  entry.backing_off = false;
  (entry.urgent ? urgent_queue : lazy_queue).push_back(key);
}

void StatusWriter::Shared::queue_after(const ObjectKey& key, Duration delay) {
  client.loop().after(delay, [weak = weak_from_this(), key] {
    const auto shared = weak.lock();
    if (!shared) return;
    {
      MutexLock lock(shared->mutex);
      const auto found = shared->entries.find(key);
      if (found == shared->entries.end() || found->second.turn != Turn::Delayed) return;
      shared->queue(key, found->second);
    }
    shared->pump();
  });
}

void StatusWriter::Shared::pump_soon() {
  client.loop().post([weak = weak_from_this()] {
    if (const auto shared = weak.lock()) shared->pump();
  });
}

// Sends as much as the limits allow; on the client's loop.
void StatusWriter::Shared::pump() {
  while (true) {
    ObjectKey key;
    std::vector<Item> changes;
    bool urgent = false;
    {
      MutexLock lock(mutex);
      if (stopped) return;
      if (!urgent_queue.empty() && urgent_in_flight < limits.urgent_in_flight) {
        urgent = true;
      } else if (lazy_queue.empty() || !urgent_queue.empty() ||
                 lazy_in_flight >= limits.lazy_in_flight) {
        return;
      }
      std::deque<ObjectKey>& from = urgent ? urgent_queue : lazy_queue;
      key = from.front();
      from.pop_front();
      const auto found = entries.find(key);
      // What moved to the other queue meanwhile is taken from there.
      if (found == entries.end() || found->second.turn != (urgent ? Turn::Urgent : Turn::Lazy)) {
        continue;
      }
      Entry& entry = found->second;
      entry.turn = Turn::InFlight;
      entry.urgent = false;
      entry.in_flight = std::exchange(entry.waiting, {});
      changes = entry.in_flight;
      (urgent ? urgent_in_flight : lazy_in_flight) += 1;
    }
    send(key, std::move(changes), urgent);
  }
}

// Where the slice runs whose place this one takes.
std::string StatusWriter::Shared::replaced_cluster(const Workload& workload) const {
  const std::string text(
      objects::value_of(workload.meta.annotations, objects::names::kSliceReplacementFor));
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return "";
  const auto before = store.find({text.substr(0, slash), text.substr(slash + 1)});
  return before != nullptr ? before->status.cluster_name : std::string();
}

void StatusWriter::Shared::send(const ObjectKey& key, std::vector<Item> changes, bool urgent) {
  const std::string uid = uid_of(changes.back().change);
  const std::shared_ptr<const Workload> seen = store.find(key);
  if (seen == nullptr || seen->meta.uid != uid) {
    report(changes, false, true, "the Workload is gone");
    return finish(key, urgent);
  }
  Workload after = *seen;
  const std::string cluster = replaced_cluster(*seen);
  for (const Item& item : changes) {
    apply(after, item.change, {client.loop().wall(), item.required_checks, true, cluster});
  }
  if (says_the_same(seen->status, after.status)) {
    report(changes, true, false, "");
    return finish(key, urgent);
  }
  const objects::WorkloadStatus share = admission_share(after.status);
  // Others write the states of admission checks; then nothing may have changed meanwhile.
  const std::string guard = share.admission_checks.empty() ? "" : seen->meta.resource_version;
  kube::ApiRequest request =
      kube::apply(resource_of(objects::kinds::kWorkload), key,
                  objects::workload_status_apply(key, uid, guard, share), kube::Force::Yes,
                  {.subresource = "status", .field_manager = std::string(kAdmissionManager)});
  client.submit(std::move(request),
                [weak = weak_from_this(), key, urgent, seen](Outcome<kube::Document> answer) {
                  if (const auto shared = weak.lock())
                    shared->answered(key, urgent, *seen, std::move(answer));
                });
}

void StatusWriter::Shared::answered(const ObjectKey& key, bool urgent, const Workload& before,
                                    Outcome<kube::Document> answer) {
  std::vector<Item> changes;
  {
    MutexLock lock(mutex);
    changes = entries[key].in_flight;
  }
  if (answer) {
    metrics.add("quorate_api_writes_total", {"workload_status", "ok"});
    if (Outcome<kube::RawObject> raw = answer->object()) {
      if (Outcome<Workload> written = decode<Workload>(*raw)) store.assume(std::move(*written));
    }
    report(changes, true, false, "");
    record(before, changes);
    return finish(key, urgent);
  }
  const Error& why = answer.error();
  metrics.add("quorate_api_writes_total",
              {"workload_status", why.code == Errc::Conflict ? "conflict" : "failed"});
  switch (why.code) {
    case Errc::Fenced:
      return finish(key, urgent);
    case Errc::NotFound:
      report(changes, false, true, why.message);
      return finish(key, urgent);
    case Errc::Conflict:
    case Errc::Unavailable:
    case Errc::Gone:
    case Errc::AlreadyExists:
      return retry(key, urgent, why);
    case Errc::Invalid:
    case Errc::Forbidden:
      log_error("workload status refused", {{"workload", key.text()}, {"reason", why.message}});
      report(changes, false, false, why.message);
      return finish(key, urgent);
  }
}

void StatusWriter::Shared::finish(const ObjectKey& key, bool urgent) {
  {
    MutexLock lock(mutex);
    (urgent ? urgent_in_flight : lazy_in_flight) -= 1;
    const auto found = entries.find(key);
    if (found != entries.end()) {
      Entry& entry = found->second;
      entry.in_flight.clear();
      entry.failures = 0;
      if (entry.waiting.empty()) {
        entries.erase(found);
      } else {
        queue(key, entry);
      }
    }
  }
  pump_soon();
}

// Puts what was under way before what came meanwhile, and tries again a little later.
void StatusWriter::Shared::retry(const ObjectKey& key, bool urgent, const Error& why) {
  Duration delay = limits.retry_base;
  {
    MutexLock lock(mutex);
    (urgent ? urgent_in_flight : lazy_in_flight) -= 1;
    Entry& entry = entries[key];
    std::vector<Item> all = std::exchange(entry.in_flight, {});
    all.insert(all.end(), entry.waiting.begin(), entry.waiting.end());
    entry.waiting = std::move(all);
    entry.urgent = entry.urgent || urgent;
    entry.turn = Turn::Delayed;
    entry.backing_off = true;
    for (std::uint32_t i = 0; i < entry.failures && delay < limits.retry_max; ++i)
      delay = delay * 2;
    delay = std::min(delay, limits.retry_max);
    ++entry.failures;
  }
  if (why.code != Errc::Conflict) {
    log_warn("workload status not written", {{"workload", key.text()}, {"reason", why.message}});
  }
  queue_after(key, delay);
  pump_soon();
}

void StatusWriter::Shared::report(const std::vector<Item>& changes, bool succeeded, bool gone,
                                  const std::string& message) {
  // One answer for one write, whatever it bundled.
  for (const auto& [change, checks] : changes) {
    if (!engine_waits_for(change)) continue;
    post(engine::AdmissionWritten{workload_of(change), uid_of(change), succeeded, gone, message});
    return;
  }
}

void StatusWriter::Shared::record(const Workload& before, const std::vector<Item>& changes) {
  const Time now = client.loop().wall();
  for (const auto& [change, checks] : changes) {
    for (kube::Event& event : events_of(before, change, now)) events.record(std::move(event));
    const std::string& ns = before.meta.key.ns;
    const std::string& queue = before.queue_name;
    const std::string priority_class = class_of(before);
    const auto count_admitted = [&](const std::string& cluster_queue) {
      const double waited = seconds(now - queued_at(before));
      metrics.add("kueue_admitted_workloads_total", {cluster_queue, priority_class, "leader"});
      metrics.add("kueue_local_queue_admitted_workloads_total",
                  {queue, ns, priority_class, "leader"});
      metrics.observe("kueue_admission_wait_time_seconds",
                      {cluster_queue, priority_class, "leader"}, waited);
      metrics.observe("kueue_local_queue_admission_wait_time_seconds",
                      {queue, ns, priority_class, "leader"}, waited);
    };
    const auto count_reserved = [&](const std::string& cluster_queue) {
      const double waited = seconds(now - queued_at(before));
      metrics.add("kueue_quota_reserved_workloads_total",
                  {cluster_queue, priority_class, "leader"});
      metrics.add("kueue_local_queue_quota_reserved_workloads_total",
                  {queue, ns, priority_class, "leader"});
      metrics.observe("kueue_quota_reserved_wait_time_seconds",
                      {cluster_queue, priority_class, "leader"}, waited);
      metrics.observe("kueue_local_queue_quota_reserved_wait_time_seconds",
                      {queue, ns, priority_class, "leader"}, waited);
    };
    const auto count_evicted = [&](const admission::Evict& evict) {
      const auto [reason, cause] = translate::class_of(evict);
      const std::string cluster_queue =
          before.status.admission ? before.status.admission->cluster_queue : "";
      metrics.add("kueue_evicted_workloads_total",
                  {cluster_queue, reason, cause, priority_class, "leader"});
      if (!evict.preemption_reason.empty()) {
        metrics.add("kueue_preempted_workloads_total",
                    {evict.preempting_queue, evict.preemption_reason, "leader"});
      }
      log_info("workload evicted",
               {{"workload", before.meta.key.text()}, {"reason", evict.reason}});
    };
    if (const auto* record = std::get_if<RecordFailedNodes>(&change)) {
      if (const auto evict = eviction_of(before, *record)) count_evicted(*evict);
    }
    const auto* decision = std::get_if<admission::Decision>(&change);
    if (decision == nullptr) continue;
    if (const auto* admit = std::get_if<admission::Admit>(decision)) {
      const std::string& cluster_queue = admit->admission.cluster_queue;
      if (!held_quota(before)) count_reserved(cluster_queue);
      if (admit->admitted && !was_admitted(before)) {
        count_admitted(cluster_queue);
        metrics.observe("kueue_admission_checks_wait_time_seconds",
                        {cluster_queue, priority_class, "leader"},
                        seconds(now - reserved_at(before, now)));
      }
      log_info("workload reserved", {{"workload", before.meta.key.text()},
                                     {"queue", cluster_queue},
                                     {"admitted", admit->admitted ? "true" : "false"}});
    } else if (std::holds_alternative<admission::ConfirmAdmission>(*decision)) {
      if (before.status.admission) count_admitted(before.status.admission->cluster_queue);
    } else if (const auto* evict = std::get_if<admission::Evict>(decision)) {
      count_evicted(*evict);
    }
  }
}

StatusWriter::StatusWriter(kube::Client& client, Store<Workload>& store,
                           kube::EventRecorder& events, MetricRegistry& metrics, Post post,
                           Limits limits)
    : shared_(std::make_shared<Shared>(client, store, events, metrics, std::move(post), limits)) {}

StatusWriter::~StatusWriter() { stop(); }

void StatusWriter::submit(StatusChange change,
                          std::optional<std::vector<std::string>> required_checks) {
  shared_->submit({std::move(change), std::move(required_checks)});
}

void StatusWriter::stop() {
  MutexLock lock(shared_->mutex);
  shared_->stopped = true;
}

std::size_t StatusWriter::pending() const {
  MutexLock lock(shared_->mutex);
  return shared_->entries.size();
}

}  // namespace quorate::controller
