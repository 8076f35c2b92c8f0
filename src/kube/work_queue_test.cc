#include "src/kube/work_queue.h"

#include <gmock/gmock.h>

#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "src/http/manual_loop.h"

namespace quorate::kube {
namespace {

class WorkQueueTest : public testing::Test {
 protected:
  http::ManualLoop loop_;
  WorkQueue<std::string> queue_{loop_, {.base = Duration::millis(10), .max = Duration::millis(50)}};

  std::string take() { return queue_.try_next().value_or("-"); }
};

TEST_F(WorkQueueTest, AKeyWaitsOnce) {
  queue_.add("a");
  queue_.add("b");
  queue_.add("a");
  EXPECT_EQ(queue_.size(), 2u);
  EXPECT_EQ(take(), "a");
  EXPECT_EQ(take(), "b");
  EXPECT_EQ(take(), "-");
}

TEST_F(WorkQueueTest, AKeyAddedWhileWorkedOnRunsAgainAfterwards) {
  queue_.add("a");
  EXPECT_EQ(take(), "a");
  queue_.add("a");
  queue_.add("a");
  EXPECT_EQ(take(), "-");  // one worker at a time
  queue_.done("a");
  EXPECT_EQ(take(), "a");
  queue_.done("a");
  EXPECT_EQ(take(), "-");
}

TEST_F(WorkQueueTest, DelayedAddsComeInTime) {
  queue_.add_after("a", Duration::seconds(2));
  loop_.advance(Duration::seconds(1));
  EXPECT_EQ(take(), "-");
  loop_.advance(Duration::seconds(1));
  EXPECT_EQ(take(), "a");
}

TEST_F(WorkQueueTest, RetriesBackOffPerKeyUntilForgotten) {
  const auto retry_delay = [&](const std::string& key) {
    queue_.retry(key);
    std::int64_t ms = 0;
    for (; queue_.size() == 0; ++ms) loop_.advance(Duration::millis(1));
    queue_.done(take());
    return ms;
  };
  EXPECT_EQ(retry_delay("a"), 10);
  EXPECT_EQ(retry_delay("a"), 20);
  EXPECT_EQ(retry_delay("a"), 40);
  EXPECT_EQ(retry_delay("a"), 50);
  EXPECT_EQ(retry_delay("b"), 10);
  EXPECT_EQ(queue_.failures("a"), 4u);
  queue_.forget("a");
  EXPECT_EQ(retry_delay("a"), 10);
}

TEST_F(WorkQueueTest, AfterShutDownNothingComes) {
  queue_.add("a");
  queue_.add_after("b", Duration::seconds(1));
  queue_.shut_down();
  loop_.advance(Duration::seconds(1));
  EXPECT_EQ(queue_.next(), std::nullopt);
}

TEST_F(WorkQueueTest, MayDieBeforeItsDelayedAdds) {
  {
    WorkQueue<std::string> gone(loop_);
    gone.add_after("a", Duration::seconds(1));
  }
  loop_.advance(Duration::seconds(2));
}

// Four workers, two producers: each key's work never overlaps, and the last add is always followed
// by work.
TEST(WorkQueueThreads, OneWorkerPerKeyAndNoAddIsLost) {
  const auto loop = http::make_thread_loop();
  WorkQueue<int> queue(*loop);
  constexpr int kKeys = 5;
  std::array<std::atomic<int>, kKeys> working{};
  std::array<std::atomic<int>, kKeys> added{};
  std::array<std::atomic<int>, kKeys> seen{};
  std::atomic<bool> overlapped{false};
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; ++i) {
    workers.emplace_back([&] {
      while (const std::optional<int> key = queue.next()) {
        const auto k = static_cast<std::size_t>(*key);
        if (working[k].fetch_add(1) != 0) overlapped = true;
        seen[k] = added[k].load();
        working[k].fetch_sub(1);
        queue.done(*key);
      }
    });
  }
  std::vector<std::thread> producers;
  for (int i = 0; i < 2; ++i) {
    producers.emplace_back([&] {
      for (int n = 0; n < 5000; ++n) {
        ++added[static_cast<std::size_t>(n % kKeys)];
        queue.add(n % kKeys);
      }
    });
  }
  for (std::thread& producer : producers) producer.join();
  const auto all_seen = [&] {
    for (std::size_t k = 0; k < kKeys; ++k) {
      if (seen[k] != added[k]) return false;
    }
    return true;
  };
  while (!all_seen()) std::this_thread::yield();
  queue.shut_down();
  for (std::thread& worker : workers) worker.join();
  EXPECT_FALSE(overlapped);
}

}  // namespace
}  // namespace quorate::kube
