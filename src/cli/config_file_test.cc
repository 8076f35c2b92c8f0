#include "src/cli/config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quorate::cli {
namespace {

using testing::HasSubstr;

TEST(ConfigFile, BothDocumentsInOneStream) {
  const auto file = parse_config(R"(
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
manageJobsWithoutQueueName: true
---
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{schedulerName: ours}]
)",
                                 "/etc/c.yaml", {});
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_TRUE(file->admission.manage_jobs_without_queue_name);
  EXPECT_EQ(file->scheduler.profiles.front().scheduler_name, "ours");
}

TEST(ConfigFile, NothingIsAllDefaults) {
  const auto file = parse_config("", "/etc/c.yaml", {});
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->admission.frameworks, std::vector<std::string>{"batch/job"});
  EXPECT_EQ(file->scheduler.profiles.front().scheduler_name, "quorate-scheduler");
}

TEST(ConfigFile, ErrorsNameFileDocumentAndField) {
  const auto unknown =
      parse_config("apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nnosuch: 1\n",
                   "/etc/c.yaml", {});
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("/etc/c.yaml: Configuration"));
  EXPECT_THAT(unknown.error().message, HasSubstr("nosuch"));

  const auto kind = parse_config("kind: Pod\n", "/etc/c.yaml", {});
  ASSERT_FALSE(kind);
  EXPECT_THAT(kind.error().message, HasSubstr("/etc/c.yaml: kind: \"Pod\""));

  const auto twice = parse_config(
      "kind: Configuration\napiVersion: config.kueue.x-k8s.io/v1beta2\n---\n"
      "kind: Configuration\napiVersion: config.kueue.x-k8s.io/v1beta2\n",
      "/etc/c.yaml", {});
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.error().message, HasSubstr("two documents of kind Configuration"));
}

TEST(ConfigFile, APluginThatNobodyHasIsRefused) {
  const auto load = [](const std::string& plugins) {
    const auto file = parse_config(
        "kind: KubeSchedulerConfiguration\napiVersion: kubescheduler.config.k8s.io/v1\n"
        "profiles: [{schedulerName: s, plugins: {multiPoint: {" +
            plugins + "}}}]\n",
        "c", {});
    return file ? std::string() : file.error().message;
  };
  EXPECT_EQ(load("enabled: [{name: NodeNmae}]"),
            "c: KubeSchedulerConfiguration: profiles[0].plugins.multiPoint.enabled: "
            "there is no plugin \"NodeNmae\"");
  EXPECT_THAT(load("disabled: [{name: NodeNmae}]"), HasSubstr("there is no plugin"));
  EXPECT_EQ(load("enabled: [{name: NodeName}], disabled: [{name: '*'}, {name: ImageLocality}]"),
            "");
}

TEST(ConfigFile, AFileThatIsNotThereIsNamed) {
  const auto file = load_config_file("/no/such/file.yaml", {});
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().message, HasSubstr("/no/such/file.yaml: No such file"));
}

}  // namespace
}  // namespace quorate::cli
