#include "src/recorder/recording.h"

#include <utility>

#include "src/engine/event_codec.h"
#include "src/engine/event_log.h"
#include "src/recorder/sqlite.h"

namespace quorate::recorder {
namespace {

std::string_view blob(sqlite3_stmt* row, int column) {
  const void* bytes = sqlite3_column_blob(row, column);
  const int size = sqlite3_column_bytes(row, column);
  return {static_cast<const char*>(bytes), bytes == nullptr ? 0 : static_cast<std::size_t>(size)};
}

}  // namespace

struct Recording::State {
  Database db;
};

Outcome<Recording> Recording::open(const std::string& path) {
  Outcome<Database> db = open_database(path, OpenMode::ReadOnly);
  if (!db) return tl::unexpected<Error>(db.error());
  if (auto known = check_layout(db->get()); !known) return tl::unexpected<Error>(known.error());
  return Recording(std::make_unique<State>(State{std::move(*db)}));
}

Recording::Recording(std::unique_ptr<State> state) : state_(std::move(state)) {}
Recording::~Recording() = default;
Recording::Recording(Recording&&) noexcept = default;
Recording& Recording::operator=(Recording&&) noexcept = default;

Outcome<std::vector<SessionInfo>> Recording::sessions() {
  sqlite3* db = state_->db.get();
  const Outcome<Statement> rows = prepare(
      db,
      "SELECT id, body, (SELECT count(*) FROM record WHERE session = id) FROM session ORDER BY id");
  if (!rows) return tl::unexpected<Error>(rows.error());
  std::vector<SessionInfo> found;
  int result = 0;
  while ((result = sqlite3_step(rows->get())) == SQLITE_ROW) {
    SessionInfo info{
        sqlite3_column_int64(rows->get(), 0), sqlite3_column_int64(rows->get(), 2), {}};
    const Outcome<engine::Record> record = engine::decode_record(blob(rows->get(), 1));
    const std::string name = "session " + std::to_string(info.id);
    if (!record) return within(name, record.error());
    const auto* session = std::get_if<engine::Session>(&*record);
    if (session == nullptr) return error(Errc::Invalid, name + " does not start with a session");
    info.session = *session;
    found.push_back(std::move(info));
  }
  if (result != SQLITE_DONE) return tl::unexpected<Error>(database_error(db, "reading sessions"));
  return found;
}

Outcome<void> Recording::read(std::int64_t session,
                              const std::function<bool(engine::Record)>& visit) {
  sqlite3* db = state_->db.get();
  const std::string name = "session " + std::to_string(session);
  const Outcome<Statement> first = prepare(db, "SELECT body FROM session WHERE id = ?");
  if (!first) return tl::unexpected<Error>(first.error());
  sqlite3_bind_int64(first->get(), 1, session);
  const int found = sqlite3_step(first->get());
  if (found == SQLITE_DONE) return error(Errc::NotFound, "no " + name);
  if (found != SQLITE_ROW) return tl::unexpected<Error>(database_error(db, "reading a session"));
  Outcome<engine::Record> head = engine::decode_record(blob(first->get(), 0));
  if (!head) return within(name, head.error());
  if (!visit(std::move(*head))) return {};

  const Outcome<Statement> rows =
      prepare(db, "SELECT number, body FROM record WHERE session = ? ORDER BY number");
  if (!rows) return tl::unexpected<Error>(rows.error());
  sqlite3_bind_int64(rows->get(), 1, session);
  int result = 0;
  while ((result = sqlite3_step(rows->get())) == SQLITE_ROW) {
    Outcome<engine::Record> record = engine::decode_record(blob(rows->get(), 1));
    if (!record) {
      const std::int64_t number = sqlite3_column_int64(rows->get(), 0);
      return within(name + ", record " + std::to_string(number), record.error());
    }
    if (!visit(std::move(*record))) return {};
  }
  if (result != SQLITE_DONE) return tl::unexpected<Error>(database_error(db, "reading records"));
  return {};
}

Outcome<engine::Replay> Recording::replay(std::int64_t session, std::int64_t steps) {
  engine::Replay replay;
  Outcome<void> fed;
  const Outcome<void> done = read(session, [&](const engine::Record& record) {
    const bool step = std::holds_alternative<engine::Step>(record);
    if (step && steps >= 0 && replay.steps() == steps) return false;
    fed = replay.feed(record);
    return fed.has_value();
  });
  if (!done) return tl::unexpected<Error>(done.error());
  if (!fed) return tl::unexpected<Error>(fed.error());
  return replay;
}

Outcome<std::string> Recording::event_log(std::int64_t session) {
  std::string log = engine::event_log_header();
  const Outcome<void> done = read(session, [&](const engine::Record& record) {
    engine::append_to_log(log, record);
    return true;
  });
  if (!done) return tl::unexpected<Error>(done.error());
  return log;
}

}  // namespace quorate::recorder
