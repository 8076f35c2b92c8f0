#include "src/simulate/csv.h"

#include <charconv>

#include "src/objects/numbers.h"

namespace quorate::simulate {
namespace {

constexpr std::size_t kMaxLine = 1 << 16;
constexpr int kMaxLines = 10'000'000;

Outcome<std::vector<std::string>> split(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted) {
      if (c != '"') {
        cells.back() += c;
      } else if (i + 1 < line.size() && line[i + 1] == '"') {
        cells.back() += c;
        ++i;
      } else {
        quoted = false;
      }
    } else if (c == '"' && cells.back().empty()) {
      quoted = true;
    } else if (c == ',') {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  if (quoted) return error(Errc::Invalid, "a quote is not closed");
  return cells;
}

}  // namespace

std::string_view CsvRow::operator[](std::string_view column) const {
  const auto found = columns_.find(column);
  return found == columns_.end() ? std::string_view{} : std::string_view(cells_[found->second]);
}

Outcome<std::int64_t> CsvRow::integer(std::string_view column) const {
  const std::string_view text = (*this)[column];
  std::int64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || fault != std::errc{} || end != text.data() + text.size()) {
    return error(Errc::Invalid, std::string(column) + ": must be a whole number, not \"" +
                                    std::string(text) + "\"");
  }
  return value;
}

Outcome<double> CsvRow::number(std::string_view column) const {
  const std::optional<double> value = objects::to_double((*this)[column]);
  if (!value) {
    return error(Errc::Invalid, std::string(column) + ": must be a number, not \"" +
                                    std::string((*this)[column]) + "\"");
  }
  return *value;
}

Outcome<void> read_csv(std::istream& in, const std::vector<std::string_view>& required,
                       const std::function<Outcome<void>(const CsvRow&)>& sink) {
  std::map<std::string, std::size_t, std::less<>> columns;
  int number = 0;
  std::string line;
  while (std::getline(in, line)) {
    const std::string place = "line " + std::to_string(++number);
    if (number > kMaxLines) return error(Errc::Invalid, place + ": too many lines");
    if (line.size() > kMaxLine) return error(Errc::Invalid, place + ": too long");
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) continue;
    Outcome<std::vector<std::string>> cells = split(line);
    if (!cells) return within(place, cells.error());
    if (columns.empty()) {
      for (std::size_t i = 0; i < cells->size(); ++i) columns.emplace((*cells)[i], i);
      for (const std::string_view name : required) {
        if (!columns.contains(name)) {
          return error(Errc::Invalid, place + ": column \"" + std::string(name) + "\" is missing");
        }
      }
      continue;
    }
    if (cells->size() != columns.size()) {
      return error(Errc::Invalid, place + ": " + std::to_string(cells->size()) +
                                      " cells instead of " + std::to_string(columns.size()));
    }
    if (Outcome<void> taken = sink(CsvRow(columns, *cells)); !taken) {
      return within(place, taken.error());
    }
  }
  if (columns.empty()) return error(Errc::Invalid, "no line with the names of the columns");
  return {};
}

}  // namespace quorate::simulate
