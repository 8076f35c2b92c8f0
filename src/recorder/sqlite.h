#pragma once

// Private to this folder's .cc files: SQLite's handles with owners, and its errors as ours.

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "src/base/outcome.h"

namespace quorate::recorder {

struct CloseDatabase {
  void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;

struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

enum class OpenMode { ReadOnly, Create };

// Errors: NotFound, Unavailable.
Outcome<Database> open_database(const std::string& path, OpenMode mode);
// Errors: Unavailable, with the statement's failure.
Outcome<void> execute(sqlite3* db, const std::string& sql);
Outcome<Statement> prepare(sqlite3* db, std::string_view sql);
Error database_error(sqlite3* db, std::string_view doing);

// The layout of the file, which its user_version names.
inline constexpr int kLayoutVersion = 1;
// "QRTE", SQLite's application_id of our files.
inline constexpr int kApplicationId = 0x51525445;

// Makes the tables in an empty file.
// Errors: Unavailable; Invalid - another database or a newer layout.
Outcome<void> ensure_layout(sqlite3* db);
// Errors: Unavailable; Invalid - another database or another layout.
Outcome<void> check_layout(sqlite3* db);

}  // namespace quorate::recorder
