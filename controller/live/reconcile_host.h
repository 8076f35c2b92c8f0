#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "controller/live/caches.h"
#include "controller/live/status_writer.h"
#include "controller/metrics/registry.h"
#include "controller/reconcile/settings.h"
#include "controller/reconcile/write.h"
#include "src/base/labels.h"
#include "src/base/thread_annotations.h"
#include "src/kube/client.h"
#include "src/kube/event_recorder.h"
#include "src/kube/work_queue.h"

namespace quorate::controller {

// Something to look at.
struct WorkKey {
  // Places: those of a Workload's topology assignment.
  // Family: of a parent of variants.
  enum class Kind {
    Job,
    NativeGroup,
    FallbackGroup,
    Workload,
    Places,
    Family,
    ClusterQueue,
    Flavor
  };
  Kind kind = Kind::Job;
  ObjectKey key;

  friend bool operator==(const WorkKey&, const WorkKey&) = default;
};
struct WorkKeyHash {
  std::size_t operator()(const WorkKey& work) const {
    return std::hash<ObjectKey>{}(work.key) * 7 + static_cast<std::size_t>(work.kind);
  }
};

// Which objects this process looks after.
struct ReconcileParts {
  bool admission = true;   // Workloads by themselves, queues, flavors
  bool jobs = true;        // batch/v1 Jobs
  bool pod_groups = true;  // PodGroups with a queue name
};

// Looks at objects whose neighbourhood changed and carries out what reconcile() asks for: on a few
// threads, one object at a time by one of them, again with growing delays after a failure.
class ReconcileHost {
 public:
  struct Dependencies {
    kube::Client& client;
    Caches& caches;
    StatusWriter& status_writer;
    kube::EventRecorder& job_events;       // as "batch/job-kueue-controller"
    kube::EventRecorder& workload_events;  // as "kueue-workload-controller"
    kube::EventRecorder& family_events;    // as "concurrent-admission-controller"
    MetricRegistry& metrics;
    // Workloads that hold quota of a ClusterQueue now.
    std::function<std::int32_t(const std::string& cluster_queue)> reserving;
  };

  ReconcileHost(Dependencies dependencies, ReconcileParts parts, ReconcileSettings settings,
                LabelSelector managed_namespaces);
  ~ReconcileHost();

  void start(int threads);
  void stop();  // ends what is under way; nothing new is begun

  void add(WorkKey key) { queue_.add(key); }

  // What a change concerns.
  void job_changed(const objects::Job& job);
  void workload_changed(const objects::Workload& workload);
  void group_changed(const objects::PodGroup& group);
  void pod_changed(const objects::Pod& pod, const objects::Pod* before);
  void node_changed(const objects::Node* now, const objects::Node* before);
  void cluster_queue_changed(const objects::ClusterQueue* now, const objects::ClusterQueue* before);
  void flavor_changed(const objects::ResourceFlavor& flavor, bool fresh);
  void classes_changed(const std::string& workload_class);
  void namespace_changed(const std::string& ns);
  // Every object once: after a start, when all caches are complete.
  void everything();

 private:
  void work();
  void process(const WorkKey& key);
  Plan look(const WorkKey& key);
  Plan look_at_job(const ObjectKey& key);
  Plan look_at_group(const ObjectKey& key, bool native);
  Plan look_at_workload(const ObjectKey& key);
  Plan look_at_places(const ObjectKey& key);
  Plan look_at_family(const ObjectKey& key);
  Plan look_at_cluster_queue(const ObjectKey& key);
  Plan look_at_flavor(const ObjectKey& key);
  Outcome<void> carry_out(const WorkKey& key, const Write& write);
  Outcome<void> carry_out_together(std::span<const Write> ungates);
  Outcome<void> take_answer(const Write& write, Outcome<kube::Document> answer);
  void report_refused(const WorkKey& key, const Write& write, const Error& why);
  void remember(const Write& write, const kube::Document& answer);
  void measure(const UngatePod& ungate);
  bool namespace_selected(const std::string& ns) const;
  std::shared_ptr<const objects::ClusterQueue> queue_of(const objects::Workload& workload) const;
  void name_parents(Plan& plan) const;
  void families_changed(const std::string& cluster_queue);
  bool is_gone(const kube::Resource& resource, const ObjectKey& key, const std::string& uid);

  Dependencies to_;
  const ReconcileParts parts_;
  const ReconcileSettings settings_;
  const LabelSelector managed_namespaces_;
  kube::WorkQueue<WorkKey, WorkKeyHash> queue_;
  std::vector<std::thread> threads_;

  // Since when somebody wants to write what comes in bursts.
  Mutex mutex_;
  std::map<std::pair<int, ObjectKey>, std::int64_t> wanted_since_ GUARDED_BY(mutex_);
};

// Whether objects of a namespace are managed, by its labels (its name at least, if it is not
// known).
bool selects_namespace(const LabelSelector& selector, const Store<objects::Namespace>& namespaces,
                       const std::string& ns);

}  // namespace quorate::controller
