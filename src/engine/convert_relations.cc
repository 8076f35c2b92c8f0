// What relates a pod to other pods and to volumes.

#include "src/engine/convert.h"

namespace quorate::engine::wire {
namespace {

static_assert(static_cast<int>(PodVolume::Kind::Claim) == 0);
static_assert(static_cast<int>(PodVolume::Kind::Ephemeral) == 1);
static_assert(static_cast<int>(PodVolume::Kind::GceDisk) == 2);
static_assert(static_cast<int>(PodVolume::Kind::AwsDisk) == 3);
static_assert(static_cast<int>(PodVolume::Kind::Iscsi) == 4);
static_assert(static_cast<int>(PodVolume::Kind::Rbd) == 5);

using Texts = google::protobuf::RepeatedPtrField<std::string>;

void put(const std::vector<std::string>& from, Texts& to) { to.Assign(from.begin(), from.end()); }
std::vector<std::string> texts_of(const Texts& from) { return {from.begin(), from.end()}; }

void put(const PodAffinityTerm& from, v1::PodAffinityTerm& to) {
  if (from.selector) wire::put(*from.selector, *to.mutable_selector());
  to.set_topology_key(from.topology_key);
  put(from.namespaces, *to.mutable_namespaces());
  if (from.namespace_selector) {
    wire::put(*from.namespace_selector, *to.mutable_namespace_selector());
  }
  put(from.match_label_keys, *to.mutable_match_label_keys());
  put(from.mismatch_label_keys, *to.mutable_mismatch_label_keys());
}

PodAffinityTerm term_of(const v1::PodAffinityTerm& from, Faults& faults) {
  PodAffinityTerm to;
  if (from.has_selector()) to.selector = selector_of(from.selector(), faults);
  to.topology_key = from.topology_key();
  to.namespaces = texts_of(from.namespaces());
  if (from.has_namespace_selector()) {
    to.namespace_selector = selector_of(from.namespace_selector(), faults);
  }
  to.match_label_keys = texts_of(from.match_label_keys());
  to.mismatch_label_keys = texts_of(from.mismatch_label_keys());
  return to;
}

void put(const PodAffinity& from, v1::PodAffinity& to) {
  for (const PodAffinityTerm& term : from.required) put(term, *to.add_required());
  for (const auto& [weight, term] : from.preferred) {
    v1::PodAffinity::Preferred& out = *to.add_preferred();
    out.set_weight(weight);
    put(term, *out.mutable_term());
  }
}

PodAffinity affinity_of(const v1::PodAffinity& from, Faults& faults) {
  PodAffinity to;
  for (const v1::PodAffinityTerm& term : from.required()) {
    to.required.push_back(term_of(term, faults));
  }
  for (const v1::PodAffinity::Preferred& one : from.preferred()) {
    to.preferred.emplace_back(one.weight(), term_of(one.term(), faults));
  }
  return to;
}

void put(const SpreadConstraint& from, v1::SpreadConstraint& to) {
  to.set_max_skew(from.max_skew);
  to.set_topology_key(from.topology_key);
  to.set_hard(from.hard);
  if (from.selector) wire::put(*from.selector, *to.mutable_selector());
  put(from.match_label_keys, *to.mutable_match_label_keys());
  if (from.min_domains) to.set_min_domains(*from.min_domains);
  to.set_honor_affinity(from.honor_affinity);
  to.set_honor_taints(from.honor_taints);
}

SpreadConstraint spread_of(const v1::SpreadConstraint& from, Faults& faults) {
  SpreadConstraint to;
  to.max_skew = from.max_skew();
  to.topology_key = from.topology_key();
  to.hard = from.hard();
  if (from.has_selector()) to.selector = selector_of(from.selector(), faults);
  to.match_label_keys = texts_of(from.match_label_keys());
  if (from.has_min_domains()) to.min_domains = from.min_domains();
  to.honor_affinity = from.honor_affinity();
  to.honor_taints = from.honor_taints();
  return to;
}

}  // namespace

void put(const PodRelations& from, v1::PodRelations& to) {
  if (!from.affinity.empty()) put(from.affinity, *to.mutable_affinity());
  if (!from.anti_affinity.empty()) put(from.anti_affinity, *to.mutable_anti_affinity());
  for (const SpreadConstraint& one : from.spread) put(one, *to.add_spread());
  for (const PodVolume& one : from.volumes) {
    v1::PodVolume& out = *to.add_volumes();
    out.set_name(one.name);
    out.set_kind(number_of(one.kind));
    out.set_id(one.id);
    out.set_read_only(one.read_only);
    put(one.monitors, *out.mutable_monitors());
  }
}

PodRelations relations_of(const v1::PodRelations& from, Faults& faults) {
  PodRelations to;
  to.affinity = affinity_of(from.affinity(), faults);
  to.anti_affinity = affinity_of(from.anti_affinity(), faults);
  for (const v1::SpreadConstraint& one : from.spread()) to.spread.push_back(spread_of(one, faults));
  for (const v1::PodVolume& one : from.volumes()) {
    to.volumes.push_back({one.name(),
                          enum_of(one.kind(), PodVolume::Kind::Rbd, "volume kind", faults),
                          one.id(), one.read_only(), texts_of(one.monitors())});
  }
  return to;
}

}  // namespace quorate::engine::wire
