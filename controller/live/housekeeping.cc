// What is done from time to time: which kinds the cluster serves, the webhook's certificate.

#include <chrono>
#include <utility>

#include "controller/live/log.h"
#include "controller/live/process_parts.h"

namespace quorate::controller {
namespace {

constexpr Duration kStartPatience = Duration::seconds(5);  // with an API server that is not there
constexpr Duration kDiscoveryInterval = Duration::seconds(600);
constexpr Duration kMissingInterval = Duration::seconds(2);
constexpr Duration kCertificateInterval = Duration::seconds(60);

}  // namespace

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
         {job_events_.get(), workload_events_.get(), family_events_.get(), admission_events_.get(),
          pod_events_.get()}) {
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

}  // namespace quorate::controller
