#include "src/engine/event_codec.h"

#include <limits>
#include <utility>

#include "src/engine/convert.h"
#include "src/engine/device_archive.h"

namespace quorate::engine {
namespace {

using wire::Faults;
using wire::put;

static_assert(static_cast<int>(scheduler::BindResult::Bound) == 0);
static_assert(static_cast<int>(scheduler::BindResult::Elsewhere) == 1);
static_assert(static_cast<int>(scheduler::BindResult::Gone) == 2);
static_assert(static_cast<int>(scheduler::BindResult::Failed) == 3);

void put_name(const std::string& name, v1::Gone& to) { to.mutable_key()->set_name(name); }

void put_gone(const ObjectKey& key, const std::string& uid, v1::Gone& to) {
  put(key, *to.mutable_key());
  to.set_uid(uid);
}

// One overload per alternative of Event: a new one does not compile until it is stored.
struct Encoder {
  v1::Event& to;

  void operator()(const Configured& e) const {
    put(e.admission, *to.mutable_configured()->mutable_admission());
    put(e.scheduler, *to.mutable_configured()->mutable_scheduler());
  }
  void operator()(const Synced&) const { to.mutable_synced(); }
  void operator()(const Tick& e) const { to.mutable_tick()->set_now(e.now.nanos); }
  void operator()(const admission::FlavorSpec& e) const { put(e, *to.mutable_flavor()); }
  void operator()(const FlavorGone& e) const { put_name(e.name, *to.mutable_flavor_gone()); }
  void operator()(const admission::TopologySpec& e) const { put(e, *to.mutable_topology()); }
  void operator()(const TopologyGone& e) const { put_name(e.name, *to.mutable_topology_gone()); }
  void operator()(const admission::ClusterQueueSpec& e) const {
    put(e, *to.mutable_cluster_queue());
  }
  void operator()(const ClusterQueueGone& e) const {
    put_name(e.name, *to.mutable_cluster_queue_gone());
  }
  void operator()(const admission::CohortSpec& e) const { put(e, *to.mutable_cohort()); }
  void operator()(const CohortGone& e) const { put_name(e.name, *to.mutable_cohort_gone()); }
  void operator()(const admission::LocalQueueSpec& e) const { put(e, *to.mutable_local_queue()); }
  void operator()(const LocalQueueGone& e) const {
    put_gone(e.key, "", *to.mutable_local_queue_gone());
  }
  void operator()(const admission::AdmissionCheckSpec& e) const {
    put(e, *to.mutable_admission_check());
  }
  void operator()(const AdmissionCheckGone& e) const {
    put_name(e.name, *to.mutable_admission_check_gone());
  }
  void operator()(const admission::NamespaceSpec& e) const { put(e, *to.mutable_namespace_()); }
  void operator()(const NamespaceGone& e) const { put_name(e.name, *to.mutable_namespace_gone()); }
  void operator()(const admission::LimitRangeSpec& e) const { put(e, *to.mutable_limit_range()); }
  void operator()(const LimitRangeGone& e) const {
    put_gone(e.key, "", *to.mutable_limit_range_gone());
  }
  void operator()(const admission::RuntimeClassSpec& e) const {
    put(e, *to.mutable_runtime_class());
  }
  void operator()(const RuntimeClassGone& e) const {
    put_name(e.name, *to.mutable_runtime_class_gone());
  }
  void operator()(const admission::WorkloadSpec& e) const { put(e, *to.mutable_workload()); }
  void operator()(const WorkloadGone& e) const {
    put_gone(e.key, e.uid, *to.mutable_workload_gone());
  }
  void operator()(const cluster::NodeSpec& e) const { put(e, *to.mutable_node()); }
  void operator()(const NodeGone& e) const { put_name(e.name, *to.mutable_node_gone()); }
  void operator()(const cluster::PodSpec& e) const { put(e, *to.mutable_pod()); }
  void operator()(const PodGone& e) const { put_gone(e.key, e.uid, *to.mutable_pod_gone()); }
  void operator()(const scheduler::PodGroupSpec& e) const { put(e, *to.mutable_pod_group()); }
  void operator()(const PodGroupGone& e) const {
    put_gone(e.key, e.uid, *to.mutable_pod_group_gone());
  }
  void operator()(const scheduler::CompositeGroupSpec& e) const {
    put(e, *to.mutable_composite_group());
  }
  void operator()(const CompositeGroupGone& e) const {
    put_gone(e.key, e.uid, *to.mutable_composite_group_gone());
  }
  void operator()(const scheduler::DisruptionBudget& e) const {
    put(e, *to.mutable_disruption_budget());
  }
  void operator()(const DisruptionBudgetGone& e) const {
    put_gone(e.key, "", *to.mutable_disruption_budget_gone());
  }
  void operator()(const AdmissionWritten& e) const {
    v1::AdmissionWritten& out = *to.mutable_admission_written();
    put(e.workload, *out.mutable_workload());
    out.set_uid(e.uid);
    out.set_succeeded(e.succeeded);
    out.set_gone(e.gone);
    out.set_message(e.message);
  }
  void operator()(const BindWritten& e) const {
    v1::BindWritten& out = *to.mutable_bind_written();
    put(e.pod, *out.mutable_pod());
    out.set_pod_uid(e.pod_uid);
    out.set_node(e.node);
    out.set_result(wire::number_of(e.result));
    out.set_message(e.message);
  }
  void operator()(const devices::ClassObject& e) const {
    to.mutable_device_class()->set_body(to_bytes(e));
  }
  void operator()(const DeviceClassGone& e) const {
    put_name(e.name, *to.mutable_device_class_gone());
  }
  void operator()(const devices::SliceObject& e) const {
    to.mutable_resource_slice()->set_body(to_bytes(e));
  }
  void operator()(const ResourceSliceGone& e) const {
    put_name(e.name, *to.mutable_resource_slice_gone());
  }
  void operator()(const devices::TaintRuleObject& e) const {
    to.mutable_device_taint_rule()->set_body(to_bytes(e));
  }
  void operator()(const DeviceTaintRuleGone& e) const {
    put_name(e.name, *to.mutable_device_taint_rule_gone());
  }
  void operator()(const devices::TemplateObject& e) const {
    to.mutable_claim_template()->set_body(to_bytes(e));
  }
  void operator()(const ClaimTemplateGone& e) const {
    put_gone(e.key, "", *to.mutable_claim_template_gone());
  }
  void operator()(const devices::ClaimObject& e) const {
    to.mutable_claim()->set_body(to_bytes(e));
  }
  void operator()(const ClaimGone& e) const { put_gone(e.key, e.uid, *to.mutable_claim_gone()); }
  void operator()(const ClaimReleased& e) const {
    put(e.claim, *to.mutable_claim_released()->mutable_claim());
    to.mutable_claim_released()->set_consumer_uid(e.consumer_uid);
  }
};

ObjectKey key_of(const v1::Gone& gone) { return wire::key_of(gone.key()); }

template <class T>
Event device_object(const v1::DeviceObject& from, Faults& faults) {
  Outcome<T> object = from_bytes<T>(from.body());
  if (object) return std::move(*object);
  faults.add(object.error().message);
  return Synced{};
}

Event event_of(const v1::Event& from, Faults& faults) {
  switch (from.event_case()) {
    case v1::Event::kConfigured:
      return Configured{wire::get(from.configured().admission(), faults),
                        wire::get(from.configured().scheduler(), faults)};
    case v1::Event::kSynced:
      return Synced{};
    case v1::Event::kTick:
      return Tick{Time{from.tick().now()}};
    case v1::Event::kFlavor:
      return wire::get(from.flavor(), faults);
    case v1::Event::kFlavorGone:
      return FlavorGone{from.flavor_gone().key().name()};
    case v1::Event::kTopology:
      return wire::get(from.topology(), faults);
    case v1::Event::kTopologyGone:
      return TopologyGone{from.topology_gone().key().name()};
    case v1::Event::kClusterQueue:
      return wire::get(from.cluster_queue(), faults);
    case v1::Event::kClusterQueueGone:
      return ClusterQueueGone{from.cluster_queue_gone().key().name()};
    case v1::Event::kCohort:
      return wire::get(from.cohort(), faults);
    case v1::Event::kCohortGone:
      return CohortGone{from.cohort_gone().key().name()};
    case v1::Event::kLocalQueue:
      return wire::get(from.local_queue(), faults);
    case v1::Event::kLocalQueueGone:
      return LocalQueueGone{key_of(from.local_queue_gone())};
    case v1::Event::kAdmissionCheck:
      return wire::get(from.admission_check(), faults);
    case v1::Event::kAdmissionCheckGone:
      return AdmissionCheckGone{from.admission_check_gone().key().name()};
    case v1::Event::kNamespace:
      return wire::get(from.namespace_(), faults);
    case v1::Event::kNamespaceGone:
      return NamespaceGone{from.namespace_gone().key().name()};
    case v1::Event::kLimitRange:
      return wire::get(from.limit_range(), faults);
    case v1::Event::kLimitRangeGone:
      return LimitRangeGone{key_of(from.limit_range_gone())};
    case v1::Event::kRuntimeClass:
      return wire::get(from.runtime_class(), faults);
    case v1::Event::kRuntimeClassGone:
      return RuntimeClassGone{from.runtime_class_gone().key().name()};
    case v1::Event::kWorkload:
      return wire::get(from.workload(), faults);
    case v1::Event::kWorkloadGone:
      return WorkloadGone{key_of(from.workload_gone()), from.workload_gone().uid()};
    case v1::Event::kNode:
      return wire::get(from.node(), faults);
    case v1::Event::kNodeGone:
      return NodeGone{from.node_gone().key().name()};
    case v1::Event::kPod:
      return wire::get(from.pod(), faults);
    case v1::Event::kPodGone:
      return PodGone{key_of(from.pod_gone()), from.pod_gone().uid()};
    case v1::Event::kPodGroup:
      return wire::get(from.pod_group(), faults);
    case v1::Event::kPodGroupGone:
      return PodGroupGone{key_of(from.pod_group_gone()), from.pod_group_gone().uid()};
    case v1::Event::kCompositeGroup:
      return wire::get(from.composite_group(), faults);
    case v1::Event::kCompositeGroupGone:
      return CompositeGroupGone{key_of(from.composite_group_gone()),
                                from.composite_group_gone().uid()};
    case v1::Event::kDisruptionBudget:
      return wire::get(from.disruption_budget(), faults);
    case v1::Event::kDisruptionBudgetGone:
      return DisruptionBudgetGone{key_of(from.disruption_budget_gone())};
    case v1::Event::kAdmissionWritten: {
      const v1::AdmissionWritten& written = from.admission_written();
      return AdmissionWritten{wire::key_of(written.workload()), written.uid(), written.succeeded(),
                              written.gone(), written.message()};
    }
    case v1::Event::kBindWritten: {
      const v1::BindWritten& written = from.bind_written();
      return BindWritten{
          wire::key_of(written.pod()), written.pod_uid(), written.node(),
          wire::enum_of(written.result(), scheduler::BindResult::Failed, "bind result", faults),
          written.message()};
    }
    case v1::Event::kDeviceClass:
      return device_object<devices::ClassObject>(from.device_class(), faults);
    case v1::Event::kDeviceClassGone:
      return DeviceClassGone{from.device_class_gone().key().name()};
    case v1::Event::kResourceSlice:
      return device_object<devices::SliceObject>(from.resource_slice(), faults);
    case v1::Event::kResourceSliceGone:
      return ResourceSliceGone{from.resource_slice_gone().key().name()};
    case v1::Event::kDeviceTaintRule:
      return device_object<devices::TaintRuleObject>(from.device_taint_rule(), faults);
    case v1::Event::kDeviceTaintRuleGone:
      return DeviceTaintRuleGone{from.device_taint_rule_gone().key().name()};
    case v1::Event::kClaimTemplate:
      return device_object<devices::TemplateObject>(from.claim_template(), faults);
    case v1::Event::kClaimTemplateGone:
      return ClaimTemplateGone{key_of(from.claim_template_gone())};
    case v1::Event::kClaim:
      return device_object<devices::ClaimObject>(from.claim(), faults);
    case v1::Event::kClaimGone:
      return ClaimGone{key_of(from.claim_gone()), from.claim_gone().uid()};
    case v1::Event::kClaimReleased:
      return ClaimReleased{wire::key_of(from.claim_released().claim()),
                           from.claim_released().consumer_uid()};
    case v1::Event::EVENT_NOT_SET:
      faults.add("an event of a kind that this program does not know");
      return Synced{};
  }
  faults.add("an event of a kind that this program does not know");
  return Synced{};
}

struct RecordEncoder {
  v1::Record& to;

