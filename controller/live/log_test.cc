#include "controller/live/log.h"

#include <gtest/gtest.h>

namespace quorate::controller {
namespace {

TEST(Log, TextQuotesOnlyWhatWouldBeAmbiguous) {
  EXPECT_EQ(log_line(LogFormat::Text, "workload admitted",
                     {{"workload", "team-a/train"}, {"pods", 3}, {"why", "no room = no start"}}),
            "workload admitted workload=team-a/train pods=3 why=\"no room = no start\"");
  EXPECT_EQ(log_line(LogFormat::Text, "x", {{"empty", ""}, {"line", "a\nb"}}),
            "x empty=\"\" line=\"a\\nb\"");
}

TEST(Log, JsonKeepsNumbersBare) {
  EXPECT_EQ(log_line(LogFormat::Json, "listening", {{"address", "127.0.0.1:1"}, {"port", 1}}),
            R"("message":"listening","address":"127.0.0.1:1","port":1)");
}

}  // namespace
}  // namespace quorate::controller
