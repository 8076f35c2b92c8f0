#include "controller/live/pod_writer.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "controller/live/claim_writer.h"
#include "controller/live/feed.h"
#include "controller/live/log.h"
#include "controller/reconcile/write.h"
#include "src/base/thread_annotations.h"
#include "src/objects/json_writer.h"
#include "src/objects/pod.h"
#include "src/translate/diagnosis.h"

namespace quorate::controller {
namespace {

using scheduler::BindResult;

constexpr const char* kPreempted = "PreemptionByScheduler";

// On a PodGroup: why it waits, as JSON.
constexpr std::string_view kDiagnosis = "quorate.dev/diagnosis";

// "": it does not wait, or nothing is known of why.
std::string diagnosis_text(const scheduler::GroupStatus& status) {
  if (status.scheduled || status.diagnosis.cause == scheduler::GroupCause::None) return "";
  objects::JsonWriter out;
  out.open();
  translate::write_diagnosis(out, status.diagnosis);
  return out.close().take();
}

std::string annotation_patch(const std::string& uid, std::string_view name,
                             const std::string& value) {
  objects::JsonWriter out;
  out.open().key("metadata").open().field("uid", std::string_view(uid)).key("annotations").open();
  out.key(name);
  value.empty() ? out.null() : out.text(value);
  return out.close().close().close().take();
}

const char* text_of(BindResult result) {
  switch (result) {
    case BindResult::Bound:
      return "bound";
    case BindResult::Elsewhere:
      return "elsewhere";
    case BindResult::Gone:
      return "gone";
    case BindResult::Failed:
      return "failed";
  }
  return "failed";
}

kube::Event pod_event(const ObjectKey& pod, const std::string& uid, kube::EventType type,
                      std::string reason, std::string action, std::string note) {
  kube::Event event;
  event.regarding = {"v1", "Pod", pod, uid, ""};
  event.type = type;
  event.reason = std::move(reason);
  event.action = std::move(action);
  event.note = std::move(note);
  return event;
}

std::vector<std::string> group_index(const objects::PodGroup& group) {
  std::vector<std::string> keys;
  if (const objects::OwnerReference* owner = objects::controller_of(group.meta)) {
    keys.push_back(owner->uid);
  }
  return keys;
}

}  // namespace

GroupStores::GroupStores() : native(group_index), fallback(group_index) {}

BindResult judge_bind(const scheduler::Bind& bind, const PodAsRead* pod) {
  if (pod == nullptr || pod->uid != bind.pod_uid) return BindResult::Gone;
  if (pod->node.empty()) return BindResult::Failed;
  return pod->node == bind.node ? BindResult::Bound : BindResult::Elsewhere;
}

struct PodWriter::Shared : std::enable_shared_from_this<PodWriter::Shared> {
  Shared(kube::Client& bind_client, kube::Client& other_client, GroupStores& group_stores,
         kube::EventRecorder& recorder, MetricRegistry& registry, Post post_event)
      : binds(bind_client),
        others(other_client),
        groups(group_stores),
        events(recorder),
        metrics(registry),
        post(std::move(post_event)),
        claims(bind_client, post) {}

  void operator()(scheduler::Bind bind);
  void operator()(scheduler::PodUnschedulable failure);
  void operator()(scheduler::GroupStatus status);
  void operator()(scheduler::DeleteMember member);
  void operator()(scheduler::ReleaseClaim release) { claims.release(std::move(release)); }

  void bind_together(std::vector<scheduler::Bind> group);
  void operator()(scheduler::Evict evict);
  void operator()(scheduler::Nominate nominate);

