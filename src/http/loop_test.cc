#include "src/http/loop.h"

#include <gmock/gmock.h>

#include <future>
#include <thread>
#include <vector>

#include "src/http/manual_loop.h"

namespace quorate::http {
namespace {

using testing::ElementsAre;

TEST(ManualLoop, RunsTasksInOrderOfTheirMoments) {
  ManualLoop loop;
  std::vector<int> ran;
  loop.after(Duration::seconds(2), [&] { ran.push_back(2); });
  loop.after(Duration::seconds(1), [&] { ran.push_back(1); });
  loop.post([&] { ran.push_back(0); });
  const Loop::TimerId dropped = loop.after(Duration::seconds(1), [&] { ran.push_back(9); });
  loop.cancel(dropped);
  EXPECT_EQ(loop.run(), 1);
  EXPECT_THAT(ran, ElementsAre(0));
  loop.advance(Duration::seconds(5));
  EXPECT_THAT(ran, ElementsAre(0, 1, 2));
  EXPECT_EQ(loop.now() - Steady{}, Duration::seconds(5));
}

TEST(ManualLoop, TimeStandsAtTheDueMomentWhileATaskRuns) {
  ManualLoop loop;
  std::vector<std::int64_t> at;
  loop.after(Duration::seconds(1), [&] {
    at.push_back(loop.now().nanos / 1'000'000'000);
    loop.after(Duration::seconds(1), [&] { at.push_back(loop.now().nanos / 1'000'000'000); });
  });
  loop.advance(Duration::seconds(10));
  EXPECT_THAT(at, ElementsAre(1, 2));
}

TEST(ThreadLoop, RunsTasksOfAllThreadsOneAtATime) {
  const auto loop = make_thread_loop();
  int count = 0;  // touched on the loop only
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) loop->post([&] { ++count; });
    });
  }
  for (std::thread& thread : threads) thread.join();
  int seen = 0;
  loop->run_and_wait([&] { seen = count; });
  EXPECT_EQ(seen, 2000);
}

TEST(ThreadLoop, TimersFireInOrderAndCancelledOnesDoNot) {
  const auto loop = make_thread_loop();
  std::vector<int> ran;
  std::promise<void> done;
  loop->run_and_wait([&] {
    loop->after(Duration::millis(4), [&] {
      ran.push_back(2);
      done.set_value();
    });
    const auto dropped = loop->after(Duration::millis(2), [&] { ran.push_back(9); });
    loop->after(Duration::millis(1), [&] { ran.push_back(1); });
    loop->cancel(dropped);
  });
  done.get_future().wait();
  EXPECT_THAT(ran, ElementsAre(1, 2));
}

TEST(ThreadLoop, RunAndWaitFromATaskRunsInline) {
  const auto loop = make_thread_loop();
  bool inner = false;
  loop->run_and_wait([&] {
    EXPECT_TRUE(loop->on_loop());
    loop->run_and_wait([&] { inner = true; });
    EXPECT_TRUE(inner);
  });
  EXPECT_FALSE(loop->on_loop());
}

TEST(Clocks, SteadyGoesForwardAndWallIsToday) {
  const Steady before = steady_now();
  EXPECT_LE(before, steady_now());
  EXPECT_GT(wall_now(), Time::from_seconds(1'700'000'000));
}

}  // namespace
}  // namespace quorate::http
