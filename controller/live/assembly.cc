// The parts of a process, made and connected with each other.

#include <utility>
#include <variant>

#include "controller/live/log.h"
#include "controller/live/process_parts.h"
#include "controller/reconcile/family_reconciler.h"
#include "src/objects/encode.h"
#include "src/translate/translate.h"

namespace quorate::controller {
namespace {

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
  settings.replace_failed_nodes = config.gates.enabled("TASFailedNodeReplacement");
  settings.replace_on_termination = config.gates.enabled("TASReplaceNodeOnPodTermination");
  settings.replace_on_taints = config.gates.enabled("TASReplaceNodeOnNodeTaints");
  settings.replace_after_fixed_time =
      config.gates.enabled("TASReplaceNodeDueToNotReadyOverFixedTime");
  settings.elastic_jobs = config.gates.enabled("ElasticJobsViaWorkloadSlices");
  settings.admission_gated_by = config.gates.enabled("AdmissionGatedBy");
  settings.finish_orphans = config.gates.enabled("FinishOrphanedWorkloads");
  settings.concurrent_admission = config.gates.enabled("ConcurrentAdmission");
  settings.short_names = config.gates.enabled("ShortWorkloadNames");
  return settings;
}

}  // namespace

Outcome<Link> Link::make(const kube::Config& config, http::Loop& loop,
                         const std::string& user_agent, int max_in_flight, double qps, int burst) {
  Outcome<kube::Connection> connection = kube::connect(config, max_in_flight);
  if (!connection) return tl::unexpected(connection.error());
  connection->options.user_agent = user_agent;
  connection->options.max_in_flight = max_in_flight;
  connection->options.qps = qps;
  connection->options.burst = burst;
  return Link{std::make_unique<kube::Client>(connection->transport, loop, connection->options,
                                             connection->credentials)};
}

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
  family_events_ = recorder(std::string(kFamilyEventController));
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
        ReconcileHost::Dependencies{*writes_.client, caches_, *status_writer_, *job_events_,
                                    *workload_events_, *family_events_, metrics_,
                                    [this](const std::string& queue) {
                                      std::int32_t reserving =
                                          1;  // as long as nobody says otherwise
                                      engine_->ask([&](const engine::Engine& engine) {
                                        const auto view =
                                            engine.admission_views().cluster_queue(queue);
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
  translate::Defects without_effect;
  engine_->post(
      engine::Configured{translate::to_config(config),
                         translate::to_config(options_.scheduler_config, &without_effect)});
  if (parts.scheduler) {
    for (const translate::Defect& defect : without_effect) {
      log_warn("setting without effect", {{"field", defect.path}, {"reason", defect.why}});
    }
  }

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

void Process::decided(const engine::Engine& engine, std::vector<engine::Decision> decisions) {
  std::vector<scheduler::Decision> placements;
  for (engine::Decision& decision : decisions) {
    if (auto* placement = std::get_if<scheduler::Decision>(&decision)) {
      placements.push_back(std::move(*placement));
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
  if (pod_writer_ != nullptr) pod_writer_->submit(std::move(placements));
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

}  // namespace quorate::controller
