// Compares with recorded answers of Kubernetes: reads lines of e2e/compat-cel/data on standard
// input, prints those whose answer differs with ours below, and says how many agree.
//   cel_answers          status 1 if one differs
//   cel_answers --print  reads expressions and prints a line for each

#include <iostream>
#include <string>
#include <string_view>

#include "src/cel/testing/answer.h"

namespace {

using quorate::cel::Answer;
using quorate::cel::escape;
using quorate::cel::Recorded;

void print(std::string_view expression, const Answer& answer, bool has_cost) {
  std::cout << escape(expression) << '\t' << answer.kind << '\t' << escape(answer.text) << '\t'
            << (has_cost ? std::to_string(answer.cost) : "-") << '\t' << answer.most << '\n';
}

int compare() {
  std::size_t good = 0;
  std::size_t bad = 0;
  for (std::string line; std::getline(std::cin, line);) {
    const Recorded recorded = quorate::cel::parse_recorded(line);
    Answer given = quorate::cel::answer(recorded.expression);
    if (!recorded.has_cost) given.cost = recorded.answer.cost;
    if (recorded.answer.most.empty()) given.most.clear();
    if (given == recorded.answer) {
      ++good;
      continue;
    }
    ++bad;
    std::cout << line << "\n  ours: ";
    print({}, given, recorded.has_cost);
  }
  std::cout << good << " passed, " << bad << " failed\n";
  return bad == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2 || std::string_view(arguments[1]) != "--print") return compare();
  for (std::string line; std::getline(std::cin, line);) {
    const std::string expression = quorate::cel::unescape(line);
    print(expression, quorate::cel::answer(expression), true);
  }
  return 0;
}
