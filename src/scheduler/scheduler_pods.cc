// One attempt at a pod of its own, and what it shares with groups: taking places, sending binds,
// saying why not.

#include <limits>

#include "src/scheduler/scheduler_state.h"

namespace quorate::scheduler {
namespace {

// The place promised to the pod, or the node picked for it before, if it still does; else the best.
std::optional<std::size_t> choose(const Evaluation& evaluation, cluster::NodeId promised,
                                  cluster::NodeId nominated) {
  if (!promised) promised = nominated;
  const std::optional<std::size_t> index = evaluation.index_of(promised);
  return index && evaluation.feasible(*index) ? index : evaluation.best();
}

}  // namespace

void Scheduler::State::report(const ObjectKey& key, TrackedPod& pod, const std::string& reason,
                              const std::string& message) {
  if (pod.shown_reason == reason && pod.shown_message == message) return;
  pod.shown_reason = reason;
  pod.shown_message = message;
  decisions.emplace_back(PodUnschedulable{key, pod.uid, reason, message});
}

// Reserve, Permit and PreBind for all places together: all of them pass, or nothing is held.
Status Scheduler::State::take_places(cluster::Model& model, Journal& journal,
                                     const Framework& framework, const Places& places,
                                     const GroupStanding* group) {
  Transaction holding(journal);
  Chosen devices;
  if (Status status = choose_devices(model, journal, places, devices); !status.ok()) return status;
  std::vector<BindContext> contexts;
  contexts.reserve(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const cluster::PodId pod = pods.at(places[i].first).id;
    const cluster::NodeId node = places[i].second;
    model.assume(journal, pod, node);
    contexts.push_back({model.pod(pod).info->spec, model.node(node).spec->name, group,
                        devices.empty() ? nullptr : devices[i].get()});
  }
  Status status;
  std::vector<std::pair<const ReservePlugin*, const BindContext*>> reserved;
  for (const BindContext& at : contexts) {
    for (const ReservePlugin* plugin : framework.reserve) {
      if (!status.ok()) break;
      status = plugin->reserve(model, journal, at);
      reserved.emplace_back(plugin, &at);
    }
  }
  for (const BindContext& at : contexts) {
    for (const PermitPlugin* plugin : framework.permit) {
      if (status.ok()) status = plugin->permit(at);
    }
  }
  for (const BindContext& at : contexts) {
    for (const PreBindPlugin* plugin : framework.pre_bind) {
      if (status.ok()) status = plugin->pre_bind(at);
    }
  }
  if (status.ok()) {
    holding.commit();
    return status;
  }
  for (std::size_t i = reserved.size(); i-- > 0;) {
    reserved[i].first->unreserve(model, journal, *reserved[i].second);
  }
  return status;
}

void Scheduler::State::emit_binds(const cluster::Model& model, const Framework& framework,
                                  const Places& places, const GroupStanding* group, Time now) {
  for (const auto& [key, node] : places) {
    TrackedPod& pod = pods.at(key);
    const BindContext at{model.pod(pod.id).info->spec, model.node(node).spec->name, group};
    for (const BindPlugin* plugin : framework.bind) {
      std::optional<Bind> bind = plugin->bind(at);
      if (!bind) continue;
      pod.writes = claim_writes(model, pod);
      bind->claims = pod.writes;
      decisions.emplace_back(std::move(*bind));
      break;
    }
    pod.flight = Flight{std::string(at.node), now};
    nominations.erase(key);
    pod.condemned_if_bound = false;
    set_due(key, pod, now + config.bind_timeout);
  }
}

void Scheduler::State::try_pod(cluster::Model& model, Journal& journal, const ObjectKey& key,
                               Time now) {
  TrackedPod& tracked = pods.at(key);
  const cluster::PodSpec& spec = model.pod(tracked.id).info->spec;
  const Framework& framework = *framework_for(spec.spec->scheduler_name);
  const EntityKey entity{false, key};
  const Promise promise = promise_to(model, spec);
  const PodView pod = view(model, tracked);
  cluster::NodeId node;
  FitError error;
  bool room_is_made = false;
  {
    Transaction trial(journal);
    const cluster::NodeId promised = give_back(model, journal, promise);
    charge_nominated(model, journal, entity, spec.spec->priority.value_or(0));
    const Evaluation& evaluation = evaluations.get(framework, model, pod);
    if (const auto failure = evaluation.error()) {
      report(key, tracked, "SchedulerError", *failure);
      queue.failed(entity, now);
      return;
    }
    if (const auto index = choose(evaluation, promised, nominated_node(model, key))) {
      node = evaluation.nodes()[*index];
    } else {
      error = evaluation.fit_error();
      if (!framework.post_filter.empty()) {
        room_is_made =
            preempt_for(model, journal, framework, tracked, evaluation, error.outcome, now);
      }
    }
  }
  if (!node) {
    std::string message = error.text;
    for (const PostFilterPlugin* plugin : framework.post_filter) {
      if (error.outcome.nodes == 0 || room_is_made) break;
      if (std::string freed = free_a_claim(model, pod); !freed.empty())
        message += " " + freed + ",";
      message += " " + plugin->post_filter(pod, error.outcome).message;
    }
    report(key, tracked, "Unschedulable", message);
    queue.unschedulable(entity, now, error.rejectors);
    return;
  }
  const std::vector places = {std::pair{key, node}};
  Transaction taking(journal);
  take_up(model, journal, promise, node);
  const Status status = take_places(model, journal, framework, places, nullptr);
  if (status.ok()) {
    taking.commit();
    reservations_freed = model.reservations_freed();
    emit_binds(model, framework, places, nullptr, now);
    queue.succeeded(entity);
  } else if (status.code == Code::Error) {
    report(key, tracked, "SchedulerError", status.message);
    queue.failed(entity, now);
  } else {
    report(key, tracked, "Unschedulable", status.message);
    queue.unschedulable(entity, now, 0);
  }
}

}  // namespace quorate::scheduler
