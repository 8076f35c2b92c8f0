#include "src/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace quorate {

void invariant_broken(std::string_view what, const char* file, int line) {
  std::fprintf(stderr, "invariant broken: %.*s (%s:%d)\n", static_cast<int>(what.size()),
               what.data(), file, line);
  std::abort();
}

}  // namespace quorate
