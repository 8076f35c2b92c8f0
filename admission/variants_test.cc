// Concurrent admission: what the cycle decides about variants and gates, and the family's plan.

#include "admission/variants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admission/testing/world.h"

namespace quorate::admission {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::World;

constexpr Time kNow = World::kNow;

WorkloadSpec variant(const std::string& flavor, const std::string& pods = "main*1: cpu=4") {
  WorkloadSpec spec = testing::workload("job-" + flavor, pods);
  spec.queue_name = "q";
  spec.owner_kind = "Workload";
  spec.owner_name = "job";
  spec.owner_uid = "uid-job";
  spec.allowed_flavors = {flavor};
  spec.preemption_gates = {{std::string(kVariantGate)}};
  return spec;
}

// --- the cycle ---

class VariantCycle : public ::testing::Test {
 protected:
  VariantCycle() {
    world.config.concurrent_admission = world.config.preemption_gates = true;
    world.admitter.set_config(world.config);
  }
  void queues(const std::string& line, ConcurrentAdmission policy = {}) {
    world.queues(line);
    ClusterQueueSpec spec = world.specs.at("q");
    spec.concurrent_admission = policy;
    world.admitter.apply(spec);
  }
  World world;
};

TEST_F(VariantCycle, AVariantTakesItsFlavorOnly) {
  queues("q {good/cpu=8, cheap/cpu=8}");
  world.see(variant("cheap"));
  EXPECT_EQ(World::text(world.settle()), "admit job-cheap");
  EXPECT_EQ(world.used("q"), "good/cpu=0, cheap/cpu=4");
}

TEST_F(VariantCycle, WithoutTheGateFlavorsAndGatesDoNotCount) {
  world.admitter.set_config(Config{});
  queues("q {good/cpu=8, cheap/cpu=8}");
  world.see(variant("cheap"));
  world.settle();
  EXPECT_EQ(world.used("q"), "good/cpu=4, cheap/cpu=0");
}

TEST_F(VariantCycle, AParentIsNeitherQueuedNorCharged) {
  queues("q {good/cpu=8, cheap/cpu=8}");
  WorkloadSpec parent = testing::workload("job", "main*1: cpu=4");
  parent.queue_name = "q";
  parent.parent_of_variants = true;
  world.see(parent);
  EXPECT_EQ(World::text(world.settle()), "");
  parent.admission =
      Admission{"q", {{"main", {{"cpu", "good"}}, {{"cpu", Quantity{4000}}}, 1, {}}}};
  World::set(parent, "QuotaReserved", true, "QuotaReserved");
  World::set(parent, "Admitted", true, "Admitted");
  world.see(parent);
  EXPECT_EQ(World::text(world.settle()), "");
  EXPECT_EQ(world.admitter.cluster_queue("q")->reserving, 0);
}

TEST_F(VariantCycle, ALessFavorableOneWaitsBehindOneThatRuns) {
  queues("q {good/cpu=8, cheap/cpu=8}");
  world.see(variant("good"));
  world.carry_out(world.settle());
  world.see(variant("cheap"));
  EXPECT_EQ(World::text(world.cycle()), "hold job-cheap PendingEvaluation");
  EXPECT_EQ(std::get<Hold>(world.last[0]).message, "A more favorable variant is already admitted");
  EXPECT_EQ(world.heap(), "job-cheap");
}

TEST_F(VariantCycle, ABetterOneEvictsTheOneThatRuns) {
  queues("q {good/cpu=4, cheap/cpu=8}");
  world.holding("other@q good/cpu=4");
  world.see(variant("cheap"));
  world.carry_out(world.settle());
  world.see(variant("good"));
  world.carry_out(world.settle());
  ASSERT_EQ(world.used("q"), "good/cpu=4, cheap/cpu=4");
  world.finish("other");
  EXPECT_EQ(World::text(world.settle()),
            "evict job-cheap FlavorMigration; hold job-good WaitingForPreemptedWorkloads");
  EXPECT_EQ(std::get<Evict>(world.last[0]).message,
            "Evicted to accommodate a workload (UID: uid-job-good) due to migration to more "
            "favorable resource flavor");
  world.carry_out(world.last);
  EXPECT_EQ(World::text(world.settle()), "");  // told once
  world.release("job-cheap", false);
  EXPECT_EQ(World::text(world.cycle()), "requeue job-cheap Reactivated; admit job-good");
}

TEST_F(VariantCycle, MigrationStopsAtTheLastAcceptableFlavor) {
  queues("q {best/cpu=0, good/cpu=8, cheap/cpu=8}", {false, "best"});
  world.see(variant("cheap"));
  world.carry_out(world.settle());
  world.see(variant("good"));
  EXPECT_EQ(World::text(world.cycle()), "hold job-good PendingEvaluation");
}

TEST_F(VariantCycle, RetainFirstAdmissionNeverMigrates) {
  queues("q {good/cpu=8, cheap/cpu=8}", {true, ""});
  world.see(variant("cheap"));
  world.carry_out(world.settle());
  world.see(variant("good"));
  EXPECT_EQ(World::text(world.cycle()), "hold job-good PendingEvaluation");
}

TEST_F(VariantCycle, AE24AClosedGateKeepsFromPreempting) {
  queues("q {good/cpu=4} (within=LowerPriority)");
  world.holding("low@q good/cpu=4 p-1");
  world.see(variant("good"));
  EXPECT_EQ(World::text(world.cycle()), "hold job-good AdmissionGated");
  const Hold hold = std::get<Hold>(world.last[0]);
  EXPECT_EQ(hold.message, "Workload requires preemption, but it's gated");
  EXPECT_EQ(world.parked(), "job-good");
  world.carry_out(world.last);
  WorkloadSpec open = world.workloads.at("job-good");
  open.preemption_gates[0].open = true;
  world.see(open);
  EXPECT_EQ(world.heap(), "job-good");
  EXPECT_EQ(World::text(world.cycle()),
            "evict low InClusterQueue; hold job-good WaitingForPreemptedWorkloads");
}

TEST_F(VariantCycle, AGatedOneLeavesTheQueueToOthers) {
  queues("q {good/cpu=4} (within=LowerPriority)");
  world.holding("low@q good/cpu=3 p-1");
  world.see(variant("good"));
  world.waiting("small>q p0 t10 cpu=1");
  EXPECT_EQ(World::text(world.settle()), "hold job-good AdmissionGated; admit small");
}

// --- the family ---

class FamilyTest : public ::testing::Test {
 protected:
  FamilyTest() {
    queue = testing::queue("q {best/cpu=8, good/cpu=8, cheap/cpu=8}");
    queue.concurrent_admission.emplace();
    parent = testing::workload("job", "main*1: cpu=4");
    parent.uid = "uid-job";
    parent.parent_of_variants = true;
    for (const char* flavor : {"cheap", "best", "good"}) variants.push_back(variant(flavor));
  }

