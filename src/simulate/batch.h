#pragma once

#include <string>
#include <string_view>

#include "src/simulate/command.h"

namespace quorate::simulate {

// --batch FILE: many runs in one process. Each line is a JSON document
//   {"name": ..., "args": ["--cycles=3", ...], "config": {...}, "objects": [{...}, ...]}
// and is answered by a line {"name": ..., "answer": {...}} with what `-o json` prints, or
// {"name": ..., "error": "..."}. A line that cannot be used does not end the run.
int run_batch(const Options& options, const Streams& streams);

// The answer to one line, without its line end.
std::string answer_line(std::string_view line);

}  // namespace quorate::simulate
