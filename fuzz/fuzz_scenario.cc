// Any bytes are an input that runs, or one that is refused with a reason: what is printed is JSON,
// and nothing else happens.

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

#include "src/base/check.h"
#include "src/objects/json.h"
#include "src/simulate/command.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quorate;
  std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
  std::ostringstream out, err;
  simulate::Options options;
  options.files = {"-"};
  options.cycles = 8;  // enough to decide, few enough that no input runs long
  options.until = "24h";
  const int status = simulate::simulate(options, {.in = in, .out = out, .err = err});
  check(status >= simulate::kRan && status <= simulate::kUnusable, "a known exit status");
  check(status == simulate::kRan || !err.str().empty(), "a reason for not running");
  check(status != simulate::kUnusable || out.str().empty(), "what is unusable is not run");
  if (!out.str().empty()) {
    objects::JsonDocument document;
    check(document.parse(out.str()).has_value(), "the answer is JSON");
  }
  return 0;
}