  static std::string text(const VariantStep& step) {
    static constexpr const char* kKinds[] = {"create",  "delete",     "evict parent", "evict",
                                             "release", "deactivate", "activate",     "admit as",
                                             "ready",   "finish",     "open"};
    const std::string what =
        step.kind == VariantStep::Kind::Create ? step.flavor : step.workload.name;
    return std::string(kKinds[static_cast<int>(step.kind)]) + " " + what;
  }
  std::vector<std::string> steps() {
    plan = plan_variants(parent, variants, queue, kNow);
    std::vector<std::string> texts;
    for (const VariantStep& step : plan.steps) texts.push_back(text(step));
    return texts;
  }
  static void admit(WorkloadSpec& one, Time when = kNow) {
    one.admission = Admission{"q", {}};
    World::set(one, "QuotaReserved", true, "QuotaReserved", when);
    World::set(one, "Admitted", true, "Admitted", when);
  }
  WorkloadSpec& of(const std::string& flavor) {
    return *std::find_if(variants.begin(), variants.end(),
                         [&](const WorkloadSpec& one) { return one.allowed_flavors[0] == flavor; });
  }

  ClusterQueueSpec queue;
  WorkloadSpec parent;
  std::vector<WorkloadSpec> variants;
  VariantPlan plan;
};

TEST_F(FamilyTest, OneVariantForEachFlavorInTheirOrder) {
  EXPECT_THAT(steps(), IsEmpty());
  variants.clear();
  EXPECT_THAT(steps(), ElementsAre("create best", "create good", "create cheap"));
}

TEST_F(FamilyTest, AVariantGoesWithItsFlavor) {
  queue.resource_groups[0].flavors.pop_back();
  EXPECT_THAT(steps(), ElementsAre("delete job-cheap"));
}

TEST_F(FamilyTest, TheParentFollowsTheFirstThatIsAdmitted) {
  admit(of("good"));
  EXPECT_THAT(steps(), ElementsAre("deactivate job-cheap", "admit as job-good"));
  EXPECT_EQ(plan.steps[0].message, "being lower priority than admitted Variant \"ns/job-good\"");
  EXPECT_EQ(plan.steps[1].message, "The variant job-good is admitted");
  of("cheap").active = false;
  admit(parent);
  EXPECT_THAT(steps(), IsEmpty());
}

TEST_F(FamilyTest, RetainFirstAdmissionEndsAllOthers) {
  queue.concurrent_admission->retain_first = true;
  admit(of("good"));
  admit(parent);
  EXPECT_THAT(steps(), ElementsAre("deactivate job-best", "deactivate job-cheap"));
}

TEST_F(FamilyTest, OnlyAcceptableFlavorsStayCandidates) {
  queue.concurrent_admission->last_acceptable_flavor = "best";
  admit(of("cheap"));
  admit(parent);
  EXPECT_THAT(steps(), ElementsAre("deactivate job-good"));
  EXPECT_EQ(plan.steps[0].message,
            "being below lastAcceptableFlavor: \"best\" and another Variant admitted "
            "\"ns/job-cheap\"");
}

TEST_F(FamilyTest, TheJobStopsBeforeTheQuotaOfItsVariantIsGivenBack) {
  admit(of("cheap"));
  admit(parent);
  World::set(of("cheap"), "Evicted", true, "FlavorMigration");
  EXPECT_THAT(steps(), ElementsAre("evict parent job"));
  EXPECT_EQ(plan.steps[0].reason, "VariantEvicted");
  World::set(parent, "Evicted", true, "VariantEvicted");
  EXPECT_THAT(steps(), IsEmpty());
  parent.admission.reset();
  World::set(parent, "Admitted", false, "NoReservation");
  EXPECT_THAT(steps(), ElementsAre("release job-cheap"));
}

TEST_F(FamilyTest, ADeactivatedParentEndsItsVariants) {
  parent.active = false;
  EXPECT_THAT(steps(),
              ElementsAre("deactivate job-best", "deactivate job-good", "deactivate job-cheap"));
  for (WorkloadSpec& one : variants) one.active = false;
  EXPECT_THAT(steps(), IsEmpty());
  parent.active = true;
  EXPECT_THAT(steps(), ElementsAre("activate job-best", "activate job-good", "activate job-cheap"));
}

TEST_F(FamilyTest, AParentThatRunsWithoutAVariantIsEvicted) {
  admit(parent);
  EXPECT_THAT(steps(), ElementsAre("evict parent job"));
  EXPECT_EQ(plan.steps[0].message, "No variant is running");
}

TEST_F(FamilyTest, WhatEvictsTheParentEvictsItsVariant) {
  admit(of("best"), kNow - Duration::seconds(60));
  admit(parent, kNow - Duration::seconds(60));
  World::set(parent, "Evicted", true, "PodsReadyTimeout");
  EXPECT_THAT(steps(), ElementsAre("evict job-best"));
  EXPECT_EQ(plan.steps[0].reason, "PodsReadyTimeout");
}

TEST_F(FamilyTest, VariantsFinishWithTheirParent) {
  World::set(parent, "Finished", true, "Succeeded");
  World::set(of("best"), "Finished", true, "Succeeded");
  EXPECT_THAT(steps(), ElementsAre("finish job-good", "finish job-cheap"));
}

TEST_F(FamilyTest, GatesOpenOneByOneInTheOrderOfFlavors) {
  World::set(of("cheap"), "BlockedOnPreemptionGates", true, "PreemptionGated");
  World::set(of("good"), "BlockedOnPreemptionGates", true, "PreemptionGated");
  EXPECT_THAT(steps(), ElementsAre("open job-good"));
  of("good").preemption_gates[0] = {std::string(kVariantGate), true, kNow - Duration::seconds(299)};
  EXPECT_THAT(steps(), IsEmpty());
  EXPECT_EQ(plan.look_again, kNow + Duration::seconds(1));
  of("good").preemption_gates[0].last_transition = kNow - Duration::seconds(300);
  EXPECT_THAT(steps(), ElementsAre("open job-cheap"));
}

}  // namespace
}  // namespace quorate::admission
