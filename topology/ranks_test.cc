#include "topology/ranks.h"

#include <gtest/gtest.h>

#include <sstream>

namespace quorate::topology {
namespace {

struct Case {
  std::string name;
  std::string assignment;  // "n1=2 n2=1"
  std::string pods;        // index[.sub-group], "-" without; "@n1": runs there
  RankRules rules;
  std::string failed;
  std::string want;  // domain of each pod in order; "." runs already or waits
};

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> all;
  for (std::string word; in >> word;) all.push_back(word);
  return all;
}

class RanksTest : public ::testing::TestWithParam<Case> {};

TEST_P(RanksTest, GivesDomains) {
  const Case& given = GetParam();
  Assignment assignment{{kHostname}, {}};
  for (const std::string& word : words(given.assignment)) {
    const std::size_t equals = word.find('=');
    assignment.domains.push_back({{word.substr(0, equals)}, std::stoi(word.substr(equals + 1))});
  }
  std::vector<PlacedPod> pods;
  for (std::string word : words(given.pods)) {
    PlacedPod& pod = pods.emplace_back();
    if (const std::size_t at = word.find('@'); at != std::string::npos) {
      pod.gated = false;
      pod.domain = {word.substr(at + 1)};
      word.resize(at);
    }
    if (const std::size_t dot = word.find('.'); dot != std::string::npos) {
      pod.sub_group = std::stoi(word.substr(0, dot));
      word.erase(0, dot + 1);
    }
    if (word != "-") pod.index = std::stoi(word);
  }
  std::vector<std::string> got(pods.size(), ".");
  for (const auto& [pod, domain] :
       domains_of_gated(assignment, pods, given.rules, words(given.failed))) {
    got[pod] = assignment.domains[domain].values.front();
  }
  std::string text;
  for (const std::string& one : got) text += (text.empty() ? "" : " ") + one;
  EXPECT_EQ(text, given.want);
}

INSTANTIATE_TEST_SUITE_P(
    Vectors, RanksTest,
    ::testing::ValuesIn(std::vector<Case>{
        // clang-format off
        // name  assignment       pods               rules                failed  want
        {"UG01", "n1=2 n2=1",     "0 1 2",           {3, true, 0, 0},     "",     "n1 n1 n2"},
        {"UG01AnyOrder", "n1=2 n2=1", "2 0 1",       {3, true, 0, 0},     "",     "n2 n1 n1"},
        {"UG02", "n1=2 n2=1",     "- - -",           {3, false, 0, 0},    "",     "n1 n1 n2"},
        {"UG03", "n1=2 n2=1",     "0 1 2@n2",        {3, true, 0, 0},     "",     "n1 n1 ."},
        {"UG04", "n1=2 n2=1",     "0 1 2@n1",        {3, true, 0, 0},     "",     "n1 n2 ."},
        {"UG05", "n1=2 n2=1",     "0 1 1",           {3, true, 0, 0},     "",     "n1 n1 n2"},
        {"UG06", "n1=1 n2=1",     "1 2",             {2, true, 1, 0},     "",     "n1 n2"},
        {"UG07", "n1=3 n2=1",     "0.0 0.1 1.0 1.1", {4, true, 0, 2},     "",     "n1 n1 n1 n2"},
        {"UG08", "n1=1 n2=1",     "10 11",           {2, true, 10, 0},    "",     "n1 n2"},
        {"UG09", "n1=1 n2=1",     "0 1",             {2, true, 0, 0},     "n2",   "n1 ."},
        {"UG10", "n1=1 n2=1",     "0 1@n2",          {2, true, 0, 0},     "",     "n1 ."},
        {"MorePodsThanPlaces", "n1=1", "0 1",        {1, true, 0, 0},     "",     "n1 ."},
        {"SubGroupOutOfRange", "n1=1 n2=1", "2.0 0.0", {2, true, 0, 2},   "",     "n1 n2"},
        // clang-format on
    }),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace quorate::topology
