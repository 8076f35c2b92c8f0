#pragma once

// A process as one value: what process.cc, assembly.cc, leading.cc and housekeeping.cc work on.
// Nobody else includes this.

#include <pthread.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "controller/live/caches.h"
#include "controller/live/discovery.h"
#include "controller/live/endpoints.h"
#include "controller/live/engine_thread.h"
#include "controller/live/feeds.h"
#include "controller/live/options.h"
#include "controller/live/pod_writer.h"
#include "controller/live/queue_status_host.h"
#include "controller/live/reconcile_host.h"
#include "controller/live/status_writer.h"
#include "controller/webhook/certificate_keeper.h"
#include "controller/webhook/job_webhook_server.h"
#include "src/kube/config.h"
#include "src/kube/leader_election.h"

namespace quorate::controller {

// One client with a transport of its own: its requests never wait behind others'.
struct Link {
  std::unique_ptr<kube::Client> client;

  static Outcome<Link> make(const kube::Config& config, http::Loop& loop,
                            const std::string& user_agent, int max_in_flight, double qps,
                            int burst);
};

class Process {
 public:
  explicit Process(const ProcessOptions& options);

  int run();

 private:
  Outcome<void> begin();
  Outcome<void> connect();
  Outcome<Served> first_discovery();
  void build(const Served& served);
  void start_election();
  void take_over();  // on the loop
  void lead();       // on the loop
  void decided(const engine::Engine& engine, std::vector<engine::Decision> decisions);
  void report_bad_workload(const kube::Meta& meta, const Error& why);

  void housekeeping();
  void follow_cluster();
  void keep_certificate();
  std::string not_ready();
  bool needs_kueue() const {
    const Parts& parts = options_.parts;
    return parts.admission || parts.jobs || parts.pod_groups || parts.webhooks;
  }
  bool wait_until_stopped(Duration limit);
  void end(int status);  // any thread: as if a signal had come
  void shut_down();

  const ProcessOptions options_;
  const pthread_t main_thread_ = pthread_self();
  std::atomic<int> status_{0};

  MetricRegistry metrics_;
  Caches caches_;
  std::unique_ptr<http::Server> health_server_;
  std::unique_ptr<http::Server> metrics_server_;
  std::unique_ptr<http::Loop> loop_;

  kube::Config kube_config_;
  Link reads_, writes_, binds_, conditions_, events_, lease_, keeper_link_;
  std::unique_ptr<kube::EventRecorder> job_events_, workload_events_, family_events_,
      admission_events_, pod_events_;
  std::unique_ptr<StatusWriter> status_writer_;
  std::unique_ptr<PodWriter> pod_writer_;
  std::unique_ptr<QueueStatusHost> queue_status_;
  std::unique_ptr<ReconcileHost> reconcilers_;
  std::unique_ptr<EngineThread> engine_;
  std::unique_ptr<Feeds> feeds_;
  std::unique_ptr<kube::LeaderElector> elector_;

  std::unique_ptr<JobWebhooks> webhooks_;
  std::unique_ptr<CertificateKeeper> keeper_;
  std::unique_ptr<http::Server> webhook_server_;  // of the housekeeping thread
  std::optional<ServingMaterial> served_certificate_;

  // On the loop.
  bool elected_ = false;
  bool leading_ = false;
  bool feeds_started_ = false;
  bool standby_due_ = false;

  Mutex mutex_;
  CondVar stop_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  bool kueue_ready_ GUARDED_BY(mutex_) = false;  // what we need is served
  std::string cluster_trouble_ GUARDED_BY(mutex_) = "not connected yet";
  std::string webhook_trouble_ GUARDED_BY(mutex_);
  Served served_ GUARDED_BY(mutex_);
  std::thread housekeeper_;
};

}  // namespace quorate::controller
