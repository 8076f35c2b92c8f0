#include "controller/live/queue_status_host.h"

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "controller/live/feed.h"
#include "controller/live/log.h"
#include "controller/reconcile/queue_reconciler.h"
#include "controller/reconcile/write.h"
#include "src/objects/encode.h"

namespace quorate::controller {
namespace {

constexpr const char* kRole = "leader";

// cpu in cores, everything else in whole units.
double base_units(const std::string& resource, Quantity amount) {
  const auto units = static_cast<double>(amount.base_units());
  return resource == "cpu" ? units / 1000 : units;
}

// A finite share as the metric shows it: in thousandths, not rounded to whole ones.
double thousandths(const fairshare::Share& share) {
  if (share.is_zero()) return 0;
  return 1000 * static_cast<double>(share.borrowed()) / static_cast<double>(share.lendable()) *
         (static_cast<double>(fairshare::kWeightOne) / static_cast<double>(share.weight()));
}

}  // namespace

struct QueueStatusHost::Shared : std::enable_shared_from_this<QueueStatusHost::Shared> {
  Shared(kube::Client& writing_client, Caches& known, MetricRegistry& registry, Options chosen)
      : client(writing_client), caches(known), metrics(registry), options(chosen) {}

  struct Slot {
    std::optional<admission::QueueView> view;
    bool scheduled = false;  // a write is under way or its timer runs
    bool again = false;      // something changed since
    std::int64_t written_at = 0;
  };
  using SlotKey = std::pair<QueueKind, ObjectKey>;

  void changed(const SlotKey& key, std::optional<admission::QueueView> view);
  void write(const SlotKey& key);
  std::optional<kube::ApiRequest> request(const SlotKey& key, const admission::QueueView& view);
  void written(const SlotKey& key, Outcome<kube::Document> answer);
  void show(const std::string& name, const admission::QueueView& view, std::int32_t parked);
  void show_local(const ObjectKey& key, const admission::QueueView& view);

  kube::Client& client;
  Caches& caches;
  MetricRegistry& metrics;
  const Options options;
  std::uint64_t cluster_cursor = 0;  // of the thread that owns the views
  std::uint64_t local_cursor = 0;
  std::uint64_t cohort_cursor = 0;

