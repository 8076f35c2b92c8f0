#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "src/base/outcome.h"
#include "src/engine/record.h"

namespace quorate::engine {

// The append-only file that carries records between programs: a header, then per record its length
// (4 bytes), a checksum (8 bytes, FNV-1a of length and body), both little-endian, and its body.
//
// These are functions of bytes; whoever owns a file reads and writes it.
std::string event_log_header();
void append_to_log(std::string& log, const Record& record);

// Reads a log from front to back. A tail that was not written to the end is normal after a crash
// and ends the log; damage in the middle is an error.
class EventLogReader {
 public:
  static constexpr std::uint32_t kMaxRecord = 64u << 20;

  // `log` outlives the reader.
  explicit EventLogReader(std::string_view log) : log_(log) {}

  // The next record; nullopt at the end.
  // Errors: Invalid - no event log or one of a newer format; a damaged record that is not the last;
  // a record that cannot be understood. The log is unusable from there on.
  Outcome<std::optional<Record>> next();

  // After the end: bytes of a record that was not written to its end.
  std::size_t torn_bytes() const { return torn_; }
  // Where the next record starts, for messages.
  std::size_t offset() const { return offset_; }

 private:
  Outcome<std::optional<Record>> end_torn();

  std::string_view log_;
  std::size_t offset_ = 0;
  std::size_t torn_ = 0;
};

}  // namespace quorate::engine
