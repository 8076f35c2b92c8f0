// Who leads, and what is done on becoming the leader.

#include <utility>

#include "controller/live/log.h"
#include "controller/live/process_parts.h"

namespace quorate::controller {
namespace {

constexpr int kReconcilers = 8;
constexpr Duration kStandbyAfter = Duration::seconds(1);

}  // namespace

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

}  // namespace quorate::controller
