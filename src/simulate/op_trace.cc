#include "src/simulate/op_trace.h"

#include <charconv>
#include <fstream>

#include "src/objects/json_writer.h"
#include "src/simulate/answer_table.h"
#include "src/simulate/history.h"
#include "src/simulate/op_schedule.h"
#include "src/simulate/plot.h"
#include "src/simulate/report.h"
#include "src/simulate/yaml_text.h"

namespace quorate::simulate {
namespace {

using objects::JsonWriter;

Outcome<Trace> read_trace(const TraceOptions& options) {
  const auto open = [](const std::string& path, std::ifstream& in) -> Outcome<void> {
    in.open(path, std::ios::binary);
    if (!in) return error(Errc::NotFound, path + ": cannot be opened");
    return {};
  };
  std::ifstream first, second;
  if (options.format == "openb") {
    if (options.nodes_file.empty() || options.pods_file.empty()) {
      return error(Errc::Invalid, "--format openb needs --nodes and --pods");
    }
    if (Outcome<void> opened = open(options.nodes_file, first); !opened) {
      return tl::unexpected(opened.error());
    }
    if (Outcome<void> opened = open(options.pods_file, second); !opened) {
      return tl::unexpected(opened.error());
    }
    return read_openb(first, second, options);
  }
  if (options.format != "philly" && options.format != "kueue-performance") {
    return error(Errc::Invalid, "--format: must be openb, philly or kueue-performance, not \"" +
                                    options.format + "\"");
  }
  if (options.files.size() != 1)
    return error(Errc::Invalid, "--format " + options.format + " needs one file");
  if (Outcome<void> opened = open(options.files.front(), first); !opened) {
    return tl::unexpected(opened.error());
  }
  Outcome<Trace> trace =
      options.format == "philly" ? read_philly(first, options) : read_performance(first);
  if (!trace)
    return error(trace.error().code, options.files.front() + ": " + trace.error().message);
  return trace;
}

struct Figures {
  std::size_t jobs = 0;
  std::size_t waiting = 0;
  std::int64_t cycles = 0;
  Duration bound;  // no schedule ends earlier
  std::string hash;
};

// Thousandths, as JSON.
std::string number(double value) {
  char buffer[64];
  const auto [end, fault] =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, 3);
  return fault == std::errc{} ? std::string(buffer, end) : "0";
}

void write_waits(JsonWriter& out, std::string_view name,
                 const std::map<std::string, std::vector<double>>& waits) {
  out.key(name).open();
  for (const auto& [key, values] : waits) {
    const Spread spread = spread_of(values);
    out.key(key).open().field("admitted", static_cast<std::int64_t>(spread.count));
    out.key("meanSeconds").raw(number(spread.mean)).key("medianSeconds").raw(number(spread.median));
    out.key("p95Seconds").raw(number(spread.p95)).key("longestSeconds").raw(number(spread.most));
    out.close();
  }
  out.close();
}

std::string to_json(const TraceOptions& trace, const History& history, const Figures& figures) {
  JsonWriter out;
  out.open().field("trace", std::string_view(trace.format));
  out.field("jobs", static_cast<std::int64_t>(figures.jobs));
  out.field("admissions", static_cast<std::int64_t>(history.admissions()));
  out.field("evictions", static_cast<std::int64_t>(history.evictions()));
  out.field("waiting", static_cast<std::int64_t>(figures.waiting));
  out.field("cycles", figures.cycles);
  out.key("seconds").raw(number(history.seconds()));
  out.key("boundSeconds").raw(number(static_cast<double>(figures.bound.nanos) / 1e9));
  out.key("utilizationPercent").open();
  for (const auto& [resource, capacity] : history.capacity()) {
    out.key(resource).raw(number(history.utilization(resource)));
  }
  out.close();
  write_waits(out, "waitsByQueue", history.waits_by_queue());
  write_waits(out, "waitsByClass", history.waits_by_class());
  out.field("hash", std::string_view(figures.hash)).close();
  return out.take();
}

std::string to_table(const History& history, const Figures& figures) {
  std::vector<std::vector<std::string>> rows = {
      {"QUEUE", "ADMITTED", "MEAN WAIT", "MEDIAN", "95 %", "LONGEST"}};
  for (const auto& [key, values] : history.waits_by_queue()) {
    const Spread spread = spread_of(values);
    rows.push_back({key, std::to_string(spread.count), rounded(spread.mean) + "s",
                    rounded(spread.median) + "s", rounded(spread.p95) + "s",
                    rounded(spread.most) + "s"});
  }
  std::string out = table(rows) + "\n";
  out += std::to_string(figures.jobs) + " jobs, " + std::to_string(history.admissions()) +
         " admissions, " + std::to_string(history.evictions()) + " evictions, " +
         std::to_string(figures.waiting) + " still waiting\n";
  out += "done after " + rounded(history.seconds()) + "s; no schedule ends before " +
         rounded(static_cast<double>(figures.bound.nanos) / 1e9) + "s\n";
  for (const auto& [resource, capacity] : history.capacity()) {
    out += "mean use of " + resource + ": " + rounded(history.utilization(resource)) + " %\n";
  }
  return out + "hash " + figures.hash + "\n";
}

}  // namespace

int op_trace(const TraceOptions& trace_options, const Options& options, const Streams& streams) {
  Inputs settings;
  std::vector<std::string> faults;
  read_settings(options, std::nullopt, settings, faults);
  for (const std::string& fault : faults) streams.err << fault << "\n";
  if (!faults.empty()) return kUnusable;
  Outcome<Trace> trace = read_trace(trace_options);
  if (!trace) {
    streams.err << trace.error().message << "\n";
    return kUnusable;
  }
  for (const std::string& note : trace->notes) streams.err << "note: " << note << "\n";

  Figures figures{.jobs = trace->arrivals.size()};
  figures.bound = makespan_bound(*trace);
  const Time start = trace->arrivals.empty() ? Time{} : trace->arrivals.front().at;
  SimulatedCluster cluster({.config = settings.config}, std::move(trace->objects), start);
  History history(cluster);
  const Ending ending = run_arrivals(
      cluster, std::move(trace->arrivals), settings.limits,
      [&](const CycleAnswer& cycle, const SimulatedCluster& c) {
        figures.cycles = cycle.number;
        history.cycle(cycle, c);
      },
      [&](const SimulatedCluster& c) { history.moment(c); });
  figures.waiting = cluster.objects().of<objects::Workload>().size();
  figures.hash = hash_text(cluster.engine().decision_hash());

  const std::string format = format_of(options, streams);
  if (format == "table") {
    streams.out << to_table(history, figures);
  } else {
    const std::string json = to_json(trace_options, history, figures);
    streams.out << (format == "yaml" ? yaml_of_json(json) : json + "\n");
  }
  if (!options.report_dir.empty()) {
    const Outcome<void> written =
        write_report(options.report_dir, "Trace " + trace_options.format, history);
    if (!written) {
      streams.err << written.error().message << "\n";
      return kUnusable;
    }
  }
  return ending == Ending::Unsettled ? kNotAsExpected : kRan;
}

}  // namespace quorate::simulate
