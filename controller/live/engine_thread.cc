#include "controller/live/engine_thread.h"

#include <chrono>
#include <utility>
#include <variant>

#include "src/http/loop.h"

namespace quorate::controller {
namespace {

const char* kind_of(const engine::Decision& decision) {
  struct Kind {
    const char* operator()(const admission::Admit&) { return "admit"; }
    const char* operator()(const admission::ConfirmAdmission&) { return "confirm"; }
    const char* operator()(const admission::Hold&) { return "hold"; }
    const char* operator()(const admission::Evict&) { return "evict"; }
    const char* operator()(const admission::DropReservation&) { return "drop_reservation"; }
    const char* operator()(const admission::Requeue&) { return "requeue"; }
    const char* operator()(const admission::Deactivate&) { return "deactivate"; }
    const char* operator()(const admission::Postpone&) { return "postpone"; }
    const char* operator()(const admission::ListChecks&) { return "list_checks"; }
    const char* operator()(const admission::Finish&) { return "finish"; }
    const char* operator()(const scheduler::Bind&) { return "bind"; }
    const char* operator()(const scheduler::PodUnschedulable&) { return "pod_unschedulable"; }
    const char* operator()(const scheduler::GroupStatus&) { return "group_status"; }
    const char* operator()(const scheduler::DeleteMember&) { return "delete_member"; }
    const char* operator()(const scheduler::ReleaseClaim&) { return "release_claim"; }
    const char* operator()(const scheduler::Evict&) { return "evict"; }
    const char* operator()(const scheduler::Nominate&) { return "nominate"; }
    const char* operator()(const admission::Decision& d) { return std::visit(Kind{}, d); }
    const char* operator()(const scheduler::Decision& d) { return std::visit(Kind{}, d); }
  };
  return std::visit(Kind{}, decision);
}

}  // namespace

EngineThread::EngineThread(engine::Roles roles, Callbacks callbacks, MetricRegistry& metrics,
                           Duration view_interval)
    : callbacks_(std::move(callbacks)),
      metrics_(metrics),
      view_interval_(view_interval),
      engine_(roles),
      thread_([this] { run(); }) {}

EngineThread::~EngineThread() { stop(); }

void EngineThread::post(engine::Event event) {
  MutexLock lock(mutex_);
  if (stopping_) return;
  events_.push_back(std::move(event));
  if (events_.size() == 1) wake_.notify_one();
}

void EngineThread::lead() {
  MutexLock lock(mutex_);
  leading_ = true;
  just_led_ = true;
  wake_.notify_one();
}

void EngineThread::stop() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    wake_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

bool EngineThread::ask(const std::function<void(const engine::Engine&)>& question) {
  Mutex answered_mutex;
  CondVar answered;
  bool done = false;
  {
    MutexLock lock(mutex_);
    if (stopping_) return false;
    questions_.emplace_back([&] {
      question(engine_);
      MutexLock answer_lock(answered_mutex);
      done = true;
      answered.notify_one();
    });
    wake_.notify_one();
  }
  MutexLock lock(answered_mutex);
  while (!done) answered.wait(answered_mutex);
  return true;
}

void EngineThread::run() {
  while (true) {
    std::vector<engine::Event> events;
    std::vector<std::function<void()>> questions;
    bool leading = false;
    {
      MutexLock lock(mutex_);
      // Questions that came before the stop are answered: somebody waits for them.
      if (stopping_ && questions_.empty()) return;
      events.swap(events_);
      questions.swap(questions_);
      leading = leading_ && !stopping_;
    }
    for (const engine::Event& event : events) engine_.apply(event);
    if (!events.empty()) {
      metrics_.add("quorate_engine_events_total", {}, static_cast<double>(events.size()));
      views_due_ = true;
    }
    if (leading) {
      step();
      if (views_due_) show_views();
    }
    for (const auto& question : questions) question();
    if (!leading || !engine_.busy()) wait_for_work();
  }
}

void EngineThread::step() {
  const std::int64_t started = http::steady_now().nanos;
  std::vector<engine::Decision> decisions = engine_.step(http::wall_now());
  const std::int64_t ended = http::steady_now().nanos;
  metrics_.add("quorate_engine_steps_total", {});
  metrics_.observe("quorate_engine_step_seconds", {}, static_cast<double>(ended - started) / 1e9);
  if (decisions.empty()) return;

  views_due_ = true;
  bool tried = false;
  bool admitted = false;
  for (const engine::Decision& decision : decisions) {
    const std::string kind = kind_of(decision);
    metrics_.add("quorate_engine_decisions_total", {kind});
    admitted = admitted || kind == "admit";
    tried = tried || kind == "admit" || kind == "hold";
  }
  if (tried) {
    const char* result = admitted ? "success" : "inadmissible";
    metrics_.add("kueue_admission_attempts_total", {result, "leader"});
    metrics_.observe("kueue_admission_attempt_duration_seconds", {result, "leader"},
                     static_cast<double>(ended - started) / 1e9);
  }
  callbacks_.on_decisions(engine_, std::move(decisions));
}

void EngineThread::show_views() {
  const std::int64_t now = http::steady_now().nanos;
  if (views_shown_at_ != 0 && now - views_shown_at_ < view_interval_.nanos) return;
  views_shown_at_ = now;
  views_due_ = false;
  if (callbacks_.on_views) callbacks_.on_views(engine_);
}

void EngineThread::wait_for_work() {
  using std::chrono::nanoseconds;
  // Bounded, so that a wall clock that was set is noticed.
  std::int64_t limit = Duration::seconds(60).nanos;
  MutexLock lock(mutex_);
  if (std::exchange(just_led_, false)) return;
  if (leading_) {
    if (const std::optional<Time> due = engine_.next_wakeup()) {
      limit = std::min(limit, std::max<std::int64_t>((*due - http::wall_now()).nanos, 0));
    }
    if (views_due_) {
      const std::int64_t age = http::steady_now().nanos - views_shown_at_;
      limit = std::min(limit, std::max<std::int64_t>(view_interval_.nanos - age, 0));
    }
  }
  const auto until = std::chrono::steady_clock::now() + nanoseconds(limit);
  while (events_.empty() && questions_.empty() && !stopping_ && !just_led_) {
    if (!wake_.wait_until(mutex_, until)) return;
  }
}

}  // namespace quorate::controller
