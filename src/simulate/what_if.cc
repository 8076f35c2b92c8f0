#include "src/simulate/what_if.h"

#include <algorithm>
#include <set>

#include "src/objects/json_writer.h"
#include "src/simulate/answer_table.h"
#include "src/simulate/merge.h"
#include "src/simulate/op_schedule.h"
#include "src/simulate/write_status.h"
#include "src/simulate/yaml_text.h"

namespace quorate::simulate {
namespace {

using objects::JsonWriter;
using objects::Workload;

bool holds(const Workload& workload) { return admitted(workload) || finished(workload); }

// Workloads preempted in a run, with how often.
std::multimap<ObjectKey, const EvictedEntry*> preemptions(const Answer& answer) {
  std::multimap<ObjectKey, const EvictedEntry*> all;
  for (const CycleAnswer& cycle : answer.cycles) {
    for (const EvictedEntry& each : cycle.preempted) all.emplace(each.workload, &each);
  }
  return all;
}

void compare_workloads(const FinalAnswer& before, const FinalAnswer& after, Difference& out) {
  for (const auto& [key, now] : after.workloads) {
    const auto old = before.workloads.find(key);
    const bool held = old != before.workloads.end() && holds(old->second);
    if (holds(now) && !held) {
      out.newly_admitted.push_back(
          {key, now.status.admission ? now.status.admission->cluster_queue : std::string()});
    } else if (!holds(now) && (held || old == before.workloads.end())) {
      const objects::Condition* why =
          objects::find_condition(now.status.conditions, objects::conditions::kQuotaReserved);
      out.newly_pending.push_back(
          {key, why == nullptr ? "" : why->reason, why == nullptr ? "" : why->message});
    }
  }
  for (const auto& [key, old] : before.workloads) {
    if (!after.workloads.contains(key)) out.gone.push_back(key);
  }
}

void compare_queues(const Answer& before, const Objects& objects_before, const Answer& after,
                    const Objects& objects_after, Difference& out) {
  const auto shares_before = shares_of(objects_before, before.final->usage);
  const auto shares_after = shares_of(objects_after, after.final->usage);
  std::set<std::string> names;
  for (const auto& [name, usage] : before.final->usage) names.insert(name);
  for (const auto& [name, usage] : after.final->usage) names.insert(name);
  for (const std::string& name : names) {
    Difference::Queue queue;
    bool differs = false;
    if (const auto old = before.final->usage.find(name); old != before.final->usage.end()) {
      queue.was_there = true;
      for (const auto& [flavor, resources] : old->second) {
        for (const auto& [resource, amount] : resources) {
          queue.usage[{flavor, resource}].before = amount;
        }
      }
    }
    if (const auto now = after.final->usage.find(name); now != after.final->usage.end()) {
      queue.is_there = true;
      for (const auto& [flavor, resources] : now->second) {
        for (const auto& [resource, amount] : resources) {
          queue.usage[{flavor, resource}].after = amount;
        }
      }
    }
    std::erase_if(queue.usage, [](const auto& e) { return e.second.before == e.second.after; });
    const auto share = [&](const auto& shares) {
      const auto found = shares.find(name);
      return found == shares.end() ? 0 : found->second.weighted;
    };
    queue.share_before = share(shares_before);
    queue.share_after = share(shares_after);
    differs = !queue.usage.empty() || queue.share_before != queue.share_after ||
              queue.was_there != queue.is_there;
    if (differs) out.queues.emplace(name, std::move(queue));
  }
}

}  // namespace

Difference difference(const Answer& before, const Objects& objects_before, const Answer& after,
                      const Objects& objects_after) {
  Difference out;
  compare_workloads(*before.final, *after.final, out);
  std::multimap<ObjectKey, const EvictedEntry*> old = preemptions(before);
  for (const auto& [key, entry] : preemptions(after)) {
    if (const auto found = old.find(key); found != old.end()) {
      old.erase(found);
    } else {
      out.newly_preempted.push_back({key, entry->reason, entry->preemptor});
    }
  }
  compare_queues(before, objects_before, after, objects_after, out);
  return out;
}

std::string to_json(const Difference& difference) {
  JsonWriter out;
  out.open().key("newlyAdmitted").open_list();
  for (const auto& each : difference.newly_admitted) {
    out.open().field("workload", std::string_view(each.workload.text()));
    out.field("clusterQueue", std::string_view(each.cluster_queue)).close();
  }
  out.close_list().key("newlyPending").open_list();
  for (const auto& each : difference.newly_pending) {
    out.open().field("workload", std::string_view(each.workload.text()));
    out.field("reason", std::string_view(each.reason));
    out.field("message", std::string_view(each.message)).close();
  }
  out.close_list().key("preempted").open_list();
  for (const auto& each : difference.newly_preempted) {
    out.open().field("workload", std::string_view(each.workload.text()));
    if (each.preemptor) out.field("preemptor", std::string_view(each.preemptor->text()));
    out.field("reason", std::string_view(each.reason)).close();
  }
  out.close_list().key("gone").open_list();
  for (const ObjectKey& key : difference.gone) out.text(key.text());
  out.close_list().key("queues").open();
  for (const auto& [name, queue] : difference.queues) {
    out.key(name).open();
    if (!queue.was_there) out.field("new", true);
    if (!queue.is_there) out.field("gone", true);
    out.key("usage").open_list();
    for (const auto& [what, amount] : queue.usage) {
      out.open().field("flavor", std::string_view(what.first));
      out.field("resource", std::string_view(what.second));
      out.field("before", std::string_view(format_quantity(what.second, amount.before)));
      out.field("after", std::string_view(format_quantity(what.second, amount.after))).close();
    }
    out.close_list().key("share").open().field("before", queue.share_before);
    out.field("after", queue.share_after).close().close();
  }
  out.close().close();
  return out.take();
}

std::string to_table(const Difference& difference) {
  std::vector<std::vector<std::string>> rows = {{"CHANGE", "WORKLOAD", "DETAIL"}};
  for (const auto& each : difference.newly_admitted) {
    rows.push_back({"admitted", each.workload.text(), "in " + each.cluster_queue});
  }
  for (const auto& each : difference.newly_pending) {
    rows.push_back({"pending", each.workload.text(), each.reason + ": " + each.message});
  }
  for (const auto& each : difference.newly_preempted) {
    rows.push_back({"preempted", each.workload.text(),
                    each.reason + (each.preemptor ? " by " + each.preemptor->text() : "")});
  }
  for (const ObjectKey& key : difference.gone) rows.push_back({"gone", key.text(), ""});
  std::string out = rows.size() > 1 ? table(rows) : "no workload is treated differently\n";
  std::vector<std::vector<std::string>> queues = {
      {"QUEUE", "FLAVOR", "RESOURCE", "BEFORE", "AFTER", "SHARE BEFORE", "SHARE AFTER"}};
  for (const auto& [name, queue] : difference.queues) {
    const std::string before = std::to_string(queue.share_before);
    const std::string after = std::to_string(queue.share_after);
    if (queue.usage.empty()) queues.push_back({name, "", "", "", "", before, after});
    for (const auto& [what, amount] : queue.usage) {
      queues.push_back({name, what.first, what.second, format_quantity(what.second, amount.before),
                        format_quantity(what.second, amount.after), before, after});
    }
  }
  if (queues.size() > 1) out += "\n" + table(queues);
  return out;
}

int what_if(const Options& options, const Streams& streams) {
  std::optional<Inputs> inputs = read_inputs(options, streams);
  if (!inputs) return kUnusable;
  Loader change;
  change.read_file(options.change_file);
  const std::vector<std::string> problems = problems_of(change);
  for (const std::string& problem : problems) streams.err << problem << "\n";
  if (!problems.empty()) return kUnusable;
  if (change.scenario) {
    streams.err << options.change_file << ": a change holds no Scenario\n";
    return kUnusable;
  }
  // Both runs begin at the same moment.
  if (!inputs->now) inputs->now = start_of(inputs->loaded.objects);

  SimulatedCluster without = cluster_of(options, *inputs);
  const Answer before = run_inputs(*inputs, without);
  remove_all(inputs->loaded.objects, change.deletions, [](const auto&) {});
  put_all(inputs->loaded.objects, change.objects, [](Objects&) {});
  SimulatedCluster with = cluster_of(options, *inputs);
  const Answer after = run_inputs(*inputs, with);

  const Difference found = difference(before, without.objects(), after, with.objects());
  const std::string format = format_of(options, streams);
  if (format == "table") {
    streams.out << to_table(found);
  } else {
    streams.out << (format == "yaml" ? yaml_of_json(to_json(found)) : to_json(found) + "\n");
  }
  return kRan;
}

}  // namespace quorate::simulate
