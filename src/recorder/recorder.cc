#include "src/recorder/recorder.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "src/base/thread_annotations.h"
#include "src/engine/event_codec.h"
#include "src/recorder/sqlite.h"

namespace quorate::recorder {
namespace {

// What a queued record is counted as. Records are encoded on the writer's thread, so their true
// size is not known yet; this is of the order of a Workload's or a Pod's.
constexpr std::size_t kRecordCost = 2048;
constexpr std::size_t kMaxBatch = 4096;

std::array<char, 8> big_endian(std::uint64_t hash) {
  std::array<char, 8> bytes{};
  for (std::size_t i = bytes.size(); i-- > 0; hash >>= 8) bytes[i] = static_cast<char>(hash & 0xff);
  return bytes;
}

std::optional<std::uint64_t> hash_of(const engine::Record& record) {
  if (const auto* step = std::get_if<engine::Step>(&record)) return step->decision_hash;
  if (const auto* point = std::get_if<engine::Checkpoint>(&record)) return point->decision_hash;
  return std::nullopt;
}

// The new session's row; older ones go where there are too many.
Outcome<std::int64_t> begin_session(sqlite3* db, const engine::Session& session,
                                    std::int64_t keep) {
  Outcome<Statement> insert = prepare(db, "INSERT INTO session (started, body) VALUES (?, ?)");
  if (!insert) return tl::unexpected<Error>(insert.error());
  const std::string body = engine::encode(engine::Record{session});
  sqlite3_bind_int64(insert->get(), 1, session.started.nanos);
  sqlite3_bind_blob64(insert->get(), 2, body.data(), body.size(), SQLITE_STATIC);
  if (sqlite3_step(insert->get()) != SQLITE_DONE) {
    return tl::unexpected<Error>(database_error(db, "beginning a session"));
  }
  const std::int64_t id = sqlite3_last_insert_rowid(db);
  const std::string old = "(SELECT id FROM session ORDER BY id DESC LIMIT -1 OFFSET " +
                          std::to_string(std::max<std::int64_t>(keep, 1)) + ")";
  if (auto done = execute(db, "DELETE FROM record WHERE session IN " + old); !done) {
    return tl::unexpected<Error>(done.error());
  }
  if (auto done = execute(db, "DELETE FROM session WHERE id IN " + old); !done) {
    return tl::unexpected<Error>(done.error());
  }
  return id;
}

}  // namespace

struct Recorder::State {
  State(Database opened, Statement prepared, std::int64_t id, RecorderOptions wanted)
      : options(wanted), session(id), db(std::move(opened)), insert(std::move(prepared)) {}

  const RecorderOptions options;
  const std::int64_t session;

  // Of the writer's thread.
  Database db;
  Statement insert;

  Mutex mutex;
  CondVar work;  // for the writer
  CondVar done;  // for those who flush
  std::vector<engine::Record> queue GUARDED_BY(mutex);
  std::int64_t accepted GUARDED_BY(mutex) = 0;
  std::int64_t committed GUARDED_BY(mutex) = 0;
  std::string failure GUARDED_BY(mutex);
  bool stopping GUARDED_BY(mutex) = false;

  std::thread writer;

