#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace quorate::cel {

// What becomes of an expression over the sample device, in the form in which the answers of
// Kubernetes are recorded (e2e/compat-cel).
struct Answer {
  char kind = 'v';         // 'c': refused; 'x': runtime error; 'v': value
  std::string text;        // the fault in short, the error, or the value
  std::uint64_t cost = 0;  // of the evaluation
  std::string most;        // the estimate's upper end; "max": none is known

  friend bool operator==(const Answer&, const Answer&) = default;
};
Answer answer(std::string_view expression);

// One line of a file of answers: expression, kind, text, cost ("-": not the same in every run) and
// estimate, separated by tabs; "\n", "\t", "\r" and "\\" are escapes.
struct Recorded {
  std::string expression;
  Answer answer;
  bool has_cost = true;
};
Recorded parse_recorded(std::string_view line);
std::string escape(std::string_view text);
std::string unescape(std::string_view text);

}  // namespace quorate::cel
