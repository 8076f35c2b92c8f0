#include "src/engine/digest_decision.h"

namespace quorate::engine {
namespace {

// Each alternative starts with a word of its own, so that reordering a variant changes no hash.
void put(Digest& to, const ObjectKey& key) { to.text(key.ns).text(key.name); }

void put(Digest& to, const std::optional<ObjectKey>& key) {
  to.number(key ? 1 : 0);
  if (key) put(to, *key);
}

void put(Digest& to, const admission::Admission& admission) {
  to.text(admission.cluster_queue).number(static_cast<std::int64_t>(admission.pod_sets.size()));
  for (const admission::PodSetAssignment& pods : admission.pod_sets) {
    to.text(pods.name).number(pods.count);
    to.number(static_cast<std::int64_t>(pods.flavors.size()));
    for (const auto& [resource, flavor] : pods.flavors) to.text(resource).text(flavor);
    to.number(static_cast<std::int64_t>(pods.usage.size()));
    for (const auto& [resource, amount] : pods.usage) to.text(resource).number(amount.base_units());
    to.number(pods.topology ? 1 : 0).number(static_cast<std::int64_t>(pods.delayed));
    if (!pods.topology) continue;
    to.number(static_cast<std::int64_t>(pods.topology->levels.size()));
    for (const std::string& level : pods.topology->levels) to.text(level);
    to.number(static_cast<std::int64_t>(pods.topology->domains.size()));
    for (const admission::TopologyAssignment::Domain& domain : pods.topology->domains) {
      to.number(static_cast<std::int64_t>(domain.values.size())).number(domain.count);
      for (const std::string& value : domain.values) to.text(value);
    }
  }
}

struct FactDigest {
  Digest& to;

  void operator()(const admission::QueueClosed& f) const {
    to.text("QueueClosed").text(f.cluster_queue).text(f.reason);
  }
  void operator()(const admission::QuotaShortage& f) const {
    to.text("QuotaShortage")
        .text(f.scope.kind == admission::Scope::Kind::Cohort ? "Cohort" : "Queue");
    to.text(f.scope.name).text(f.pod_set).text(f.flavor).text(f.resource);
    to.number(f.have.base_units()).number(f.need.base_units()).number(f.beyond_capacity ? 1 : 0);
  }
  void operator()(const admission::FlavorMismatch& f) const {
    to.text("FlavorMismatch").text(f.pod_set).text(f.flavor).text(f.why);
  }
  void operator()(const admission::ResourceNotCovered& f) const {
    to.text("ResourceNotCovered").text(f.pod_set).text(f.resource);
  }
  void operator()(const admission::LostInCycle& f) const {
    to.text("LostInCycle");
    put(to, f.to);
  }
  void operator()(const admission::AwaitsVictims& f) const {
    to.text("AwaitsVictims").number(static_cast<std::int64_t>(f.victims.size()));
    for (const ObjectKey& victim : f.victims) put(to, victim);
  }
  void operator()(const admission::VictimsClaimed& f) const {
    to.text("VictimsClaimed").number(f.fits_afterwards ? 1 : 0);
  }
  void operator()(const admission::OthersNotReady& f) const {
    to.text("OthersNotReady").number(f.workloads);
  }
  void operator()(const admission::TopologyShortage& f) const {
    to.text("TopologyShortage").text(f.pod_set).text(f.flavor).text(topology::text(f.failure));
  }
  void operator()(const admission::TopologyError& f) const {
    to.text("TopologyError").text(f.pod_set).text(f.why);
  }
  void operator()(const admission::NotPlaceable& f) const {
    to.text("NotPlaceable").text(f.pod_set).text(f.why);
  }
  void operator()(const admission::InvalidInput& f) const {
    to.text("InvalidInput").text(f.field).text(f.why);
  }
};

struct DecisionDigest {
  Digest& to;

  template <class D>
  void workload(const char* kind, const D& d) const {
    to.text(kind);
    put(to, d.workload);
    to.text(d.uid);
  }

