#include "src/recorder/recorder.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>

#include "src/engine/event_codec.h"
#include "src/engine/event_log.h"
#include "src/engine/toy_cluster.h"
#include "src/recorder/recording.h"

namespace quorate::recorder {
namespace {

using engine::Event;
using engine::NodeGone;
using engine::Record;
using engine::Session;

class RecorderTest : public testing::Test {
 protected:
  RecorderTest() {
    std::filesystem::path base = testing::TempDir();
    std::string pattern = (base / "recorder-XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
  }
  ~RecorderTest() override { std::filesystem::remove_all(directory_); }

  std::string path() const { return (directory_ / "recording.db").string(); }

  static Session session(std::int64_t started) {
    return {"test", {true, false}, 7, Time::from_seconds(started)};
  }
  static Record gone(int i) { return Event{NodeGone{"node-" + std::to_string(i)}}; }

  std::unique_ptr<Recorder> open(const Session& begun, RecorderOptions options = {}) {
    auto recorder = Recorder::open(path(), begun, options);
    EXPECT_TRUE(recorder) << recorder.error().message;
    return std::move(*recorder);
  }

  std::vector<std::string> read(std::int64_t id) {
    auto recording = Recording::open(path());
    EXPECT_TRUE(recording) << recording.error().message;
    std::vector<std::string> bodies;
    const auto done = recording->read(id, [&](const Record& record) {
      bodies.push_back(engine::encode(record));
      return true;
    });
    EXPECT_TRUE(done) << done.error().message;
    return bodies;
  }

  std::filesystem::path directory_;
};

TEST_F(RecorderTest, GivesBackTheRecordsInOrder) {
  std::vector<std::string> want = {engine::encode(Record{session(1)})};
  {
    const auto recorder = open(session(1));
    for (int i = 0; i < 10'000; ++i) {  // more than one transaction takes
      want.push_back(engine::encode(gone(i)));
      recorder->record(gone(i));
    }
    ASSERT_TRUE(recorder->flush());
    EXPECT_EQ(recorder->written(), 10'000);
    EXPECT_EQ(read(1), want) << "while it is open";
    recorder->record(gone(-1));
    want.push_back(engine::encode(gone(-1)));
  }
  EXPECT_EQ(read(1), want) << "the rest is written at the end";
}

TEST_F(RecorderTest, KeepsTheLastSessions) {
  for (int i = 1; i <= 5; ++i) open(session(i), {.keep_sessions = 3})->record(gone(i));
  auto recording = Recording::open(path());
  ASSERT_TRUE(recording);
  const auto sessions = recording->sessions();
  ASSERT_TRUE(sessions) << sessions.error().message;
  ASSERT_EQ(sessions->size(), 3u);
  for (std::int64_t i = 0; i < 3; ++i) {
    EXPECT_EQ((*sessions)[static_cast<std::size_t>(i)].session, session(3 + i));
    EXPECT_EQ((*sessions)[static_cast<std::size_t>(i)].records, 1);
  }
  EXPECT_EQ(recording->read(1, [](const Record&) { return true; }).error().code, Errc::NotFound);
}

TEST_F(RecorderTest, StopsReadingWhenToldTo) {
  {
    const auto recorder = open(session(1));
    for (int i = 0; i < 10; ++i) recorder->record(gone(i));
  }
  auto recording = Recording::open(path());
  int seen = 0;
  ASSERT_TRUE(recording->read(1, [&](const Record&) { return ++seen < 3; }));
  EXPECT_EQ(seen, 3);
}

TEST_F(RecorderTest, AQueueThatOverflowsEndsTheRecordingWithoutAHole) {
  std::int64_t kept = 0;
  {
    const auto recorder = open(session(1), {.max_queued_bytes = 5 * 2048});
    // The writer may take some away in between; without end the queue must overflow.
    int i = 0;
    while (recorder->failure().empty()) recorder->record(gone(i++));
    EXPECT_NE(recorder->failure().find("does not keep up"), std::string::npos);
    EXPECT_EQ(recorder->flush().error().code, Errc::Unavailable);
    recorder->record(gone(-1));
  }
  const std::vector<std::string> bodies = read(1);
  kept = static_cast<std::int64_t>(bodies.size()) - 1;
  ASSERT_GE(kept, 5);
  for (std::int64_t i = 0; i < kept; ++i) {
    EXPECT_EQ(bodies[static_cast<std::size_t>(i) + 1], engine::encode(gone(static_cast<int>(i))));
  }
}

TEST_F(RecorderTest, ADiskThatFailsEndsTheRecordingOnly) {
  const auto recorder = open(session(1));
  recorder->record(gone(1));
  ASSERT_TRUE(recorder->flush());
  // Somebody else takes the tables away.
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "DROP TABLE record", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(other);
  recorder->record(gone(2));
  const Outcome<void> flushed = recorder->flush();
  ASSERT_FALSE(flushed);
  EXPECT_EQ(flushed.error().code, Errc::Unavailable);
  EXPECT_NE(recorder->failure().find("no such table"), std::string::npos) << recorder->failure();
  recorder->record(gone(3));  // is ignored
  EXPECT_EQ(recorder->written(), 1);
}

TEST_F(RecorderTest, RefusesOtherFiles) {
  EXPECT_EQ(Recording::open(path()).error().code, Errc::NotFound);
  EXPECT_EQ(Recorder::open((directory_ / "missing" / "x").string(), session(1)).error().code,
            Errc::Unavailable);

  std::ofstream(path()) << std::string(8192, 'x');
  EXPECT_FALSE(Recorder::open(path(), session(1)));
  std::filesystem::remove(path());

  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "CREATE TABLE t (x)", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(other);
  EXPECT_EQ(Recorder::open(path(), session(1)).error().message, "this database is no recording");
  EXPECT_EQ(Recording::open(path()).error().message, "this database is no recording");
}

TEST_F(RecorderTest, ANewerLayoutIsRefused) {
  open(session(1));
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "PRAGMA user_version = 2", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(other);
  EXPECT_EQ(Recorder::open(path(), session(2)).error().message,
            "a recording of layout 2; this program knows 1");
}

TEST_F(RecorderTest, AStoryReplaysFromTheFileToTheSameHashes) {
  std::uint64_t decisions = 0;
  std::uint64_t state = 0;
  {
    const auto recorder = open({"toy", {}, 0, Time{}});
    engine::ToyCluster cluster({}, [&](Record record) {
      // The recorder has begun the session itself.
      if (!std::holds_alternative<Session>(record)) recorder->record(std::move(record));
    });
    engine::tell_quickstart(cluster);
    cluster.tell(engine::Synced{});
    cluster.settle(Time::from_seconds(5));
    cluster.finish("team-vision", "pretrain", Time::from_seconds(15));
    cluster.settle(Time::from_seconds(16));
    cluster.recorded().checkpoint();
    decisions = cluster.engine().decision_hash();
    state = cluster.engine().state_hash();
  }
  auto recording = Recording::open(path());
  ASSERT_TRUE(recording);
  const Outcome<engine::Replay> replay = recording->replay(1);
  ASSERT_TRUE(replay) << replay.error().message;
  EXPECT_EQ(replay->engine()->decision_hash(), decisions);
  EXPECT_EQ(replay->engine()->state_hash(), state);

  const Outcome<engine::Replay> start = recording->replay(1, 1);
  ASSERT_TRUE(start) << start.error().message;
  EXPECT_EQ(start->steps(), 1);
  EXPECT_NE(start->engine()->decision_hash(), decisions);
}

TEST_F(RecorderTest, ASessionCanBeCarriedAwayAsAnEventLog) {
  {
    const auto recorder = open(session(1));
    for (int i = 0; i < 3; ++i) recorder->record(gone(i));
  }
  const Outcome<std::string> log = Recording::open(path())->event_log(1);
  ASSERT_TRUE(log);
  engine::EventLogReader reader(*log);
  std::vector<std::string> bodies;
  for (auto next = reader.next(); next && *next; next = reader.next()) {
    bodies.push_back(engine::encode(**next));
  }
  EXPECT_EQ(bodies, read(1));
}

}  // namespace
}  // namespace quorate::recorder
