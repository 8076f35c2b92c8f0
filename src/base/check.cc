#include "src/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace quorate {

void invariant_broken(std::string_view what, std::source_location where) {
  std::fprintf(stderr, "invariant broken: %.*s (%s:%u)\n", static_cast<int>(what.size()),
               what.data(), where.file_name(), static_cast<unsigned>(where.line()));
  std::abort();
}

}  // namespace quorate
