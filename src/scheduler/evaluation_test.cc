#include "src/scheduler/evaluation.h"

#include <gmock/gmock.h>

#include <random>

#include "src/scheduler/evaluation_cache.h"
#include "src/scheduler/test_world.h"

namespace quorate::scheduler {
namespace {

// What is kept and caught up with equals what is made anew, whatever happened in between.
TEST(EvaluationCacheTest, EqualsAFreshEvaluation) {
  for (std::uint32_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto pick = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    World world;
    const Framework framework{Profile{}};
    for (int i = 0; i < 8; ++i) world.node("n" + std::to_string(i), {.cpu = 3000});
    std::vector<cluster::Demand> demands;
    for (const std::int64_t cpu : {400, 1100, 2500}) {
      const cluster::PodSpec pod = make_pod("x", {.cpu = cpu});
      demands.push_back(world.model.demand(pod.spec, pod.requests));
    }
    EvaluationCache cache;
    for (int i = 0; i < 60; ++i) {
      const cluster::NodeId node = world.model.nodes()[pick(8)];
      switch (pick(4)) {
        case 0:
          world.model.charge(world.journal, node, demands[pick(2)]);
          break;
        case 1: {
          Transaction trial(world.journal);
          world.model.charge(world.journal, node, demands[2]);
          cache.get(framework, world.model, {&demands[pick(3)]});  // sees the trial
          break;
        }
        case 2:
          world.pod("p" + std::to_string(pick(5)),
                    {.scheduler = "else", .node = "n" + std::to_string(pick(8))});
          break;
        case 3:
          if (pick(5) == 0) {
            world.node("n" + std::to_string(pick(8)), {.cpu = 2000 + 500 * pick(4)});
          }
          break;
      }
      const PodView view{&demands[pick(3)]};
      const Evaluation fresh(framework, world.model, view, world.model.nodes());
      const Evaluation& kept = cache.get(framework, world.model, view);
      ASSERT_EQ(kept.best(), fresh.best());
      ASSERT_EQ(kept.feasible_count(), fresh.feasible_count());
      ASSERT_EQ(kept.fit_error().text, fresh.fit_error().text);
    }
  }
}

// The same where pods decide about each other's places.
TEST(EvaluationCacheTest, EqualsAFreshEvaluationOfRelatedPods) {
  const LabelSelector web{{{"app", Requirement::Op::In, {"web"}}}};
  PodRelations near, shy, spread, soft;
  near.affinity.required = {{web, "zone", {}, {}, {}, {}}};
  shy.anti_affinity.required = {{web, "kubernetes.io/hostname", {}, {}, {}, {}}};
  shy.affinity.preferred = {{7, {web, "zone", {}, {}, {}, {}}}};
  spread.spread = {{1, "zone", true, web, {}, {}, true, false}};
  soft.spread = {{1, "zone", false, web, {}, {}, true, false}};
  soft.anti_affinity.preferred = {{30, {web, "zone", {}, {}, {}, {}}}};
  const std::vector<PodRelations> relations = {{}, near, shy, spread, soft};
  for (std::uint32_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    World world;
    const Framework framework{Profile{}};
    for (int i = 0; i < 6; ++i) {
      world.node("n" + std::to_string(i), {.labels = {{"zone", std::to_string(i % 3)}}});
    }
    const auto args = [&](std::size_t which) {
      return PodArgs{.cpu = 300,
                     .pod_labels = {{"app", pick(3) == 0 ? "db" : "web"}},
                     .relations = relations[which]};
    };
    std::vector<cluster::Demand> demands;
    for (std::size_t i = 0; i < relations.size(); ++i) {
      const cluster::PodSpec pod = make_pod("x", args(i));
      demands.push_back(world.model.demand(pod.spec, pod.requests, "ns"));
    }
    EvaluationCache cache;
    for (int i = 0; i < 60; ++i) {
      switch (pick(4)) {
        case 0: {
          PodArgs there = args(pick(relations.size()));
          there.scheduler = "else";
          there.node = "n" + std::to_string(pick(6));
          world.pod("p" + std::to_string(pick(8)), there);
          break;
        }
        case 1: {
          Transaction trial(world.journal);
          world.model.charge(world.journal, world.model.nodes()[pick(6)],
                             demands[pick(demands.size())]);
          cache.get(framework, world.model, {&demands[pick(demands.size())]});  // sees the trial
          break;
        }
        case 2: {
          const std::string name = "p" + std::to_string(pick(8));
          if (world.pods.contains(name)) world.gone(name);
          break;
        }
        case 3: {
          const std::string name = "p" + std::to_string(pick(8));
          if (world.pods.contains(name)) world.terminating(name);
          break;
        }
      }
      const PodView view{&demands[pick(demands.size())]};
      const Evaluation fresh(framework, world.model, view, world.model.nodes());
      const Evaluation& kept = cache.get(framework, world.model, view);
      ASSERT_EQ(kept.best(), fresh.best());
      ASSERT_EQ(kept.feasible_count(), fresh.feasible_count());
      ASSERT_EQ(kept.fit_error().text, fresh.fit_error().text);
    }
  }
}

// Labels that no selector looks at tell no pods apart; others do.
TEST(SameShapeTest, LooksAtTheLabelsThatSelectorsMention) {
  World world;
  world.node("n");
  const auto demand = [&](const char* index, const char* app) {
    const cluster::PodSpec pod = make_pod("x", {.pod_labels = {{"index", index}, {"app", app}}});
    return world.model.demand(pod.spec, pod.requests, "ns");
  };
  const cluster::Demand a = demand("1", "web"), b = demand("2", "web"), c = demand("1", "db");
  EXPECT_TRUE(same_shape(world.model, {&a}, {&c}));
  PodRelations shy;
  shy.anti_affinity.required = {
      {LabelSelector{{{"app", Requirement::Op::Exists, {}}}}, "zone", {}, {}, {}, {}}};
  world.pod("shy", {.scheduler = "else", .node = "n", .relations = shy});
  EXPECT_TRUE(same_shape(world.model, {&a}, {&b}));
  EXPECT_FALSE(same_shape(world.model, {&a}, {&c}));
}

TEST(EvaluationCacheTest, TellsAdmissionsApart) {
  World world;
  const Framework framework{Profile{}};
  world.node("a", {.labels = {{"flavor", "x"}}});
  world.node("b", {.labels = {{"flavor", "y"}}});
  const cluster::PodSpec pod = make_pod("p");
  const cluster::Demand demand = world.model.demand(pod.spec, pod.requests);
  EvaluationCache cache;
  for (const auto& [flavor, want] : {std::pair{"x", 0u}, std::pair{"y", 1u}, std::pair{"x", 0u}}) {
    const Labels labels = {{"flavor", flavor}};  // gone before the next one comes
    EXPECT_EQ(cache.get(framework, world.model, {&demand, "", &labels}).best(), want);
  }
}

TEST(EvaluationCacheTest, KeepsABoundedNumberOfShapes) {
  World world;
  const Framework framework{Profile{}};
  world.node("a");
  EvaluationCache cache;
  for (int i = 1; i <= 40; ++i) {
    const cluster::PodSpec pod = make_pod("p", {.cpu = 200 * i});
    const cluster::Demand demand = world.model.demand(pod.spec, pod.requests);
    EXPECT_EQ(cache.get(framework, world.model, {&demand}).feasible_count(), i <= 20 ? 1u : 0u);
  }
}

}  // namespace
}  // namespace quorate::scheduler
