// Any bytes are an event log, a record and an event, or an error; what can be read is written back
// to bytes that read the same.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/base/check.h"
#include "src/engine/event_codec.h"
#include "src/engine/event_log.h"

namespace {

using quorate::check;
using namespace quorate::engine;

void read_log(std::string_view bytes) {
  EventLogReader reader(bytes);
  while (true) {
    const auto record = reader.next();
    if (!record || !*record) break;
    const std::string once = encode(**record);
    const auto again = decode_record(once);
    check(again.has_value(), "a record that was read can be read again");
    check(encode(*again) == once, "equal records have equal bytes");
  }
  check(reader.offset() <= bytes.size(), "the reader stays inside");
}

void read_event(std::string_view bytes) {
  const auto event = decode_event(bytes);
  if (!event) return;
  const std::string once = encode(*event);
  const auto again = decode_event(once);
  check(again.has_value(), "an event that was read can be read again");
  check(encode(*again) == once, "equal events have equal bytes");
}

// Inputs rarely have right checksums; this one always does.
void read_framed(std::string_view bytes) {
  const auto record = decode_record(bytes);
  if (!record) return;
  std::string log = event_log_header();
  append_to_log(log, *record);
  EventLogReader reader(log);
  const auto back = reader.next();
  check(back.has_value() && back->has_value(), "what was appended can be read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_log(bytes);
  read_event(bytes);
  read_framed(bytes);
  return 0;
}
