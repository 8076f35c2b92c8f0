#include "src/simulate/documents.h"

#include <gmock/gmock.h>

#include <sstream>

namespace quorate::simulate {
namespace {

using testing::ElementsAre;

struct Read {
  std::vector<std::string> texts;
  std::vector<int> lines;
  std::string error;
};

Read read_all(const std::string& text, InputLimits limits = {}) {
  std::istringstream in(text);
  std::size_t total = 0;
  DocumentReader reader(in, limits, total);
  Read read;
  while (true) {
    const auto document = reader.next();
    if (!document) {
      read.error = document.error().message;
      return read;
    }
    if (!*document) return read;
    read.texts.push_back((*document)->text);
    read.lines.push_back((*document)->line);
  }
}

TEST(DocumentReader, CutsAtMarkersAndKnowsTheLines) {
  const Read read = read_all("a: 1\n---\nb: 2\nc: 3\n--- # next\nd: 4\n...\n---\n");
  EXPECT_THAT(read.texts, ElementsAre("a: 1\n", "   \nb: 2\nc: 3\n", "    # next\nd: 4\n"));
  EXPECT_THAT(read.lines, ElementsAre(1, 2, 5));
}

TEST(DocumentReader, LeavesOutWhatSaysNothing) {
  EXPECT_THAT(read_all("").texts, ElementsAre());
  EXPECT_THAT(read_all("\n# only a comment\n---\n\n---\n%YAML 1.2\n---\n# more\n").texts,
              ElementsAre());
}

TEST(DocumentReader, AMarkerIsOneOnlyAtTheStartOfALine) {
  EXPECT_EQ(read_all("text: |\n  ---\n  x\n").texts.size(), 1u);
  EXPECT_EQ(read_all("a: ----\n----: b\n").texts.size(), 1u);
}

TEST(DocumentReader, CutsJsonValuesThatFollowEachOther) {
  const Read read = read_all("{\"a\": \"}{\"}\n {\"b\": [1, {}]}{\"c\": \"\\\"\"}\n");
  EXPECT_THAT(read.texts, ElementsAre("{\"a\": \"}{\"}", "{\"b\": [1, {}]}", "{\"c\": \"\\\"\"}"));
  EXPECT_THAT(read.lines, ElementsAre(1, 2, 2));
}

TEST(DocumentReader, LeavesJsonThatDoesNotEndWhole) {
  EXPECT_THAT(read_all("{\"a\": 1} trailing").texts, ElementsAre("{\"a\": 1} trailing"));
  EXPECT_THAT(read_all("{\"a\": {").texts, ElementsAre("{\"a\": {"));
}

TEST(DocumentReader, SkipsAByteOrderMarkAndTakesCarriageReturns) {
  const Read read = read_all(
      "\xef\xbb\xbf"
      "a: 1\r\n---\r\nb: 2\r\n");
  ASSERT_EQ(read.texts.size(), 2u);
  EXPECT_EQ(read.texts[0], "a: 1\r\n");
}

TEST(DocumentReader, RefusesWhatIsTooLong) {
  const InputLimits limits{.total = 300'000, .json = 200'000, .yaml = 1000};
  EXPECT_THAT(read_all(std::string(2000, 'x') + "\n", limits).error,
              testing::HasSubstr("a longer one must be JSON"));
  EXPECT_EQ(read_all("[\n" + std::string(2000, ' ') + "\n]", limits).error, "");
  EXPECT_THAT(read_all("[\n" + std::string(250'000, ' ') + "\n]", limits).error,
              testing::HasSubstr("a document of more than"));
  std::string many;
  for (int i = 0; i < 40'000; ++i) many += "---\na: 1\n";
  EXPECT_THAT(read_all(many, limits).error, testing::HasSubstr("of input"));
}

// A stream that would go on for a gigabyte, made as it is read.
class Endless : public std::streambuf {
 public:
  explicit Endless(std::string pattern) : pattern_(std::move(pattern)) {}
  std::size_t given() const { return given_; }

 private:
  int_type underflow() override {
    if (given_ >= (std::size_t{1} << 30)) return traits_type::eof();
    given_ += pattern_.size();
    setg(pattern_.data(), pattern_.data(), pattern_.data() + pattern_.size());
    return traits_type::to_int_type(pattern_.front());
  }
  std::string pattern_;
  std::size_t given_ = 0;
};

TEST(DocumentReader, StopsReadingAGigabyteEarly) {
  for (const std::string& pattern : {std::string(4096, 'x'), std::string("- a\n- b\n- c\n")}) {
    Endless endless(pattern);
    std::istream in(&endless);
    const InputLimits limits{.total = 64 << 20, .json = 4 << 20, .yaml = 1 << 20};
    std::size_t total = 0;
    DocumentReader reader(in, limits, total);
    EXPECT_FALSE(reader.next());
    EXPECT_LT(endless.given(), std::size_t{6} << 20);
  }
}

}  // namespace
}  // namespace quorate::simulate
