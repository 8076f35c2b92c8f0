#pragma once

#include <functional>
#include <istream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/outcome.h"

namespace quorate::simulate {

// One record of a table whose first line names the columns.
class CsvRow {
 public:
  CsvRow(const std::map<std::string, std::size_t, std::less<>>& columns,
         const std::vector<std::string>& cells)
      : columns_(columns), cells_(cells) {}

  // "" for a column that is not there.
  std::string_view operator[](std::string_view column) const;
  // Errors: Invalid - the cell is no such number; names the column.
  Outcome<std::int64_t> integer(std::string_view column) const;
  Outcome<double> number(std::string_view column) const;

 private:
  const std::map<std::string, std::size_t, std::less<>>& columns_;
  const std::vector<std::string>& cells_;
};

// Reads comma-separated values, cells in double quotes among them; hands over each row.
// Errors: Invalid - a required column is missing, a row has too many or too few cells, a line or
// the whole is too long, or `sink` refuses the row; with the line.
Outcome<void> read_csv(std::istream& in, const std::vector<std::string_view>& required,
                       const std::function<Outcome<void>(const CsvRow&)>& sink);

}  // namespace quorate::simulate
