#pragma once

// Private to the codec's .cc files: C++ values to and from the messages of events.proto. put()
// fills an empty message; get() fills a default value and notes what it cannot understand.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "src/engine/event.h"
#include "src/engine/events.pb.h"

namespace quorate::engine::wire {

// The first thing that a message says and this program does not know.
class Faults {
 public:
  void add(std::string what) {
    if (first_.empty()) first_ = std::move(what);
  }
  const std::string& first() const { return first_; }

 private:
  std::string first_;
};

template <class Enum>
std::int32_t number_of(Enum value) {
  return static_cast<std::int32_t>(value);
}

// `last` is the enumerator with the highest number; they are numbered from 0 without gaps.
template <class Enum>
Enum enum_of(std::int32_t number, Enum last, std::string_view what, Faults& faults) {
  if (number < 0 || number > number_of(last)) {
    faults.add(std::string(what) + " has no value " + std::to_string(number));
    return Enum{};
  }
  return static_cast<Enum>(number);
}

// base
void put(const ObjectKey& from, v1::ObjectKey& to);
ObjectKey key_of(const v1::ObjectKey& from);
using LabelList = google::protobuf::RepeatedPtrField<v1::Label>;
void put(const std::map<std::string, std::string, std::less<>>& from, LabelList& to);
void put(const std::map<std::string, std::string>& from, LabelList& to);
void put(const ResourceList& from, v1::ResourceList& to);
ResourceList amounts_of(const v1::ResourceList& from);
void put(const LabelSelector& from, v1::LabelSelector& to);
LabelSelector selector_of(const v1::LabelSelector& from, Faults& faults);
void put(const Taint& from, v1::Taint& to);
Taint taint_of(const v1::Taint& from);
void put(const Toleration& from, v1::Toleration& to);
Toleration toleration_of(const v1::Toleration& from);
void put(const NodeAffinity& from, v1::NodeAffinity& to);
NodeAffinity affinity_of(const v1::NodeAffinity& from, Faults& faults);
void put(const PodRelations& from, v1::PodRelations& to);
PodRelations relations_of(const v1::PodRelations& from, Faults& faults);
using PodClaimList = google::protobuf::RepeatedPtrField<v1::PodClaim>;
void put(const std::vector<PodClaim>& from, PodClaimList& to);
std::vector<PodClaim> claims_of(const PodClaimList& from);
void put(const PodTemplate& from, v1::PodTemplate& to);
PodTemplate template_of(const v1::PodTemplate& from, Faults& faults);

template <class Map>
Map map_of(const LabelList& from) {
  Map to;
  for (const v1::Label& label : from) to.insert_or_assign(label.key(), label.value());
  return to;
}

// admission
void put(const admission::FlavorSpec& from, v1::Flavor& to);
admission::FlavorSpec get(const v1::Flavor& from, Faults& faults);
void put(const admission::TopologySpec& from, v1::Topology& to);
admission::TopologySpec get(const v1::Topology& from, Faults& faults);
void put(const admission::ClusterQueueSpec& from, v1::ClusterQueue& to);
admission::ClusterQueueSpec get(const v1::ClusterQueue& from, Faults& faults);
void put(const admission::CohortSpec& from, v1::Cohort& to);
admission::CohortSpec get(const v1::Cohort& from, Faults& faults);
void put(const admission::LocalQueueSpec& from, v1::LocalQueue& to);
admission::LocalQueueSpec get(const v1::LocalQueue& from, Faults& faults);
void put(const admission::AdmissionCheckSpec& from, v1::AdmissionCheck& to);
admission::AdmissionCheckSpec get(const v1::AdmissionCheck& from, Faults& faults);
void put(const admission::NamespaceSpec& from, v1::Namespace& to);
admission::NamespaceSpec get(const v1::Namespace& from, Faults& faults);
void put(const admission::LimitRangeSpec& from, v1::LimitRange& to);
admission::LimitRangeSpec get(const v1::LimitRange& from, Faults& faults);
void put(const admission::RuntimeClassSpec& from, v1::RuntimeClass& to);
admission::RuntimeClassSpec get(const v1::RuntimeClass& from, Faults& faults);
void put(const admission::WorkloadSpec& from, v1::Workload& to);
admission::WorkloadSpec get(const v1::Workload& from, Faults& faults);
void put(const admission::Config& from, v1::AdmissionConfig& to);
admission::Config get(const v1::AdmissionConfig& from, Faults& faults);

// cluster and scheduler
void put(const cluster::NodeSpec& from, v1::Node& to);
cluster::NodeSpec get(const v1::Node& from, Faults& faults);
void put(const cluster::PodSpec& from, v1::Pod& to);
cluster::PodSpec get(const v1::Pod& from, Faults& faults);
void put(const scheduler::PodGroupSpec& from, v1::PodGroup& to);
scheduler::PodGroupSpec get(const v1::PodGroup& from, Faults& faults);
void put(const scheduler::CompositeGroupSpec& from, v1::CompositeGroup& to);
scheduler::CompositeGroupSpec get(const v1::CompositeGroup& from, Faults& faults);
void put(const scheduler::DisruptionBudget& from, v1::DisruptionBudget& to);
scheduler::DisruptionBudget get(const v1::DisruptionBudget& from, Faults& faults);
void put(const scheduler::Config& from, v1::SchedulerConfig& to);
scheduler::Config get(const v1::SchedulerConfig& from, Faults& faults);

}  // namespace quorate::engine::wire
