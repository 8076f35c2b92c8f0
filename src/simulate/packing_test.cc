#include "src/simulate/packing.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "src/simulate/op_pack.h"

namespace quorate::simulate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr PackingScore kAll[] = {
    PackingScore::Random,  PackingScore::DotProd, PackingScore::Clustering, PackingScore::Packing,
    PackingScore::BestFit, PackingScore::Fgd,     PackingScore::Shapes};

PackingPod share(std::int32_t milli, std::int64_t cpu = 1000) {
  return {"s", cpu, 0, 1, milli, {}};
}
PackingPod whole(std::int32_t gpus, std::int64_t cpu = 1000) {
  return {"w", cpu, 0, gpus, 1000, {}};
}

std::vector<std::int32_t> places(const std::vector<PackingNode>& nodes,
                                 const std::vector<PackingPod>& pods, PackingScore score) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < pods.size(); ++i) order.push_back(i);
  return pack(nodes, pods, order, score, 1).node_of;
}

TEST(PackingTest, EveryScoreKeepsToWhatNodesHave) {
  const std::vector<PackingNode> nodes = {{"a", "T4", 8000, 1000, 2}, {"b", "A10", 4000, 1000, 1}};
  for (const PackingScore score : kAll) {
    std::vector<PackingPod> pods(10, share(400, 1000));
    // Two shares of 400 on each of three GPUs; the seventh has no GPU, though 600 milli are free.
    const PackingResult result = pack(nodes, pods, {0, 1, 2, 3, 4, 5, 6}, score, 3);
    EXPECT_EQ(result.placed, 6) << name_of(score);
    EXPECT_EQ(result.allocated, 2400) << name_of(score);
    EXPECT_EQ(result.allocation(), 8000) << name_of(score);  // of 3000
  }
}

TEST(PackingTest, ModelsCpuAndMemoryAreConditions) {
  const std::vector<PackingNode> nodes = {{"a", "T4", 8000, 1000, 2}, {"b", "A10", 4000, 100, 1}};
  PackingPod pod = whole(1);
  pod.models = {"A10", "V100"};
  EXPECT_THAT(places(nodes, {pod, pod}, PackingScore::BestFit), ElementsAre(1, -1));
  EXPECT_THAT(places(nodes, {whole(1, 9000)}, PackingScore::BestFit), ElementsAre(-1));
  pod.memory = 101;
  EXPECT_THAT(places(nodes, {pod}, PackingScore::BestFit), ElementsAre(-1));
}

TEST(PackingTest, SharesGoToTheGpuInUse) {
  const std::vector<PackingNode> nodes = {{"a", "T4", 8000, 1000, 1}, {"b", "T4", 8000, 1000, 2}};
  for (const PackingScore score :
       {PackingScore::Packing, PackingScore::BestFit, PackingScore::Fgd, PackingScore::Shapes}) {
    const auto at = places(nodes, {share(500), share(500), whole(2)}, score);
    EXPECT_EQ(at[0], at[1]) << name_of(score);
    EXPECT_EQ(at[2], 1) << name_of(score);
  }
}

// Two GPUs of the first node are as good as none once its CPU is gone.
TEST(PackingTest, ShapesSeesCpuRunOutBeforeItHas) {
  const std::vector<PackingNode> nodes = {{"a", "T4", 8000, 1000, 2}, {"b", "T4", 9000, 1000, 0}};
  const std::vector<PackingPod> pods = {{"cpu", 4000, 0, 0, 0, {}}, whole(1, 4000), whole(1, 4000)};
  EXPECT_THAT(places(nodes, pods, PackingScore::Shapes), ElementsAre(1, 0, 0));
}

TEST(PackingTest, ArrivalsAskForWhatIsWantedInAnOrderOfTheSeed) {
  const std::vector<PackingNode> nodes = {{"a", "T4", 8000, 1000, 4}};
  const std::vector<PackingPod> pods = {share(500), whole(1), {"cpu", 1, 0, 0, 0, {}}};
  const std::vector<std::size_t> order = arrivals(nodes, pods, 7, 130);
  std::int64_t sum = 0;
  for (const std::size_t pod : order) sum += pods[pod].milli();
  EXPECT_GE(sum, 5200);
  EXPECT_LT(sum - pods[order.back()].milli(), 5200);
  EXPECT_EQ(order, arrivals(nodes, pods, 7, 130));
  EXPECT_NE(order, arrivals(nodes, pods, 8, 130));
  EXPECT_TRUE(arrivals(nodes, {}, 1, 100).empty());
  EXPECT_EQ(arrivals(nodes, {pods[2]}, 1, 100).size(), 1u);
}

class ListsTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::ofstream(path(name)) << text;
  }
  static std::string path(const std::string& name) {
    return testing::TempDir() + "packing_" + name;
  }
  int run(Options options) {
    options.op = "place";
    options.nodes_file = path("nodes.csv");
    options.pods_file = path("pods.csv");
    std::istringstream in;
    return simulate(options, {in, out, err});
  }

  std::ostringstream out, err;
};

TEST_F(ListsTest, PrintsTheSpreadOverTheSeeds) {
  write("nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\nn1,8000,16384,2,T4\n");
  write("pods.csv", "name,cpu_milli,memory_mib,num_gpu,gpu_milli\np,1000,1024,1,1000\nc,1,1,0,0\n");
  Options options;
  options.scores = "all";
  options.output = "json";
  options.seeds = "0-2";
  ASSERT_EQ(run(options), kRan) << err.str();
  EXPECT_THAT(out.str(), HasSubstr(R"("gpuMilli":2000,"nodes":1,"pods":2)"));
  EXPECT_THAT(out.str(), HasSubstr(R"({"score":"fgd","allocatedPercent":100.00,"least":100.00)"));
}

TEST_F(ListsTest, NamesWhatIsWrong) {
  write("nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\nn1,8000,16384,2,T4\n");
  write("pods.csv", "name,cpu_milli,memory_mib,num_gpu,gpu_milli\np,1000,1024,2,500\n");
  Options options;
  options.scores = "worst";
  options.seeds = "9-0";
  EXPECT_EQ(run(options), kUnusable);
  EXPECT_THAT(err.str(), HasSubstr("line 2: gpu_milli: several GPUs are taken whole"));
  EXPECT_THAT(err.str(), HasSubstr("--score: no such score in \"worst\""));
  EXPECT_THAT(err.str(), HasSubstr("--seeds: must be FIRST-LAST"));
}

}  // namespace
}  // namespace quorate::simulate
