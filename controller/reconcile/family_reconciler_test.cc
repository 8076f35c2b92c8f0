#include "controller/reconcile/family_reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admission/variants.h"
#include "controller/reconcile/testing.h"
#include "src/base/check.h"
#include "src/objects/names.h"
#include "src/translate/variants.h"

namespace quorate::controller {
namespace {

namespace conditions = objects::conditions;
using objects::is_true;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using namespace quorate::controller::testing;

// A Job in a queue that prefers reserved machines to spot ones.
class FamilyTest : public ::testing::Test {
 protected:
  FamilyTest() {
    world.settings.concurrent_admission = true;
    objects::ClusterQueue queue;
    queue.meta.key.name = "cluster";
    queue.concurrent_admission.emplace();
    queue.resource_groups = {{{"example.com/gpu"}, {quota("reserved"), quota("spot")}}};
    world.queue = queue;
    world.flavors = {{"reserved", flavor("reserved", {{"pool", "reserved"}})},
                     {"spot", flavor("spot", {{"pool", "spot"}})}};
    world.settle_job();
    check(world.workloads.size() == 1, "the Job has its Workload");
    parent().meta.labels[std::string(admission::kVariantParentLabel)] = "true";
  }

  objects::Workload& parent() { return world.workloads.front(); }
  objects::Workload* variant(const std::string& flavor) {
    for (objects::Workload& one : world.workloads) {
      const auto allowed =
          objects::value_of(one.meta.annotations, admission::kAllowedFlavorsAnnotation);
      if (allowed == flavor) return &one;
    }
    return nullptr;
  }
  void admit_variant(const std::string& flavor) {
    admission::Admit decision = admit(*variant(flavor));
    decision.admitted = true;
    decision.admission.pod_sets.front().flavors = {{"example.com/gpu", flavor}};
    world.decide(decision);
  }
  static objects::FlavorQuotas quota(const std::string& flavor) {
    return {flavor, {{"example.com/gpu", Quantity{8}, std::nullopt, std::nullopt}}};
  }
  std::string pool() {
    return std::string(objects::value_of(world.job.pod_template.parsed->node_selector, "pool"));
  }

