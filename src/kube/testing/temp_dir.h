#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace quorate::kube {

// A directory that goes with its test.
class TempDir {
 public:
  TempDir() {
    std::string name = (std::filesystem::temp_directory_path() / "quorate-test-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }
  // Replaces the file, as Kubernetes replaces those of a volume.
  std::string write(const std::string& name, const std::string& text) const {
    const std::string file = path_ + "/" + name;
    std::ofstream(file + ".new") << text;
    std::filesystem::rename(file + ".new", file);
    return file;
  }
  std::string write_script(const std::string& name, const std::string& text) const {
    const std::string file = write(name, "#!/bin/sh\n" + text);
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  }

 private:
  std::string path_;
};

}  // namespace quorate::kube
