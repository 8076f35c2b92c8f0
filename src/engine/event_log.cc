#include "src/engine/event_log.h"

#include "src/base/digest.h"
#include "src/engine/event_codec.h"

namespace quorate::engine {
namespace {

// The last byte is the version of the framing; what is inside records has a schema of its own.
constexpr std::string_view kMagic = "QRTELOG\x01";
constexpr std::size_t kVersionAt = 7;
constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kChecksumBytes = 8;
constexpr std::size_t kFrame = kLengthBytes + kChecksumBytes;

void append_number(std::string& out, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i) & 0xff));
}

std::uint64_t number_at(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

std::uint64_t checksum(std::string_view body) { return Digest().text(body).value(); }

}  // namespace

std::string event_log_header() { return std::string(kMagic); }

void append_to_log(std::string& log, const Record& record) {
  const std::string body = encode(record);
  append_number(log, body.size(), kLengthBytes);
  append_number(log, checksum(body), kChecksumBytes);
  log += body;
}

Outcome<std::optional<Record>> EventLogReader::end_torn() {
  torn_ = log_.size() - offset_;
  offset_ = log_.size();
  return std::nullopt;
}

Outcome<std::optional<Record>> EventLogReader::next() {
  if (offset_ == 0) {
    // A file that was torn inside its header has no records.
    if (log_.size() < kMagic.size() && kMagic.starts_with(log_)) return end_torn();
    if (log_.substr(0, kVersionAt) != kMagic.substr(0, kVersionAt)) {
      return error(Errc::Invalid, "not an event log");
    }
    if (log_[kVersionAt] != kMagic[kVersionAt]) {
      return error(Errc::Invalid, "an event log of another format version");
    }
    offset_ = kMagic.size();
  }
  const std::string_view rest = log_.substr(offset_);
  if (rest.size() < kFrame) return end_torn();
  const std::uint64_t length = number_at(rest.substr(0, kLengthBytes));
  const auto damaged = [&](std::string_view why) {
    return error(Errc::Invalid,
                 "event log, record at byte " + std::to_string(offset_) + ": " + std::string(why));
  };
  if (length > rest.size() - kFrame) {
    // Either the end is missing or the length is wrong; no whole record follows in both cases.
    return end_torn();
  }
  if (length > kMaxRecord) return damaged("is too long");
  const std::string_view body = rest.substr(kFrame, length);
  if (checksum(body) != number_at(rest.substr(kLengthBytes, kChecksumBytes))) {
    // Blocks of a file reach the disk in any order: the last record may be whole in length only.
    if (kFrame + length == rest.size()) return end_torn();
    return damaged("does not match its checksum");
  }
  Outcome<Record> record = decode_record(body);
  if (!record) return damaged(record.error().message);
  offset_ += kFrame + length;
  return std::optional<Record>(std::move(*record));
}

}  // namespace quorate::engine
