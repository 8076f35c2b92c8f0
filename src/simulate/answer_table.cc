#include "src/simulate/answer_table.h"

#include <algorithm>

namespace quorate::simulate {
namespace {

using Rows = std::vector<std::vector<std::string>>;

// Characters, not bytes.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string since(Time start, Time now) {
  const std::int64_t millis = (now - start).nanos / 1'000'000;
  std::string text = std::to_string(millis / 1000);
  if (millis % 1000 != 0) {
    std::string rest = std::to_string(1000 + millis % 1000).substr(1);
    rest.erase(rest.find_last_not_of('0') + 1);
    text += "." + rest;
  }
  return text + "s";
}

std::string flavors_of(const AdmittedEntry& entry) {
  std::string text;
  for (const admission::PodSetAssignment& set : entry.pod_sets) {
    if (!text.empty()) text += "; ";
    if (entry.pod_sets.size() > 1) text += set.name + ": ";
    std::string parts;
    for (const auto& [resource, amount] : set.usage) {
      const auto flavor = set.flavors.find(resource);
      parts += (parts.empty() ? "" : ", ") + format_quantity(resource, amount) + " " + resource;
      if (flavor != set.flavors.end()) parts += "@" + flavor->second;
    }
    text += parts.empty() ? "-" : parts;
  }
  return text;
}

Rows events(const Answer& answer) {
  Rows rows = {{"CYCLE", "TIME", "EVENT", "WORKLOAD", "QUEUE", "DETAIL"}};
  if (answer.cycles.empty()) return rows;
  const Time start = answer.cycles.front().now;
  for (const CycleAnswer& cycle : answer.cycles) {
    const std::string number = std::to_string(cycle.number);
    const std::string time = since(start, cycle.now);
    for (const EvictedEntry& each : cycle.preempted) {
      rows.push_back({number, time, "preempted", each.workload.text(), "",
                      each.reason + (each.preemptor ? " by " + each.preemptor->text() : "")});
    }
    for (const EvictedEntry& each : cycle.evicted) {
      rows.push_back(
          {number, time, "evicted", each.workload.text(), "", each.reason + ": " + each.message});
    }
    for (const AdmittedEntry& each : cycle.admitted) {
      rows.push_back({number, time, each.admitted ? "admitted" : "reserved", each.workload.text(),
                      each.cluster_queue, flavors_of(each)});
    }
  }
  return rows;
}

Rows waiting(const FinalAnswer& final) {
  Rows rows = {{"WAITING", "QUEUE", "LAYER", "REASON", "MESSAGE"}};
  for (const auto& [key, entry] : final.waiting) {
    rows.push_back({key.text(), entry.cluster_queue, std::string(text_of(entry.proof.layer)),
                    entry.reason, entry.message});
  }
  return rows;
}

Rows usage(const FinalAnswer& final) {
  Rows rows = {{"QUEUE", "FLAVOR", "RESOURCE", "USED", "WAITING"}};
  for (const auto& [queue, flavors] : final.usage) {
    const auto state = final.queues.find(queue);
    std::string waiting;
    if (state != final.queues.end()) {
      waiting = std::to_string(state->second.active.size() + state->second.inadmissible.size());
    }
    if (flavors.empty()) rows.push_back({queue, "", "", "", waiting});
    for (const auto& [flavor, resources] : flavors) {
      for (const auto& [resource, amount] : resources) {
        rows.push_back({queue, flavor, resource, format_quantity(resource, amount), waiting});
      }
    }
  }
  return rows;
}

}  // namespace

std::string table(const Rows& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] - width(row[i]) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string to_table(const Answer& answer) {
  std::string out = table(events(answer));
  if (!answer.final) return out;
  if (const Rows rows = waiting(*answer.final); rows.size() > 1) out += "\n" + table(rows);
  if (const Rows rows = usage(*answer.final); rows.size() > 1) out += "\n" + table(rows);
  if (!answer.hash.empty()) out += "\nhash " + answer.hash + "\n";
  return out;
}

}  // namespace quorate::simulate
