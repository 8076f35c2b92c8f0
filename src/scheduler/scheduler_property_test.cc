// Random clusters, random bind outcomes: gangs are whole or absent, forks and orders do not matter.

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <set>
#include <variant>

#include "src/scheduler/test_world.h"

namespace quorate::scheduler {
namespace {

using Event = std::variant<cluster::NodeSpec, cluster::PodSpec, PodGroupSpec>;

// Carries decisions out like an API server whose answers fail, get lost and come late, and an
// owner that recreates what is deleted.
class Cluster {
 public:
  explicit Cluster(std::uint32_t seed) : random_(seed) {}

  std::uint32_t pick(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

  void carry_out(const std::vector<Decision>& decisions, bool healthy) {
    for (const Decision& decision : decisions) {
      if (const auto* bind = std::get_if<Bind>(&decision)) carry_out_bind(*bind, healthy);
      if (const auto* gone = std::get_if<DeleteMember>(&decision)) replace(gone->pod.name);
    }
  }

  void replace(const std::string& name) {
    if (!world.pods.contains(name)) return;
    cluster::PodSpec next = world.pods.at(name);
    world.gone(name);
    next.uid += "'";
    next.node.clear();
    world.pod(next);
  }

  // Members of each group that are on a node for the API server.
  std::map<std::string, int> bound() const {
    std::map<std::string, int> counts;
    for (const auto& [name, pod] : world.pods) {
      if (!pod.group.empty() && !pod.node.empty()) ++counts[pod.group];
    }
    return counts;
  }

  World world;

 private:
  void carry_out_bind(const Bind& bind, bool healthy) {
    const auto pod = world.pods.find(bind.pod.name);
    const bool alive = pod != world.pods.end() && pod->second.uid == bind.pod_uid;
    if (!alive) {
      world.answered(bind.pod.name, BindResult::Gone);
      return;
    }
    const std::uint32_t luck = healthy ? 9 : pick(10);
    if (luck < 3) {
      world.answered(bind.pod.name, BindResult::Failed);
      return;
    }
    if (luck < 4) return;  // neither carried out nor answered
    const bool answered_first = pick(2) == 0;
    const bool lost = !healthy && luck < 6;
    if (answered_first && !lost) world.answered(bind.pod.name, BindResult::Bound);
    world.seen_on(bind.pod.name, bind.node);
    if (!answered_first && !lost) world.answered(bind.pod.name, BindResult::Bound);
  }

  std::mt19937 random_;
};

void build(Cluster& cluster) {
  for (int i = 0; i < 5; ++i) {
    cluster.world.node("n" + std::to_string(i), {.cpu = 2000 + 1000 * cluster.pick(3)});
  }
  for (int g = 0; g < 4; ++g) {
    const std::string group = "g" + std::to_string(g);
    const auto size = 2 + static_cast<std::int32_t>(cluster.pick(3));
    cluster.world.group(group, size);
    for (int i = 0; i < size; ++i) {
      cluster.world.pod(group + "-" + std::to_string(i),
                        {.group = group, .cpu = 500 + 500 * cluster.pick(3), .created = g});
    }
  }
}

// No node ever holds more than it has, by what the API server would see.
bool fits(const World& world) {
  for (const cluster::NodeId node : world.model.nodes()) {
    if (world.model.free(node, cluster::kCpu) < 0) return false;
  }
  return true;
}

TEST(GangPropertyTest, WholeOrAbsentWithinTheBoundUnderAnyOutcome) {
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Cluster cluster(seed);
    build(cluster);
    World& world = cluster.world;
    std::map<std::string, std::int64_t> partial_since;
    for (int second = 0; second < 200; ++second) {
      cluster.carry_out(world.decide(), false);
      if (cluster.pick(20) == 0) {
        cluster.replace("g" + std::to_string(cluster.pick(4)) + "-" +
                        std::to_string(cluster.pick(3)));
      }
      ASSERT_TRUE(fits(world));
      const auto bound = cluster.bound();
      for (int g = 0; g < 4; ++g) {
        const std::string group = "g" + std::to_string(g);
        const int there = bound.contains(group) ? bound.at(group) : 0;
        if (there == 0 || there >= world.view(group).required) {
          partial_since.erase(group);
          continue;
        }
        const auto since = partial_since.try_emplace(group, second).first->second;
        // One second for the step that sees it, one for the deletion to be carried out.
        ASSERT_LE(second - since, 32) << group;
      }
      world.now = world.now + Duration::seconds(1);
    }
    // Outcomes are good from now on: what is partial becomes whole or goes away.
    for (int second = 0; second < 400; ++second) {
      cluster.carry_out(world.decide(), true);
      world.now = world.now + Duration::seconds(1);
    }
    for (const auto& [group, there] : cluster.bound()) {
      ASSERT_GE(there, world.view(group).required) << group;
    }
    ASSERT_FALSE(world.scheduler.busy());
    ASSERT_FALSE(cluster.bound().empty());
  }
}

TEST(GangPropertyTest, HealthyBindsNeverShowAPartialGang) {
  for (std::uint32_t seed = 100; seed < 140; ++seed) {
    Cluster cluster(seed);
    build(cluster);
    for (int i = 0; i < 10; ++i) {
      cluster.carry_out(cluster.world.decide(), true);
      for (const auto& [group, there] : cluster.bound()) {
        ASSERT_GE(there, cluster.world.view(group).required) << "seed " << seed << " " << group;
      }
      cluster.world.now = cluster.world.now + Duration::seconds(11);
      cluster.world.node("extra" + std::to_string(i), {.cpu = 1000});
    }
  }
}

TEST(GangPropertyTest, ForkDecidesTheSameAndLeavesTheOriginalAlone) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Cluster cluster(seed);
    build(cluster);
    World& world = cluster.world;
    for (int i = 0; i < 5; ++i) {
      cluster::Model model = world.model;
      Journal journal;
      Scheduler scheduler = world.scheduler;
      const std::string before = world.digest();
      const auto forked = scheduler.step(model, journal, world.now, 1000);
      ASSERT_EQ(world.digest(), before);
      const auto original = world.decide();
      ASSERT_EQ(forked, original);
      Digest digest;
      model.digest(digest);
      ASSERT_EQ(digest.hex(), world.digest());
      cluster.carry_out(original, false);
      world.now = world.now + Duration::seconds(7);
    }
  }
}

