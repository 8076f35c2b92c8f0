#include "src/simulate/locate.h"

#include <gmock/gmock.h>

namespace quorate::simulate {
namespace {

constexpr const char* kDocument =
    "apiVersion: v1\n"               // 1
    "metadata:\n"                    // 2
    "  labels:\n"                    // 3
    "    app.example.com/name: x\n"  // 4
    "spec:\n"                        // 5
    "  groups:\n"                    // 6
    "  - name: a\n"                  // 7
    "    list: [1, 2]\n"             // 8
    "  - name: b\n"                  // 9
    "    deep:\n"                    // 10
    "      value: 3\n";              // 11

TEST(LineOfPath, FindsTheValue) {
  EXPECT_EQ(line_of_path(kDocument, "spec.groups[0].name"), 7);
  EXPECT_EQ(line_of_path(kDocument, "spec.groups[1].deep.value"), 11);
  EXPECT_EQ(line_of_path(kDocument, "spec.groups[0].list[1]"), 8);
  EXPECT_EQ(line_of_path(kDocument, "metadata.labels[app.example.com/name]"), 4);
  EXPECT_EQ(line_of_path(kDocument, "metadata.labels.app.example.com/name"), 4);
}

TEST(LineOfPath, TakesThePathAtTheHeadOfAMessage) {
  EXPECT_EQ(line_of_path(kDocument, "spec.groups[1].name: Invalid value: \"b\": no"), 9);
}

TEST(LineOfPath, FallsBackToWhatIsThere) {
  EXPECT_EQ(line_of_path(kDocument, "spec.groups[1].deep.missing.more"), 11);
  EXPECT_EQ(line_of_path(kDocument, "spec.groups[7].name"), 7);
  EXPECT_EQ(line_of_path(kDocument, "nowhere"), 1);
  EXPECT_EQ(line_of_path("[ not: closed", "a"), 1);
  EXPECT_EQ(line_of_path("", "a.b"), 1);
}

}  // namespace
}  // namespace quorate::simulate
