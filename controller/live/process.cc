#include "controller/live/process.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <variant>

#include "controller/live/caches.h"
#include "controller/live/discovery.h"
#include "controller/live/endpoints.h"
#include "controller/live/engine_thread.h"
#include "controller/live/feeds.h"
#include "controller/live/log.h"
#include "controller/live/pod_writer.h"
#include "controller/live/queue_status_host.h"
#include "controller/live/reconcile_host.h"
#include "controller/live/status_writer.h"
#include "controller/metrics/families.h"
#include "controller/webhook/certificate_keeper.h"
#include "controller/webhook/job_webhook_server.h"
#include "src/kube/config.h"
#include "src/kube/leader_election.h"
#include "src/objects/encode.h"
#include "src/translate/translate.h"

namespace quorate::controller {
namespace {

constexpr int kReconcilers = 8;
constexpr Duration kStartPatience = Duration::seconds(5);  // with an API server that is not there
constexpr Duration kDiscoveryInterval = Duration::seconds(600);
constexpr Duration kMissingInterval = Duration::seconds(2);
constexpr Duration kCertificateInterval = Duration::seconds(60);
constexpr Duration kStandbyAfter = Duration::seconds(1);
// SIGTERM ends the process within 5 s, whatever a server that does not answer makes us wait for.
constexpr std::chrono::milliseconds kLongestEnd{4500};

ReconcileSettings reconcile_settings(const ProcessOptions& options, const Served& served) {
  const objects::Configuration& config = options.config;
  ReconcileSettings settings;
  settings.manage_jobs_without_queue_name = config.manage_jobs_without_queue_name;
  settings.wait_for_pods_ready = config.wait_for_pods_ready.has_value();
  settings.native_groups = served.native_groups.value_or(objects::PodGroupApi::V1beta1);
  settings.label_keys_to_copy = config.label_keys_to_copy;
  settings.retain_finished = config.retain_finished;
  settings.retain_deactivated = config.retain_deactivated;
  settings.partial_admission = config.gates.enabled("PartialAdmission");
  settings.reclaimable_pods = config.gates.enabled("ReclaimablePods");
  settings.queue_labels_for_pods = config.gates.enabled("AssignQueueLabelsForPods");
  settings.topology_aware = config.gates.enabled("TopologyAwareScheduling");
  settings.admission_gated_by = config.gates.enabled("AdmissionGatedBy");
  settings.finish_orphans = config.gates.enabled("FinishOrphanedWorkloads");
  settings.short_names = config.gates.enabled("ShortWorkloadNames");
  return settings;
}

// One client with a transport of its own: its requests never wait behind others'.
struct Link {
  std::unique_ptr<kube::Client> client;

