#include "src/engine/event_codec.h"

#include <gtest/gtest.h>

#include "src/engine/sample_events.h"

namespace quorate::engine {

// Equality of values, specs behind pointers included; in this namespace so that Event's variant
// finds it.
namespace {

bool equal(const admission::PodSetSpec& a, const admission::PodSetSpec& b) {
  return a.name == b.name && a.count == b.count && a.min_count == b.min_count && *a.pod == *b.pod &&
         a.topology == b.topology;
}

bool equal(const admission::WorkloadSpec& a, const admission::WorkloadSpec& b) {
  if (a.pod_sets.size() != b.pod_sets.size()) return false;
  for (std::size_t i = 0; i < a.pod_sets.size(); ++i) {
    if (!equal(a.pod_sets[i], b.pod_sets[i])) return false;
  }
  return a.key == b.key && a.uid == b.uid && a.generation == b.generation &&
         a.queue_name == b.queue_name && a.priority == b.priority &&
         a.priority_boost == b.priority_boost && a.created == b.created && a.active == b.active &&
         a.terminating == b.terminating && a.gated == b.gated && a.gated_by == b.gated_by &&
         a.max_execution_seconds == b.max_execution_seconds && a.replaces == b.replaces &&
         a.parent_of_variants == b.parent_of_variants && a.allowed_flavors == b.allowed_flavors &&
         a.preemption_gates == b.preemption_gates &&
         a.past_execution_seconds == b.past_execution_seconds &&
         a.reclaimable_pods == b.reclaimable_pods && a.admission == b.admission &&
         a.conditions == b.conditions && a.checks == b.checks && a.requeue_at == b.requeue_at &&
         a.requeue_count == b.requeue_count && a.owner_api_version == b.owner_api_version &&
         a.owner_kind == b.owner_kind && a.owner_name == b.owner_name && a.owner_uid == b.owner_uid;
}

bool equal(const cluster::PodSpec& a, const cluster::PodSpec& b) {
  return a.key == b.key && a.uid == b.uid && a.generation == b.generation && *a.spec == *b.spec &&
         a.requests == b.requests && a.node == b.node && a.phase == b.phase &&
         a.terminating == b.terminating && a.created == b.created &&
         a.nominated_node == b.nominated_node && a.group == b.group &&
         a.unschedulable_reason == b.unschedulable_reason &&
         a.unschedulable_message == b.unschedulable_message && a.claim_names == b.claim_names &&
         a.extended_claim == b.extended_claim;
}

bool equal(const TopologyGone& a, const TopologyGone& b) { return a.name == b.name; }
bool equal(const FlavorGone& a, const FlavorGone& b) { return a.name == b.name; }
bool equal(const ClusterQueueGone& a, const ClusterQueueGone& b) { return a.name == b.name; }
bool equal(const CohortGone& a, const CohortGone& b) { return a.name == b.name; }
bool equal(const LocalQueueGone& a, const LocalQueueGone& b) { return a.key == b.key; }
bool equal(const AdmissionCheckGone& a, const AdmissionCheckGone& b) { return a.name == b.name; }
bool equal(const NamespaceGone& a, const NamespaceGone& b) { return a.name == b.name; }
bool equal(const LimitRangeGone& a, const LimitRangeGone& b) { return a.key == b.key; }
bool equal(const RuntimeClassGone& a, const RuntimeClassGone& b) { return a.name == b.name; }
bool equal(const WorkloadGone& a, const WorkloadGone& b) {
  return a.key == b.key && a.uid == b.uid;
}
bool equal(const NodeGone& a, const NodeGone& b) { return a.name == b.name; }
bool equal(const PodGone& a, const PodGone& b) { return a.key == b.key && a.uid == b.uid; }
bool equal(const PodGroupGone& a, const PodGroupGone& b) {
  return a.key == b.key && a.uid == b.uid;
}
bool equal(const CompositeGroupGone& a, const CompositeGroupGone& b) {
  return a.key == b.key && a.uid == b.uid;
}
bool equal(const DisruptionBudgetGone& a, const DisruptionBudgetGone& b) { return a.key == b.key; }
bool equal(const DeviceClassGone& a, const DeviceClassGone& b) { return a.name == b.name; }
bool equal(const ResourceSliceGone& a, const ResourceSliceGone& b) { return a.name == b.name; }
bool equal(const DeviceTaintRuleGone& a, const DeviceTaintRuleGone& b) { return a.name == b.name; }
bool equal(const ClaimTemplateGone& a, const ClaimTemplateGone& b) { return a.key == b.key; }
bool equal(const ClaimGone& a, const ClaimGone& b) { return a.key == b.key && a.uid == b.uid; }
bool equal(const AdmissionWritten& a, const AdmissionWritten& b) {
  return a.workload == b.workload && a.uid == b.uid && a.succeeded == b.succeeded &&
         a.gone == b.gone && a.message == b.message;
}
bool equal(const BindWritten& a, const BindWritten& b) {
  return a.pod == b.pod && a.pod_uid == b.pod_uid && a.node == b.node && a.result == b.result &&
         a.message == b.message;
}
bool equal(const Configured& a, const Configured& b) {
  return a.admission == b.admission && a.scheduler == b.scheduler;
}
bool equal(const Synced&, const Synced&) { return true; }
bool equal(const Tick& a, const Tick& b) { return a.now == b.now; }
template <class Spec>
bool equal(const Spec& a, const Spec& b) {
  return a == b;
}

bool equal_events(const Event& a, const Event& b) {
  return a.index() == b.index() &&
         std::visit(
             [&](const auto& left) {
               return equal(left, std::get<std::decay_t<decltype(left)>>(b));
             },
             a);
}

TEST(EventCodec, TheSamplesCoverEveryKindOfEvent) {
  const std::vector<Event> samples = samples::one_of_each();
  ASSERT_EQ(samples.size(), std::variant_size_v<Event>);
  for (std::size_t i = 0; i < samples.size(); ++i) EXPECT_EQ(samples[i].index(), i);
}

TEST(EventCodec, ReadsBackWhatItWrote) {
  for (const Event& event : samples::one_of_each()) {
    const std::string bytes = encode(event);
    const Outcome<Event> back = decode_event(bytes);
    ASSERT_TRUE(back) << "event kind " << event.index() << ": " << back.error().message;
    EXPECT_TRUE(equal_events(event, *back)) << "event kind " << event.index();
    EXPECT_EQ(encode(*back), bytes) << "event kind " << event.index();
  }
}

TEST(EventCodec, DefaultsAndAbsenceSurvive) {
  admission::ClusterQueueSpec queue;  // no selector matches no namespace; {} matches all
  queue.fair_weight = 0;
  const Event without{queue};
  EXPECT_TRUE(equal_events(without, *decode_event(encode(without))));
  queue.namespace_selector.emplace();
  const Event with{queue};
  EXPECT_TRUE(equal_events(with, *decode_event(encode(with))));
  EXPECT_NE(encode(without), encode(with));

  auto pod = samples::sample_pod();
  auto spec = samples::sample_template();
  spec.node_affinity.required.emplace();  // no term: matches nothing
  spec.pod_requests.reset();
  pod.spec = std::make_shared<const PodTemplate>(spec);
  EXPECT_TRUE(equal_events(Event{pod}, *decode_event(encode(Event{pod}))));
}

TEST(EventCodec, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(decode_event("").error().message, "an event of a kind that this program does not know");
  EXPECT_EQ(decode_event("\xff\xff\xff").error().code, Errc::Invalid);
  // Field 26 is the workload; its field 14 a condition; that one's field 2 the status.
  const std::string status_9 = {'\x72', 2, '\x10', 9};
  const std::string workload = std::string("\xd2\x01", 2) + char(status_9.size()) + status_9;
  EXPECT_EQ(decode_event(workload).error().message, "condition status has no value 9");
}

TEST(EventCodec, EveryPrefixIsAnEventOrAnError) {
  for (const Event& event : samples::one_of_each()) {
    const std::string bytes = encode(event);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      const Outcome<Event> got = decode_event(std::string_view(bytes).substr(0, length));
      if (!got) {
        EXPECT_EQ(got.error().code, Errc::Invalid);
      }
    }
  }
}

TEST(RecordCodec, ReadsBackWhatItWrote) {
  const Session session{"quorate 1.0", {true, false}, 12345678901234567890u, Time{4}};
  EXPECT_EQ(std::get<Session>(*decode_record(encode(Record{session}))), session);
  const Step step{Time{-3}, {2, 99}, 4, 0xfedcba9876543210u};
  EXPECT_EQ(std::get<Step>(*decode_record(encode(Record{step}))), step);
  const Checkpoint checkpoint{1, 0xffffffffffffffffu};
  EXPECT_EQ(std::get<Checkpoint>(*decode_record(encode(Record{checkpoint}))), checkpoint);
  const Record event{Event{NodeGone{"n"}}};
  EXPECT_EQ(std::get<NodeGone>(std::get<Event>(*decode_record(encode(event)))).name, "n");
}

TEST(RecordCodec, RefusesANewerSchema) {
  std::string bytes = encode(Record{Session{"p", {}, 0, Time{}}});
  // Record.session is field 1, its schema field 1: "\x0a <length> \x08 <schema>".
  ASSERT_EQ(bytes[3], char(kSchemaVersion));
  bytes[3] = char(kSchemaVersion + 1);
  EXPECT_EQ(decode_record(bytes).error().message,
            "a session of schema 2; this program reads up to 1");
}

}  // namespace
}  // namespace quorate::engine
