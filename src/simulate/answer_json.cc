#include <variant>

#include "src/objects/encode.h"
#include "src/objects/json_writer.h"
#include "src/simulate/answer.h"

namespace quorate::simulate {
namespace {

using objects::JsonWriter;

struct FactWriter {
  JsonWriter& out;

  void text(std::string_view name, std::string_view value) const {
    out.field_unless_empty(name, value);
  }
  void operator()(const admission::QueueClosed& f) const {
    text("constraint", "queue");
    if (!f.cluster_queue.empty()) text("scope", "clusterQueue/" + f.cluster_queue);
    text("why", f.reason);
    text("subject", f.subject);
  }
  void operator()(const admission::QuotaShortage& f) const {
    text("constraint", f.beyond_capacity ? "capacity" : "quota");
    text("scope", text_of(f.scope));
    text("podSet", f.pod_set);
    text("flavor", f.flavor);
    text("resource", f.resource);
    text("have", format_quantity(f.resource, f.have));
    text("need", format_quantity(f.resource, f.need));
    if (f.assumed > Quantity{}) text("assumed", format_quantity(f.resource, f.assumed));
  }
  void operator()(const admission::FlavorMismatch& f) const {
    text("constraint", "flavor");
    text("podSet", f.pod_set);
    text("flavor", f.flavor);
    text("why", f.why);
  }
  void operator()(const admission::ResourceNotCovered& f) const {
    text("constraint", "coverage");
    text("podSet", f.pod_set);
    text("resource", f.resource);
  }
  void operator()(const admission::LostInCycle& f) const {
    text("constraint", "cycle");
    if (f.to) text("to", f.to->text());
  }
  void operator()(const admission::AwaitsVictims& f) const {
    text("constraint", "victims");
    out.key("victims").open_list();
    for (const ObjectKey& victim : f.victims) out.text(victim.text());
    out.close_list();
  }
  void operator()(const admission::VictimsClaimed& f) const {
    text("constraint", "victims");
    out.field("fitsAfterwards", f.fits_afterwards);
  }
  void operator()(const admission::OthersNotReady& f) const {
    text("constraint", "podsReady");
    text("have", std::to_string(f.workloads));
    text("need", "0");
  }
  void operator()(const admission::TopologyShortage& f) const {
    text("constraint", "topology");
    text("podSet", f.pod_set);
    text("flavor", f.flavor);
    text("scope", "topology/" + f.failure.topology);
    text("level", f.failure.level);
    if (!f.failure.error.empty()) return text("why", f.failure.error);
    text("have", std::to_string(f.failure.fitting));
    text("need", std::to_string(f.failure.wanted));
    if (f.failure.excluded.empty()) return;
    out.field("nodes", f.failure.leaves).key("excluded").open();
    for (const auto& [why, nodes] : f.failure.excluded) out.field(why, nodes);
    out.close();
  }
  void operator()(const admission::TopologyError& f) const {
    text("constraint", "topology");
    text("podSet", f.pod_set);
    text("why", f.why);
  }
  void operator()(const admission::NotPlaceable& f) const {
    text("constraint", "placement");
    text("podSet", f.pod_set);
    text("why", f.why);
  }
  void operator()(const admission::InvalidInput& f) const {
    text("constraint", "object");
    text("field", f.field);
    text("why", f.why);
  }
};

void write(JsonWriter& out, const admission::Fact& fact) {
  out.open();
  std::visit(FactWriter{out}, fact);
  out.close();
}

void write(JsonWriter& out, const admission::TopologyAssignment& topology) {
  out.key("topology").open().key("levels").open_list();
  for (const std::string& level : topology.levels) out.text(level);
  out.close_list().key("domains").open_list();
  for (const auto& domain : topology.domains) {
    out.open().key("values").open_list();
    for (const std::string& value : domain.values) out.text(value);
    out.close_list().field("count", domain.count).close();
  }
  out.close_list().close();
}

void write(JsonWriter& out, const admission::PodSetAssignment& assignment) {
  out.open().field("name", std::string_view(assignment.name)).field("count", assignment.count);
  out.key("flavors").open();
  for (const auto& [resource, flavor] : assignment.flavors) {
    out.field(resource, std::string_view(flavor));
  }
  out.close().key("usage").open();
  for (const auto& [resource, amount] : assignment.usage) {
    out.field(resource, std::string_view(format_quantity(resource, amount)));
  }
  out.close();
  if (assignment.topology) write(out, *assignment.topology);
  out.close();
}

void write(JsonWriter& out, const AdmittedEntry& entry) {
  out.open().field("workload", std::string_view(entry.workload.text()));
  out.field("clusterQueue", std::string_view(entry.cluster_queue));
  out.field("quotaReserved", true).field("admitted", entry.admitted);
  out.key("podSets").open_list();
  for (const admission::PodSetAssignment& each : entry.pod_sets) write(out, each);
  out.close_list().close();
}

void write(JsonWriter& out, const EvictedEntry& entry, bool message) {
  out.open().field("workload", std::string_view(entry.workload.text()));
  if (entry.preemptor) out.field("preemptor", std::string_view(entry.preemptor->text()));
  out.field("reason", std::string_view(entry.reason));
  if (message) out.field("message", std::string_view(entry.message));
  out.close();
}

void write(JsonWriter& out, const WaitingEntry& entry) {
  out.open().field("workload", std::string_view(entry.workload.text()));
  out.field("clusterQueue", std::string_view(entry.cluster_queue));
  out.field("where", entry.parked ? "inadmissible" : "active");
  out.field("layer", text_of(entry.proof.layer));
  out.field("reason", std::string_view(entry.reason));
  out.field("message", std::string_view(entry.message));
  out.key("proof").open_list();
  for (const admission::Fact& fact : entry.proof.facts) write(out, fact);
  out.close_list().close();
}

template <class T, class Write>
void list(JsonWriter& out, std::string_view name, const std::vector<T>& all, Write write_one) {
  out.key(name).open_list();
  for (const T& each : all) write_one(each);
  out.close_list();
}

void write(JsonWriter& out, const CycleAnswer& cycle, bool timing) {
  out.open().field("cycle", cycle.number);
  out.field("now",
            std::string_view(cycle.now.nanos % 1'000'000'000 == 0 ? format_time(cycle.now)
                                                                  : format_micro_time(cycle.now)));
  list(out, "admitted", cycle.admitted, [&](const auto& each) { write(out, each); });
  list(out, "preempted", cycle.preempted, [&](const auto& each) { write(out, each, false); });
  if (!cycle.evicted.empty()) {
    list(out, "evicted", cycle.evicted, [&](const auto& each) { write(out, each, true); });
  }
  list(out, "pending", cycle.pending, [&](const auto& each) { write(out, each); });
  out.key("work").open().field("decisions", cycle.decisions).field("trials", cycle.trials);
  if (timing) out.field("wallMicroseconds", cycle.wall.nanos / 1000);
  out.close().close();
}

void write_keys(JsonWriter& out, std::string_view name, const std::vector<ObjectKey>& keys) {
  out.key(name).open_list();
  for (const ObjectKey& key : keys) out.text(key.text());
  out.close_list();
}

void write_numbers(JsonWriter& out, std::string_view name,
                   const std::map<std::string, std::int64_t>& numbers) {
  out.key(name).open();
  for (const auto& [key, number] : numbers) out.field(key, number);
  out.close();
}

// What fair sharing adds; nothing where it is off.
void write_shares(JsonWriter& out, const FinalAnswer& final) {
  if (!final.queue_shares.empty()) {
    out.key("shares").open();
    write_numbers(out, "clusterQueues", final.queue_shares);
    write_numbers(out, "cohorts", final.cohort_shares);
    out.close();
  }
  if (final.consumed.empty()) return;
  out.key("consumed").open();
  for (const auto& [key, amounts] : final.consumed) {
    out.key(key.text()).open();
    for (const auto& [resource, amount] : amounts) {
      out.field(resource, std::string_view(format_exact_quantity(resource, amount)));
    }
    out.close();
  }
  out.close();
}

void write(JsonWriter& out, const FinalAnswer& final) {
  out.key("final").open().key("usage").open();
  for (const auto& [queue, flavors] : final.usage) {
    out.key(queue).open();
    for (const auto& [flavor, resources] : flavors) {
      out.key(flavor).open();
      for (const auto& [resource, amount] : resources) {
        out.field(resource, std::string_view(format_quantity(resource, amount)));
      }
      out.close();
    }
    out.close();
  }
  out.close();
  write_shares(out, final);
  out.key("workloads").open_list();
  for (const auto& [key, workload] : final.workloads) {
    out.raw(objects::encode_json(workload, objects::WithStatus::Yes));
  }
  out.close_list().key("queues").open();
  for (const auto& [name, queue] : final.queues) {
    out.key(name).open();
    write_keys(out, "active", queue.active);
    write_keys(out, "inadmissible", queue.inadmissible);
    out.close();
  }
  out.close().close();
}

}  // namespace

std::string to_json(const admission::Fact& fact) {
  JsonWriter out;
  write(out, fact);
  return out.take();
}

std::string to_json(const Answer& answer, bool timing) {
  JsonWriter out;
  out.open().key("cycles").open_list();
  for (const CycleAnswer& cycle : answer.cycles) write(out, cycle, timing);
  out.close_list();
  if (answer.final) write(out, *answer.final);
  if (!answer.hash.empty()) out.field("hash", std::string_view(answer.hash));
  out.close();
  return out.take();
}

}  // namespace quorate::simulate