  Mutex mutex;
  std::map<SlotKey, Slot> slots GUARDED_BY(mutex);
  bool stopped GUARDED_BY(mutex) = false;
};

// A view, or only the news that the object is another one; nullopt keeps the last view.
void QueueStatusHost::Shared::changed(const SlotKey& key,
                                      std::optional<admission::QueueView> view) {
  Duration wait;
  {
    MutexLock lock(mutex);
    if (stopped) return;
    Slot& slot = slots[key];
    if (view) slot.view = std::move(view);
    if (!slot.view) return;
    if (slot.scheduled) {
      slot.again = true;
      return;
    }
    slot.scheduled = true;
    const std::int64_t age = client.loop().now().nanos - slot.written_at;
    if (slot.written_at != 0 && age < options.interval.nanos) {
      wait = Duration{options.interval.nanos - age};
    }
  }
  client.loop().after(wait, [weak = weak_from_this(), key] {
    if (const auto shared = weak.lock()) shared->write(key);
  });
}

std::optional<kube::ApiRequest> QueueStatusHost::Shared::request(const SlotKey& key,
                                                                 const admission::QueueView& view) {
  const auto& [kind, name] = key;
  const kube::WriteOptions options_of_write{.subresource = "status", .field_manager = "quorate"};
  const Time now = client.loop().wall();
  if (kind == QueueKind::ClusterQueue) {
    const auto queue = caches.cluster_queues.find(name);
    if (queue == nullptr) return std::nullopt;
    const objects::QueueStatus status =
        queue_status(queue->status, view, kind, queue->meta.generation, now);
    if (status == queue->status) return std::nullopt;
    return kube::patch(resource_of(objects::kinds::kClusterQueue), name, kube::PatchKind::Merge,
                       objects::cluster_queue_status_patch("", status), options_of_write);
  }
  if (kind == QueueKind::Cohort) {
    const auto cohort = caches.cohorts.find(name);
    if (cohort == nullptr || !view.share) return std::nullopt;
    if (cohort->weighted_share == view.share->weighted()) return std::nullopt;
    return kube::patch(resource_of(objects::kinds::kCohort), name, kube::PatchKind::Merge,
                       objects::cohort_status_patch("", view.share->weighted()), options_of_write);
  }
  const auto queue = caches.local_queues.find(name);
  if (queue == nullptr) return std::nullopt;
  const objects::QueueStatus status =
      queue_status(queue->status, view, kind, queue->meta.generation, now);
  if (status == queue->status) return std::nullopt;
  return kube::patch(resource_of(objects::kinds::kLocalQueue), name, kube::PatchKind::Merge,
                     objects::local_queue_status_patch("", status), options_of_write);
}

void QueueStatusHost::Shared::write(const SlotKey& key) {
  std::optional<admission::QueueView> view;
  {
    MutexLock lock(mutex);
    const auto found = slots.find(key);
    if (found == slots.end() || stopped) return;
    found->second.again = false;
    view = found->second.view;
  }
  std::optional<kube::ApiRequest> patch = request(key, *view);
  if (!patch) {
    MutexLock lock(mutex);
    const auto found = slots.find(key);
    if (found != slots.end()) found->second.scheduled = false;
    return;
  }
  client.submit(std::move(*patch), [weak = weak_from_this(), key](Outcome<kube::Document> answer) {
    if (const auto shared = weak.lock()) shared->written(key, std::move(answer));
  });
}

void QueueStatusHost::Shared::written(const SlotKey& key, Outcome<kube::Document> answer) {
  metrics.add("quorate_api_writes_total", {"queue_status", answer ? "ok" : "failed"});
  if (answer) {
    if (const Outcome<kube::RawObject> raw = answer->object()) {
      if (key.first == QueueKind::ClusterQueue) {
        if (auto object = decode<objects::ClusterQueue>(*raw)) {
          caches.cluster_queues.assume(std::move(*object));
        }
      } else if (key.first == QueueKind::Cohort) {
        if (auto object = decode<objects::Cohort>(*raw)) caches.cohorts.assume(std::move(*object));
      } else if (auto object = decode<objects::LocalQueue>(*raw)) {
        caches.local_queues.assume(std::move(*object));
      }
    }
  } else if (answer.error().code != Errc::NotFound && answer.error().code != Errc::Fenced) {
    log_warn("queue status not written",
             {{"queue", key.second.text()}, {"reason", answer.error().message}});
  }
  const bool failed = !answer && answer.error().code != Errc::NotFound;
  bool again = false;
  {
    MutexLock lock(mutex);
    const auto found = slots.find(key);
    if (found == slots.end()) return;
    Slot& slot = found->second;
    slot.scheduled = false;
    slot.written_at = client.loop().now().nanos;
    again = slot.again || failed;
  }
  if (again) changed(key, std::nullopt);
}

void QueueStatusHost::Shared::show(const std::string& name, const admission::QueueView& view,
                                   std::int32_t parked) {
  const std::int32_t inadmissible = view.active.active ? parked : view.pending;
  metrics.set("kueue_pending_workloads", {name, "active", kRole}, view.pending - inadmissible);
  metrics.set("kueue_pending_workloads", {name, "inadmissible", kRole}, inadmissible);
  metrics.set("kueue_reserving_active_workloads", {name, kRole}, view.reserving);
  metrics.set("kueue_admitted_active_workloads", {name, kRole}, view.admitted);
  const bool terminating = view.active.reason == "Terminating";
  metrics.set("kueue_cluster_queue_status", {name, "active", kRole}, view.active.active ? 1 : 0);
  metrics.set("kueue_cluster_queue_status", {name, "pending", kRole},
              !view.active.active && !terminating ? 1 : 0);
  metrics.set("kueue_cluster_queue_status", {name, "terminating", kRole}, terminating ? 1 : 0);
  const auto queue = caches.cluster_queues.find({"", name});
  if (queue == nullptr) return;
  if (view.share) {
    const double share = view.share->is_infinite() ? std::numeric_limits<double>::quiet_NaN()
                                                   : thousandths(*view.share);
    metrics.set("kueue_cluster_queue_weighted_share", {name, queue->cohort, kRole}, share);
  }
  if (!options.resource_metrics) return;
  const auto labels = [&](const std::string& flavor, const std::string& resource) {
    return MetricRegistry::Values{queue->cohort, name, flavor, resource, kRole};
  };
  for (const auto& usage : view.reservation) {
    metrics.set("kueue_cluster_queue_resource_reservation", labels(usage.flavor, usage.resource),
                base_units(usage.resource, usage.total));
  }
  for (const auto& usage : view.usage) {
    metrics.set("kueue_cluster_queue_resource_usage", labels(usage.flavor, usage.resource),
                base_units(usage.resource, usage.total));
  }
  for (const objects::ResourceGroup& group : queue->resource_groups) {
    for (const objects::FlavorQuotas& flavor : group.flavors) {
      for (const objects::ResourceQuota& quota : flavor.resources) {
        const auto limit = [&](const std::optional<Quantity>& bound) {
          return bound ? base_units(quota.name, *bound) : std::numeric_limits<double>::infinity();
        };
        metrics.set("kueue_cluster_queue_nominal_quota", labels(flavor.name, quota.name),
                    base_units(quota.name, quota.nominal));
        metrics.set("kueue_cluster_queue_borrowing_limit", labels(flavor.name, quota.name),
                    limit(quota.borrowing_limit));
        metrics.set("kueue_cluster_queue_lending_limit", labels(flavor.name, quota.name),
                    limit(quota.lending_limit));
      }
    }
  }
}

void QueueStatusHost::Shared::show_local(const ObjectKey& key, const admission::QueueView& view) {
  if (!options.local_queue_metrics) return;
  metrics.set("kueue_local_queue_pending_workloads", {key.name, key.ns, "active", kRole},
              view.active.active ? view.pending : 0);
  metrics.set("kueue_local_queue_pending_workloads", {key.name, key.ns, "inadmissible", kRole},
              view.active.active ? 0 : view.pending);
  metrics.set("kueue_local_queue_reserving_active_workloads", {key.name, key.ns, kRole},
              view.reserving);
  metrics.set("kueue_local_queue_admitted_active_workloads", {key.name, key.ns, kRole},
              view.admitted);
  metrics.set("kueue_local_queue_status", {key.name, key.ns, "True", kRole},
              view.active.active ? 1 : 0);
  metrics.set("kueue_local_queue_status", {key.name, key.ns, "False", kRole},
              view.active.active ? 0 : 1);
  metrics.set("kueue_local_queue_status", {key.name, key.ns, "Unknown", kRole}, 0);
  if (!view.consumed) {
    metrics.remove("kueue_local_queue_admission_fair_sharing_usage", {key.name, key.ns});
  } else if (const auto queue = caches.local_queues.find(key); queue != nullptr) {
    const double usage = view.consumed->usage.is_infinite()
                             ? std::numeric_limits<double>::infinity()
                             : static_cast<double>(view.consumed->usage.billionths()) / 1e9;
    metrics.set("kueue_local_queue_admission_fair_sharing_usage",
                {key.name, key.ns, queue->cluster_queue, kRole}, usage);
  }
  if (!options.resource_metrics) return;
  for (const auto& usage : view.reservation) {
    metrics.set("kueue_local_queue_resource_reservation",
                {key.name, key.ns, usage.flavor, usage.resource, kRole},
                base_units(usage.resource, usage.total));
  }
  for (const auto& usage : view.usage) {
    metrics.set("kueue_local_queue_resource_usage",
                {key.name, key.ns, usage.flavor, usage.resource, kRole},
                base_units(usage.resource, usage.total));
  }
}

QueueStatusHost::QueueStatusHost(kube::Client& client, Caches& caches, MetricRegistry& metrics,
                                 Options options)
    : shared_(std::make_shared<Shared>(client, caches, metrics, options)) {}

QueueStatusHost::~QueueStatusHost() { stop(); }

void QueueStatusHost::read(const admission::Views& views) {
  Shared& shared = *shared_;
  for (const std::string& name : views.changed_cluster_queues(shared.cluster_cursor)) {
    std::optional<admission::QueueView> view = views.cluster_queue(name);
    if (!view) continue;
    shared.show(name, *view, static_cast<std::int32_t>(views.parked(name).size()));
    shared.changed({QueueKind::ClusterQueue, {"", name}}, std::move(view));
  }
  for (const std::string& name : views.changed_cohorts(shared.cohort_cursor)) {
    admission::QueueView view;
    view.share = views.cohort_share(name);
    if (!view.share) continue;
    shared.metrics.set("kueue_cohort_weighted_share", {name, kRole},
                       view.share->is_infinite() ? std::numeric_limits<double>::infinity()
                                                 : thousandths(*view.share));
    shared.changed({QueueKind::Cohort, {"", name}}, std::move(view));
  }
  for (const ObjectKey& key : views.changed_local_queues(shared.local_cursor)) {
    std::optional<admission::QueueView> view = views.local_queue(key);
    if (!view) continue;
    shared.show_local(key, *view);
    shared.changed({QueueKind::LocalQueue, key}, std::move(view));
  }
}

void QueueStatusHost::cluster_queue_changed(const std::string& name) {
  shared_->changed({QueueKind::ClusterQueue, {"", name}}, std::nullopt);
}

void QueueStatusHost::local_queue_changed(const ObjectKey& key) {
  shared_->changed({QueueKind::LocalQueue, key}, std::nullopt);
}

void QueueStatusHost::cluster_queue_gone(const std::string& name) {
  {
    MutexLock lock(shared_->mutex);
    shared_->slots.erase({QueueKind::ClusterQueue, {"", name}});
  }
  for (const char* metric : {"kueue_pending_workloads", "kueue_reserving_active_workloads",
                             "kueue_admitted_active_workloads", "kueue_cluster_queue_status",
                             "kueue_cluster_queue_weighted_share"}) {
    shared_->metrics.remove(metric, {name});
  }
}

void QueueStatusHost::cohort_gone(const std::string& name) {
  {
    MutexLock lock(shared_->mutex);
    shared_->slots.erase({QueueKind::Cohort, {"", name}});
  }
  shared_->metrics.remove("kueue_cohort_weighted_share", {name});
}

void QueueStatusHost::local_queue_gone(const ObjectKey& key) {
  {
    MutexLock lock(shared_->mutex);
    shared_->slots.erase({QueueKind::LocalQueue, key});
  }
  for (const char* metric :
       {"kueue_local_queue_pending_workloads", "kueue_local_queue_reserving_active_workloads",
        "kueue_local_queue_admitted_active_workloads", "kueue_local_queue_status",
        "kueue_local_queue_resource_reservation", "kueue_local_queue_resource_usage",
        "kueue_local_queue_admission_fair_sharing_usage"}) {
    shared_->metrics.remove(metric, {key.name, key.ns});
  }
}

std::int32_t QueueStatusHost::reserving(const std::string& cluster_queue) const {
  MutexLock lock(shared_->mutex);
  const auto found = shared_->slots.find({QueueKind::ClusterQueue, {"", cluster_queue}});
  if (found == shared_->slots.end() || !found->second.view) return 0;
  return found->second.view->reserving;
}

void QueueStatusHost::stop() {
  MutexLock lock(shared_->mutex);
  shared_->stopped = true;
}

}  // namespace quorate::controller
