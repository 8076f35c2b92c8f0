// Expressions written by hand with the answers of Kubernetes 1.37 (testdata/*.txt, recorded by
// e2e/compat-cel): value or error, cost of the evaluation, and the estimate.

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "src/cel/testing/answer.h"

namespace quorate::cel {

void PrintTo(const Answer& answer, std::ostream* out) {
  *out << answer.kind << ' ' << answer.text << " cost " << answer.cost << " at most "
       << answer.most;
}

namespace {

std::vector<std::filesystem::path> tables() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(QUORATE_CEL_TESTDATA)) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

class ConformanceTest : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(ConformanceTest, AnswersAsKubernetesDoes) {
  std::ifstream file(GetParam());
  std::size_t count = 0;
  for (std::string line; std::getline(file, line); ++count) {
    const Recorded recorded = parse_recorded(line);
    Answer given = answer(recorded.expression);
    if (!recorded.has_cost) given.cost = recorded.answer.cost;
    if (recorded.answer.most.empty()) given.most.clear();
    EXPECT_EQ(given, recorded.answer) << recorded.expression;
  }
  EXPECT_GT(count, 20U);
}

INSTANTIATE_TEST_SUITE_P(Tables, ConformanceTest, testing::ValuesIn(tables()),
                         [](const auto& test) { return test.param.stem().string(); });

}  // namespace
}  // namespace quorate::cel
