#include "src/cel/source.h"

#include <algorithm>

#include "src/cel/utf8.h"

namespace quorate::cel {
namespace {

void append_issue(std::string& out, std::string_view source, const Issue& issue) {
  if (issue.offset == kNowhere) {
    out += "ERROR: <input>:-1:0: " + issue.message;
    return;
  }
  const std::size_t offset = std::min<std::size_t>(issue.offset, source.size());
  const std::size_t newline = source.substr(0, offset).rfind('\n');
  const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
  const std::size_t end = std::min(source.find('\n', start), source.size());
  const auto line = std::count(source.begin(), source.begin() + static_cast<long>(start), '\n') + 1;

  std::string marks;
  std::size_t column = 0;
  for (std::string_view before = source.substr(start, offset - start); !before.empty(); ++column) {
    marks += utf8::take(before) < 0x80 ? "." : "\uFF0E";  // as wide as what stands above it
  }
  out += "ERROR: <input>:" + std::to_string(line) + ':' + std::to_string(column + 1) + ": ";
  out += issue.message;
  out += "\n | ";
  for (const char c : source.substr(start, end - start)) out += c == '\t' ? ' ' : c;
  out += "\n | " + marks + '^';
}

}  // namespace

std::string format_issues(std::string_view source, std::vector<Issue> issues) {
  std::stable_sort(issues.begin(), issues.end(),
                   [](const Issue& a, const Issue& b) { return a.offset < b.offset; });
  std::string text;
  for (const Issue& issue : issues) {
    if (!text.empty()) text += '\n';
    append_issue(text, source, issue);
  }
  return text;
}

}  // namespace quorate::cel
