#include "src/simulate/explain.h"

#include <algorithm>

#include "src/objects/json_writer.h"
#include "src/simulate/op_schedule.h"
#include "src/simulate/write_status.h"
#include "src/simulate/yaml_text.h"

namespace quorate::simulate {
namespace {

using objects::JsonWriter;

// How far a trial may run ahead: past batched moves and short backoffs.
constexpr Duration kHorizon = Duration::seconds(60);
constexpr int kMostCycles = 20'000;

std::string_view text_of(objects::CheckState state) {
  switch (state) {
    case objects::CheckState::Pending:
      return "Pending";
    case objects::CheckState::Ready:
      return "Ready";
    case objects::CheckState::Retry:
      return "Retry";
    case objects::CheckState::Rejected:
      return "Rejected";
  }
  return "";
}

}  // namespace

bool Trials::admits(const Change& change) {
  ++count_;
  SimulatedCluster trial = base_.fork();
  change(trial);
  const Time horizon = trial.now() + kHorizon;
  const auto done = [&] {
    const auto& all = trial.objects().of<objects::Workload>();
    const auto found = all.find(workload_);
    return found != all.end() && reserved(found->second) && !being_evicted(found->second);
  };
  int cycles = 0;
  while (cycles < kMostCycles) {
    while (trial.busy() && ++cycles < kMostCycles) {
      trial.cycle();
      if (done()) return true;
    }
    const std::optional<Time> next = trial.next_event();
    if (!next || *next > horizon) return done();
    trial.advance(*next);
    trial.cycle();
    ++cycles;
    if (done()) return true;
  }
  return done();
}

std::optional<std::int64_t> Trials::smallest(
    std::int64_t most, std::int64_t guess,
    const std::function<void(SimulatedCluster&, std::int64_t)>& change) {
  const auto enough = [&](std::int64_t amount) {
    return admits([&](SimulatedCluster& trial) { change(trial, amount); });
  };
  std::int64_t low = 0;  // not enough
  std::int64_t high = most;
  if (guess > 0 && guess < most) {
    if (enough(guess)) {
      high = guess;
      if (guess == 1 || !enough(guess - 1)) return guess;
      high = guess - 1;
    } else {
      low = guess;
      if (!enough(most)) return std::nullopt;
    }
  } else if (most < 1 || !enough(most)) {
    return std::nullopt;
  }
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

Outcome<Explanation> explain(const SimulatedCluster& base, const ObjectKey& key) {
  const auto& all = base.objects().of<objects::Workload>();
  const auto found = all.find(key);
  if (found == all.end()) return error(Errc::NotFound, "there is no Workload " + key.text());
  const objects::Workload& workload = found->second;
  Explanation out{.workload = key, .cluster_queue = base.queue_of(workload)};
  out.state = finished(workload)   ? "finished"
              : admitted(workload) ? "admitted"
              : reserved(workload) ? "reserved"
                                   : "pending";
  if (out.state == "reserved") {
    for (const objects::AdmissionCheckState& check : workload.status.admission_checks) {
      if (check.state != objects::CheckState::Ready) out.checks.push_back(check);
    }
  }
  if (out.state != "pending") return out;
  out.hold = base.engine().admission_views().waiting(key);
  Trials trials(base, key);
  const admission::Hold hold = out.hold.value_or(admission::Hold{});
  queue_remedies(trials, out.remedies);
  quota_remedies(trials, hold, out.remedies);
  workload_remedies(trials, hold, out.remedies);
  ending_remedies(trials, hold, out.remedies);
  out.trials = trials.count();
  return out;
}

std::string to_json(const Explanation& explanation) {
  JsonWriter out;
  out.open().field("workload", std::string_view(explanation.workload.text()));
  out.field("clusterQueue", std::string_view(explanation.cluster_queue));
  out.field("state", std::string_view(explanation.state));
  if (explanation.hold) {
    out.field("layer", text_of(explanation.hold->proof.layer));
    out.field("reason", std::string_view(explanation.hold->reason));
    out.field("message", std::string_view(explanation.hold->message));
    out.key("proof").open_list();
    for (const admission::Fact& fact : explanation.hold->proof.facts) out.raw(to_json(fact));
    out.close_list();
  }
  if (!explanation.checks.empty()) {
    out.key("checks").open_list();
    for (const objects::AdmissionCheckState& check : explanation.checks) {
      out.open().field("name", std::string_view(check.name)).field("state", text_of(check.state));
      out.field_unless_empty("message", check.message).close();
    }
    out.close_list();
  }
  out.key("options").open_list();
  for (const Remedy& remedy : explanation.remedies) {
    out.open().field("kind", std::string_view(remedy.kind));
    for (const auto& [name, value] : remedy.details) out.field(name, std::string_view(value));
    out.field("text", std::string_view(remedy.text)).close();
  }
  out.close_list().field("trials", explanation.trials).close();
  return out.take();
}

std::string to_text(const Explanation& explanation) {
  std::string out = "Workload " + explanation.workload.text() + " is " + explanation.state;
  if (!explanation.cluster_queue.empty()) out += " in ClusterQueue " + explanation.cluster_queue;
  out += ".\n";
  if (explanation.hold) {
    out += "Held at layer " + std::string(text_of(explanation.hold->proof.layer)) + ": " +
           explanation.hold->reason + "\n  " + explanation.hold->message + "\n";
    for (const admission::Fact& fact : explanation.hold->proof.facts) {
      out += "  " + to_json(fact) + "\n";
    }
  } else if (explanation.state == "pending") {
    out += "It was not tried yet.\n";
  }
  for (const objects::AdmissionCheckState& check : explanation.checks) {
    out += "Waits for admission check " + check.name + " (" + std::string(text_of(check.state)) +
           ")" + (check.message.empty() ? "" : ": " + check.message) + "\n";
  }
  if (explanation.state != "pending") return out;
  out += explanation.remedies.empty() ? "No single change that was tried admits it.\n"
                                      : "Any one of these admits it:\n";
  for (const Remedy& remedy : explanation.remedies) out += "  - " + remedy.text + "\n";
  return out;
}

int op_explain(const Options& options, const Streams& streams) {
  const std::size_t slash = options.explain.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == options.explain.size()) {
    streams.err << "--explain: must be NAMESPACE/NAME, not \"" << options.explain << "\"\n";
    return kUnusable;
  }
  const std::optional<Inputs> inputs = read_inputs(options, streams);
  if (!inputs) return kUnusable;
  SimulatedCluster cluster = cluster_of(options, *inputs);
  run_inputs(*inputs, cluster);
  const ObjectKey key{options.explain.substr(0, slash), options.explain.substr(slash + 1)};
  const Outcome<Explanation> found = explain(cluster, key);
  if (!found) {
    streams.err << "--explain: " << found.error().message << "\n";
    return kUnusable;
  }
  const std::string format = format_of(options, streams);
  if (format == "table") {
    streams.out << to_text(*found);
  } else {
    streams.out << (format == "yaml" ? yaml_of_json(to_json(*found)) : to_json(*found) + "\n");
  }
  return kRan;
}

}  // namespace quorate::simulate
