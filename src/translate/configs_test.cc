#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/scheduler/registry.h"
#include "src/translate/translate.h"

namespace quorate::translate {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

TEST(TranslateConfiguration, DefaultsAreTheEnginesDefaults) {
  EXPECT_EQ(to_config(objects::Configuration{}), admission::Config{});
}

TEST(TranslateConfiguration, CarriesWhatAdmissionReads) {
  objects::Configuration config;
  config.exclude_resource_prefixes = {"example.com/"};
  config.transformations = {{"gpu", true, "cpu", {{"credits", "1.5"}}}};
  config.quota_check = objects::QuotaCheck::IgnoreUndeclared;
  config.wait_for_pods_ready = objects::WaitForPodsReady{};
  config.wait_for_pods_ready->requeuing_timestamp = "Creation";
  config.fair_sharing = {objects::FairShareStrategy::LessThanInitialShare};
  config.admission_fair_sharing = objects::AdmissionFairSharing{
      Duration::seconds(600), Duration::seconds(60), {{"cpu", 2.5}, {"gpu", 0}}};
  config.gates =
      *objects::FeatureGates::from({{"SchedulingEquivalenceHashing", false},
                                    {"PriorityBoost", true},
                                    {"RecomputeAssignmentUponPreemptionTargetsOverlap", false},
                                    {"FlavorFungibilityPreserveScanProgress", false},
                                    {"PrioritizePreemptorWorkloads", true}});

  const admission::Config got = to_config(config);
  EXPECT_EQ(got.exclude_resource_prefixes, config.exclude_resource_prefixes);
  ASSERT_EQ(got.transformations.size(), 1u);
  EXPECT_EQ(got.transformations[0].input, "gpu");
  EXPECT_TRUE(got.transformations[0].replace);
  EXPECT_EQ(got.transformations[0].multiply_by, "cpu");
  EXPECT_THAT(got.transformations[0].outputs, ElementsAre(Pair("credits", "1.5")));
  EXPECT_EQ(parse_quantity("cpu", got.transformations[0].outputs.at("credits")), Quantity{1500});
  EXPECT_TRUE(got.ignore_undeclared_resources);
  EXPECT_TRUE(got.requeue_by_creation);
  EXPECT_TRUE(got.fair_sharing);
  EXPECT_THAT(got.fair_strategies, ElementsAre(admission::FairStrategy::LessThanInitialShare));
  EXPECT_EQ(got.usage_sharing, (admission::UsageSharing{Duration::seconds(600),
                                                        Duration::seconds(60),
                                                        {{"cpu", 2'500'000'000}, {"gpu", 0}}}));
  EXPECT_FALSE(got.equivalence_classes);
  EXPECT_TRUE(got.priority_boost);
  EXPECT_FALSE(got.recompute_on_target_overlap);
  EXPECT_FALSE(got.keep_scan_progress);
  EXPECT_TRUE(got.prioritize_preemptors);
}

objects::SchedulerConfiguration with_plugins(std::map<std::string, objects::PluginSet> plugins) {
  objects::SchedulerConfiguration config;
  config.profiles[0].plugins = std::move(plugins);
  return config;
}

scheduler::Profile profile_of(std::map<std::string, objects::PluginSet> plugins) {
  return to_config(with_plugins(std::move(plugins))).profiles.at(0);
}

TEST(TranslateSchedulerConfiguration, DefaultsAreTheEnginesDefaults) {
  EXPECT_EQ(to_config(objects::SchedulerConfiguration{}), scheduler::Config{});
}

TEST(TranslateSchedulerConfiguration, PluginsAreSwitchedAndWeighted) {
  const auto profile =
      profile_of({{"multiPoint", {{{"NodeAffinity", 7}}, {{"NodePorts", 0}}}},
                  {"score", {{{"TaintToleration", 5}}, {{"NodeResourcesFit", 0}}}}});
  EXPECT_THAT(profile.disabled, ElementsAre("NodePorts"));
  EXPECT_THAT(profile.score_weights,
              UnorderedElementsAre(Pair("NodeAffinity", 7), Pair("TaintToleration", 5),
                                   Pair("NodeResourcesFit", 0)));
}

TEST(TranslateSchedulerConfiguration, EveryPluginThatRunsCanBeNamed) {
  const auto names = objects::scheduler_plugins();
  EXPECT_THAT(scheduler::plugin_names(), testing::ElementsAreArray(names.begin(), names.end()));
}

TEST(TranslateSchedulerConfiguration, ArgumentsReachThePlugins) {
  objects::SchedulerConfiguration config;
  objects::SchedulerProfile& profile = config.profiles.front();
  profile.fit.strategy = objects::FitArgs::Strategy::RequestedToCapacityRatio;
  profile.fit.resources = {{"x.io/a", 3}};
  profile.fit.shape = {{0, 10}, {100, 0}};
  profile.fit.ignored_resources = {"x.io/b"};
  profile.fit.ignored_resource_groups = {"y.io"};
  profile.balanced_resources = {{"cpu", 1}};
  profile.inter_pod = {7, true};
  profile.added_affinity.required.emplace();
  const scheduler::PluginArgs args = to_config(config).profiles.front().args;
  EXPECT_EQ(args.fit.strategy, scheduler::FitArgs::Strategy::RequestedToCapacityRatio);
  EXPECT_THAT(args.fit.resources, ElementsAre(Pair("x.io/a", 3)));
  EXPECT_EQ(args.fit.shape, profile.fit.shape);
  EXPECT_THAT(args.fit.ignored_resources, ElementsAre("x.io/b"));
  EXPECT_THAT(args.fit.ignored_resource_groups, ElementsAre("y.io"));
  EXPECT_THAT(args.balanced.resources, ElementsAre("cpu"));
  EXPECT_EQ(args.inter_pod, (scheduler::InterPodArgs{7, true}));
  EXPECT_EQ(args.added_affinity, profile.added_affinity);
}

TEST(TranslateSchedulerConfiguration, AStarSwitchesOffWhatIsNotPutBack) {
  const auto profile = profile_of(
      {{"multiPoint", {{{"NodeName", 0}}, {{"*", 0}}}}, {"filter", {{{"NodePorts", 0}}, {}}}});
  EXPECT_THAT(profile.disabled, testing::Contains("TaintToleration"));
  EXPECT_THAT(profile.disabled, testing::Not(testing::Contains("NodeName")));
  EXPECT_THAT(profile.disabled, testing::Not(testing::Contains("NodePorts")));
}

TEST(TranslateSchedulerConfiguration, SaysWhatChangesNothing) {
  objects::SchedulerConfiguration config = with_plugins({{"filter", {{}, {{"NodePorts", 0}}}}});
  config.without_effect = {"extenders"};
  config.pod_max_backoff = Duration::seconds(3);
  Defects defects;
  EXPECT_EQ(to_config(config, &defects).pod_max_backoff, Duration::seconds(3));
  ASSERT_EQ(defects.size(), 2u);
  EXPECT_EQ(defects[0].path, "profiles[0].plugins.filter.disabled");
  EXPECT_EQ(defects[1].path, "extenders");
}

}  // namespace
}  // namespace quorate::translate
