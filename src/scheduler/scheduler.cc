#include "src/scheduler/scheduler.h"

#include <algorithm>

#include "src/scheduler/scheduler_state.h"

namespace quorate::scheduler {
namespace {

std::vector<Framework> make_frameworks(const Config& config) {
  std::vector<Framework> frameworks;
  for (const Profile& profile : config.profiles) frameworks.emplace_back(profile);
  // Without a profile nothing is ours, yet the queue needs its order.
  if (frameworks.empty()) frameworks.emplace_back(Profile{.scheduler_name = ""});
  return frameworks;
}

}  // namespace

Scheduler::State::State(Config initial)
    : config(std::move(initial)),
      frameworks(make_frameworks(config)),
      queue(*frameworks.front().queue_sort) {
  queue.configure(config);
}

Scheduler::Scheduler(Config config) : state_(std::make_unique<State>(std::move(config))) {}
Scheduler::~Scheduler() = default;
Scheduler::Scheduler(const Scheduler& other) : state_(std::make_unique<State>(*other.state_)) {}
Scheduler& Scheduler::operator=(const Scheduler& other) {
  if (this != &other) state_ = std::make_unique<State>(*other.state_);
  return *this;
}
Scheduler::Scheduler(Scheduler&&) noexcept = default;
Scheduler& Scheduler::operator=(Scheduler&&) noexcept = default;

void Scheduler::set_config(Config config) {
  if (config == state_->config) return;
  state_->rescan |= config.profiles != state_->config.profiles;
  state_->config = std::move(config);
  state_->frameworks = make_frameworks(state_->config);
  state_->queue.configure(state_->config);
  state_->evaluations.clear();
}

std::vector<Decision> Scheduler::step(cluster::Model& model, Journal& journal, Time now,
                                      std::int64_t budget) {
  State& state = *state_;
  if (state.rescan) {
    state.rescan = false;
    model.each_pod([&](cluster::PodId id, const cluster::Pod& pod) {
      state.track(model, journal, id, nullptr, *pod.info);
    });
  }
  state.settle(model, journal, now);
  state.deadlines(model, journal, now);
  state.settle(model, journal, now);
  state.offer_events(model, now);
  while (budget-- > 0) {
    const std::optional<EntityKey> next = state.queue.pop(now);
    if (!next) break;
    if (next->group) {
      state.try_group(model, journal, *next, now);
    } else {
      state.try_pod(model, journal, next->key, now);
    }
  }
  state.settle(model, journal, now);
  return std::exchange(state.decisions, {});
}

bool Scheduler::busy() const {
  const State& state = *state_;
  return state.rescan || !state.dirty_pods.empty() || !state.dirty_groups.empty() ||
         !state.dirty_trees.empty() || !state.failed_binds.empty() || !state.seen_bound.empty() ||
         !state.events.empty() || state.queue.ready();
}

std::optional<Time> Scheduler::next_wakeup() const {
  const State& state = *state_;
  std::optional<Time> wakeup = state.queue.next_wakeup();
  const auto earlier = [&](Time when) { wakeup = wakeup ? std::min(*wakeup, when) : when; };
  if (!state.due.empty()) earlier(state.due.begin()->first);
  for (const auto& [entity, victims] : state.awaited) {
    for (const auto& [key, victim] : victims) earlier(victim.sent + state.config.bind_timeout);
  }
  for (const ObjectKey& key : state.below) {
    earlier(*state.groups.at(key).below_since + state.config.bind_timeout);
  }
  return wakeup;
}

std::optional<GroupView> Scheduler::group_view(const cluster::Model& model,
                                               const ObjectKey& key) const {
  const auto found = state_->groups.find(key);
  if (found == state_->groups.end()) return std::nullopt;
  const TrackedGroup& group = found->second;
  const Standing at = state_->standing(model, key, group);
  const EntityKey entity = state_->entity_of(key);

  using enum GroupView::State;
  GroupView view;
  view.required = at.group.required;
  view.bound = at.bound;
  view.held = at.held;
  view.pending = at.group.pending;
  view.gated = at.gated;
  view.message = group.message;
  view.proof = group.proof;
  view.diagnosis = group.diagnosis;
  const bool enough = at.group.scheduled + at.group.pending >= at.group.required;
  if (group.spec == nullptr) {
    view.state = Unknown;
  } else if (!at.group.admitted) {
    view.state = WaitsForAdmission;
    view.diagnosis = {GroupCause::QueueAdmission, {}, 0, ""};
  } else if (!enough) {
    view.state = WaitsForMembers;
    view.diagnosis = {GroupCause::IncompleteGroup, {}, 0, ""};
  } else if (state_->queue.is_unschedulable(entity)) {
    view.state = Unschedulable;
  } else if (!at.pending.empty()) {
    view.state = Queued;
  } else {
    view.state = at.held > 0 ? Binding : Scheduled;
  }
  return view;
}

}  // namespace quorate::scheduler
