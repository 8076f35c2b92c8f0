#pragma once

#include <sys/stat.h>

#include <string>

#include "src/base/outcome.h"

namespace quorate::kube {

// A small file whose text is kept and read again when the file was replaced or written. Belongs to
// one thread, or stands behind a mutex.
class WatchedFile {
 public:
  WatchedFile() = default;
  explicit WatchedFile(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  // Errors: NotFound, Invalid - it cannot be read, with the path and the reason.
  Outcome<std::string> text();

 private:
  std::string path_;
  std::string text_;
  struct stat seen_ = {};
  bool read_ = false;
};

// Errors as above; at most 16 MiB.
Outcome<std::string> read_file(const std::string& path);

}  // namespace quorate::kube