  void annotate(const objects::PodGroup& group, const scheduler::GroupStatus& status);
  void tell_event(const objects::PodGroup& group, const scheduler::GroupStatus& status);
  void mark_group(const objects::Pod& victim, const std::string& message);
  void write_condition(const objects::PodGroup& group, objects::Condition condition,
                       const std::string& slot);
  void read_back(const scheduler::Bind& bind, const Error& why);
  void bound(const scheduler::Bind& bind, BindResult result, const std::string& node,
             const std::string& message);
  void disrupt(const ObjectKey& pod, const std::string& uid, const std::string& reason,
               const std::string& message);
  void remove_pod(const ObjectKey& pod, const std::string& uid, int tries_left);

  // Writes of which only the latest of each object matters.
  void latest(const ObjectKey& key, const std::string& kind, kube::ApiRequest request);
  void send_latest(const std::pair<std::string, ObjectKey>& slot);

  kube::Client& binds;
  kube::Client& others;
  GroupStores& groups;
  kube::EventRecorder& events;
  MetricRegistry& metrics;
  const Post post;
  ClaimWriter claims;

  struct Slot {
    std::optional<kube::ApiRequest> waiting;
    bool in_flight = false;
  };
  Mutex mutex;
  std::map<std::pair<std::string, ObjectKey>, Slot> slots GUARDED_BY(mutex);
  bool stopped GUARDED_BY(mutex) = false;
};

// A claim that cannot be written keeps all of them from being bound.
void PodWriter::Shared::bind_together(std::vector<scheduler::Bind> group) {
  std::vector<scheduler::ClaimWrite> writes;
  for (scheduler::Bind& bind : group) {
    writes.insert(writes.end(), bind.claims.begin(), bind.claims.end());
    bind.claims.clear();
  }
  claims.write_all(std::move(writes), [weak = weak_from_this(),
                                       binds_of = std::move(group)](Outcome<void> written) {
    const auto shared = weak.lock();
    if (!shared) return;
    if (!written && written.error().code == Errc::Fenced) return;
    for (const scheduler::Bind& bind : binds_of) {
      if (written) {
        (*shared)(bind);
      } else {
        shared->bound(bind, BindResult::Failed, "",
                      "running PreBind plugin \"DynamicResources\": " + written.error().message);
      }
    }
  });
}

void PodWriter::Shared::operator()(scheduler::Bind bind) {
  if (!bind.claims.empty()) return bind_together({std::move(bind)});
  {
    // Whatever was to be said about why it waits is over.
    MutexLock lock(mutex);
    const auto slot = slots.find({"pod", bind.pod});
    if (slot != slots.end()) slot->second.waiting.reset();
  }
  binds.submit(kube::bind_pod(bind.pod, bind.pod_uid, bind.node),
               [weak = weak_from_this(), bind](Outcome<kube::Document> answer) {
                 const auto shared = weak.lock();
                 if (!shared) return;
                 if (answer) return shared->bound(bind, BindResult::Bound, bind.node, "");
                 const Error& why = answer.error();
                 if (why.code == Errc::Fenced) return;
                 if (why.code == Errc::NotFound) {
                   return shared->bound(bind, BindResult::Gone, "", why.message);
                 }
                 shared->read_back(bind, why);
               });
}

// A refusal may be the answer to a second sending of a bind that was carried out, and no answer
// says nothing at all: the pod knows.
void PodWriter::Shared::read_back(const scheduler::Bind& bind, const Error& why) {
  others.submit(kube::get(kube::pods(), bind.pod), [weak = weak_from_this(), bind,
                                                    why](Outcome<kube::Document> answer) {
    const auto shared = weak.lock();
    if (!shared) return;
    if (!answer) {
      const bool gone = answer.error().code == Errc::NotFound;
      return shared->bound(bind, gone ? BindResult::Gone : BindResult::Failed, "", why.message);
    }
    const Outcome<kube::RawObject> raw = answer->object();
    const Outcome<objects::Pod> pod =
        raw ? decode<objects::Pod>(*raw) : Outcome<objects::Pod>(tl::unexpected(raw.error()));
    if (!pod) return shared->bound(bind, BindResult::Failed, "", pod.error().message);
    const PodAsRead seen{pod->meta.uid, pod->node_name};
    const BindResult result = judge_bind(bind, &seen);
    shared->bound(bind, result, seen.node, result == BindResult::Bound ? "" : why.message);
  });
}

void PodWriter::Shared::bound(const scheduler::Bind& bind, BindResult result,
                              const std::string& node, const std::string& message) {
  metrics.add("quorate_binds_total", {text_of(result)});
  if (result == BindResult::Bound) {
    events.record(pod_event(bind.pod, bind.pod_uid, kube::EventType::Normal, "Scheduled", "Binding",
                            "Successfully assigned " + bind.pod.text() + " to " + bind.node));
  } else {
    log_warn("bind did not succeed", {{"pod", bind.pod.text()},
                                      {"node", bind.node},
                                      {"outcome", text_of(result)},
                                      {"reason", message}});
  }
  post(engine::BindWritten{bind.pod, bind.pod_uid, node, result, message});
}

void PodWriter::Shared::operator()(scheduler::PodUnschedulable failure) {
  objects::Condition condition{.type = "PodScheduled",
                               .status = objects::ConditionStatus::False,
                               .reason = failure.reason,
                               .message = failure.message,
                               .last_transition = others.loop().wall()};
  latest(failure.pod, "pod",
         kube::patch(kube::pods(), failure.pod, kube::PatchKind::Strategic,
                     objects::pod_condition_patch(failure.pod_uid, {condition}, std::nullopt),
                     {.subresource = "status"}));
  events.record(pod_event(failure.pod, failure.pod_uid, kube::EventType::Warning,
                          "FailedScheduling", "Scheduling", failure.message));
}

void PodWriter::Shared::operator()(scheduler::GroupStatus status) {
  const auto seen = groups.of(status.native).find(status.group);
  if (seen == nullptr || seen->meta.uid != status.group_uid) return;
  const objects::Condition* before =
      objects::find_condition(seen->conditions, "PodGroupInitiallyScheduled");
  // True is final.
  if (before != nullptr && before->status == objects::ConditionStatus::True) return;
  annotate(*seen, status);
  tell_event(*seen, status);
  if (!status.native) return;
  write_condition(*seen,
                  {.type = "PodGroupInitiallyScheduled",
                   .status = status.scheduled ? objects::ConditionStatus::True
                                              : objects::ConditionStatus::False,
                   .reason = status.reason,
                   .message = status.message},
                  "group");
}

// The condition has kube-scheduler's text alone; what holds the group, by constraint and by domain,
// stands beside it.
void PodWriter::Shared::annotate(const objects::PodGroup& group,
                                 const scheduler::GroupStatus& status) {
  const std::string wanted = diagnosis_text(status);
  if (wanted == objects::value_of(group.meta.annotations, kDiagnosis)) return;
  latest(status.group, "group_annotation",
         kube::patch(resource_of(objects::kind_of(group.api)), status.group, kube::PatchKind::Merge,
                     annotation_patch(group.meta.uid, kDiagnosis, wanted), {}));
}

void PodWriter::Shared::tell_event(const objects::PodGroup& group,
                                   const scheduler::GroupStatus& status) {
  const std::string why = status.diagnosis.text();
  // That a native group is scheduled, its condition says.
  if (status.native && (status.scheduled || why.empty())) return;
  kube::Event event;
  event.regarding = {objects::kind_of(group.api).api_version(), "PodGroup", status.group,
                     status.group_uid, ""};
  event.type = status.scheduled ? kube::EventType::Normal : kube::EventType::Warning;
  event.reason = status.scheduled ? "Scheduled" : "FailedScheduling";
  event.action = "Scheduling";
  event.note = status.message.empty() ? "All members are placed" : status.message;
  if (!status.scheduled && !why.empty()) event.note += " (" + why + ")";
  events.record(std::move(event));
}

void PodWriter::Shared::write_condition(const objects::PodGroup& group,
                                        objects::Condition condition, const std::string& slot) {
  condition.last_transition = others.loop().wall();
  if (const objects::Condition* before =
          objects::find_condition(group.conditions, condition.type)) {
    if (before->status == condition.status) condition.last_transition = before->last_transition;
  }
  objects::PodGroup said = group;
  said.conditions = {std::move(condition)};
  latest(group.meta.key, slot,
         kube::patch(resource_of(objects::kind_of(group.api)), group.meta.key,
                     kube::PatchKind::Strategic, objects::pod_group_status_patch(said),
                     {.subresource = "status"}));
}

// A native group whose members go together is the victim that its pod is one of.
void PodWriter::Shared::mark_group(const objects::Pod& victim, const std::string& message) {
  const ObjectKey key{victim.meta.key.ns, victim.spec->scheduling_group};
  const auto group = key.name.empty() ? nullptr : groups.native.find(key);
  if (group == nullptr || !group->disrupt_together) return;
  write_condition(*group,
                  {.type = "DisruptionTarget",
                   .status = objects::ConditionStatus::True,
                   .reason = kPreempted,
                   .message = message},
                  "group_disruption");
}

void PodWriter::Shared::operator()(scheduler::DeleteMember member) {
  disrupt(member.pod, member.pod_uid, "GangNotComplete", member.message);
  log_warn(
      "gang member taken back",
      {{"pod", member.pod.text()}, {"group", member.group.text()}, {"reason", member.message}});
}

void PodWriter::Shared::operator()(scheduler::Evict evict) {
  disrupt(evict.pod, evict.pod_uid, kPreempted, evict.message);
  events.record(pod_event(evict.pod, evict.pod_uid, kube::EventType::Normal, "Preempted",
                          "Preempting", evict.event));
  log_info("pod preempted", {{"pod", evict.pod.text()}, {"preemptor", evict.preemptor.text()}});
}

void PodWriter::Shared::operator()(scheduler::Nominate nominate) {
  latest(nominate.pod, "nomination",
         kube::patch(kube::pods(), nominate.pod, kube::PatchKind::Strategic,
                     objects::pod_condition_patch(nominate.pod_uid, {}, nominate.node),
                     {.subresource = "status"}));
}

// First the condition, so that a failure policy of the owner can ignore the pod's end; then the
// deletion.
void PodWriter::Shared::disrupt(const ObjectKey& pod, const std::string& uid,
                                const std::string& reason, const std::string& message) {
  constexpr int kTries = 8;
  objects::Condition condition{.type = "DisruptionTarget",
                               .status = objects::ConditionStatus::True,
                               .reason = reason,
                               .message = message,
                               .last_transition = others.loop().wall()};
  others.submit(
      kube::patch(kube::pods(), pod, kube::PatchKind::Strategic,
                  objects::pod_condition_patch(uid, {condition}, std::nullopt),
                  {.subresource = "status"}),
      [weak = weak_from_this(), pod, uid, reason, message](Outcome<kube::Document> answer) {
        const auto shared = weak.lock();
        if (!shared || (!answer && answer.error().code == Errc::Fenced)) return;
        if (!answer && answer.error().code == Errc::NotFound) return;
        if (answer && reason == kPreempted) {
          const Outcome<kube::RawObject> raw = answer->object();
          const Outcome<objects::Pod> victim =
              raw ? decode<objects::Pod>(*raw) : Outcome<objects::Pod>(tl::unexpected(raw.error()));
          if (victim) shared->mark_group(*victim, message);
        }
        shared->remove_pod(pod, uid, kTries);
      });
}

void PodWriter::Shared::remove_pod(const ObjectKey& pod, const std::string& uid, int tries_left) {
  others.submit(
      kube::remove(kube::pods(), pod, {.uid = uid}),
      [weak = weak_from_this(), pod, uid, tries_left](Outcome<kube::Document> answer) {
        const auto shared = weak.lock();
        if (!shared || answer) return;
        const Error& why = answer.error();
        // A conflict is another pod of that name; neither is ours any more.
        if (why.code == Errc::NotFound || why.code == Errc::Conflict || why.code == Errc::Fenced) {
          return;
        }
        log_error("pod not deleted", {{"pod", pod.text()}, {"reason", why.message}});
        if (tries_left <= 0) return;
        shared->others.loop().after(Duration::seconds(1), [weak, pod, uid, tries_left] {
          if (const auto again = weak.lock()) again->remove_pod(pod, uid, tries_left - 1);
        });
      });
}

void PodWriter::Shared::latest(const ObjectKey& key, const std::string& kind,
                               kube::ApiRequest request) {
  const std::pair<std::string, ObjectKey> slot{kind, key};
  {
    MutexLock lock(mutex);
    if (stopped) return;
    Slot& held = slots[slot];
    held.waiting = std::move(request);
    if (held.in_flight) return;
    held.in_flight = true;
  }
  // Through the loop: what is decided in one step is merged before the first is sent.
  others.loop().post([weak = weak_from_this(), slot] {
    if (const auto shared = weak.lock()) shared->send_latest(slot);
  });
}

void PodWriter::Shared::send_latest(const std::pair<std::string, ObjectKey>& slot) {
  std::optional<kube::ApiRequest> request;
  {
    MutexLock lock(mutex);
    const auto found = slots.find(slot);
    if (found == slots.end()) return;
    request = std::exchange(found->second.waiting, std::nullopt);
    if (!request || stopped) {
      slots.erase(found);
      return;
    }
  }
  others.submit(
      std::move(*request), [weak = weak_from_this(), slot](Outcome<kube::Document> answer) {
        const auto shared = weak.lock();
        if (!shared) return;
        shared->metrics.add("quorate_api_writes_total",
                            {slot.first + "_status", answer ? "ok" : "failed"});
        // Not tried again: the next attempt of the scheduler says the same, or better news.
        if (!answer && answer.error().code != Errc::NotFound &&
            answer.error().code != Errc::Fenced && answer.error().code != Errc::Conflict) {
          log_warn("condition not written",
                   {{"object", slot.second.text()}, {"reason", answer.error().message}});
        }
        shared->send_latest(slot);
      });
}

PodWriter::PodWriter(kube::Client& binds, kube::Client& others, GroupStores& groups,
                     kube::EventRecorder& events, MetricRegistry& metrics, Post post)
    : shared_(std::make_shared<Shared>(binds, others, groups, events, metrics, std::move(post))) {}

PodWriter::~PodWriter() { stop(); }

void PodWriter::submit(scheduler::Decision decision) {
  std::visit([&](auto&& one) { (*shared_)(std::forward<decltype(one)>(one)); },
             std::move(decision));
}

void PodWriter::submit(std::vector<scheduler::Decision> decisions) {
  std::map<ObjectKey, std::vector<scheduler::Bind>> gangs;  // with claims, by group
  std::vector<scheduler::Decision> others;
  for (scheduler::Decision& decision : decisions) {
    const auto* bind = std::get_if<scheduler::Bind>(&decision);
    if (bind != nullptr && bind->group) {
      gangs[*bind->group].push_back(std::get<scheduler::Bind>(std::move(decision)));
    } else {
      others.push_back(std::move(decision));
    }
  }
  for (auto& [group, binds] : gangs) {
    const bool claims = std::ranges::any_of(
        binds, [](const scheduler::Bind& bind) { return !bind.claims.empty(); });
    if (claims) {
      shared_->bind_together(std::move(binds));
    } else {
      for (scheduler::Bind& bind : binds) submit(std::move(bind));
    }
  }
  for (scheduler::Decision& decision : others) submit(std::move(decision));
}

void PodWriter::stop() {
  MutexLock lock(shared_->mutex);
  shared_->stopped = true;
}

}  // namespace quorate::controller
