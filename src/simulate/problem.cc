#include "src/simulate/problem.h"

namespace quorate::simulate {

std::string Problem::text() const {
  std::string out = file;
  if (line > 0) out += (out.empty() ? "line " : ":") + std::to_string(line);
  if (!out.empty()) out += ": ";
  if (!object.empty()) out += object + ": ";
  return out + message;
}

}  // namespace quorate::simulate
