#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controller/live/caches.h"
#include "controller/live/discovery.h"
#include "controller/live/engine_thread.h"
#include "controller/live/feed.h"
#include "controller/live/parts.h"
#include "controller/live/queue_status_host.h"
#include "controller/live/reconcile_host.h"
#include "controller/metrics/registry.h"

namespace quorate::controller {

// Who hears of changes; absent parts are nullptr.
struct Hearers {
  EngineThread* engine = nullptr;
  ReconcileHost* reconcilers = nullptr;
  QueueStatusHost* queue_status = nullptr;
  // A Workload that cannot be understood.
  std::function<void(const kube::Meta& meta, const Error& why)> on_bad_workload;
};

// All kinds that a process watches, each into its cache, the engine and the reconcilers.
class Feeds {
 public:
  // All outlive the feeds.
  Feeds(kube::Client& client, Caches& caches, MetricRegistry& metrics, Hearers hearers,
        const Parts& parts);

  // Adds what is served now and was not before; groups that are not served any more are let go of.
  void follow(const Served& served);
  // Lists everything again; on_synced() comes once when all lists are complete.
  void start(std::function<void()> on_synced);
  void stop();
  bool synced() const EXCLUDES(mutex_);
  std::string waiting_for() const
      EXCLUDES(mutex_);  // "" when synced; else which list is missing, and why

 private:
  template <class T>
  void add(const objects::KindInfo& kind, Store<T>& store, Listener<T> listener,
           std::function<bool(const T&)> filter = {});
  void add_groups(objects::PodGroupApi api);
  void add_admission_kinds();
  void add_job_kinds();
  void add_pod_kinds();
  void add_device_kinds();
  void insert(std::unique_ptr<AnyFeed> feed) EXCLUDES(mutex_);
  // What the scheduler alone looks at.
  void add_scheduler_kinds(const Served& served);
  void remove(const std::string& name) EXCLUDES(mutex_);
  std::vector<AnyFeed*> all() const EXCLUDES(mutex_);
  void one_synced();
  void tell(engine::Event event) const {
    if (to_.engine != nullptr) to_.engine->post(std::move(event));
  }

  kube::Client& client_;
  Caches& caches_;
  MetricRegistry& metrics_;
  const Hearers to_;
  const Parts parts_;
  bool admission_kinds_added_ = false;
  bool checks_added_ = false;
  bool device_kinds_added_ = false;
  bool taint_rules_added_ = false;
  bool budgets_added_ = false;
  bool composites_added_ = false;
  std::optional<objects::PodGroupApi> native_;
  bool fallback_ = false;
  // Changed on the loop only, under the lock.
  mutable Mutex mutex_;
  std::vector<std::unique_ptr<AnyFeed>> feeds_ GUARDED_BY(mutex_);
  bool started_ GUARDED_BY(mutex_) = false;
  std::function<void()> on_synced_;
};

}  // namespace quorate::controller
