#include "src/engine/engine.h"
#include "src/devices/cel_selector.h"
#include "src/devices/model.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "src/engine/digest_decision.h"
#include "src/engine/state.h"

namespace quorate::engine {

Engine::State::State(Roles which)
    : roles(which), admitter(journal), placement(model, journal, scheduler_config) {
  model.attach(std::make_unique<devices::Model>(devices::compile_cel));
  connect();
}

Engine::State::State(const State& other)
    : roles(other.roles),
      journal(other.journal),
      model(other.model),
      scheduler_config(other.scheduler_config),
      scheduler(other.scheduler),
      admitter(other.admitter, journal),
      group_admissions(other.group_admissions),
      placement(model, journal, scheduler_config),
      decisions(other.decisions),
      now(other.now),
      synced(other.synced) {
  connect();
}

void Engine::State::connect() {
  admitter.set_cluster(&model);
  if (roles.admission && roles.scheduler) admitter.set_placement_port(&placement);
}

void Engine::State::room_appeared() {
  if (roles.admission && roles.scheduler) admitter.capacity_changed();
}

void Engine::State::tell(const std::vector<GroupChange>& changes) {
  if (!roles.scheduler) return;
  for (const GroupChange& change : changes) {
    if (const auto* granted = std::get_if<scheduler::GroupAdmission>(&change)) {
      scheduler.admit_group(*granted);
    } else {
      scheduler.withdraw_group(std::get<GroupWithdrawn>(change).group);
    }
  }
}

std::vector<Decision> Engine::State::admit(std::int64_t cycles) {
  std::vector<Decision> made;
  for (std::int64_t i = 0; i < cycles && roles.admission; ++i) {
    std::vector<admission::Decision> batch = admitter.cycle(now);
    std::ranges::move(batch, std::back_inserter(made));
    if (placement.take_freed()) room_appeared();
    if (!admitter.busy()) break;
  }
  return made;
}

std::vector<Decision> Engine::State::schedule(std::int64_t groups) {
  if (!roles.scheduler) return {};
  std::vector<scheduler::Decision> batch = scheduler.step(model, journal, now, groups);
  // Members that are taken back free the places that their gang held.
  if (std::ranges::any_of(batch, [](const scheduler::Decision& decision) {
        return std::holds_alternative<scheduler::DeleteMember>(decision);
      })) {
    room_appeared();
  }
  return {std::make_move_iterator(batch.begin()), std::make_move_iterator(batch.end())};
}

Engine::Engine(Roles roles) : state_(std::make_unique<State>(roles)) {}
Engine::Engine(std::unique_ptr<State> state) : state_(std::move(state)) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

std::vector<Decision> Engine::step(Time now, Budget budget) {
  apply(Tick{now});
  if (!state_->synced) return {};
  std::vector<Decision> made = state_->admit(budget.cycles);
  std::vector<Decision> scheduled = state_->schedule(budget.groups);
  std::ranges::move(scheduled, std::back_inserter(made));

  if (!made.empty()) {
    state_->decisions.number(state_->now.nanos).number(static_cast<std::int64_t>(made.size()));
    for (const Decision& decision : made) digest(state_->decisions, decision);
  }
  return made;
}

bool Engine::busy() const {
  if (!state_->synced) return false;
  return (state_->roles.admission && state_->admitter.busy()) ||
         (state_->roles.scheduler && state_->scheduler.busy());
}

std::optional<Time> Engine::next_wakeup() const {
  if (!state_->synced) return std::nullopt;
  std::optional<Time> earliest;
  const auto consider = [&](std::optional<Time> time) {
    if (time && (!earliest || *time < *earliest)) earliest = time;
  };
  if (state_->roles.admission) consider(state_->admitter.next_wakeup());
  if (state_->roles.scheduler) consider(state_->scheduler.next_wakeup());
  return earliest;
}

Engine Engine::fork() const { return Engine(std::make_unique<State>(*state_)); }

std::uint64_t Engine::decision_hash() const { return state_->decisions.value(); }

std::uint64_t Engine::state_hash() const {
  Digest all;
  state_->model.digest(all);
  if (state_->roles.admission) digest(all, state_->admitter);
  return all.value();
}

const admission::Views& Engine::admission_views() const { return state_->admitter; }

std::vector<std::string> Engine::required_checks(const ObjectKey& workload) const {
  return state_->admitter.required_checks(workload);
}

std::string Engine::device_shortfall(const ObjectKey& key) const {
  constexpr std::size_t kMostNodes = 256;
  const cluster::Model& model = state_->model;
  const cluster::PodId id = model.find_pod(key);
  if (!id) return "";
  const devices::Model& devices = *devices::of(model);
  const cluster::PodSpec& pod = model.pod(id).info->spec;
  if (!devices.concerns(*pod.spec)) return "";
  const auto claims = devices.claims_of(pod, nullptr);
  if (!claims->waits_for.empty()) return claims->waits_for;
  return devices.shortfall(model, model.nodes(), *claims, kMostNodes);
}

std::optional<scheduler::GroupView> Engine::group_view(const ObjectKey& group) const {
  if (!state_->roles.scheduler) return std::nullopt;
  return state_->scheduler.group_view(state_->model, group);
}

}  // namespace quorate::engine
