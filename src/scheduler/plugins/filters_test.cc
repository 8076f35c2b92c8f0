// What each filter says of a node it refuses, and which neighbours it lets through.

#include <gmock/gmock.h>

#include "src/scheduler/test_world.h"

namespace quorate::scheduler {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

constexpr const char* kUnhelpful =
    " preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.";
constexpr const char* kNoVictims =
    " preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.";

NodeAffinity required(std::vector<NodeSelectorTerm> terms) {
  NodeAffinity affinity;
  affinity.required = std::move(terms);
  return affinity;
}
NodeSelectorTerm in(std::string key, std::vector<std::string> values) {
  return {{{std::move(key), Requirement::Op::In, std::move(values)}}, {}};
}
NodeSelectorTerm named(std::vector<std::string> names) {
  return {{}, {{"metadata.name", Requirement::Op::In, std::move(names)}}};
}

struct FilterCase {
  std::string name;
  NodeArgs node;
  PodArgs pod;
  std::string want;  // "" if it fits; else the fit error of the only node
};

class FilterTest : public testing::TestWithParam<FilterCase> {};

TEST_P(FilterTest, SaysWhyNot) {
  const FilterCase& test = GetParam();
  World world;
  world.node("n1", test.node);
  // Something runs there already: 500m cpu, port 80 on every address.
  world.pod("other", {.cpu = 500, .ports = {{"", "TCP", 80}}, .scheduler = "else", .node = "n1"});
  world.pod("p", test.pod);
  const std::vector<std::string> lines = world.step();
  if (test.want.empty()) {
    EXPECT_THAT(lines, ElementsAre("bind p n1"));
  } else {
    EXPECT_THAT(lines, ElementsAre("pod p Unschedulable: 0/1 nodes are available: " + test.want));
  }
}

const Taint kGpu{"gpu", "true", "NoSchedule"};
const Toleration kGpuExists{"gpu", "Exists", "", ""};
const Toleration kGpuFalse{"gpu", "", "false", ""};
const Toleration kCordon{"node.kubernetes.io/unschedulable", "Exists", "", "NoSchedule"};

const std::string kCordoned = std::string("1 node(s) were unschedulable.") + kUnhelpful;
const std::string kTainted = std::string("1 node(s) had untolerated taint(s).") + kUnhelpful;
const std::string kAffinity =
    std::string("1 node(s) didn't match Pod's node affinity/selector.") + kUnhelpful;
const std::string kPorts =
    std::string("1 node(s) didn't have free ports for the requested pod ports.") + kNoVictims;

INSTANTIATE_TEST_SUITE_P(
    OneNode, FilterTest,
    testing::ValuesIn(std::vector<FilterCase>{
        // clang-format off
        {"Fits", {}, {}, ""},
        {"Cordoned", {.unschedulable = true}, {}, kCordoned},
        {"CordonTolerated", {.unschedulable = true}, {.tolerations = {kCordon}}, ""},
        {"Tainted", {.taints = {kGpu}}, {}, kTainted},
        {"TaintToleratedByExists", {.taints = {kGpu}}, {.tolerations = {kGpuExists}}, ""},
        {"TaintOfAnotherValue", {.taints = {kGpu}}, {.tolerations = {kGpuFalse}}, kTainted},
        {"NoExecuteCounts", {.taints = {{"a", "", "NoExecute"}}}, {}, kTainted},
        {"PreferNoScheduleDoesNot", {.taints = {{"a", "", "PreferNoSchedule"}}}, {}, ""},
        {"SelectorMisses", {}, {.selector = {{"rack", "r1"}}}, kAffinity},
        {"SelectorMatches", {.labels = {{"rack", "r1"}}}, {.selector = {{"rack", "r1"}}}, ""},
        {"SelectorOfHostname", {}, {.selector = {{"kubernetes.io/hostname", "n2"}}}, kAffinity},
        {"OneOfTwoTerms", {.labels = {{"zone", "b"}, {"disk", "ssd"}}},
            {.affinity = required({in("zone", {"a"}), in("disk", {"ssd"})})}, ""},
        {"BothInOneTerm", {.labels = {{"zone", "b"}, {"disk", "ssd"}}},
            {.affinity = required({{{{"zone", Requirement::Op::In, {"a"}},
                                     {"disk", Requirement::Op::In, {"ssd"}}}, {}}})}, kAffinity},
        {"EmptyTermMatchesNothing", {}, {.affinity = required({{}})}, kAffinity},
        {"NoTermsMatchNothing", {}, {.affinity = required({})}, kAffinity},
        {"NamedNode", {}, {.affinity = required({named({"n1", "n7"})})}, ""},
        {"NamesOthers", {}, {.affinity = required({named({"n7"})})},
            std::string("1 node(s) didn't satisfy plugin(s) [NodeAffinity].") + kUnhelpful},
        {"NamesConflict", {},
            {.affinity = required({{{}, {{"metadata.name", Requirement::Op::In, {"n1"}},
                                         {"metadata.name", Requirement::Op::In, {"n2"}}}}})},
            std::string("pod affinity terms conflict.") + kUnhelpful},
        {"PortTakenOnAllAddresses", {}, {.ports = {{"10.0.0.1", "TCP", 80}}}, kPorts},
        {"OtherProtocol", {}, {.ports = {{"10.0.0.1", "UDP", 80}}}, ""},
        {"OtherPort", {}, {.ports = {{"", "TCP", 81}}}, ""},
        {"ExactlyWhatIsLeft", {}, {.cpu = 3500}, ""},
        {"OneMore", {}, {.cpu = 3501}, std::string("1 Insufficient cpu.") + kNoVictims},
        {"NeverFits", {}, {.cpu = 4001}, std::string("1 Insufficient cpu.") + kUnhelpful},
        {"EveryShortResource", {}, {.cpu = 3600, .memory = 17 * kGi},
            std::string("1 Insufficient cpu, 1 Insufficient memory.") + kUnhelpful},
        {"UnknownResource", {}, {.more = {{"nvidia.com/gpu", Quantity{1}}}},
            std::string("1 Insufficient nvidia.com/gpu.") + kUnhelpful},
        {"TooManyPods", {.pods = 1}, {.cpu = 0}, std::string("1 Too many pods.") + kNoVictims},
        {"NothingRequestedFits", {.cpu = 400}, {.cpu = 0}, ""},
        {"NeverPreempts", {}, {.cpu = 3501, .policy = "Never"},
            "1 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never."},
        {"FirstFilterSpeaks", {.taints = {kGpu}, .unschedulable = true},
            {.cpu = 9000, .selector = {{"rack", "r1"}}}, kCordoned},
        // clang-format on
    }),
    [](const auto& test) { return test.param.name; });

TEST(FitErrorTest, CountsNodesPerReasonInTheOrderOfTheTexts) {
  World world;
  for (const char* name : {"a", "b"}) world.node(name, {.unschedulable = true});
  for (const char* name : {"c", "d", "e"}) world.node(name, {.cpu = 100});
  world.pod("p");
  EXPECT_THAT(world.step(),
              ElementsAre("pod p Unschedulable: 0/5 nodes are available: 2 node(s) were "
                          "unschedulable, 3 Insufficient cpu. preemption: 0/5 nodes are available: "
                          "5 Preemption is not helpful for scheduling."));
}

TEST(FitErrorTest, NodeContributesToSeveralReasons) {
  World world;
  for (const char* name : {"a", "b"}) world.node(name, {.cpu = 100, .memory = 1});
  world.node("c", {.cpu = 100});
  world.pod("p", {.memory = kGi});
  EXPECT_THAT(world.step(),
              ElementsAre(StartsWith("pod p Unschedulable: 0/3 nodes are available: 2 "
                                     "Insufficient memory, 3 Insufficient cpu. ")));
}

TEST(FitErrorTest, SelectorAndTaintsOnDifferentNodes) {
  World world;
  for (const char* name : {"a", "b"})
    world.node(name, {.labels = {{"rack", "r1"}}, .taints = {kGpu}});
  for (const char* name : {"c", "d"}) world.node(name);
  world.pod("p", {.selector = {{"rack", "r1"}}});
  EXPECT_THAT(
      world.step(),
      ElementsAre(
          "pod p Unschedulable: 0/4 nodes are available: 2 node(s) didn't match Pod's node "
          "affinity/selector, 2 node(s) had untolerated taint(s). preemption: 0/4 nodes are "
          "available: 4 Preemption is not helpful for scheduling."));
}

TEST(FitErrorTest, NoNodesAtAll) {
  World world;
  world.pod("p");
  EXPECT_THAT(world.step(),
              ElementsAre("pod p Unschedulable: no nodes available to schedule pods"));
}

TEST(FitErrorTest, DisabledFilterLetsThrough) {
  Config config;
  config.profiles.front().disabled = {"TaintToleration"};
  World world(config);
  world.node("n1", {.taints = {kGpu}});
  world.pod("p");
  EXPECT_THAT(world.step(), ElementsAre("bind p n1"));
}

}  // namespace
}  // namespace quorate::scheduler