  World world;
};

TEST_F(FamilyTest, OneVariantForEachFlavorIsMade) {
  const std::string spot =
      parent().meta.key.name.substr(0, parent().meta.key.name.rfind('-')) + "-variant-spot-";
  world.settle_family();
  ASSERT_EQ(world.workloads.size(), 3u);
  const objects::Workload& made = *variant("spot");
  EXPECT_THAT(made.meta.key.name, StartsWith(spot));
  EXPECT_FALSE(translate::is_parent_of_variants(made));
  ASSERT_EQ(made.meta.owners.size(), 1u);
  EXPECT_EQ(made.meta.owners.front().uid, parent().meta.uid);
  EXPECT_TRUE(made.meta.owners.front().controller);
  EXPECT_THAT(made.meta.finalizers, IsEmpty());
  EXPECT_THAT(made.preemption_gates, ElementsAre("kueue.x-k8s.io/concurrent-admission"));
  EXPECT_EQ(made.queue_name, "main");
  EXPECT_THAT(world.settle_family(), IsEmpty());
}

TEST_F(FamilyTest, TheJobRunsAsTheAdmittedVariantAndMovesToABetterOne) {
  world.settle_family();
  admit_variant("spot");
  world.settle_family();
  EXPECT_EQ(objects::find_condition(parent().status.conditions, conditions::kAdmitted)->message,
            "The variant " + variant("spot")->meta.key.name + " is admitted");
  EXPECT_TRUE(variant("reserved")->active);  // it may still come free
  world.settle_job();
  EXPECT_FALSE(world.job.suspend);
  EXPECT_EQ(pool(), "spot");

  world.decide(evict(*variant("spot"), "FlavorMigration", "better"));
  world.settle_family();
  EXPECT_EQ(objects::find_condition(parent().status.conditions, conditions::kEvicted)->reason,
            "VariantEvicted");
  EXPECT_THAT(parent().status.evictions, IsEmpty());  // the variant's is counted
  EXPECT_TRUE(variant("spot")->status.admission);     // until the job has stopped
  world.settle_job();
  EXPECT_TRUE(world.job.suspend);
  EXPECT_FALSE(parent().status.admission);
  world.settle_family();
  EXPECT_FALSE(variant("spot")->status.admission);

  admit_variant("reserved");
  EXPECT_THAT(world.settle_family(),
              Contains("event DeactivatedVariant on " + variant("spot")->meta.key.text()));
  EXPECT_FALSE(variant("spot")->active);
  world.settle_job();
  EXPECT_FALSE(world.job.suspend);
  EXPECT_EQ(pool(), "reserved");
}

TEST_F(FamilyTest, RetainFirstAdmissionSwitchesTheOthersOff) {
  world.queue->concurrent_admission->mode = objects::MigrationMode::RetainFirstAdmission;
  world.settle_family();
  admit_variant("spot");
  world.settle_family();
  EXPECT_FALSE(variant("reserved")->active);
}

TEST_F(FamilyTest, TheEndOfTheJobEndsTheVariants) {
  world.settle_family();
  world.decide(FollowFamily{parent().meta.key, parent().meta.uid, {}, std::nullopt, false});
  objects::set_condition(parent().status.conditions,
                         {.type = "Finished",
                          .status = objects::ConditionStatus::True,
                          .reason = "Succeeded",
                          .message = "done"},
                         kNow);
  world.settle_family();
  for (const char* name : {"reserved", "spot"}) {
    EXPECT_TRUE(is_true(variant(name)->status.conditions, conditions::kFinished)) << name;
  }
}

TEST_F(FamilyTest, FlavorsThatComeAndGo) {
  world.settle_family();
  world.queue->resource_groups.front().flavors = {quota("reserved"), quota("cloud")};
  EXPECT_THAT(world.settle_family(),
              Contains("event DeletedVariant on " + parent().meta.key.text()));
  EXPECT_EQ(variant("spot"), nullptr);
  EXPECT_NE(variant("cloud"), nullptr);
}

TEST_F(FamilyTest, WhatChangesOnTheParentChangesOnItsVariants) {
  world.settle_family();
  parent().pod_sets.front().count = 5;
  parent().queue_name = "other";
  parent().priority = 7;
  world.settle_family();
  for (const char* name : {"reserved", "spot"}) {
    EXPECT_EQ(variant(name)->pod_sets.front().count, 5) << name;
    EXPECT_EQ(variant(name)->queue_name, "other") << name;
    EXPECT_EQ(variant(name)->priority, 7) << name;
  }
}

TEST_F(FamilyTest, GatesOpenOneAfterAnotherAndOnce) {
  world.settle_family();
  for (const char* name : {"reserved", "spot"}) {
    objects::set_condition(variant(name)->status.conditions,
                           {.type = std::string(conditions::kBlockedOnPreemptionGates),
                            .status = objects::ConditionStatus::True,
                            .reason = "PreemptionGated"},
                           kNow);
  }
  world.settle_family();
  ASSERT_EQ(variant("reserved")->status.preemption_gates.size(), 1u);
  EXPECT_TRUE(variant("reserved")->status.preemption_gates.front().open);
  EXPECT_THAT(variant("spot")->status.preemption_gates, IsEmpty());
  // Asked for again while the first write is under way.
  world.now = kNow + Duration::seconds(1);
  const objects::Workload& first = *variant("reserved");
  world.decide(FollowFamily{first.meta.key, first.meta.uid, {}, std::nullopt, true});
  EXPECT_EQ(variant("reserved")->status.preemption_gates.front().last_transition, kNow);
  world.now = kNow + Duration::seconds(300);
  world.settle_family();
  EXPECT_EQ(variant("spot")->status.preemption_gates.size(), 1u);
}

TEST_F(FamilyTest, AQueueWithoutPolicyDissolvesTheFamily) {
  world.settle_family();
  world.queue->concurrent_admission.reset();
  world.settle_family();
  EXPECT_EQ(world.workloads.size(), 1u);
  EXPECT_FALSE(translate::is_parent_of_variants(parent()));
}

TEST_F(FamilyTest, WithoutTheGateNothingIsDone) {
  world.settings.concurrent_admission = false;
  EXPECT_THAT(world.settle_family(), IsEmpty());
}

TEST(WantsVariants, NotWhatRunsAndNotSlicesOfElasticJobs) {
  objects::ClusterQueue queue;
  objects::Workload workload;
  EXPECT_FALSE(translate::wants_variants(workload, queue));
  queue.concurrent_admission.emplace();
  EXPECT_TRUE(translate::wants_variants(workload, queue));
  objects::Workload slice = workload;
  slice.meta.annotations[std::string(objects::names::kElasticJob)] = "true";
  EXPECT_FALSE(translate::wants_variants(slice, queue));
  objects::Workload variant = workload;
  variant.meta.owners = {{.kind = "Workload", .name = "p", .uid = "u", .controller = true}};
  EXPECT_FALSE(translate::wants_variants(variant, queue));
  objects::set_condition(workload.status.conditions,
                         {.type = "QuotaReserved", .status = objects::ConditionStatus::True}, kNow);
  EXPECT_FALSE(translate::wants_variants(workload, queue));
}

}  // namespace
}  // namespace quorate::controller