  void operator()(const Session& r) const {
    v1::Session& out = *to.mutable_session();
    out.set_schema(kSchemaVersion);
    out.set_program(r.program);
    out.set_admission(r.roles.admission);
    out.set_scheduler(r.roles.scheduler);
    out.set_seed(r.seed);
    out.set_started(r.started.nanos);
  }
  void operator()(const Event& r) const { std::visit(Encoder{*to.mutable_event()}, r); }
  void operator()(const Step& r) const {
    v1::Step& out = *to.mutable_step();
    out.mutable_tick()->set_now(r.now.nanos);
    out.set_cycles(r.budget.cycles);
    out.set_groups(r.budget.groups);
    out.set_decisions(r.decisions);
    out.set_decision_hash(r.decision_hash);
  }
  void operator()(const Checkpoint& r) const {
    to.mutable_checkpoint()->set_decision_hash(r.decision_hash);
    to.mutable_checkpoint()->set_state_hash(r.state_hash);
  }
};

Record record_of(const v1::Record& from, Faults& faults) {
  switch (from.record_case()) {
    case v1::Record::kSession: {
      const v1::Session& session = from.session();
      if (session.schema() == 0 || session.schema() > kSchemaVersion) {
        faults.add("a session of schema " + std::to_string(session.schema()) +
                   "; this program reads up to " + std::to_string(kSchemaVersion));
      }
      return Session{session.program(), Roles{session.admission(), session.scheduler()},
                     session.seed(), Time{session.started()}};
    }
    case v1::Record::kEvent:
      return event_of(from.event(), faults);
    case v1::Record::kStep: {
      const v1::Step& step = from.step();
      return Step{Time{step.tick().now()}, Budget{step.cycles(), step.groups()}, step.decisions(),
                  step.decision_hash()};
    }
    case v1::Record::kCheckpoint:
      return Checkpoint{from.checkpoint().decision_hash(), from.checkpoint().state_hash()};
    case v1::Record::RECORD_NOT_SET:
      break;
  }
  faults.add("a record of a kind that this program does not know");
  return Checkpoint{};
}

template <class Message>
std::string bytes_of(const Message& message) {
  std::string bytes;
  message.SerializeToString(&bytes);
  return bytes;
}

template <class Message>
bool parse(std::string_view bytes, Message& message) {
  return bytes.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max()) &&
         message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

}  // namespace

std::string encode(const Event& event) {
  v1::Event message;
  std::visit(Encoder{message}, event);
  return bytes_of(message);
}

std::string encode(const Record& record) {
  v1::Record message;
  std::visit(RecordEncoder{message}, record);
  return bytes_of(message);
}

Outcome<Event> decode_event(std::string_view bytes) {
  v1::Event message;
  if (!parse(bytes, message)) return error(Errc::Invalid, "not an event of this schema");
  Faults faults;
  Event event = event_of(message, faults);
  if (!faults.first().empty()) return error(Errc::Invalid, faults.first());
  return event;
}

Outcome<Record> decode_record(std::string_view bytes) {
  v1::Record message;
  if (!parse(bytes, message)) return error(Errc::Invalid, "not a record of this schema");
  Faults faults;
  Record record = record_of(message, faults);
  if (!faults.first().empty()) return error(Errc::Invalid, faults.first());
  return record;
}

}  // namespace quorate::engine
