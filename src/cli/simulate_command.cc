#include "src/cli/simulate_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "src/simulate/command.h"
#include "src/simulate/op_trace.h"

namespace quorate::cli {
namespace {

simulate::Streams streams() {
  return {.in = std::cin,
          .out = std::cout,
          .err = std::cerr,
          .out_is_terminal = isatty(STDOUT_FILENO) == 1,
          .err_is_terminal = isatty(STDERR_FILENO) == 1};
}

}  // namespace

std::function<int()> add_simulate_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "simulate", "Run admission over objects from files, in virtual time and without a cluster");
  const auto options = std::make_shared<simulate::Options>();
  command->add_option("FILE", options->files, "YAML or JSON documents; - is standard input");
  command->add_option("--config", options->config_file, "a Kueue Configuration document");
  command->add_option("--feature-gates", options->feature_gates, "Gate=true,Gate=false");
  command->add_option("--now", options->now,
                      "start of virtual time, RFC 3339 (default: the latest time in the input)");
  command->add_option("--cycles", options->cycles, "run so many admission cycles, then stop");
  command->add_option("--until", options->until, "idle, or a duration of virtual time")
      ->capture_default_str();
  command
      ->add_option("--finish-evictions", options->finish_evictions,
                   "complete an eviction before the next cycle")
      ->capture_default_str();
  command
      ->add_option("--op", options->op,
                   "schedule, find-topology, preempt-targets, admission-review, place")
      ->capture_default_str();
  command->add_option("-o,--output", options->output,
                      "table, json or yaml (default: table on a terminal, json otherwise)");
  command->add_option("--report", options->report_dir, "write an HTML report into this directory");
  command->add_option("--change", options->change_file,
                      "what-if: objects to apply to the input; prints the difference");
  command->add_option("--explain", options->explain,
                      "NAMESPACE/NAME: what holds this workload, and what would admit it");
  command->add_option("--threads", options->threads, "threads that evaluate candidates")
      ->capture_default_str();
  command->add_flag("--timing", options->timing, "add wall-clock durations to the answer");
  command->add_option("--batch", options->batch_file,
                      "many runs: a JSON document per line, answered by a line each");
  command->add_option("--record", options->record_file, "write the event log to this file");

  CLI::App* trace = command->add_subcommand("trace", "Run admission over a recorded load");
  command->add_option("--nodes", options->nodes_file,
                      "place: a list of nodes with GPUs (openb), to be filled by --pods");
  command->add_option("--pods", options->pods_file, "place: a list of pods (openb)");
  command->add_option("--score", options->scores,
                      "place: scores to compare, of random, dotprod, clustering, packing, bestfit, "
                      "fgd and shapes, or all");
  command->add_option("--seeds", options->seeds, "place: orders of arrival, FIRST-LAST");
  const auto load = std::make_shared<simulate::TraceOptions>();
  trace->add_option("--format", load->format, "openb, philly or kueue-performance")->required();
  trace->add_option("--nodes", load->nodes_file, "openb: the list of nodes");
  trace->add_option("--pods", load->pods_file, "openb: the list of pods");
  trace->add_option("FILE", load->files,
                    "philly: the list of jobs; kueue-performance: the generator file");
  trace->add_option("--limit", load->limit, "read so many jobs only");
  trace->add_option("--gpus", load->gpus, "philly: GPUs of the whole cluster");
  trace->add_option("--until", options->until, "idle, or a duration of virtual time");
  trace->add_option("-o,--output", options->output, "table, json or yaml");
  trace->add_option("--report", options->report_dir, "write an HTML report into this directory");

  // The app does not live until the command runs.
  const auto traced = std::make_shared<bool>(false);
  trace->callback([traced] { *traced = true; });
  return [options, load, traced] {
    return *traced ? simulate::op_trace(*load, *options, streams())
                   : simulate::simulate(*options, streams());
  };
}

}  // namespace quorate::cli