  static Outcome<Link> make(const kube::Config& config, http::Loop& loop,
                            const std::string& user_agent, int max_in_flight, double qps,
                            int burst) {
    Outcome<kube::Connection> connection = kube::connect(config, max_in_flight);
    if (!connection) return tl::unexpected(connection.error());
    connection->options.user_agent = user_agent;
    connection->options.max_in_flight = max_in_flight;
    connection->options.qps = qps;
    connection->options.burst = burst;
    return Link{std::make_unique<kube::Client>(connection->transport, loop, connection->options,
                                               connection->credentials)};
  }
};

sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

class Process {
 public:
  explicit Process(const ProcessOptions& options)
      : options_(options), metrics_(metric_families()), loop_(http::make_thread_loop()) {}

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
  std::unique_ptr<kube::EventRecorder> job_events_, workload_events_, admission_events_,
      pod_events_;
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

// ---- start

Outcome<void> Process::connect() {
  Outcome<kube::Config> config = kube::load_config(options_.kubeconfig);
  if (!config) return tl::unexpected(config.error());
  kube_config_ = std::move(*config);
  log_info("connecting", {{"server", kube_config_.server}, {"source", kube_config_.source}});
  const std::string user_agent = "quorate-" + options_.program + "/" + options_.version;
  const objects::Configuration& kueue = options_.config;
  const objects::SchedulerConfiguration& scheduler = options_.scheduler_config;
  struct Wanted {
    Link* link;
    int in_flight;
    double qps = -1;
    int burst = 1;
  };
  for (const Wanted& wanted :
       {Wanted{&reads_, 16}, Wanted{&writes_, 32, kueue.client_qps, kueue.client_burst},
        Wanted{&binds_, 32, scheduler.client_qps, scheduler.client_burst},
        Wanted{&conditions_, 8, scheduler.client_qps, scheduler.client_burst}, Wanted{&events_, 4},
        Wanted{&lease_, 2}, Wanted{&keeper_link_, 2}}) {
    Outcome<Link> link =
        Link::make(kube_config_, *loop_, user_agent, wanted.in_flight, wanted.qps, wanted.burst);
    if (!link) return tl::unexpected(link.error());
    *wanted.link = std::move(*link);
  }
  return {};
}

// An API server that refuses us ends the start at once; one that is not there may be on its way.
Outcome<Served> Process::first_discovery() {
  const http::Steady until = loop_->now() + kStartPatience;
  while (true) {
    const Outcome<kube::ServerVersion> version = keeper_link_.client->server_version();
    Outcome<Served> served =
        version ? discover(*keeper_link_.client) : Outcome<Served>(tl::unexpected(version.error()));
    if (served) {
      log_info("connected", {{"version", version->git_version}});
      return served;
    }
    if (served.error().code != Errc::Unavailable || loop_->now() > until) {
      return within("API server " + kube_config_.server, served.error());
    }
    log_warn("API server does not answer", {{"reason", served.error().message}});
    if (wait_until_stopped(Duration::millis(500))) return error(Errc::Unavailable, "stopped");
  }
}

void Process::build(const Served& served) {
  const objects::Configuration& config = options_.config;
  const Parts& parts = options_.parts;
  const std::string host = kube::process_identity();
  const auto recorder = [&](std::string controller) {
    return std::make_unique<kube::EventRecorder>(
        *events_.client,
        kube::EventOptions{.controller = controller, .instance = controller + "-" + host});
  };
  job_events_ = recorder("batch/job-kueue-controller");
  workload_events_ = recorder("kueue-workload-controller");
  admission_events_ = recorder("kueue-admission");
  const std::string scheduler_name =
      options_.scheduler_config.profiles.empty()
          ? std::string("quorate-scheduler")
          : options_.scheduler_config.profiles.front().scheduler_name;
  pod_events_ = recorder(scheduler_name);

  const auto post = [this](engine::Event event) { engine_->post(std::move(event)); };
  status_writer_ =
      std::make_unique<StatusWriter>(*writes_.client, caches_.workloads, *admission_events_,
                                     metrics_, post, StatusWriter::Limits{});
  pod_writer_ = std::make_unique<PodWriter>(*binds_.client, *conditions_.client, caches_.groups,
                                            *pod_events_, metrics_, post);
  if (parts.status) {
    queue_status_ = std::make_unique<QueueStatusHost>(
        *writes_.client, caches_, metrics_,
        QueueStatusHost::Options{.resource_metrics = config.metrics.cluster_queue_resources,
                                 .local_queue_metrics = config.metrics.local_queue_metrics});
  }
  if (parts.admission || parts.jobs || parts.pod_groups) {
    reconcilers_ = std::make_unique<ReconcileHost>(
        ReconcileHost::Dependencies{
            *writes_.client, caches_, *status_writer_, *job_events_, *workload_events_, metrics_,
            [this](const std::string& queue) {
              std::int32_t reserving = 1;  // as long as nobody says otherwise
              engine_->ask([&](const engine::Engine& engine) {
                const auto view = engine.admission_views().cluster_queue(queue);
                reserving = view ? view->reserving : 0;
              });
              return reserving;
            }},
        ReconcileParts{parts.admission, parts.jobs, parts.pod_groups},
        reconcile_settings(options_, served), config.managed_jobs_namespaces);
  }
  engine_ = std::make_unique<EngineThread>(
      engine::Roles{.admission = parts.admission, .scheduler = parts.scheduler},
      EngineThread::Callbacks{
          [this](const engine::Engine& engine, std::vector<engine::Decision> decisions) {
            decided(engine, std::move(decisions));
          },
          [this](const engine::Engine& engine) {
            if (queue_status_ == nullptr) return;
            queue_status_->read(engine.admission_views());
            // Whoever is only waiting for its last workload may be let go now.
            for (const auto& queue : caches_.cluster_queues.all()) {
              if (queue->meta.deleted && reconcilers_ != nullptr) {
                reconcilers_->add({WorkKey::Kind::ClusterQueue, queue->meta.key});
              }
            }
          }},
      metrics_);
  engine_->post(engine::Configured{translate::to_config(config),
                                   translate::to_config(options_.scheduler_config)});

  feeds_ = std::make_unique<Feeds>(
      *reads_.client, caches_, metrics_,
      Hearers{parts.admission || parts.scheduler ? engine_.get() : nullptr, reconcilers_.get(),
              queue_status_.get(),
              [this](const kube::Meta& meta, const Error& why) { report_bad_workload(meta, why); }},
      parts);

  if (parts.webhooks) {
    objects::JobWebhookSettings settings;
    settings.manage_jobs_without_queue_name = config.manage_jobs_without_queue_name;
    settings.gang_placement = served.native_groups.has_value() || served.fallback_groups;
    settings.native_groups = served.native_groups.has_value();
    settings.scheduler_name = scheduler_name;
    settings.gates = config.gates;
    webhooks_ = std::make_unique<JobWebhooks>(caches_, settings, config.managed_jobs_namespaces);
    keeper_ = std::make_unique<CertificateKeeper>(
        *keeper_link_.client,
        CertificateKeeper::Options{
            .secret = {options_.webhook_namespace, options_.webhook_secret},
            .webhook_configuration = options_.webhook_configuration,
            .url = options_.webhook_url,
            .names = serving_names(options_.webhook_service, options_.webhook_namespace,
                                   options_.webhook_url)});
    MutexLock lock(mutex_);
    webhook_trouble_ = "no certificate yet";
  }
}

Outcome<void> Process::begin() {
  const objects::Configuration& config = options_.config;
  auto health = serve(options_.health_address, "health",
                      health_handler([this] { return not_ready(); }, config.liveness_endpoint,
                                     config.readiness_endpoint));
  if (!health) return tl::unexpected(health.error());
  health_server_ = std::move(*health);
  auto metrics = serve(options_.metrics_address, "metrics", metrics_handler(metrics_));
  if (!metrics) return tl::unexpected(metrics.error());
  metrics_server_ = std::move(*metrics);

  if (Outcome<void> connected = connect(); !connected) return connected;
  Outcome<Served> served = first_discovery();
  if (!served) return tl::unexpected(served.error());
  build(*served);
  metrics_.set_role(options_.leader_elect ? "follower" : "standalone");
  metrics_.set("quorate_leading", {}, 0);
  metrics_.set("kueue_build_info", {options_.version, "", "", "", "c++", "linux"}, 1);
  start_election();
  housekeeper_ = std::thread([this] { housekeeping(); });
  return {};
}

void Process::start_election() {
  if (!options_.leader_elect) {
    loop_->post([this] {
      elected_ = true;
      take_over();
    });
    return;
  }
  const objects::LeaderElection& times = options_.program == "scheduler"
                                             ? options_.scheduler_config.leader_election
                                             : options_.config.leader_election;
  const std::string identity = kube::process_identity();
  kube::LeaseOptions lease{.lease = {options_.lease_namespace, options_.lease_name},
                           .identity = identity,
                           .lease_duration = times.lease_duration,
                           .renew_deadline = times.renew_deadline,
                           .retry_period = times.retry_period};
  kube::LeaderCallbacks callbacks;
  callbacks.on_started = [this, lease] {
    log_info("became leader", {{"lease", lease.lease.text()}, {"identity", lease.identity}});
    metrics_.set_role("leader");
    elected_ = true;
    take_over();
  };
  callbacks.on_stopped = [this](const std::string& why) {
    {
      MutexLock lock(mutex_);
      if (stopping_) return;  // we gave it up
    }
    log_error("lost the lease", {{"reason", why}});
    end(1);
  };
  callbacks.on_new_leader = [identity](const std::string& leader) {
    if (leader != identity) log_info("standing by", {{"leader", leader}});
  };
  auto elector = kube::LeaderElector::create(*lease_.client, lease, std::move(callbacks));
  if (!elector) {
    log_error("leader election", {{"reason", elector.error().message}});
    return end(1);
  }
  elector_ = std::move(*elector);
  for (const Link* link : {&writes_, &binds_, &conditions_, &events_}) {
    link->client->set_fence(elector_->fence());
  }
  elector_->start();
  // Whoever does not lead soon keeps its caches warm.
  loop_->after(kStandbyAfter, [this] {
    standby_due_ = true;
    take_over();
  });
}

// Everything is listed after we have become the leader, so that we see what our predecessor wrote.
void Process::take_over() {
  {
    MutexLock lock(mutex_);
    if (stopping_ || !kueue_ready_) return;  // housekeeping calls again
  }
  if (!elected_ && standby_due_ && !feeds_started_) {
    feeds_started_ = true;
    feeds_->start([] {});
  }
  if (!elected_ || leading_) return;
  leading_ = true;
  feeds_started_ = true;
  feeds_->start([this] { lead(); });
}

void Process::lead() {
  log_info("caches are complete", {{"workloads", caches_.workloads.size()},
                                   {"jobs", caches_.jobs.size()},
                                   {"pods", caches_.pods.size()},
                                   {"nodes", caches_.nodes.size()}});
  metrics_.set("quorate_leading", {}, 1);
  engine_->post(engine::Synced{});
  engine_->lead();
  if (reconcilers_ == nullptr) return;
  reconcilers_->everything();
  reconcilers_->start(kReconcilers);
}

// ---- decisions

void Process::decided(const engine::Engine& engine, std::vector<engine::Decision> decisions) {
  for (engine::Decision& decision : decisions) {
    if (auto* placement = std::get_if<scheduler::Decision>(&decision)) {
      pod_writer_->submit(std::move(*placement));
      continue;
    }
    admission::Decision& made = std::get<admission::Decision>(decision);
    std::optional<std::vector<std::string>> checks;
    if (const auto* admit = std::get_if<admission::Admit>(&made)) {
      checks = engine.required_checks(admit->workload);
    } else if (const auto* hold = std::get_if<admission::Hold>(&made)) {
      checks = engine.required_checks(hold->workload);
    }
    status_writer_->submit(std::move(made), std::move(checks));
  }
}

void Process::report_bad_workload(const kube::Meta& meta, const Error& why) {
  if (!options_.parts.admission) return;
  objects::WorkloadStatus status;
  objects::set_condition(status.conditions,
                         {.type = std::string(objects::conditions::kQuotaReserved),
                          .status = objects::ConditionStatus::False,
                          .reason = "Misconfigured",
                          .message = why.message},
                         loop_->wall());
  // Its state is not known, so a manager of its own: nothing else in the status is touched.
  writes_.client->submit(
      kube::apply(resource_of(objects::kinds::kWorkload), meta.key,
                  objects::workload_status_apply(meta.key, meta.uid, "", status), kube::Force::Yes,
                  {.subresource = "status", .field_manager = "quorate-invalid-object"}),
      [](const Outcome<kube::Document>&) {});
}

// ---- what is done from time to time

bool Process::wait_until_stopped(Duration limit) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::nanoseconds(limit.nanos);
  MutexLock lock(mutex_);
  while (!stopping_) {
    if (!stop_.wait_until(mutex_, until)) break;
  }
  return stopping_;
}

void Process::housekeeping() {
  std::int64_t next_discovery = 0;
  std::int64_t next_certificate = 0;
  bool missing_told = false;
  do {
    const std::int64_t now = loop_->now().nanos;
    if (now >= next_discovery) {
      follow_cluster();
      bool ready = false;
      std::string trouble;
      {
        MutexLock lock(mutex_);
        ready = kueue_ready_;
        trouble = cluster_trouble_;
      }
      if (!ready && !missing_told) log_error("cannot begin", {{"reason", trouble}});
      missing_told = !ready;
      next_discovery = now + (ready ? kDiscoveryInterval : kMissingInterval).nanos;
    }
    if (keeper_ != nullptr && now >= next_certificate) {
      keep_certificate();
      next_certificate =
          now + (webhook_server_ != nullptr ? kCertificateInterval : kMissingInterval).nanos;
    }
    std::uint64_t dropped = 0;
    for (const kube::EventRecorder* recorder :
         {job_events_.get(), workload_events_.get(), admission_events_.get(), pod_events_.get()}) {
      dropped += recorder->stats().dropped;
    }
    metrics_.set("quorate_events_dropped_total", {}, static_cast<double>(dropped));
  } while (!wait_until_stopped(Duration::millis(500)));
}

void Process::follow_cluster() {
  const Outcome<Served> served = discover(*keeper_link_.client);
  std::string trouble;
  if (!served) {
    trouble = "discovery: " + served.error().message;
  } else if (needs_kueue() && !served->kueue) {
    trouble = "custom resource definitions are missing:";
    for (const std::string& name : served->missing) trouble += " " + name;
  }
  bool changed = false;
  {
    MutexLock lock(mutex_);
    // What worked once goes on through a discovery that fails.
    if (!served && kueue_ready_) return;
    cluster_trouble_ = trouble;
    kueue_ready_ = trouble.empty();
    if (served) {
      changed = !(served_ == *served);
      served_ = *served;
    }
  }
  if (!trouble.empty()) return;
  if (changed) {
    log_info("cluster serves",
             {{"native_groups", served->native_groups
                                    ? std::string(objects::kind_of(*served->native_groups).version)
                                    : std::string("none")},
              {"fallback_groups", served->fallback_groups ? "true" : "false"},
              {"kueue", served->kueue ? "true" : "false"}});
    feeds_->follow(*served);
  }
  loop_->post([this] { take_over(); });
}

void Process::keep_certificate() {
  Outcome<ServingMaterial> material = keeper_->refresh(loop_->wall());
  std::string trouble;
  if (!material) {
    trouble = material.error().message;
  } else if (webhook_server_ == nullptr) {
    const Outcome<BindAddress> where = parse_bind_address(options_.webhook_address);
    if (!where) {
      trouble = "webhook address: " + where.error().message;
    } else {
      Outcome<std::unique_ptr<http::Server>> server = http::Server::start(
          {.address = where->host, .port = where->port, .tls = material->serving},
          [this](const http::Request& request) { return webhooks_->answer(request); });
      if (server) {
        webhook_server_ = std::move(*server);
        log_info("listening",
                 {{"address", where->host + ":" + std::to_string(webhook_server_->port())},
                  {"kind", "webhook"}});
      } else {
        trouble = "webhook address " + options_.webhook_address + ": " + server.error().message;
      }
    }
  } else if (served_certificate_ && !(served_certificate_->serving == material->serving)) {
    if (Outcome<void> set = webhook_server_->set_certificate(material->serving); !set) {
      trouble = set.error().message;
    } else {
      log_info("webhook certificate renewed");
    }
  }
  if (material && trouble.empty()) served_certificate_ = std::move(*material);
  bool told = false;
  {
    MutexLock lock(mutex_);
    told = webhook_trouble_ == trouble;
    // One that serves goes on with what it has.
    webhook_trouble_ = webhook_server_ != nullptr ? "" : trouble;
  }
  if (!trouble.empty() && !told) log_error("webhook certificate", {{"reason", trouble}});
}

std::string Process::not_ready() {
  {
    MutexLock lock(mutex_);
    if (stopping_) return "stopping";
    if (!cluster_trouble_.empty()) return cluster_trouble_;
    if (!webhook_trouble_.empty()) return "webhook: " + webhook_trouble_;
  }
  return feeds_->waiting_for();
}

// ---- end

void Process::end(int status) {
  status_ = status;
  pthread_kill(main_thread_, SIGTERM);
}

void Process::shut_down() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    stop_.notify_all();
  }
  std::thread([status = status_.load()] {
    std::this_thread::sleep_for(kLongestEnd);
    log_error("a request did not end in time; ending without it");
    ::_exit(status == 0 ? 1 : status);
  }).detach();

