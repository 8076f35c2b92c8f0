#include "src/simulate/op_schedule.h"

#include <algorithm>
#include <fstream>

#include "src/engine/event_log.h"
#include "src/simulate/answer_table.h"
#include "src/simulate/expect.h"
#include "src/simulate/history.h"
#include "src/simulate/progress.h"
#include "src/simulate/report.h"
#include "src/simulate/yaml_text.h"

namespace quorate::simulate {
namespace {

// Appends records to a file as they come.
class LogFile {
 public:
  explicit LogFile(const std::string& path) : out_(path, std::ios::binary | std::ios::trunc) {
    out_ << engine::event_log_header();
  }
  void append(const engine::Record& record) {
    std::string bytes;
    engine::append_to_log(bytes, record);
    out_ << bytes;
  }
  bool close() {
    out_.flush();
    return static_cast<bool>(out_);
  }

 private:
  std::ofstream out_;
};

int compare(const Expectation& expect, const Answer& answer, const Streams& streams) {
  const std::vector<std::string> lines = differences(expect, answer);
  if (lines.empty()) return kRan;
  streams.err << "the scenario's expectation does not hold (- expected, + found):\n";
  for (const std::string& line : lines) streams.err << "  " << line << "\n";
  return kNotAsExpected;
}

}  // namespace

std::string hash_text(std::uint64_t hash) {
  std::string text(16, '0');
  for (std::size_t i = text.size(); hash != 0; hash >>= 4)
    text[--i] = "0123456789abcdef"[hash & 15];
  return text;
}

std::string format_of(const Options& options, const Streams& streams) {
  if (!options.output.empty()) return options.output;
  return streams.out_is_terminal ? "table" : "json";
}

void print(const Answer& answer, const Options& options, const Streams& streams) {
  const std::string format = format_of(options, streams);
  if (format == "table") {
    streams.out << to_table(answer);
  } else if (format == "yaml") {
    streams.out << yaml_of_json(to_json(answer, options.timing));
  } else {
    streams.out << to_json(answer, options.timing) << "\n";
  }
}

SimulatedCluster cluster_of(const Options& options, const Inputs& inputs,
                            std::function<void(engine::Record)> record) {
  const Loader& loaded = inputs.loaded;
  const bool counted =
      loaded.scenario && std::ranges::any_of(loaded.scenario->steps,
                                             [](const Step& s) { return s.cycles.has_value(); });
  return SimulatedCluster(
      {.config = inputs.config,
       .finish_evictions = options.finish_evictions,
       .instant_moves = counted || inputs.limits.cycles.has_value(),
       .runtimes = loaded.scenario ? loaded.scenario->runtimes : std::vector<Runtime>{},
       .record = std::move(record)},
      loaded.objects, inputs.now.value_or(start_of(loaded.objects)));
}

Answer run_inputs(const Inputs& inputs, SimulatedCluster& cluster, const CycleListener& listener,
                  const MomentListener& moment, Ending* ending) {
  Answer answer;
  const Scenario* scenario = inputs.loaded.scenario ? &*inputs.loaded.scenario : nullptr;
  const Ending end = run(
      cluster, scenario, inputs.limits,
      [&](const CycleAnswer& cycle, const SimulatedCluster& c) {
        answer.cycles.push_back(cycle);
        if (listener) listener(cycle, c);
      },
      moment);
  if (ending != nullptr) *ending = end;
  answer.final = final_of(cluster);
  answer.hash = hash_text(cluster.engine().decision_hash());
  return answer;
}

int op_schedule(const Options& options, const Streams& streams) {
  const std::optional<Inputs> inputs = read_inputs(options, streams);
  if (!inputs) return kUnusable;
  for (const Problem& warning : inputs->loaded.warnings) {
    streams.err << "warning: " << warning.text() << "\n";
  }
  std::optional<LogFile> log;
  std::function<void(engine::Record)> record;
  if (!options.record_file.empty()) {
    log.emplace(options.record_file);
    record = [&](const engine::Record& each) { log->append(each); };
  }
  SimulatedCluster cluster = cluster_of(options, *inputs, std::move(record));
  Ending ending = Ending::Idle;
  Answer answer;
  History history(cluster);
  MomentListener moment;
  if (!options.report_dir.empty()) {
    moment = [&](const SimulatedCluster& c) { history.moment(c); };
  }
  {
    Progress progress(streams.err,
                      streams.err_is_terminal && format_of(options, streams) == "table");
    answer = run_inputs(
        *inputs, cluster,
        [&](const CycleAnswer& cycle, const SimulatedCluster& c) {
          progress.cycle(cycle, c.objects().of<objects::Workload>().size());
          if (moment) history.cycle(cycle, c);
        },
        moment, &ending);
  }
  for (const std::string& note : cluster.notes()) streams.err << "note: " << note << "\n";
  print(answer, options, streams);
  if (log && !log->close()) {
    streams.err << options.record_file << ": cannot be written\n";
    return kUnusable;
  }
  if (!options.report_dir.empty()) {
    const std::string title = "Simulation of " + options.files.front();
    if (const Outcome<void> done = write_report(options.report_dir, title, history); !done) {
      streams.err << done.error().message << "\n";
      return kUnusable;
    }
  }
  if (ending == Ending::Unsettled) {
    streams.err << "admission did not come to rest: workloads are admitted and evicted in turn\n";
    return kNotAsExpected;
  }
  if (!inputs->loaded.scenario || inputs->loaded.scenario->expect.empty()) return kRan;
  return compare(inputs->loaded.scenario->expect, answer, streams);
}

}  // namespace quorate::simulate
