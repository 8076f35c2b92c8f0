#pragma once

#include <string>

#include "src/base/outcome.h"
#include "src/simulate/history.h"

namespace quorate::simulate {

// One HTML page that needs nothing else: figures and inline pictures of a run.
std::string report_html(const std::string& title, const History& history);

// Writes the page as index.html into a directory, which is made if it is missing.
// Errors: Unavailable - it cannot be written.
Outcome<void> write_report(const std::string& directory, const std::string& title,
                           const History& history);

}  // namespace quorate::simulate
