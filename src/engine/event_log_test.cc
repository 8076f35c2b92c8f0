#include "src/engine/event_log.h"

#include <gtest/gtest.h>

#include "src/engine/event_codec.h"
#include "src/engine/sample_events.h"

namespace quorate::engine {
namespace {

std::vector<Record> sample_records() {
  std::vector<Record> records = {Session{"test", {}, 1, Time{}}};
  for (Event& event : samples::one_of_each()) records.emplace_back(std::move(event));
  records.emplace_back(Step{Time{9}, {}, 0, 7});
  return records;
}

std::string sample_log() {
  std::string log = event_log_header();
  for (const Record& record : sample_records()) append_to_log(log, record);
  return log;
}

// Bytes of the records up to the first end or error.
struct ReadResult {
  std::vector<std::string> records;
  std::size_t torn = 0;
  std::string error;
};

ReadResult read(std::string_view log) {
  EventLogReader reader(log);
  ReadResult result;
  while (true) {
    const Outcome<std::optional<Record>> next = reader.next();
    if (!next) {
      result.error = next.error().message;
      return result;
    }
    if (!*next) break;
    result.records.push_back(encode(**next));
  }
  result.torn = reader.torn_bytes();
  return result;
}

TEST(EventLog, GivesTheRecordsInOrder) {
  std::vector<std::string> want;
  for (const Record& record : sample_records()) want.push_back(encode(record));
  const ReadResult got = read(sample_log());
  EXPECT_EQ(got.error, "");
  EXPECT_EQ(got.records, want);
  EXPECT_EQ(got.torn, 0u);
}

TEST(EventLog, AnEmptyFileHasNoRecords) {
  EXPECT_TRUE(read("").records.empty());
  EXPECT_EQ(read("").error, "");
}

TEST(EventLog, ATornTailEndsTheLog) {
  const std::string log = sample_log();
  const std::size_t all = read(log).records.size();
  std::size_t whole = 0;  // grows as the cut moves right
  for (std::size_t cut = 0; cut < log.size(); ++cut) {
    const ReadResult got = read(std::string_view(log).substr(0, cut));
    ASSERT_EQ(got.error, "") << "cut at " << cut;
    ASSERT_GE(got.records.size(), whole) << "cut at " << cut;
    ASSERT_LT(got.records.size(), all) << "cut at " << cut;
    whole = got.records.size();
  }
  EXPECT_EQ(whole, all - 1);
}

TEST(EventLog, ALastRecordOfTheRightLengthAndWrongBytesIsTorn) {
  std::string log = sample_log();
  const std::size_t all = read(log).records.size();
  log.back() = static_cast<char>(log.back() ^ 1);
  const ReadResult got = read(log);
  EXPECT_EQ(got.error, "");
  EXPECT_EQ(got.records.size(), all - 1);
  EXPECT_GT(got.torn, 0u);
}

TEST(EventLog, DamageInTheMiddleIsAnError) {
  std::string log = sample_log();
  log[40] = static_cast<char>(log[40] ^ 1);  // inside the first records' bodies
  EXPECT_NE(read(log).error.find("does not match its checksum"), std::string::npos);
}

TEST(EventLog, RefusesOtherFiles) {
  EXPECT_EQ(read("SQLite format 3").error, "not an event log");
  std::string newer = sample_log();
  newer[7] = 2;
  EXPECT_EQ(read(newer).error, "an event log of another format version");
}

}  // namespace
}  // namespace quorate::engine
