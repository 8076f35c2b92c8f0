// Gangs that a queue manages: held until they are admitted, and what changes afterwards.

#include <gmock/gmock.h>

#include "src/scheduler/test_world.h"

namespace quorate::scheduler {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(QueuedGangTest, WaitsForItsAdmissionAndObeysWhatItAdds) {
  World world;
  const Taint taint{"gpu", "", "NoSchedule"};
  world.node("n1");
  world.node("n2", {.labels = {{"flavor", "gpu"}}, .taints = {taint}});
  PodGroupSpec group = make_group("g", 2);
  group.needs_admission = true;
  world.scheduler.apply(group);
  members(world, "g", 2);
  EXPECT_THAT(world.step(), IsEmpty());
  EXPECT_EQ(world.view("g").state, GroupView::State::WaitsForAdmission);
  world.scheduler.admit_group({{"ns", "g"}, {{"flavor", "gpu"}}, {{"gpu", "Exists", "", ""}}});
  EXPECT_THAT(world.step(), ElementsAre("bind g0 n2", "bind g1 n2"));
}

TEST(QueuedGangTest, WhoReplacesAMemberOfAQueuedGroupWaitsForNoneThatHasSucceeded) {
  World world;
  world.node("n1");
  PodGroupSpec group = make_group("g", 3);
  group.needs_admission = true;
  world.scheduler.apply(group);
  world.scheduler.admit_group({{"ns", "g"}, {}, {}});
  members(world, "g", 3);
  world.step();
  for (const char* name : {"g0", "g1", "g2"}) world.seen_on(name, "n1");
  world.step();
  world.finished("g0");
  world.gone("g1");
  world.pod("g3", {.group = "g"});
  EXPECT_THAT(world.step(), ElementsAre("bind g3 n1"));
  // Both at once are a gang of two.
  world.gone("g2");
  world.gone("g3");
  world.pod("g4", {.group = "g"});
  EXPECT_THAT(world.step(), IsEmpty());
  world.pod("g5", {.group = "g"});
  EXPECT_THAT(world.step(), ElementsAre("bind g4 n1", "bind g5 n1"));
}

TEST(QueuedGangTest, WithdrawnAdmissionHoldsItsMembersAgain) {
  World world;
  PodGroupSpec group = make_group("g", 1);
  group.needs_admission = true;
  world.scheduler.apply(group);
  members(world, "g", 1);
  world.scheduler.admit_group({{"ns", "g"}, {}, {}});
  world.step();  // no node yet
  world.scheduler.withdraw_group({"ns", "g"});
  world.node("n1");
  EXPECT_THAT(world.after(600), IsEmpty());
}

}  // namespace
}  // namespace quorate::scheduler
