#include "src/scheduler/queue.h"

#include <gmock/gmock.h>

#include "src/scheduler/plugins/plugins.h"

namespace quorate::scheduler {
namespace {

using testing::ElementsAre;

const auto& kSort = dynamic_cast<const QueueSortPlugin&>(priority_sort());

Time at(std::int64_t seconds) { return Time::from_seconds(seconds); }
EntityKey pod(const std::string& name) { return {false, {"ns", name}}; }
Rank rank(const std::string& name, std::int64_t priority = 0, std::int64_t since = 0) {
  return {priority, false, at(since), pod(name)};
}

Queue make_queue(bool pop_from_backoff = false) {
  Queue queue(kSort);
  Config config;
  config.pop_from_backoff = pop_from_backoff;
  queue.configure(config);
  return queue;
}

std::vector<std::string> drain(Queue& queue, Time now) {
  std::vector<std::string> names;
  while (const auto next = queue.pop(now)) names.push_back(next->key.name);
  return names;
}

TEST(QueueTest, PriorityThenAgeThenName) {
  Queue queue = make_queue();
  queue.offer(rank("young", 0, 9), at(0));
  queue.offer(rank("b", 0, 5), at(0));
  queue.offer(rank("a", 0, 5), at(0));
  queue.offer(rank("high", 7, 9), at(0));
  EXPECT_THAT(drain(queue, at(0)), ElementsAre("high", "a", "b", "young"));
}

TEST(QueueTest, BrokenGangComesBeforeItsEquals) {
  Queue queue = make_queue();
  queue.offer(rank("old", 0, 1), at(0));
  queue.offer({0, true, at(9), pod("broken")}, at(0));
  EXPECT_THAT(drain(queue, at(0)), ElementsAre("broken", "old"));
}

TEST(QueueTest, BacksOffOneTwoFourEightTenSecondsAfterAnEvent) {
  Queue queue = make_queue();
  queue.offer(rank("p"), at(0));
  Time now = at(0);
  for (const std::int64_t wait : {1, 2, 4, 8, 10, 10}) {
    ASSERT_EQ(queue.pop(now), pod("p"));
    queue.unschedulable(pod("p"), now, 1);
    EXPECT_EQ(queue.pop(now), std::nullopt);
    queue.activate(pod("p"), now);
    EXPECT_EQ(queue.next_wakeup(), now + Duration::seconds(wait));
    EXPECT_EQ(queue.pop(now + Duration::millis(wait * 1000 - 1)), std::nullopt) << wait;
    now = now + Duration::seconds(wait);
  }
}

TEST(QueueTest, WithoutAnEventOnlyTheFlushBringsItBack) {
  Queue queue = make_queue();
  queue.offer(rank("p"), at(0));
  queue.pop(at(0));
  queue.unschedulable(pod("p"), at(0), 1);
  EXPECT_EQ(queue.next_wakeup(), at(300));
  EXPECT_EQ(queue.pop(at(299)), std::nullopt);
  EXPECT_EQ(queue.pop(at(300)), pod("p"));
}

TEST(QueueTest, EarlyPopSkipsTheBackoffOfAnEventButNotOfAnError) {
  Queue queue = make_queue(true);
  queue.offer(rank("p"), at(0));
  queue.offer(rank("q"), at(0));
  queue.pop(at(0));
  queue.pop(at(0));
  queue.unschedulable(pod("p"), at(0), 1);
  queue.failed(pod("q"), at(0));
  EXPECT_EQ(queue.pop(at(0)), std::nullopt);
  queue.activate(pod("p"), at(0));
  EXPECT_EQ(queue.pop(at(0)), pod("p"));
  EXPECT_EQ(queue.pop(at(0)), std::nullopt);
  EXPECT_EQ(queue.pop(at(1)), pod("q"));
}

TEST(QueueTest, HeldEntityKeepsItsBackoff) {
  Queue queue = make_queue();
  queue.offer(rank("p"), at(0));
  queue.pop(at(0));
  queue.failed(pod("p"), at(0));
  queue.hold(pod("p"));
  EXPECT_EQ(queue.next_wakeup(), std::nullopt);
  queue.offer(rank("p"), at(0));
  EXPECT_EQ(queue.pop(at(0)), std::nullopt);
  EXPECT_EQ(queue.pop(at(1)), pod("p"));
}

TEST(QueueTest, FailedAttemptGoesBehindItsEquals) {
  Queue queue = make_queue();
  queue.offer(rank("a", 0, 1), at(100));
  queue.offer(rank("b", 0, 2), at(100));
  queue.pop(at(100));
  queue.failed(pod("a"), at(100));
  EXPECT_THAT(drain(queue, at(101)), ElementsAre("b", "a"));
}

TEST(QueueTest, PriorityChangeMovesAWaitingEntity) {
  Queue queue = make_queue();
  queue.offer(rank("a", 0), at(0));
  queue.offer(rank("b", 0), at(0));
  queue.offer(rank("b", 50), at(0));
  EXPECT_THAT(drain(queue, at(0)), ElementsAre("b", "a"));
}

TEST(QueueTest, CopyIsIndependent) {
  Queue queue = make_queue();
  queue.offer(rank("a"), at(0));
  Queue fork = queue;
  queue.remove(pod("a"));
  EXPECT_THAT(drain(fork, at(0)), ElementsAre("a"));
  EXPECT_THAT(drain(queue, at(0)), ElementsAre());
}

}  // namespace
}  // namespace quorate::scheduler
