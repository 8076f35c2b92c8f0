#pragma once

// An Admitter with a small make-believe host around it: objects in short notation go in, decisions
// come out as text, and the host can write decisions back as the API server would show them.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "admission/admission.h"
#include "admission/testing/builders.h"

namespace quorate::admission::testing {

class World {
 public:
  static constexpr Time kNow = Time::from_seconds(100'000);

  World() {
    config.move_back_batch = Duration::seconds(1);
    admitter.set_config(config);
    admitter.apply(NamespaceSpec{"ns", {}});
  }

  // "a@k {f/cpu=2} (…)" or "cohort x<r {…}", several separated by ";". Every queue gets a
  // LocalQueue of its name; flavors are made as they are named.
  void queues(const std::string& lines) {
    for (const std::string& line : items(lines)) {
      if (line.rfind("cohort ", 0) == 0) {
        admitter.apply(cohort(line));
        continue;
      }
      const ClusterQueueSpec spec = queue(line);
      specs[spec.name] = spec;
      for (const auto& group : spec.resource_groups) {
        for (const auto& flavor : group.flavors) admitter.apply(FlavorSpec{flavor.flavor});
      }
      admitter.apply(spec);
      admitter.apply(LocalQueueSpec{{"ns", spec.name}, "uid-lq-" + spec.name, spec.name});
    }
  }

  void see(WorkloadSpec spec) {
    workloads[spec.key.name] = spec;
    admitter.apply(spec);
  }
  void see(const std::string& name) { admitter.apply(workloads.at(name)); }

  // Workloads that hold quota already: "w@a f/cpu=2 p9".
  void holding(const std::string& lines) {
    for (const std::string& line : items(lines)) {
      const quota::testing::UsageLine used = quota::testing::parse_usage(line);
      PodSetAssignment pods;
      pods.name = "main";
      pods.count = 1;
      std::string requests;
      for (const auto& [flavor, resource, amount] : used.amounts) {
        pods.flavors[resource] = flavor;
        pods.usage[resource] = amount;
        requests +=
            (requests.empty() ? "" : ", ") + resource + "=" + format_quantity(resource, amount);
      }
      WorkloadSpec spec =
          workload(used.name, "main*1: " + requests, used.priority, kNow - Duration::seconds(100));
      spec.queue_name = used.queue;
      spec.admission = Admission{used.queue, {pods}};
      set(spec, "QuotaReserved", true, "QuotaReserved", kNow - Duration::seconds(60));
      set(spec, "Admitted", true, "Admitted", kNow - Duration::seconds(60));
      see(spec);
    }
  }

  // Pending ones: "big>q p0 t-20 cpu=6", optionally "job>q p0 t0 10 min 2 * cpu=1".
  void waiting(const std::string& lines) {
    for (const std::string& line : items(lines)) {
      const std::size_t star = line.find(" * ");
      const std::vector<std::string> parts =
          words(star == std::string::npos ? line : line.substr(0, star));
      const std::vector<std::string> names = split(parts.at(0), ">");
      const Time created = kNow + Duration::seconds(std::stoi(parts.at(2).substr(1)));
      std::string pods = "main*1: " + (parts.size() > 3 ? parts[3] : "");
      if (star != std::string::npos) {
        pods = "main*" + parts.at(3);
        if (parts.size() > 5) pods += " min " + parts[5];
        pods += ": " + line.substr(star + 3);
      }
      WorkloadSpec spec = workload(names.at(0), pods, std::stoi(parts.at(1).substr(1)), created);
      spec.queue_name = names.at(1);
      see(spec);
    }
  }

  static void set(WorkloadSpec& spec, const std::string& type, bool status,
                  const std::string& reason, Time when = kNow, const std::string& message = "") {
    std::erase_if(spec.conditions, [&](const ConditionView& one) { return one.type == type; });
    spec.conditions.push_back({type,
                               status ? ConditionView::Status::True : ConditionView::Status::False,
                               reason, message, when});
  }

  std::vector<Decision> cycle(Duration after = {}) {
    now = now + after;
    return last = admitter.cycle(now);
  }

  // Cycles at the same time until nothing more happens; all decisions in order.
  std::vector<Decision> settle(Duration after = {}) {
    now = now + after;
    std::vector<Decision> all;
    for (int i = 0; i < 1000; ++i) {
      std::vector<Decision> batch = admitter.cycle(now);
      all.insert(all.end(), batch.begin(), batch.end());
      if (!admitter.busy()) return last = all;
    }
    ADD_FAILURE() << "never comes to rest";
    return last = all;
  }

  // Shows the object as it is after the write of a decision.
  void carry_out(const Decision& decision) {
    if (const auto* admit = std::get_if<Admit>(&decision)) {
      WorkloadSpec& spec = workloads.at(admit->workload.name);
      spec.admission = admit->admission;
      for (const char* type : {"Evicted", "Preempted"}) {
        if (spec.condition_true(type)) set(spec, type, false, "QuotaReserved", now);
      }
      spec.unhealthy_nodes.clear();
      set(spec, "QuotaReserved", true, "QuotaReserved", now, admit->message);
      set(spec, "Admitted", admit->admitted, admit->admitted ? "Admitted" : "UnsatisfiedChecks",
          now);
      admitter.workload_written(spec.key, spec.uid, true, false);
      admitter.apply(spec);
    } else if (const auto* hold = std::get_if<Hold>(&decision)) {
      WorkloadSpec& spec = workloads.at(hold->workload.name);
      set(spec, "QuotaReserved", false, hold->reason, now, hold->message);
      admitter.workload_written(spec.key, spec.uid, true, false);
      admitter.apply(spec);
    } else if (const auto* evict = std::get_if<Evict>(&decision)) {
      WorkloadSpec& spec = workloads.at(evict->workload.name);
      set(spec, "Evicted", true, evict->reason, now, evict->message);
      if (!evict->preemption_reason.empty()) {
        set(spec, "Preempted", true, evict->preemption_reason, now, evict->message);
      }
      std::erase_if(spec.conditions,
                    [](const ConditionView& one) { return one.type == "DeactivationTarget"; });
      for (CheckStatus& check : spec.checks) check.state = CheckState::Pending;
      if (evict->requeue) {
        spec.requeue_count = evict->requeue->count;
        spec.requeue_at = evict->requeue->at;
      }
      if (evict->reason.starts_with("Deactivated")) {
        spec.requeue_count = 0;
        spec.requeue_at.reset();
      }
      admitter.workload_written(spec.key, spec.uid, true, false);
      admitter.apply(spec);
    } else if (const auto* requeue = std::get_if<Requeue>(&decision)) {
      WorkloadSpec& spec = workloads.at(requeue->workload.name);
      set(spec, "Requeued", true, requeue->reason, now, requeue->message);
      spec.requeue_at.reset();
      admitter.workload_written(spec.key, spec.uid, true, false);
      admitter.apply(spec);
    } else if (const auto* confirm = std::get_if<ConfirmAdmission>(&decision)) {
      WorkloadSpec& spec = workloads.at(confirm->workload.name);
      set(spec, "Admitted", true, "Admitted", now);
      admitter.workload_written(spec.key, spec.uid, true, false);
      admitter.apply(spec);
    } else if (const auto* drop = std::get_if<DropReservation>(&decision)) {
      WorkloadSpec& spec = workloads.at(drop->workload.name);
      spec.admission.reset();
      set(spec, "QuotaReserved", false, drop->reason, now, drop->message);
      admitter.workload_written(spec.key, spec.uid, true, false);
      admitter.apply(spec);
    } else if (const auto* deactivate = std::get_if<Deactivate>(&decision)) {
      WorkloadSpec& spec = workloads.at(deactivate->workload.name);
      set(spec, "DeactivationTarget", true, deactivate->reason, now, deactivate->message);
      if (deactivate->reset_execution_time) spec.past_execution_seconds = 0;
      admitter.workload_written(spec.key, spec.uid, true, false);
      admitter.apply(spec);
    } else if (const auto* postpone = std::get_if<Postpone>(&decision)) {
      WorkloadSpec& spec = workloads.at(postpone->workload.name);
      spec.requeue_at = postpone->until;
      admitter.workload_written(spec.key, spec.uid, true, false);
      admitter.apply(spec);
    } else if (const auto* list = std::get_if<ListChecks>(&decision)) {
      WorkloadSpec& spec = workloads.at(list->workload.name);
      std::vector<CheckStatus> checks;
      for (const std::string& name : list->checks) {
        const auto known = std::find_if(spec.checks.begin(), spec.checks.end(),
                                        [&](const CheckStatus& one) { return one.name == name; });
        checks.push_back(known == spec.checks.end()
                             ? CheckStatus{name, CheckState::Pending, now, {}, ""}
                             : *known);
      }
      spec.checks = std::move(checks);
      admitter.workload_written(spec.key, spec.uid, true, false);
      admitter.apply(spec);
    } else if (const auto* done = std::get_if<Finish>(&decision)) {
      WorkloadSpec& spec = workloads.at(done->workload.name);
      set(spec, "Finished", true, done->reason, now, done->message);
      admitter.workload_written(spec.key, spec.uid, true, false);
      admitter.apply(spec);
    }
  }
  void carry_out(const std::vector<Decision>& decisions) {
    for (const Decision& decision : decisions) carry_out(decision);
  }

  void finish(const std::string& name) {
    set(workloads.at(name), "Finished", true, "Succeeded", now);
    see(name);
  }

  // An evicted workload whose job has stopped.
  void release(const std::string& name, bool requeued) {
    WorkloadSpec& spec = workloads.at(name);
    const ConditionView evicted = *spec.condition("Evicted");
    spec.admission.reset();
    set(spec, "QuotaReserved", false, "PendingEvaluation", now, evicted.message);
    set(spec, "Admitted", false, "NoReservation", now);
    set(spec, "Requeued", requeued, evicted.reason, now);
    see(name);
  }

  static std::string text(const Decision& decision) {
    struct Printer {
      std::string operator()(const Admit& d) const {
        return "admit " + d.workload.name + (d.admitted ? "" : " (checks)");
      }
      std::string operator()(const ConfirmAdmission& d) const {
        return "confirm " + d.workload.name;
      }
      std::string operator()(const Hold& d) const {
        return "hold " + d.workload.name + " " + d.reason;
      }
      std::string operator()(const Evict& d) const {
        return "evict " + d.workload.name + " " +
               (d.preemption_reason.empty() ? d.reason : d.preemption_reason);
      }
      std::string operator()(const DropReservation& d) const {
        return "drop " + d.workload.name + " " + d.reason;
      }
      std::string operator()(const Requeue& d) const {
        return "requeue " + d.workload.name + " " + d.reason;
      }
      std::string operator()(const Deactivate& d) const {
        return "deactivate " + d.workload.name + " " + d.reason;
      }
      std::string operator()(const Postpone& d) const { return "postpone " + d.workload.name; }
      std::string operator()(const ListChecks& d) const {
        std::string all;
        for (const std::string& check : d.checks) all += (all.empty() ? "" : "+") + check;
        return "checks " + d.workload.name + " " + all;
      }
      std::string operator()(const Finish& d) const {
        return "finish " + d.workload.name + " " + d.reason;
      }
    };
    return std::visit(Printer{}, decision);
  }
  static std::string text(const std::vector<Decision>& decisions) {
    std::string all;
    for (const Decision& one : decisions) all += (all.empty() ? "" : "; ") + text(one);
    return all;
  }

  static std::string names(std::vector<std::string> list) {
    std::sort(list.begin(), list.end());
    std::string all;
    for (const std::string& one : list) all += (all.empty() ? "" : ", ") + one;
    return all;
  }
  std::string parked() const {
    std::vector<std::string> list;
    for (const std::string& queue : admitter.cluster_queues()) {
      for (const ObjectKey& key : admitter.parked(queue)) list.push_back(key.name);
    }
    return names(list);
  }
  std::string heap() const {
    std::vector<std::string> list;
    for (const std::string& queue : admitter.cluster_queues()) {
      const std::vector<ObjectKey> out = admitter.parked(queue);
      for (const ObjectKey& key : admitter.pending(queue)) {
        if (std::find(out.begin(), out.end(), key) == out.end()) list.push_back(key.name);
      }
    }
    return names(list);
  }

  // Total usage of a queue, with what is reserved only: "f/cpu=4".
  std::string used(const std::string& queue_name) const {
    std::string all;
    const std::optional<QueueView> view = admitter.cluster_queue(queue_name);
    if (!view) return "no queue";
    for (const ResourceUsageView& one : view->reservation) {
      all += (all.empty() ? "" : ", ") + one.flavor + "/" + one.resource + "=" +
             format_quantity(one.resource, one.total);
    }
    return all;
  }

  Config config;
  Journal journal;
  Admitter admitter{journal};
  std::map<std::string, ClusterQueueSpec> specs;
  std::map<std::string, WorkloadSpec> workloads;
  Time now = kNow;
  std::vector<Decision> last;
};

}  // namespace quorate::admission::testing
