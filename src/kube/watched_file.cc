#include "src/kube/watched_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace quorate::kube {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{16} << 20;

tl::unexpected<Error> failed(const std::string& path, int code) {
  return error(code == ENOENT || code == ENOTDIR ? Errc::NotFound : Errc::Invalid,
               path + ": " + std::strerror(code));
}

bool same(const struct stat& a, const struct stat& b) {
  return a.st_ino == b.st_ino && a.st_dev == b.st_dev && a.st_size == b.st_size &&
         a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

}  // namespace

Outcome<std::string> read_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return failed(path, errno);
  std::string out;
  char bytes[16384];
  for (;;) {
    const ssize_t got = ::read(file, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 || out.size() > kMaxBytes) {
      const int code = got < 0 ? errno : EFBIG;
      ::close(file);
      return failed(path, code);
    }
    if (got == 0) break;
    out.append(bytes, static_cast<std::size_t>(got));
  }
  ::close(file);
  return out;
}

Outcome<std::string> WatchedFile::text() {
  struct stat now = {};
  if (::stat(path_.c_str(), &now) != 0) return failed(path_, errno);
  if (read_ && same(now, seen_)) return text_;
  Outcome<std::string> fresh = read_file(path_);
  if (!fresh) return fresh;
  text_ = std::move(*fresh);
  seen_ = now;
  read_ = true;
  return text_;
}

}  // namespace quorate::kube