TEST(GangPropertyTest, OrderOfTheFirstListsDoesNotMatter) {
  std::vector<Event> events;
  for (int i = 0; i < 4; ++i) {
    events.emplace_back(make_node("n" + std::to_string(i), {.cpu = 2000 + 500 * i}));
  }
  for (int g = 0; g < 4; ++g) {
    const std::string group = "g" + std::to_string(g);
    events.emplace_back(make_group(group, 2));
    for (int i = 0; i < 3; ++i) {
      events.emplace_back(make_pod(group + "-" + std::to_string(i),
                                   {.group = group,
                                    .cpu = 500 + 250 * ((g + i) % 3),
                                    .more = {{"x/r" + std::to_string(g), Quantity{g == 3 ? 1 : 0}}},
                                    .node = g == 0 && i == 0 ? "n1" : ""}));
    }
    events.emplace_back(make_pod("single" + std::to_string(g), {.priority = g % 2}));
  }
  std::vector<Decision> want;
  for (std::uint32_t seed = 1; seed <= 30; ++seed) {
    std::mt19937 random(seed);
    std::shuffle(events.begin(), events.end(), random);
    World world;
    for (const Event& event : events) {
      if (const auto* node = std::get_if<cluster::NodeSpec>(&event)) world.node(*node);
      if (const auto* pod = std::get_if<cluster::PodSpec>(&event)) world.pod(*pod);
      if (const auto* group = std::get_if<PodGroupSpec>(&event)) world.scheduler.apply(*group);
    }
    const std::vector<Decision> got = world.decide();
    if (want.empty()) want = got;
    ASSERT_EQ(got, want) << "seed " << seed;
  }
  EXPECT_GT(want.size(), 8u);
}

TEST(GangPropertyTest, EqualCallsGiveEqualDecisions) {
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    Cluster a(seed);
    Cluster b(seed);
    build(a);
    build(b);
    for (int i = 0; i < 40; ++i) {
      const auto left = a.world.decide();
      const auto right = b.world.decide();
      ASSERT_EQ(left, right) << "seed " << seed;
      a.carry_out(left, false);
      b.carry_out(right, false);
      a.world.now = a.world.now + Duration::seconds(3);
      b.world.now = a.world.now;
    }
  }
}

}  // namespace
}  // namespace quorate::scheduler