  void run() EXCLUDES(mutex);
  Outcome<void> write(const std::vector<engine::Record>& batch, std::int64_t first);
  Outcome<void> write_one(const engine::Record& record, std::int64_t number);
};

Outcome<void> Recorder::State::write_one(const engine::Record& record, std::int64_t number) {
  const std::string body = engine::encode(record);
  const std::optional<std::uint64_t> hash = hash_of(record);
  const std::array<char, 8> hash_bytes = big_endian(hash.value_or(0));
  sqlite3_reset(insert.get());
  sqlite3_bind_int64(insert.get(), 1, session);
  sqlite3_bind_int64(insert.get(), 2, number);
  if (hash) {
    sqlite3_bind_blob64(insert.get(), 3, hash_bytes.data(), hash_bytes.size(), SQLITE_STATIC);
  } else {
    sqlite3_bind_null(insert.get(), 3);
  }
  sqlite3_bind_blob64(insert.get(), 4, body.data(), body.size(), SQLITE_STATIC);
  const int result = sqlite3_step(insert.get());
  if (result != SQLITE_DONE) {
    return tl::unexpected<Error>(database_error(db.get(), "writing a record"));
  }
  return {};
}

Outcome<void> Recorder::State::write(const std::vector<engine::Record>& batch, std::int64_t first) {
  if (auto begun = execute(db.get(), "BEGIN IMMEDIATE"); !begun) return begun;
  for (const engine::Record& record : batch) {
    if (auto written = write_one(record, first++); !written) {
      sqlite3_reset(insert.get());
      (void)execute(db.get(), "ROLLBACK");
      return written;
    }
  }
  sqlite3_reset(insert.get());
  return execute(db.get(), "COMMIT");
}

void Recorder::State::run() {
  while (true) {
    std::vector<engine::Record> batch;
    std::int64_t first = 0;
    {
      MutexLock lock(mutex);
      while (queue.empty() && !stopping) work.wait(mutex);
      if (queue.empty()) return;
      first = committed;
      if (queue.size() <= kMaxBatch) {
        batch.swap(queue);
      } else {
        const auto end = queue.begin() + static_cast<std::ptrdiff_t>(kMaxBatch);
        batch.assign(std::make_move_iterator(queue.begin()), std::make_move_iterator(end));
        queue.erase(queue.begin(), end);
      }
    }
    const Outcome<void> written = write(batch, first);
    {
      MutexLock lock(mutex);
      if (written) {
        committed += static_cast<std::int64_t>(batch.size());
      } else {
        failure = written.error().message;
        queue.clear();
      }
      done.notify_all();
      if (!written) return;
    }
  }
}

Outcome<std::unique_ptr<Recorder>> Recorder::open(const std::string& path,
                                                  const engine::Session& session,
                                                  RecorderOptions options) {
  Outcome<Database> db = open_database(path, OpenMode::Create);
  if (!db) return tl::unexpected<Error>(db.error());
  if (auto ready = ensure_layout(db->get()); !ready) return tl::unexpected<Error>(ready.error());
  if (auto set = execute(db->get(), "PRAGMA synchronous=NORMAL"); !set) {
    return tl::unexpected<Error>(set.error());
  }
  const Outcome<std::int64_t> id = begin_session(db->get(), session, options.keep_sessions);
  if (!id) return tl::unexpected<Error>(id.error());
  Outcome<Statement> insert = prepare(
      db->get(), "INSERT INTO record (session, number, decision_hash, body) VALUES (?, ?, ?, ?)");
  if (!insert) return tl::unexpected<Error>(insert.error());

  auto state = std::make_unique<State>(std::move(*db), std::move(*insert), *id, options);
  state->writer = std::thread([writing = state.get()] { writing->run(); });
  return std::unique_ptr<Recorder>(new Recorder(std::move(state)));
}

Recorder::Recorder(std::unique_ptr<State> state) : state_(std::move(state)) {}

Recorder::~Recorder() {
  {
    MutexLock lock(state_->mutex);
    state_->stopping = true;
    state_->work.notify_one();
  }
  state_->writer.join();
}

void Recorder::record(engine::Record record) {
  MutexLock lock(state_->mutex);
  if (!state_->failure.empty()) return;
  if ((state_->queue.size() + 1) * kRecordCost > state_->options.max_queued_bytes) {
    state_->failure = "recording: the disk does not keep up; the recording ends here";
    return;  // what is queued is still written: it is whole up to here
  }
  state_->queue.push_back(std::move(record));
  ++state_->accepted;
  state_->work.notify_one();
}

Outcome<void> Recorder::flush() {
  MutexLock lock(state_->mutex);
  const std::int64_t target = state_->accepted;
  while (state_->committed < target && state_->failure.empty()) state_->done.wait(state_->mutex);
  if (!state_->failure.empty()) return error(Errc::Unavailable, state_->failure);
  return {};
}

std::string Recorder::failure() const {
  MutexLock lock(state_->mutex);
  return state_->failure;
}

std::int64_t Recorder::written() const {
  MutexLock lock(state_->mutex);
  return state_->committed;
}

}  // namespace quorate::recorder
