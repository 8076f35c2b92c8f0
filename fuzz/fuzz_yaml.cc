// Any text is a stream of YAML documents or an error; what comes out is JSON. The same text is a
// configuration document or an error.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/base/check.h"
#include "src/objects/config.h"
#include "src/objects/json.h"
#include "src/objects/scheduler_config.h"
#include "src/objects/yaml.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quorate;
  using namespace quorate::objects;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto documents = yaml_to_json(text)) {
    for (const std::string& document : *documents) {
      check(JsonDocument().parse(document).has_value(), "a document is JSON");
    }
  }
  (void)load_configuration(text);
  (void)load_scheduler_configuration(text);
  return 0;
}
