#include "src/recorder/sqlite.h"

namespace quorate::recorder {
namespace {

// Rows of a session are read and deleted together and by number, which is the order of this key.
constexpr const char* kTables = R"(
  CREATE TABLE session (id INTEGER PRIMARY KEY, started INTEGER NOT NULL, body BLOB NOT NULL);
  CREATE TABLE record (
    session INTEGER NOT NULL,
    number INTEGER NOT NULL,
    decision_hash BLOB,          -- of steps and checkpoints, big-endian
    body BLOB NOT NULL,
    PRIMARY KEY (session, number)
  ) WITHOUT ROWID;
)";

Outcome<std::int64_t> pragma(sqlite3* db, const std::string& name) {
  const Outcome<Statement> statement = prepare(db, "PRAGMA " + name);
  if (!statement) return tl::unexpected<Error>(statement.error());
  if (sqlite3_step(statement->get()) != SQLITE_ROW) {
    return tl::unexpected<Error>(database_error(db, "reading " + name));
  }
  return sqlite3_column_int64(statement->get(), 0);
}

Outcome<void> compare(std::int64_t application, std::int64_t version) {
  if (application != kApplicationId) {
    return error(Errc::Invalid, "this database is no recording");
  }
  if (version != kLayoutVersion) {
    return error(Errc::Invalid, "a recording of layout " + std::to_string(version) +
                                    "; this program knows " + std::to_string(kLayoutVersion));
  }
  return {};
}

}  // namespace

Error database_error(sqlite3* db, std::string_view doing) {
  return {Errc::Unavailable, "recording: " + std::string(doing) + ": " + sqlite3_errmsg(db)};
}

Outcome<Database> open_database(const std::string& path, OpenMode mode) {
  const int flags = mode == OpenMode::ReadOnly ? SQLITE_OPEN_READONLY
                                               : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  sqlite3* raw = nullptr;
  const int result = sqlite3_open_v2(path.c_str(), &raw, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  Database db(raw);
  if (result != SQLITE_OK) {
    if (db == nullptr) return error(Errc::Unavailable, "recording: out of memory");
    Error failure = database_error(db.get(), "opening " + path);
    if (result == SQLITE_CANTOPEN && mode == OpenMode::ReadOnly) failure.code = Errc::NotFound;
    return tl::unexpected<Error>(std::move(failure));
  }
  // Another process may hold the lock for a moment, never for long.
  sqlite3_busy_timeout(db.get(), 2000);
  return db;
}

Outcome<void> execute(sqlite3* db, const std::string& sql) {
  if (sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return tl::unexpected<Error>(database_error(db, sql.substr(0, 40)));
  }
  return {};
}

Outcome<Statement> prepare(sqlite3* db, std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v2(db, sql.data(), static_cast<int>(sql.size()), &raw, nullptr) !=
      SQLITE_OK) {
    return tl::unexpected<Error>(database_error(db, sql.substr(0, 40)));
  }
  return Statement(raw);
}

Outcome<void> ensure_layout(sqlite3* db) {
  const Outcome<std::int64_t> application = pragma(db, "application_id");
  if (!application) return tl::unexpected<Error>(application.error());
  const Outcome<std::int64_t> version = pragma(db, "user_version");
  if (!version) return tl::unexpected<Error>(version.error());
  const Outcome<std::int64_t> pages = pragma(db, "page_count");
  if (!pages) return tl::unexpected<Error>(pages.error());
  if (*pages != 0) return compare(*application, *version);

  if (auto wal = execute(db, "PRAGMA journal_mode=WAL"); !wal) return wal;
  return execute(db, "BEGIN IMMEDIATE;" + std::string(kTables) +
                         "PRAGMA application_id=" + std::to_string(kApplicationId) +
                         ";PRAGMA user_version=" + std::to_string(kLayoutVersion) + ";COMMIT");
}

Outcome<void> check_layout(sqlite3* db) {
  const Outcome<std::int64_t> application = pragma(db, "application_id");
  if (!application) return tl::unexpected<Error>(application.error());
  const Outcome<std::int64_t> version = pragma(db, "user_version");
  if (!version) return tl::unexpected<Error>(version.error());
  return compare(*application, *version);
}

}  // namespace quorate::recorder
