// Classic preemption as tables: queues, who holds quota, who wants in, and who has to leave.

#include "admission/preemption.h"

#include <gtest/gtest.h>

#include "admission/testing/preemption_world.h"

namespace quorate::admission {
namespace {

using testing::PreemptionWorld;

struct Case {
  std::string name, queues, holding, incoming, want;
};

class ClassicTest : public ::testing::TestWithParam<Case> {};

TEST_P(ClassicTest, Preempts) {
  const Case& given = GetParam();
  PreemptionWorld world;
  world.queues(given.queues);
  world.holding(given.holding);
  EXPECT_EQ(world.run(given.incoming), given.want);
}

INSTANTIATE_TEST_SUITE_P(
    Vectors, ClassicTest,
    ::testing::ValuesIn(std::vector<Case>{
        // clang-format off
        {"PC01", "s {f/cpu=8} (within=LowerPriority)",
         "a@s f/cpu=3 p-1; b@s f/cpu=3 p0; c@s f/cpu=2 p1",
         "s p1 main*1: cpu=3", "Preempt cpu>f: a InClusterQueue"},
        {"PC02", "s {f/cpu=8} (within=LowerPriority)",
         "a@s f/cpu=3 p-1; b@s f/cpu=3 p0; c@s f/cpu=2 p1",
         "s p1 main*1: cpu=5", "Preempt cpu>f: a InClusterQueue, b InClusterQueue"},
        {"PC03", "s {f/cpu=8} (within=LowerPriority)",
         "a@s f/cpu=3 p-1; b@s f/cpu=3 p0; c@s f/cpu=2 p1",
         "s p0 main*1: cpu=3", "Preempt cpu>f: a InClusterQueue"},
        {"PC04", "s {f/cpu=8} (within=LowerPriority)",
         "a@s f/cpu=3 p-1; b@s f/cpu=3 p0; c@s f/cpu=2 p1",
         "s p-1 main*1: cpu=3", "Preempt cpu>f: none"},
        {"PC05", "s {f/cpu=8} (within=LowerPriority)",
         "a@s f/cpu=1 p-1; b@s f/cpu=7 p0",
         "s p1 main*1: cpu=6", "Preempt cpu>f: b InClusterQueue"},
        {"PC06", "s {f/cpu=8} (within=LowerPriority)",
         "a@s f/cpu=4 p0 reserved t-100; b@s f/cpu=4 p0 reserved t-10",
         "s p1 main*1: cpu=4", "Preempt cpu>f: b InClusterQueue"},
        {"PC07", "s {f/cpu=8} (within=LowerPriority)",
         "a@s f/cpu=4 p0; b@s f/cpu=4 p0",
         "s p1 main*1: cpu=4", "Preempt cpu>f: a InClusterQueue"},
        {"PC08", "s {f/cpu=8} (within=LowerOrNewerEqualPriority)",
         "a@s f/cpu=4 p0 created t-100; b@s f/cpu=4 p0 created t-10",
         "s p0 t-50 main*1: cpu=4", "Preempt cpu>f: b InClusterQueue"},
        {"PC09", "s {f/cpu=8} (within=LowerOrNewerEqualPriority)",
         "a@s f/cpu=4 p0 created t-100; b@s f/cpu=4 p0 created t-50",
         "s p0 t-50 main*1: cpu=4", "Preempt cpu>f: none"},
        {"PC10", "s {f/cpu=8} (within=LowerPriority)",
         "a@s f/cpu=4 p0 EVICTED; b@s f/cpu=4 p-1",
         "s p1 main*1: cpu=4", "Preempt cpu>f: a InClusterQueue"},
        {"PC11", "a@k {f/cpu=6} (reclaim=LowerPriority); b@k {f/cpu=6}",
         "b1@b f/cpu=3 p0; b2@b f/cpu=3 p0; b3@b f/cpu=3 p-1",
         "a p0 main*1: cpu=6", "Preempt cpu>f: b3 InCohortReclamation"},
        {"PC12", "a@k {f/cpu=6} (reclaim=Any); b@k {f/cpu=6}",
         "b1@b f/cpu=3 p0; b2@b f/cpu=3 p0; b3@b f/cpu=3 p-1",
         "a p-5 main*1: cpu=6", "Preempt cpu>f: b3 InCohortReclamation"},
        {"PC13", "a@k {f/cpu=6} (reclaim=LowerPriority); b@k {f/cpu=6}",
         "b1@b f/cpu=3 p0; b2@b f/cpu=3 p0; b3@b f/cpu=3 p-1",
         "a p-5 main*1: cpu=6", "Preempt cpu>f: none"},
        {"PC14", "a@k {f/cpu=6} (reclaim=Any); b@k {f/cpu=6}",
         "b1@b f/cpu=4 p0; b2@b f/cpu=3 p0",
         "a p0 main*1: cpu=6", "Preempt cpu>f: b1 InCohortReclamation"},
        {"PC15", "a@k {f/cpu=6} (reclaim=Any); b@k {f/cpu=6}",
         "b1@b f/cpu=2 p5; b2@b f/cpu=6 p9",
         "a p0 main*1: cpu=6", "Preempt cpu>f: b1 InCohortReclamation"},
        {"PC16", "a@k {f/cpu=6} (within=LowerPriority reclaim=Never); b@k {f/cpu=6}",
         "b1@b f/cpu=3 p0; b2@b f/cpu=3 p0; b3@b f/cpu=3 p-1",
         "a p9 main*1: cpu=6", "Preempt cpu>f: none"},
        {"PC17", "a@k {f/cpu=6} (within=LowerPriority reclaim=LowerPriority); b@k {f/cpu=6}",
         "a1@a f/cpu=3 p-9; b1@b f/cpu=3 p0; b2@b f/cpu=6 p0",
         "a p1 main*1: cpu=3", "Preempt cpu>f: b1 InCohortReclamation"},
        {"PC18", "a@k {f/cpu=6} (within=LowerPriority reclaim=LowerPriority); b@k {f/cpu=6}",
         "a1@a f/cpu=3 p-9; b1@b f/cpu=3 p0; b2@b f/cpu=6 p0",
         "a p1 main*1: cpu=6", "Preempt cpu>f: a1 InClusterQueue, b1 InCohortReclamation"},
        {"PC19", "a@k {f/cpu=2} (reclaim=LowerPriority bwc=LowerPriority); b@k {f/cpu=2}; s@k {f/cpu=6}",
         "b1@b f/cpu=5 p-1; b2@b f/cpu=5 p-1",
         "a p0 main*1: cpu=4", "Preempt cpu>f level 1: b1 InCohortReclaimWhileBorrowing"},
        {"PC20", "a@k {f/cpu=2} (reclaim=LowerPriority bwc=LowerPriority threshold=-5); b@k {f/cpu=2}; s@k {f/cpu=6}",
         "b1@b f/cpu=5 p-1; b2@b f/cpu=5 p-1",
         "a p0 main*1: cpu=4", "Preempt cpu>f level 1: none"},
        {"PC21", "a@k {f/cpu=2} (reclaim=LowerPriority bwc=LowerPriority threshold=-5); b@k {f/cpu=2}; s@k {f/cpu=6}",
         "b1@b f/cpu=5 p-1; b2@b f/cpu=5 p-1",
         "a p0 main*1: cpu=2", "Preempt cpu>f: b1 InCohortReclamation"},
        {"PC22", "a@k {f/cpu=2} (reclaim=LowerPriority bwc=LowerPriority threshold=-1); b@k {f/cpu=2}; s@k {f/cpu=6}",
         "b1@b f/cpu=5 p-1; b2@b f/cpu=5 p-1",
         "a p0 main*1: cpu=4", "Preempt cpu>f level 1: b1 InCohortReclaimWhileBorrowing"},
        {"PC23", "a@k {f/cpu=2} (reclaim=LowerPriority); b@k {f/cpu=2}; s@k {f/cpu=6}",
         "b1@b f/cpu=5 p-1; b2@b f/cpu=5 p-1",
         "a p0 main*1: cpu=4", "NoFit WaitingForQuota"},
        {"PC24", "cohort r; cohort x<r; cohort y<r; a@x {f/cpu=4} (reclaim=Any); b@x {f/cpu=4}; c@y {f/cpu=4}",
         "b1@b f/cpu=2 p0; c1@c f/cpu=4 p99; c2@c f/cpu=4 p99",
         "a p-3 main*1: cpu=6", "Preempt cpu>f level 1: c1 InCohortReclamation"},
        {"PC25", "cohort r; cohort x<r; cohort y<r; a@x {f/cpu=4} (reclaim=Any); b@x {f/cpu=4}; c@y {f/cpu=4}",
         "b1@b f/cpu=4 p0; c1@c f/cpu=4 p99; c2@c f/cpu=4 p99",
         "a p-3 main*1: cpu=6", "NoFit WaitingForQuota"},
        {"PC26", "cohort r; cohort x<r; cohort y<r; cohort z<r; a@x {f/cpu=4} (reclaim=Any); c@y {f/cpu=2}; d@y {f/cpu=4}; e@z {f/cpu=2}",
         "c1@c f/cpu=4 p-9; e1@e f/cpu=4 p5; e2@e f/cpu=2 p9",
         "a p0 main*1: cpu=4", "Preempt cpu>f: e1 InCohortReclamation"},
        {"PC27", "a@k {f/cpu=6, f/memory=6Gi} (reclaim=Any); b@k {f/cpu=6, f/memory=6Gi}",
         "b1@b f/cpu=8+f/memory=1Gi p0; b2@b f/memory=6Gi p-5",
         "a p0 main*1: cpu=6, memory=4Gi", "Preempt cpu>f memory>f: b1 InCohortReclamation"},
        {"PC28", "s {f1/cpu=4, f2/cpu=0} (within=LowerPriority)",
         "w1@s f1/cpu=4 p-1; w2@s f2/cpu=4 p-9",
         "s p0 main*1: cpu=4", "Preempt cpu>f1: w1 InClusterQueue"},
        {"PC29", "a@k {f/cpu=6 l2} (reclaim=Any); b@k {f/cpu=6}",
         "b1@b f/cpu=4 p0; b2@b f/cpu=4 p0",
         "a p0 main*1: cpu=6", "Preempt cpu>f: b1 InCohortReclamation"},
        {"PC30", "a@k {f/cpu=6 l2} (reclaim=Any); b@k {f/cpu=6}",
         "b1@b f/cpu=4 p0; b2@b f/cpu=4 p0",
         "a p0 main*1: cpu=4", "Fit cpu>f"},
        {"PC31", "a@k {f/cpu=4} (within=LowerPriority); b@k {f/cpu=4}",
         "a1@a f/cpu=2 p-1; a2@a f/cpu=4 p0; b1@b f/cpu=2 p0",
         "a p0 main*1: cpu=2", "Preempt cpu>f level 1: a1 InClusterQueue"},
        {"PC32", "a@k {f/cpu=4} (within=LowerPriority); b@k {f/cpu=4}",
         "a1@a f/cpu=4 p-1; b1@b f/cpu=4 p-1",
         "a p0 main*1: cpu=6", "NoFit WaitingForQuota"},
        {"PC33", "s {f/cpu=8} (within=LowerPriority)",
         "a@s f/cpu=8 p-9",
         "s p5 main*1: cpu=9", "NoFit ExceedsMaxQuota"},
        {"PC34", "s {f/cpu=8} (within=LowerPriority)",
         "a@s f/cpu=1 p-3; b@s f/cpu=2 p-2; c@s f/cpu=5 p-1",
         "s p1 main*1: cpu=5", "Preempt cpu>f: c InClusterQueue"},
        {"PC35", "s {f/cpu=8} (within=LowerPriority)",
         "a@s f/cpu=1 p-3; b@s f/cpu=2 p-2; c@s f/cpu=5 p-1",
         "s p1 main*1: cpu=7", "Preempt cpu>f: b InClusterQueue, c InClusterQueue"},
        {"PC36", "a@k {f/cpu=6} (reclaim=LowerPriority); b@k {f/cpu=6}",
         "b1@b f/cpu=12 p0",
         "a p0 main*1: cpu=6", "Preempt cpu>f: none"},
        {"PC37", "s {f/cpu=4, f/memory=8Gi} (within=LowerPriority)",
         "x@s f/cpu=4 p0; y@s f/memory=4Gi p-5",
         "s p5 main*1: cpu=2, memory=1Gi", "Preempt cpu>f memory>f: x InClusterQueue"},
        {"PC38", "a@k {f/cpu=2} (within=LowerPriority reclaim=LowerPriority bwc=LowerPriority threshold=0); b@k {f/cpu=2}; s@k {f/cpu=6}",
         "a1@a f/cpu=4 p-1; b1@b f/cpu=3 p0; b2@b f/cpu=3 p5",
         "a p1 main*1: cpu=7", "Preempt cpu>f level 1: a1 InClusterQueue, b1 InCohortReclaimWhileBorrowing"},
        {"PC39", "a@k {f/cpu=4} (reclaim=Any); b@k {f/cpu=4}; c@k {f/cpu=4}",
         "b1@b f/cpu=8 p9; c1@c f/cpu=4 p-9",
         "a p0 main*1: cpu=4", "Preempt cpu>f: b1 InCohortReclamation"},
        {"PC40", "cohort r {f/cpu=4}; a@r {f/cpu=4} (reclaim=Any); b@r {f/cpu=0}",
         "b1@b f/cpu=3 p0 reserved t-1; b2@b f/cpu=5 p0 reserved t-9",
         "a p0 main*1: cpu=3", "Preempt cpu>f: b1 InCohortReclamation"},
        // Flavor assignment reacts to what preemption would come to.
        {"QF26StopsAtThePreemptableFlavor", "q {f1/cpu=4, f2/cpu=4} (within=LowerPriority whenCanPreempt=MayStopSearch)",
         "low@q f1/cpu=4 p-1", "q p10 main*1: cpu=4", "Preempt cpu>f1: low InClusterQueue"},
        {"QF27BorrowsRatherThanPreempts", "a@k {f1/cpu=4, f2/cpu=1} (within=LowerPriority whenCanBorrow=TryNextFlavor whenCanPreempt=TryNextFlavor); b@k {f2/cpu=5}",
         "low@a f1/cpu=4 p-1", "a p1 main*1: cpu=4", "Fit cpu>f2 level 1"},
        {"QF28PreemptsRatherThanBorrows", "a@k {f1/cpu=4, f2/cpu=1} (within=LowerPriority whenCanBorrow=TryNextFlavor whenCanPreempt=TryNextFlavor preference=PreemptionOverBorrowing); b@k {f2/cpu=5}",
         "low@a f1/cpu=4 p-1", "a p1 main*1: cpu=4", "Preempt cpu>f1: low InClusterQueue"},
        {"QF29ReclaimBeforePreempt", "a@k {f1/cpu=4, f2/cpu=4} (within=LowerPriority reclaim=Any); b@k {f2/cpu=0}",
         "low@a f1/cpu=4 p-1; bor@b f2/cpu=4 p5", "a p1 main*1: cpu=4", "Preempt cpu>f2: bor InCohortReclamation"},
        {"QF30NoVictimsIsNoReasonToStop", "q {f1/cpu=4, f2/cpu=4} (within=LowerPriority whenCanPreempt=MayStopSearch)",
         "hi@q f1/cpu=4 p9; low@q f2/cpu=4 p-1", "q p0 main*1: cpu=4", "Preempt cpu>f2: low InClusterQueue"},
        {"QF40FewerPodsWithVictims", "q {f/cpu=10} (within=LowerPriority)",
         "low@q f/cpu=5 p0; hi@q f/cpu=2 p1", "q p1 main*10 min 2: cpu=1", "Preempt [8] cpu>f: low InClusterQueue"},
        {"QF44ReclaimIsNotAllowed", "a@k {f/cpu=2} (within=LowerPriority); b@k {f/cpu=4}",
         "w@b f/cpu=6 p-9", "a p0 main*1: cpu=2", "Preempt cpu>f: none"},
        {"QF50TheWorstResourceDecides", "a@k {f1/cpu=4, f1/memory=4} (within=LowerPriority whenCanBorrow=TryNextFlavor whenCanPreempt=TryNextFlavor); b@k {f1/cpu=8, f1/memory=0}",
         "low@a f1/memory=4 p-1", "a p1 main*1: cpu=6, memory=2", "Preempt cpu>f1 memory>f1 level 1: low InClusterQueue"},
        // The pods themselves count like any other resource.
        {"QF55PodsCannotBeHad", "q {f/cpu=4, f/pods=2} (within=LowerPriority)",
         "low@q f/cpu=4 p-1; hi@q f/pods=2 p5", "q p0 main*1: cpu=2", "Preempt cpu>f pods>f: none"},
        {"QF56AsManyVictimsAsPods", "q {f/cpu=4, f/pods=2} (within=LowerPriority)",
         "lowa@q f/pods=1 p-1; lowb@q f/pods=1 p-2", "q p0 main*2: cpu=2", "Preempt cpu>f pods>f: lowa InClusterQueue, lowb InClusterQueue"},
        // Publicly reported faults.
        {"B008ZeroOfAFullResource", "q {f/cpu=4, f/widget=2} (within=LowerPriority)",
         "lo-cpu@q f/cpu=4 p-1; lo-wid@q f/widget=2 p-1", "q p5 main*1: cpu=4, widget=0", "Preempt cpu>f widget>f: lo-cpu InClusterQueue"},
        {"B017NotInOtherQueuesByPriorityAlone", "q1@k {f/gpu=4} (within=LowerPriority); q2@k {f/gpu=4} (within=LowerPriority); q3@k {f/gpu=0} (within=LowerPriority)",
         "w1@q1 f/gpu=4 p-1; w2@q2 f/gpu=4 p-1", "q3 p9 main*1: gpu=4", "NoFit WaitingForQuota"},
        {"B028AFlavorWithoutVictimsIsNotPreferred", "cohort root {burst/cpu=7}; cohort mid<root; m@mid {steady/cpu=4 b0, burst/cpu=0} (within=LowerPriority reclaim=Any whenCanBorrow=TryNextFlavor whenCanPreempt=TryNextFlavor preference=PreemptionOverBorrowing); idle@mid {steady/cpu=4}",
         "m1@m steady/cpu=4 p0", "m p0 main*1: cpu=3", "Fit cpu>burst level 2"},
        {"B092TheShieldedQueueDoesNotEndTheSearch", "prod@k {f/cpu=8} (reclaim=Any); batch@k {f/cpu=0}; shielded@k {f/cpu=4}",
         "run@prod f/cpu=4 p0; b1..b3@batch f/cpu=2 p0; sh@shielded f/cpu=2 p-9", "prod p0 main*1: cpu=4",
         "Preempt cpu>f: b1 InCohortReclamation, b2 InCohortReclamation"},
        {"B103WhoStopsAlreadyIsEnough", "q {f/cpu=6} (within=LowerPriority)",
         "v1..v2@q f/cpu=2 p-1; v3@q f/cpu=2 p-1 EVICTED", "q p0 main*1: cpu=2", "Preempt cpu>f: v3 InClusterQueue"},
        {"ReclaimOfWhatTheCohortItselfOwns", "cohort k {f/cpu=4}; a@k {f/cpu=2} (reclaim=Any); b@k {f/cpu=2}",
         "b1@b f/cpu=8 p0", "a p0 main*1: cpu=2", "Preempt cpu>f: b1 InCohortReclamation"},
        // clang-format on
    }),
    [](const auto& test) { return test.param.name; });

// --- the order of candidates ---

std::string taken(PreemptionWorld& world, const std::string& own_queue) {
  std::vector<Candidate> candidates;
  for (const PreemptionWorld::Held& one : world.held) candidates.push_back(one.candidate);
  sort_candidates(candidates, world.tree.cluster_queue(own_queue));
  std::string all;
  for (const Candidate& one : candidates) all += (all.empty() ? "" : ", ") + one.facts->key.name;
  return all;
}

struct OrderCase {
  std::string name, holding, want;
  bool boost = false;
};

class CandidateOrderTest : public ::testing::TestWithParam<OrderCase> {};

TEST_P(CandidateOrderTest, IsTheOnlyOne) {
  const OrderCase& given = GetParam();
  PreemptionWorld world;
  world.config.priority_boost = given.boost;
  world.queues("q@k {f/cpu=9}; x@k {f/cpu=9}; y@k {f/cpu=9}");
  world.holding(given.holding);
  EXPECT_EQ(taken(world, "q"), given.want);
  std::reverse(world.held.begin(), world.held.end());
  EXPECT_EQ(taken(world, "q"), given.want);
}

INSTANTIATE_TEST_SUITE_P(
    Vectors, CandidateOrderTest,
    ::testing::ValuesIn(std::vector<OrderCase>{
        // clang-format off
        {"PO01", "u@q f/cpu=1 p0 reserved t-10; v@x f/cpu=1 p9 reserved t-10", "v, u"},
        {"PO02", "u@x f/cpu=1 p1; v@x f/cpu=1 p0", "v, u"},
        {"PO03", "u@x f/cpu=1 p0 reserved t-100; v@x f/cpu=1 p0 reserved t-5", "v, u"},
        {"PO04", "u@q f/cpu=1 p9 EVICTED; v@x f/cpu=1 p0", "u, v"},
        {"PO05", "b@x f/cpu=1 p0; a@x f/cpu=1 p0", "a, b"},  // the uid follows the name
        {"PO06", "u@q f/cpu=1 p0 local l1 usage 4; v@q f/cpu=1 p5 local l2 usage 9", "v, u"},
        {"PO07", "u@q f/cpu=1 p3 local l1 usage 4; v@q f/cpu=1 p1 local l1 usage 4", "v, u"},
        {"PO08", "u@x f/cpu=1 p5 local l1 usage 4; v@y f/cpu=1 p9 local l2 usage 9", "u, v"},
        {"PO10", "u@x f/cpu=1 p0 boost 5; v@x f/cpu=1 p3", "v, u", true},
        {"PO10WithoutTheGate", "u@x f/cpu=1 p0 boost 5; v@x f/cpu=1 p3", "u, v", false},
        {"UsageThatIsNotKnownDoesNotCount", "u@q f/cpu=1 p0 local l1; v@q f/cpu=1 p5 local l2 usage 9", "u, v"},
        // clang-format on
    }),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace quorate::admission