  if (engine_ != nullptr) engine_->stop();
  if (status_writer_ != nullptr) status_writer_->stop();
  if (pod_writer_ != nullptr) pod_writer_->stop();
  if (queue_status_ != nullptr) queue_status_->stop();
  if (reconcilers_ != nullptr) reconcilers_->stop();
  for (const Link* link : {&writes_, &binds_, &conditions_}) {
    if (link->client != nullptr) link->client->drain(Duration::millis(700));
  }
  if (elector_ != nullptr) elector_->stop(Duration::seconds(1));
  if (feeds_ != nullptr) feeds_->stop();
  if (housekeeper_.joinable()) housekeeper_.join();
  for (http::Server* server :
       {webhook_server_.get(), metrics_server_.get(), health_server_.get()}) {
    if (server != nullptr) server->stop(Duration::millis(200));
  }
}

int Process::run() {
  if (Outcome<void> begun = begin(); !begun) {
    log_error("cannot start", {{"reason", begun.error().message}});
    status_ = 1;
    shut_down();
    return status_;
  }
  const sigset_t signals = ending_signals();
  int received = 0;
  sigwait(&signals, &received);
  if (status_ == 0) log_info("stopping", {{"signal", received == SIGINT ? "SIGINT" : "SIGTERM"}});
  shut_down();
  log_info("stopped");
  return status_;
}

}  // namespace

int run_process(const ProcessOptions& options) {
  // Before any other thread, so that all of them leave these signals to this one.
  const sigset_t signals = ending_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return Process(options).run();
}

}  // namespace quorate::controller
