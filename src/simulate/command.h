#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace quorate::simulate {

// The flags of `quorate simulate`, as they were written.
struct Options {
  std::vector<std::string> files;
  std::string config_file;
  std::string feature_gates;
  std::string now;
  std::optional<std::int64_t> cycles;
  std::string until = "idle";
  bool finish_evictions = true;
  std::string op = "schedule";
  std::string output;  // "": table on a terminal, json otherwise
  std::string report_dir;
  std::string change_file;
  std::string explain;
  std::int32_t threads = 1;
  bool timing = false;
  std::string record_file;
  std::string batch_file;
  // Of --op place over lists of nodes and pods (op_pack.h).
  std::string nodes_file, pods_file;
  std::string scores = "shapes";
  std::string seeds = "0-9";
};

struct Streams {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
};

// Exit statuses.
inline constexpr int kRan = 0;
inline constexpr int kNotAsExpected = 1;
inline constexpr int kUnusable = 2;

// Runs the command. Reads and writes nothing but the streams and the files that the options name.
int simulate(const Options& options, const Streams& streams);

}  // namespace quorate::simulate
