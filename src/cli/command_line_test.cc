#include "src/cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quorate::cli {
namespace {

using testing::HasSubstr;
using Command = CommandLine::Command;

TEST(CommandLine, ControllerWithItsFlags) {
  const auto line = parse_command_line(
      {"controller", "--kubeconfig=/k", "--config", "/c", "--controllers=*,scheduler",
       "--metrics-bind-address=0", "--health-probe-bind-address=127.0.0.1:0", "--log-format=json",
       "--leader-elect", "--leader-elect-namespace=ns", "--webhook-bind-address=:9443",
       "--webhook-service=s", "--webhook-namespace=n", "--webhook-secret=sec",
       "--webhook-configuration=conf", "--webhook-url=https://h:1"});
  ASSERT_TRUE(line) << line.error().message;
  EXPECT_EQ(line->command, Command::Controller);
  EXPECT_EQ(line->kubeconfig, "/k");
  EXPECT_EQ(line->config_file, "/c");
  EXPECT_EQ(line->controllers, "*,scheduler");
  EXPECT_EQ(line->metrics_address, "0");
  EXPECT_EQ(line->health_address, "127.0.0.1:0");
  EXPECT_EQ(line->log_format, "json");
  EXPECT_EQ(line->leader_elect, true);
  EXPECT_EQ(line->leader_elect_namespace, "ns");
  EXPECT_EQ(line->webhook_configuration, "conf");
  EXPECT_EQ(line->webhook_url, "https://h:1");
}

TEST(CommandLine, AFlagThatIsNotGivenIsNotASetting) {
  const auto line = parse_command_line({"scheduler"});
  ASSERT_TRUE(line);
  EXPECT_EQ(line->command, Command::Scheduler);
  EXPECT_EQ(line->leader_elect, std::nullopt);
  EXPECT_EQ(line->metrics_address, std::nullopt);
}

TEST(CommandLine, LeaderElectionCanBeSwitchedOff) {
  const auto line = parse_command_line({"scheduler", "--leader-elect=false"});
  ASSERT_TRUE(line);
  EXPECT_EQ(line->leader_elect, false);
}

TEST(CommandLine, PartsThatAreOnlySwitchedOff) {
  const auto line = parse_command_line({"controller", "--controllers=-webhooks"});
  ASSERT_TRUE(line);
  EXPECT_EQ(line->controllers, "-webhooks");
}

TEST(CommandLine, VersionAndHelp) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"version"}, {"--version"}, {"controller", "--version"}}) {
    const auto line = parse_command_line(arguments);
    ASSERT_TRUE(line);
    EXPECT_EQ(line->command, Command::Version);
  }
  const auto help = parse_command_line({"controller", "--help"});
  ASSERT_TRUE(help);
  EXPECT_EQ(help->command, Command::Help);
  EXPECT_THAT(help->text, HasSubstr("--webhook-url"));
  EXPECT_THAT(parse_command_line({})->text, HasSubstr("controller"));
}

TEST(CommandLine, WhatIsWrongIsNamed) {
  EXPECT_THAT(parse_command_line({"controller", "--no-such-flag"}).error().message,
              HasSubstr("--no-such-flag"));
  EXPECT_THAT(parse_command_line({"scheduler", "--log-format=xml"}).error().message,
              HasSubstr("--log-format"));
  EXPECT_FALSE(parse_command_line({"scheduler", "--controllers=*"}));
  EXPECT_FALSE(parse_command_line({"dance"}));
}

}  // namespace
}  // namespace quorate::cli
