#include "src/simulate/inputs.h"

#include <fstream>

namespace quorate::simulate {
namespace {

constexpr std::size_t kMaxConfig = std::size_t{4} << 20;
constexpr std::int64_t kMostCycles =
    100'000;  // counted ones; a run until idle has as many as it needs

}  // namespace

Outcome<std::string> read_text(const std::string& path, std::size_t limit) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return error(Errc::NotFound, path + ": cannot be opened");
  std::string text;
  std::string block(1 << 16, '\0');
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0) {
    text.append(block, 0, static_cast<std::size_t>(in.gcount()));
    if (text.size() > limit) {
      return error(Errc::Invalid, path + ": more than " + std::to_string(limit >> 20) + " MiB");
    }
  }
  if (in.bad()) return error(Errc::Invalid, path + ": cannot be read");
  return text;
}

Outcome<void> write_text(const std::string& path, std::string_view text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.flush();
  if (!out) return error(Errc::Unavailable, path + ": cannot be written");
  return {};
}

std::vector<std::string> problems_of(const Loader& loader) {
  std::vector<std::string> texts;
  for (const Problem& problem : loader.problems) texts.push_back(problem.text());
  if (loader.full()) texts.push_back("too many problems; reading stopped here");
  return texts;
}

void read_settings(const Options& options, const std::optional<std::string>& config, Inputs& inputs,
                   std::vector<std::string>& faults) {
  const std::string config_name = options.config_file.empty() ? "config" : options.config_file;
  Outcome<objects::Configuration> read = objects::load_configuration(
      config.value_or(""), {.feature_gates_flag = options.feature_gates});
  if (read) {
    inputs.config = std::move(*read);
    // Pods are not simulated, so that only who asks for their readiness gets it.
    if (!config) inputs.config.wait_for_pods_ready.reset();
  } else {
    faults.push_back((config ? config_name : std::string("--feature-gates")) + ": " +
                     read.error().message);
  }
  if (!options.now.empty()) {
    const Outcome<Time> now = parse_time(options.now);
    if (now) {
      inputs.now = *now;
    } else {
      faults.push_back("--now: " + now.error().message);
    }
  }
  if (options.until != "idle") {
    const Outcome<Duration> until = parse_duration(options.until);
    if (until && until->nanos >= 0) {
      inputs.limits.until = *until;
    } else {
      faults.push_back("--until: must be idle or a duration such as 90s, not \"" + options.until +
                       "\"");
    }
  }
  inputs.limits.cycles = options.cycles;
  if (options.cycles && (*options.cycles < 1 || *options.cycles > kMostCycles)) {
    faults.push_back("--cycles: must be between 1 and " + std::to_string(kMostCycles));
  }
  if (options.threads < 1) faults.push_back("--threads: must be greater than 0");
}

std::optional<Inputs> read_inputs(const Options& options, const Streams& streams) {
  std::vector<std::string> faults;
  Inputs inputs;
  // Reviews judge what the loader would refuse.
  const bool reviews = options.op == "admission-review";
  inputs.loaded.keep_texts = reviews;
  inputs.loaded.apply_rules = !reviews;
  if (options.files.empty()) faults.push_back("no input: name files, or - for standard input");
  for (const std::string& file : options.files) {
    if (file == "-") {
      inputs.loaded.read(streams.in, file);
    } else {
      inputs.loaded.read_file(file);
    }
  }
  for (std::string& text : problems_of(inputs.loaded)) faults.push_back(std::move(text));

  std::optional<std::string> config;
  if (!options.config_file.empty()) {
    Outcome<std::string> text = read_text(options.config_file, kMaxConfig);
    if (text) {
      config = std::move(*text);
    } else {
      faults.push_back(text.error().message);
    }
  }
  read_settings(options, config, inputs, faults);
  for (const std::string& fault : faults) streams.err << fault << "\n";
  if (!faults.empty()) return std::nullopt;
  return inputs;
}

}  // namespace quorate::simulate
