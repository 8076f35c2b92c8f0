#include "src/engine/placement_adapter.h"

#include <gmock/gmock.h>

namespace quorate::engine {
namespace {

class PlacementAdapterTest : public testing::Test {
 protected:
  PlacementAdapterTest() {
    cluster::NodeSpec node;
    node.name = "n1";
    node.ready = true;
    node.allocatable = {{"cpu", Quantity{1000}}, {"pods", Quantity{10}}};
    model.apply(journal, node);
  }

  // A gang of one pod set whose pods ask for that many cores.
  admission::GangToPlace gang(const std::string& scheduler, std::int64_t cores,
                              std::vector<std::string> gates = {}) const {
    auto pod = std::make_shared<PodTemplate>();
    pod->scheduler_name = scheduler;
    pod->scheduling_gates = std::move(gates);
    pod->containers = {{.name = "c", .requests = {{"cpu", Quantity{cores * 1000}}}}};
    return {{"team", "job"}, "uid-job", {{"main", 1, std::move(pod), {}, {}}}};
  }
  bool held() const { return model.reservation("uid-job") != nullptr; }

  Journal journal;
  cluster::Model model;
  scheduler::Config config;
  PlacementAdapter adapter{model, journal, config};
};

TEST_F(PlacementAdapterTest, PodsOfOursAreProvenAndTheirPlacesHeld) {
  EXPECT_TRUE(adapter.reserve(gang("quorate-scheduler", 2)));
  EXPECT_FALSE(held());
  EXPECT_FALSE(adapter.reserve(gang("quorate-scheduler", 1)));
  EXPECT_TRUE(held());
}

TEST_F(PlacementAdapterTest, AnotherSchedulersPodsGoWhereItPutsThem) {
  for (const char* scheduler : {"default-scheduler", "", "quorate-scheduler-2"}) {
    EXPECT_FALSE(adapter.reserve(gang(scheduler, 2))) << scheduler;
    EXPECT_FALSE(held()) << scheduler;
  }
}

TEST_F(PlacementAdapterTest, OfAGangOfTwoSchedulersOursAreProven) {
  admission::GangToPlace both = gang("default-scheduler", 2);
  both.pod_sets.push_back(gang("quorate-scheduler", 2).pod_sets.front());
  EXPECT_TRUE(adapter.reserve(both));
}

TEST_F(PlacementAdapterTest, AnElasticJobIsNoGang) {
  EXPECT_FALSE(adapter.reserve(gang("quorate-scheduler", 2, {"kueue.x-k8s.io/elastic-job"})));
  EXPECT_FALSE(held());
}

}  // namespace
}  // namespace quorate::engine
