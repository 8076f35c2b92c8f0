#pragma once

#include <cstddef>
#include <deque>
#include <istream>
#include <optional>
#include <string>

#include "src/base/outcome.h"

namespace quorate::simulate {

// What one run may read. Memory stays within a small multiple of one document plus the objects.
struct InputLimits {
  std::size_t total = std::size_t{512} << 20;  // bytes of all inputs together
  std::size_t json = std::size_t{256} << 20;   // bytes of one JSON document
  std::size_t yaml = std::size_t{8} << 20;     // bytes of one YAML document
  std::size_t objects = 1'000'000;             // of all inputs together
  std::size_t problems = 20;                   // reported before reading stops
};

// One document of a stream as it was written.
struct RawDocument {
  std::string text;
  int line = 1;       // of its first byte in the stream
  bool json = false;  // begins like JSON; still may be YAML's flow style
};

// Cuts a stream of YAML and JSON documents at its "---" lines, and JSON values that follow each
// other. Reads ahead no more than a block.
class DocumentReader {
 public:
  // `total` counts the bytes of all streams of one run.
  DocumentReader(std::istream& in, const InputLimits& limits, std::size_t& total)
      : in_(in), limits_(limits), total_(total) {}

  // The next document that is not blank; nullopt at the end.
  // Errors: Invalid - a limit is passed, or the stream cannot be read. The reader is unusable then.
  Outcome<std::optional<RawDocument>> next();
  int line() const { return line_; }  // of what is read next

 private:
  // Appends up to and including the next line end. False at the end of the stream.
  Outcome<bool> read_line(std::string& into);
  Outcome<std::optional<RawDocument>> next_chunk();
  void cut_json(RawDocument chunk);

  std::istream& in_;
  const InputLimits& limits_;
  std::size_t& total_;
  std::string block_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::string carried_;  // what followed the "---" that ended the document before
  int carried_line_ = 0;
  std::deque<RawDocument> ready_;
};

}  // namespace quorate::simulate
