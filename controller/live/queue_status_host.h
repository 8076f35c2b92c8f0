#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "admission/views.h"
#include "controller/live/caches.h"
#include "controller/metrics/registry.h"
#include "src/base/thread_annotations.h"
#include "src/kube/client.h"

namespace quorate::controller {

// Shows what admission knows of its queues: in their status, at most once a second each, and as
// metrics. Thread safe.
class QueueStatusHost {
 public:
  struct Options {
    Duration interval = Duration::seconds(1);
    bool resource_metrics = false;  // metrics.enableClusterQueueResources
    bool local_queue_metrics = true;
  };

  QueueStatusHost(kube::Client& client, Caches& caches, MetricRegistry& metrics, Options options);
  ~QueueStatusHost();

  // Reads what changed since the last call. On the thread that owns the views.
  void read(const admission::Views& views);
  // The object changed: its status may have to be written again.
  void cluster_queue_changed(const std::string& name);
  void local_queue_changed(const ObjectKey& key);
  void cluster_queue_gone(const std::string& name);
  void cohort_gone(const std::string& name);
  void local_queue_gone(const ObjectKey& key);

  // Workloads that held quota of the queue when the views were read last.
  std::int32_t reserving(const std::string& cluster_queue) const;
  void stop();  // writes nothing more

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace quorate::controller