  void operator()(const admission::Admit& d) const {
    workload("Admit", d);
    put(to, d.admission);
    to.number(d.admitted ? 1 : 0).text(d.message);
  }
  void operator()(const admission::ConfirmAdmission& d) const {
    workload("ConfirmAdmission", d);
    to.text(d.message);
  }
  void operator()(const admission::Hold& d) const {
    workload("Hold", d);
    to.text(d.reason).text(d.message).number(static_cast<std::int64_t>(d.proof.layer));
    to.number(static_cast<std::int64_t>(d.proof.facts.size()));
    for (const admission::Fact& fact : d.proof.facts) std::visit(FactDigest{to}, fact);
  }
  void operator()(const admission::Evict& d) const {
    workload("Evict", d);
    to.text(d.reason).text(d.message).text(d.preemption_reason);
    put(to, d.preemptor);
    to.text(d.cause).number(d.requeue ? d.requeue->count : -1);
    to.number(d.requeue && d.requeue->at ? d.requeue->at->nanos : -1);
    to.text(d.preemptor_uid).text(d.preempting_queue).text(d.priorities);
  }
  void operator()(const admission::Deactivate& d) const {
    workload("Deactivate", d);
    to.text(d.reason).text(d.message).number(d.reset_execution_time ? 1 : 0);
  }
  void operator()(const admission::Postpone& d) const {
    workload("Postpone", d);
    to.number(d.until.nanos);
  }
  void operator()(const admission::ListChecks& d) const {
    workload("ListChecks", d);
    to.number(static_cast<std::int64_t>(d.checks.size()));
    for (const std::string& check : d.checks) to.text(check);
  }
  void operator()(const admission::Finish& d) const {
    workload("Finish", d);
    to.text(d.reason).text(d.message);
  }
  void operator()(const admission::DropReservation& d) const {
    workload("DropReservation", d);
    to.text(d.reason).text(d.message);
  }
  void operator()(const admission::Requeue& d) const {
    workload("Requeue", d);
    to.text(d.reason).text(d.message);
  }
  void operator()(const scheduler::Bind& d) const {
    to.text("Bind");
    put(to, d.pod);
    to.text(d.pod_uid).text(d.node);
    put(to, d.group);
    for (const scheduler::ClaimWrite& claim : d.claims) {
      put(to, claim.claim);
      to.text(claim.claim_uid).text(claim.consumer.uid);
      if (claim.allocation == nullptr) continue;
      for (const dra::AllocatedDevice& each : claim.allocation->devices) {
        to.text(each.request).text(each.device.text()).text(each.share_id);
      }
    }
  }
  void operator()(const scheduler::ReleaseClaim& d) const {
    to.text("ReleaseClaim");
    put(to, d.claim);
    to.text(d.claim_uid).text(d.consumer_uid).number(d.deallocate ? 1 : 0);
  }
  void operator()(const scheduler::PodUnschedulable& d) const {
    to.text("PodUnschedulable");
    put(to, d.pod);
    to.text(d.pod_uid).text(d.reason).text(d.message);
  }
  void operator()(const scheduler::GroupStatus& d) const {
    to.text("GroupStatus");
    put(to, d.group);
    to.text(d.group_uid).number(d.native ? 1 : 0).number(d.scheduled ? 1 : 0);
    to.text(d.reason).text(d.message).text(d.diagnosis.text());
  }
  void operator()(const scheduler::Evict& d) const {
    to.text("Evict");
    put(to, d.pod);
    to.text(d.pod_uid);
    put(to, d.preemptor);
    to.number(d.for_group ? 1 : 0).text(d.message).text(d.event);
  }
  void operator()(const scheduler::Nominate& d) const {
    to.text("Nominate");
    put(to, d.pod);
    to.text(d.pod_uid).text(d.node);
  }
  void operator()(const scheduler::DeleteMember& d) const {
    to.text("DeleteMember");
    put(to, d.pod);
    to.text(d.pod_uid);
    put(to, d.group);
    to.text(d.message);
  }
};

void put(Digest& to, const admission::QueueView& view) {
  to.number(view.pending).number(view.reserving).number(view.admitted);
  for (const auto* usage : {&view.reservation, &view.usage}) {
    to.number(static_cast<std::int64_t>(usage->size()));
    for (const admission::ResourceUsageView& one : *usage) {
      to.text(one.flavor).text(one.resource);
      to.number(one.total.base_units()).number(one.borrowed.base_units());
    }
  }
  to.number(view.active.active ? 1 : 0).text(view.active.reason).text(view.active.message);
}

}  // namespace

void digest(Digest& to, const Decision& decision) {
  std::visit([&](const auto& half) { std::visit(DecisionDigest{to}, half); }, decision);
}

void digest(Digest& to, const admission::Views& views) {
  for (const std::string& name : views.cluster_queues()) {
    to.text(name);
    if (const auto view = views.cluster_queue(name)) put(to, *view);
    const std::vector<ObjectKey> pending = views.pending(name);
    to.number(static_cast<std::int64_t>(pending.size()));
    for (const ObjectKey& workload : pending) put(to, workload);
  }
  for (const ObjectKey& key : views.local_queues()) {
    put(to, key);
    if (const auto view = views.local_queue(key)) put(to, *view);
  }
}

}  // namespace quorate::engine
