#include "src/simulate/documents.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace quorate::simulate {
namespace {

constexpr std::size_t kBlock = 1 << 16;
constexpr std::string_view kBlank = " \t\r\n";

std::string mib(std::size_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

// "---" or "..." at the start of a line, followed by nothing or a blank: YAML lets it mean nothing
// else, in a block scalar neither.
bool is_marker(std::string_view line, std::string_view marker) {
  return line.starts_with(marker) &&
         (line.size() == 3 || kBlank.find(line[3]) != std::string_view::npos);
}

// Nothing but blanks, comments and directives.
bool is_blank(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t first = line.find_first_not_of(kBlank);
    if (first != std::string_view::npos && line[first] != '#' && line[0] != '%') return false;
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return true;
}

// Where the JSON value that starts at `from` ends; npos if it does not.
std::size_t json_end(std::string_view text, std::size_t from) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = from; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth <= 1) return i + 1;
      --depth;
    }
  }
  return std::string_view::npos;
}

int lines_in(std::string_view text) { return static_cast<int>(std::ranges::count(text, '\n')); }

}  // namespace

Outcome<bool> DocumentReader::read_line(std::string& into) {
  bool any = false;
  while (true) {
    if (at_ == block_.size()) {
      block_.resize(kBlock);
      in_.read(block_.data(), static_cast<std::streamsize>(kBlock));
      block_.resize(static_cast<std::size_t>(in_.gcount()));
      at_ = 0;
      if (in_.bad()) return error(Errc::Invalid, "cannot be read");
      if (block_.empty()) return any;
      if (total_ == 0 && block_.starts_with("\xef\xbb\xbf")) at_ = 3;
      total_ += block_.size();
      if (total_ > limits_.total) {
        return error(Errc::Invalid, "more than " + mib(limits_.total) + " of input");
      }
    }
    any = true;
    const std::size_t end = block_.find('\n', at_);
    const std::size_t stop = end == std::string::npos ? block_.size() : end + 1;
    into.append(block_, at_, stop - at_);
    at_ = stop;
    if (end != std::string::npos) {
      ++line_;
      return true;
    }
    if (into.size() > limits_.json) {
      return error(Errc::Invalid, "a document of more than " + mib(limits_.json));
    }
  }
}

Outcome<std::optional<RawDocument>> DocumentReader::next_chunk() {
  RawDocument chunk{std::move(carried_), carried_line_ > 0 ? carried_line_ : line_};
  carried_.clear();
  carried_line_ = 0;
  std::string line;
  bool more = true;
  while (true) {
    line.clear();
    const int here = line_;
    Outcome<bool> read = read_line(line);
    if (!read) return tl::unexpected(read.error());
    more = *read;
    if (!more) break;
    if (is_marker(line, "---")) {
      carried_ = "   " + line.substr(3);
      carried_line_ = here;
      break;
    }
    if (is_marker(line, "...")) break;
    chunk.text += line;
    const std::size_t first = chunk.text.find_first_not_of(kBlank);
    chunk.json =
        first != std::string::npos && (chunk.text[first] == '{' || chunk.text[first] == '[');
    const std::size_t limit = chunk.json ? limits_.json : limits_.yaml;
    if (chunk.text.size() > limit) {
      return error(Errc::Invalid, "a document of more than " + mib(limit) +
                                      (chunk.json ? "" : "; a longer one must be JSON"));
    }
  }
  if (!more && chunk.text.empty()) return std::nullopt;
  return chunk;
}

void DocumentReader::cut_json(RawDocument chunk) {
  std::vector<RawDocument> parts;
  std::size_t at = chunk.text.find_first_not_of(kBlank);
  while (at != std::string::npos) {
    const std::size_t end = chunk.text[at] == '{' || chunk.text[at] == '['
                                ? json_end(chunk.text, at)
                                : std::string::npos;
    if (end == std::string::npos) {  // no row of JSON values: one document, whatever it is
      ready_.push_back(std::move(chunk));
      return;
    }
    if (parts.empty() && chunk.text.find_first_not_of(kBlank, end) == std::string::npos) break;
    parts.push_back({chunk.text.substr(at, end - at),
                     chunk.line + lines_in(std::string_view(chunk.text).substr(0, at)), true});
    at = chunk.text.find_first_not_of(kBlank, end);
  }
  if (parts.empty()) {
    ready_.push_back(std::move(chunk));
    return;
  }
  for (RawDocument& part : parts) ready_.push_back(std::move(part));
}

Outcome<std::optional<RawDocument>> DocumentReader::next() {
  while (ready_.empty()) {
    Outcome<std::optional<RawDocument>> chunk = next_chunk();
    if (!chunk) return chunk;
    if (!*chunk) return std::nullopt;
    if (is_blank((*chunk)->text)) continue;
    if ((*chunk)->json) {
      cut_json(std::move(**chunk));
    } else {
      ready_.push_back(std::move(**chunk));
    }
  }
  RawDocument document = std::move(ready_.front());
  ready_.pop_front();
  return document;
}

}  // namespace quorate::simulate
