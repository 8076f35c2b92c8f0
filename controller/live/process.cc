#include "controller/live/process.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <utility>

#include "controller/live/log.h"
#include "controller/live/process_parts.h"
#include "controller/metrics/families.h"

namespace quorate::controller {
namespace {

// SIGTERM ends the process within 5 s, whatever a server that does not answer makes us wait for.
constexpr std::chrono::milliseconds kLongestEnd{4500};

sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

}  // namespace

Process::Process(const ProcessOptions& options)
    : options_(options), metrics_(metric_families()), loop_(http::make_thread_loop()) {}

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

int run_process(const ProcessOptions& options) {
  // Before any other thread, so that all of them leave these signals to this one.
  const sigset_t signals = ending_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return Process(options).run();
}

}  // namespace quorate::controller
