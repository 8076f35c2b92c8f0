#include "src/simulate/batch.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "src/objects/json.h"
#include "src/objects/json_writer.h"
#include "src/simulate/op_schedule.h"

namespace quorate::simulate {
namespace {

using objects::Json;
using objects::JsonDocument;
using objects::JsonWriter;

constexpr std::size_t kBlock = 64;  // lines read ahead per thread
constexpr std::size_t kMostThreads = 256;

// "--flag=value" into the options that a single run may have.
std::optional<std::string> set_flag(Options& options, std::string_view flag) {
  const std::size_t equals = flag.find('=');
  const std::string_view name = flag.substr(0, equals);
  const std::string value(equals == std::string_view::npos ? "true" : flag.substr(equals + 1));
  const auto number = [&](auto& into) -> std::optional<std::string> {
    const auto [end, fault] = std::from_chars(value.data(), value.data() + value.size(), into);
    if (fault == std::errc{} && end == value.data() + value.size()) return std::nullopt;
    return std::string(name) + ": must be a number, not \"" + value + "\"";
  };
  const auto boolean = [&](bool& into) -> std::optional<std::string> {
    if (value != "true" && value != "false") {
      return std::string(name) + ": must be true or false, not \"" + value + "\"";
    }
    into = value == "true";
    return std::nullopt;
  };
  if (name == "--now") {
    options.now = value;
  } else if (name == "--feature-gates") {
    options.feature_gates = value;
  } else if (name == "--until") {
    options.until = value;
  } else if (name == "--cycles") {
    return number(options.cycles.emplace());
  } else if (name == "--threads") {
    return number(options.threads);
  } else if (name == "--finish-evictions") {
    return boolean(options.finish_evictions);
  } else if (name == "--timing") {
    return boolean(options.timing);
  } else {
    return "unknown flag \"" + std::string(name) + "\"";
  }
  return std::nullopt;
}

std::string error_line(const std::string& name, const std::vector<std::string>& faults) {
  std::string text;
  for (const std::string& fault : faults) text += (text.empty() ? "" : "\n") + fault;
  JsonWriter out;
  out.open().field("name", std::string_view(name)).field("error", std::string_view(text)).close();
  return out.take();
}

}  // namespace

std::string answer_line(std::string_view line) {
  JsonDocument document;
  if (const Outcome<void> parsed = document.parse(line); !parsed) {
    return error_line("", {parsed.error().message});
  }
  const Json root = document.root();
  const std::string name = root["name"].text();
  std::vector<std::string> faults;
  Options options;
  for (const std::string& flag : root["args"].texts()) {
    if (std::optional<std::string> fault = set_flag(options, flag)) faults.push_back(*fault);
  }
  Inputs inputs;
  if (root["objects"].is_array()) {
    std::istringstream list(R"({"apiVersion":"v1","kind":"List","items":)" +
                            root["objects"].canonical() + "}");
    inputs.loaded.read(list, "objects");
  }
  for (std::string& text : problems_of(inputs.loaded)) faults.push_back(std::move(text));
  std::optional<std::string> config;
  if (root["config"].present()) config = root["config"].canonical();
  read_settings(options, config, inputs, faults);
  if (document.fault()) faults.push_back(*document.fault());
  if (!faults.empty()) return error_line(name, faults);

  SimulatedCluster cluster = cluster_of(options, inputs);
  const Answer answer = run_inputs(inputs, cluster);
  JsonWriter out;
  out.open().field("name", std::string_view(name));
  out.key("answer").raw(to_json(answer, options.timing)).close();
  return out.take();
}

namespace {

// In the order of the lines. A run shares nothing with the others, so threads change no byte.
std::vector<std::string> answers_of(const std::vector<std::string>& lines, std::int32_t threads) {
  std::vector<std::string> answers(lines.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < lines.size(); i = next++) answers[i] = answer_line(lines[i]);
  };
  std::vector<std::thread> helpers;
  const auto most = static_cast<std::int32_t>(std::min<std::size_t>(lines.size(), kMostThreads));
  for (std::int32_t i = 1; i < std::min(threads, most); ++i) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
  return answers;
}

}  // namespace

int run_batch(const Options& options, const Streams& streams) {
  std::ifstream file;
  if (options.batch_file != "-") {
    file.open(options.batch_file, std::ios::binary);
    if (!file) {
      streams.err << options.batch_file << ": cannot be opened\n";
      return kUnusable;
    }
  }
  if (options.threads < 1) {
    streams.err << "--threads: must be greater than 0\n";
    return kUnusable;
  }
  std::istream& in = options.batch_file == "-" ? streams.in : file;
  const std::size_t block = kBlock * static_cast<std::size_t>(options.threads);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    lines.push_back(std::move(line));
    if (lines.size() < block) continue;
    for (const std::string& answer : answers_of(lines, options.threads)) {
      streams.out << answer << "\n";
    }
    lines.clear();
  }
  for (const std::string& answer : answers_of(lines, options.threads)) {
    streams.out << answer << "\n";
  }
  streams.out.flush();
  return kRan;
}

}  // namespace quorate::simulate
