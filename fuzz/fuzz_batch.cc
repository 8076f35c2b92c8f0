// Any line of a batch is answered by one line of JSON that has an answer or an error; any bytes are
// a trace of jobs and pods, or an error.

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

#include "src/base/check.h"
#include "src/objects/json.h"
#include "src/simulate/batch.h"
#include "src/simulate/trace.h"

namespace {

using quorate::check;
using namespace quorate::simulate;

void answer(std::string_view line) {
  const std::string text = answer_line(line);
  quorate::objects::JsonDocument document;
  check(document.parse(text).has_value(), "an answer is JSON");
  check(text.find('\n') == std::string::npos, "an answer is one line");
  const quorate::objects::Json root = document.root();
  check(root["answer"].present() != root["error"].present(), "an answer or an error");
  check(answer_line(line) == text, "the same line has the same answer");
}

void traces(std::string_view text) {
  const std::string half(text.substr(0, text.size() / 2));
  std::istringstream nodes(half), pods{std::string(text.substr(text.size() / 2))};
  std::istringstream jobs{std::string(text)};
  const TraceOptions few{.limit = 100};
  for (const quorate::Outcome<Trace>& trace :
       {read_openb(nodes, pods, few), read_philly(jobs, few)}) {
    if (trace) makespan_bound(*trace);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // Many cycles may be asked for; what they do is known from a few.
  if (text.find("cycles") == std::string_view::npos) answer(text);
  traces(text);
  return 0;
}
