// Placement by topology inside admission: flavors, the cycle, and what makes room.

#include <gtest/gtest.h>

#include "admission/testing/world.h"

namespace quorate::admission::testing {
namespace {

// A World with nodes. Flavors whose names begin with "tas" have the topology "racks" (rack,
// hostname) over the nodes of their pool.
class TopologyWorld : public World {
 public:
  TopologyWorld() {
    admitter.set_cluster(&model);
    admitter.apply(TopologySpec{"racks", {"rack", topology::kHostname}});
  }

  void queues(const std::string& lines) {
    World::queues(lines);
    for (const auto& [name, spec] : specs) {
      for (const auto& group : spec.resource_groups) {
        for (const auto& flavor : group.flavors) {
          if (!flavor.flavor.starts_with("tas")) continue;
          admitter.apply(FlavorSpec{flavor.flavor, {}, {}, {}, "racks"});
        }
      }
    }
  }
  // "r1/n1:4 r1/n2:2": racks, hosts, cpus.
  void nodes(const std::string& list, bool ready = true) {
    for (const std::string& one : words(list)) {
      const auto sides = split(one, ":");
      const auto place = split(sides[0], "/");
      cluster::NodeSpec node;
      node.name = place[1];
      node.labels = {{"rack", place[0]}, {topology::kHostname, place[1]}};
      node.ready = ready;
      node.allocatable = {{"cpu", Quantity{1000 * std::stoi(sides[1])}}, {"pods", Quantity{20}}};
      admitter.observe(model.apply(journal, node));
    }
  }
  // Flavor "tas<pool>" over one node of that pool.
  void pool(const std::string& pool, int cpu, bool cordoned = false) {
    admitter.apply(FlavorSpec{"tas" + pool, {{"pool", pool}}, {}, {}, "racks"});
    cluster::NodeSpec node;
    node.name = "n" + pool;
    node.labels = {{"rack", "r" + pool}, {topology::kHostname, node.name}, {"pool", pool}};
    node.unschedulable = cordoned;
    node.allocatable = {{"cpu", Quantity{1000 * cpu}}, {"pods", Quantity{20}}};
    admitter.observe(model.apply(journal, node));
  }
  void pod(const std::string& name, const std::string& node, int cpu,
           cluster::PodPhase phase = cluster::PodPhase::Running) {
    cluster::PodSpec spec;
    spec.key = {"ns", name};
    spec.uid = name;
    spec.spec = std::make_shared<const PodTemplate>();
    spec.requests = {{"cpu", Quantity{1000 * cpu}}};
    spec.node = node;
    spec.phase = phase;
    admitter.observe(model.apply(journal, spec));
  }
  // A workload whose first pod sets ask for that.
  void ask(const std::string& name, const std::string& queue, const std::string& pod_sets,
           std::vector<TopologyRequest> requests, int priority = 0) {
    WorkloadSpec spec = workload(name, pod_sets, priority, kNow - Duration::seconds(50));
    spec.queue_name = queue;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const std::string group =
          spec.pod_sets[i].topology ? spec.pod_sets[i].topology->pod_set_group : "";
      spec.pod_sets[i].topology = requests[i];
      spec.pod_sets[i].topology->pod_set_group = group;
    }
    see(spec);
  }

  // What the decisions say: "a: main cpu=tas n1=2 n2=1", "b WaitingForQuota: message".
  static std::string told(const std::vector<Decision>& decisions) {
    std::string all;
    for (const Decision& decision : decisions) {
      if (!all.empty()) all += "; ";
      if (const auto* hold = std::get_if<Hold>(&decision)) {
        all += hold->workload.name + " " + hold->reason + ": " + hold->message;
        continue;
      }
      const auto* admit = std::get_if<Admit>(&decision);
      if (admit == nullptr) {
        all += text(decision);
        continue;
      }
      all += admit->workload.name + ":";
      for (const PodSetAssignment& pods : admit->admission.pod_sets) {
        all += " " + pods.name;
        for (const auto& [resource, flavor] : pods.flavors) all += " " + resource + "=" + flavor;
        if (pods.delayed == DelayedTopology::Pending) all += " pending";
        if (!pods.topology) continue;
        for (const auto& domain : pods.topology->domains) {
          all += " " + domain.values.back() + "=" + std::to_string(domain.count);
        }
      }
    }
    return all;
  }
  std::string run() {
    std::vector<Decision> made = settle();
    carry_out(made);
    return told(made);
  }

  cluster::Model model;
};

TopologyRequest required(const std::string& level) {
  TopologyRequest request;
  request.required_level = level;
  return request;
}
const TopologyRequest kRack = required("rack");
const TopologyRequest kHost = required(topology::kHostname);

TEST(TopologyFlavors, RequestAndFlavorHaveToAgree) {
  TopologyWorld world;
  world.queues("q {tas/cpu=8, plain/cpu=8}; only {tas/cpu=8}");
  world.nodes("r1/n1:4 r1/n2:4");
  world.ask("free", "q", "main*1: cpu=1", {});
  EXPECT_EQ(world.run(), "free: main cpu=plain");
  world.ask("bound", "q", "main*5: cpu=1", {kRack});
  EXPECT_EQ(world.run(), "bound: main cpu=tas n1=4 n2=1");
  world.ask("implied", "only", "main*2: cpu=1", {});
  EXPECT_EQ(world.run(), "implied: main cpu=tas n2=2");
  world.ask("zone", "only", "main*1: cpu=1", {required("zone")});
  EXPECT_EQ(world.run(),
            "zone NoMatchingFlavor: couldn't assign flavors to pod set main: Flavor \"tas\" does "
            "not contain the requested level");
}

TEST(TopologyFlavors, ThePlainOneIsNamedWhereTheOtherIsShort) {
  TopologyWorld world;
  world.queues("q {plain/cpu=8, tas/cpu=1}");
  world.nodes("r1/n1:4");
  world.ask("big", "q", "main*2: cpu=1", {kRack});
  EXPECT_EQ(world.run(),
            "big ExceedsMaxQuota: couldn't assign flavors to pod set main: Flavor \"plain\" does "
            "not support TopologyAwareScheduling, insufficient quota for cpu in flavor tas, "
            "previously considered podsets requests (0) + current podset request (2) > maximum "
            "capacity (1)");
}

// Vector TB05: credits are a quota only, so their flavor needs no topology.
TEST(TopologyFlavors, AQuotaOnlyGroupNeedsNoTopology) {
  TopologyWorld world;
  world.config.transformations = {{"cpu", false, {{"credits", "10"}}, ""}};
  world.admitter.set_config(world.config);
  world.queues("q {plain/credits=100} {tas/cpu=8}");
  world.nodes("r1/n1:4");
  world.ask("w", "q", "main*2: cpu=1", {kRack});
  EXPECT_EQ(world.run(), "w: main cpu=tas credits=plain n1=2");
}

TEST(TopologyFlavors, AQueueWithoutItsTopologyIsNotActive) {
  TopologyWorld world;
  world.queues("q {tas/cpu=8}");
  world.admitter.topology_gone("racks");
  EXPECT_EQ(world.admitter.cluster_queue("q")->active,
            (ActiveView{false, "TopologyNotFound",
                        "Can't admit new workloads: there is no Topology \"racks\" for TAS flavor "
                        "\"tas\"."}));
  world.admitter.apply(TopologySpec{"racks", {topology::kHostname}});
  EXPECT_TRUE(world.admitter.cluster_queue("q")->active.active);
}

TEST(TopologyCycle, NoSuchPlaceEvenIfEmptyIsNoFit) {
  TopologyWorld world;
  world.queues("q {tas/cpu=100}");
  world.nodes("r1/n1:4 r2/n2:4");
  world.ask("big", "q", "main*5: cpu=1", {kRack});
  EXPECT_EQ(world.run(),
            "big TopologyPlacementFailed: couldn't assign flavors to pod set main: topology "
            "\"racks\" allows to fit only 4 out of 5 pod(s)");
  const std::optional<Hold> waiting = world.admitter.waiting({"ns", "big"});
  ASSERT_TRUE(waiting);
  EXPECT_EQ(waiting->proof.layer, Layer::Topology);
  ASSERT_EQ(waiting->proof.facts.size(), 1u);
  const auto& shortage = std::get<TopologyShortage>(waiting->proof.facts.front());
  EXPECT_EQ(shortage.flavor, "tas");
  EXPECT_EQ(shortage.failure.level, "rack");
  EXPECT_EQ(shortage.failure.fitting, 4);
  EXPECT_EQ(shortage.failure.wanted, 5);
}

TEST(TopologyCycle, TwoNominatedOntoOneHostTheSecondGetsAnother) {
  TopologyWorld world;
  world.queues("a {tas/cpu=8}; b {tas/cpu=8}");
  world.nodes("r1/n1:2 r1/n2:3");
  world.ask("first", "a", "main*2: cpu=1", {kHost}, 1);
  world.ask("second", "b", "main*2: cpu=1", {kHost});
  EXPECT_EQ(world.run(), "first: main cpu=tas n1=2; second: main cpu=tas n2=2");
}

// Three queues want the last two nodes at the same moment.
TEST(TopologyCycle, ANodeIsNeverGivenTwice) {
  TopologyWorld world;
  world.queues("a {tas/cpu=8}; b {tas/cpu=8}; c {tas/cpu=8}");
  world.nodes("r1/n1:8 r1/n2:8");
  for (const std::string queue : {"a", "b", "c"}) {
    world.ask("w" + queue, queue, "main*1: cpu=8", {kHost});
  }
  EXPECT_EQ(world.run(),
            "wa: main cpu=tas n1=1; wb: main cpu=tas n2=1; wc WaitingForQuota: couldn't assign "
            "flavors to pod set main: topology \"racks\" doesn't allow to fit any of 1 pod(s). "
            "Total nodes: 2; excluded: resource \"cpu\": 2");
  EXPECT_EQ(world.used("c"), "tas/cpu=0");
}

// Both are nominated onto n1, the smallest that will do; the queues share no cohort.
TEST(TopologyCycle, WhoLostAPlaceToAnotherTreeIsTriedAgain) {
  TopologyWorld world;
  world.config.topology.recompute_in_cycle = false;
  world.admitter.set_config(world.config);
  world.queues("a {tas/cpu=8}; b {tas/cpu=8}");
  world.nodes("r1/n1:2 r1/n2:3");
  world.ask("first", "a", "main*2: cpu=1", {kHost}, 1);
  world.ask("second", "b", "main*2: cpu=1", {kHost});
  EXPECT_EQ(world.run(),
            "first: main cpu=tas n1=2; second WaitingForQuota: Workload no longer fits after "
            "processing another workload; second: main cpu=tas n2=2");
}

// "wide" has quota but no room; for the one cycle that it waits in it keeps all of n1.
TEST(TopologyCycle, APlaceThatWasOnlyKeptIsTakenInTheNextCycle) {
  TopologyWorld world;
  world.config.topology.recompute_in_cycle = false;
  world.admitter.set_config(world.config);
  world.queues("a {tas/cpu=8}; b {tas/cpu=8}");
  world.nodes("r1/n1:3");
  world.ask("old", "b", "main*1: cpu=1", {kHost});
  world.run();
  world.ask("wide", "a", "main*3: cpu=1", {kHost}, 1);
  world.ask("small", "b", "main*1: cpu=1", {kHost});
  EXPECT_EQ(world.run(),
            "wide WaitingForQuota: couldn't assign flavors to pod set main: topology \"racks\" "
            "allows to fit only 2 out of 3 pod(s); small WaitingForQuota: Workload no longer fits "
            "after processing another workload; small: main cpu=tas n1=1");
}

TEST(TopologyCycle, AHostInTwoFlavorsIsOneHost) {
  TopologyWorld world;
  world.queues("a {tas-a/cpu=4}; b {tas-b/cpu=4}");
  world.nodes("r1/n1:4 r1/n2:4");
  world.ask("x1", "a", "main*1: cpu=4", {kHost});
  EXPECT_EQ(world.run(), "x1: main cpu=tas-a n1=1");
  world.ask("x2", "b", "main*1: cpu=4", {kHost});
  EXPECT_EQ(world.run(), "x2: main cpu=tas-b n2=1");
}

TEST(TopologyCycle, PodsWithoutRequestsArePlaced) {
  TopologyWorld world;
  world.queues("q {tas/cpu=4}");
  world.nodes("r1/n1:4");
  world.ask("zero", "q", "main*2: cpu=0", {kHost});
  EXPECT_EQ(world.run(), "zero: main cpu=tas n1=2");
}

TEST(TopologyCycle, LeaderAndWorkersAreInOneDomain) {
  TopologyWorld world;
  world.queues("q {tas/cpu=40}");
  world.nodes("r1/n1:3 r1/n2:4 r1/n3:3");
  world.ask("g", "q", "lead*1: cpu=1; group g | work*3: cpu=3; group g", {kRack, kRack});
  EXPECT_EQ(world.run(), "g: lead cpu=tas n2=1 work cpu=tas n1=1 n2=1 n3=1");
}

TEST(TopologyCycle, APodSetThatIsDoneTakesNoPlace) {
  TopologyWorld world;
  world.queues("q {tas/cpu=40}");
  world.nodes("r1/n1:2");
  world.ask("half", "q", "head*1: cpu=1 | work*3: cpu=1; done 3", {kRack, kRack});
  EXPECT_EQ(world.run(), "half: head cpu=tas n1=1 work cpu=tas");
}

// --- preemption ---

TEST(TopologyPreemption, MakesRoomWhereQuotaIsFreeButNoHostIs) {
  TopologyWorld world;
  world.queues("q {tas/cpu=80} (within=LowerPriority)");
  world.nodes("r1/n1:4 r1/n2:4");
  world.ask("low", "q", "main*1: cpu=4", {kHost}, 0);
  world.ask("mid", "q", "main*1: cpu=4", {kHost}, 1);
  EXPECT_EQ(world.run(), "mid: main cpu=tas n1=1; low: main cpu=tas n2=1");
  world.ask("high", "q", "main*1: cpu=4", {kHost}, 2);
  EXPECT_EQ(world.text(world.settle()),
            "evict low InClusterQueue; hold high WaitingForPreemptedWorkloads");
}

// Quota alone would be content with one victim; the rack needs both.
TEST(TopologyPreemption, TakesAsManyAsThePlacesNeed) {
  TopologyWorld world;
  world.queues("q {tas/cpu=8} (within=LowerPriority)");
  world.nodes("r1/n1:2 r1/n2:2 r2/n3:4");
  world.ask("c", "q", "main*1: cpu=4", {kHost}, 5);
  world.ask("a", "q", "main*1: cpu=2", {kHost}, 0);
  world.ask("b", "q", "main*1: cpu=2", {kHost}, 0);
  world.carry_out(world.settle());
  world.ask("wide", "q", "main*2: cpu=2", {kRack}, 3);
  EXPECT_EQ(
      world.text(world.settle()),
      "evict a InClusterQueue; evict b InClusterQueue; hold wide WaitingForPreemptedWorkloads");
}

TEST(TopologyPreemption, NobodyLeavesForAPlaceThatDoesNotExist) {
  TopologyWorld world;
  world.queues("q {tas/cpu=80} (within=LowerPriority)");
  world.nodes("r1/n1:4");
  world.ask("low", "q", "main*1: cpu=4", {kHost}, 0);
  world.run();
  world.ask("high", "q", "main*1: cpu=5", {kHost}, 2);
  EXPECT_EQ(world.text(world.settle()), "hold high TopologyPlacementFailed");
}

// Pitfall B031: quota alone prefers tas2, whose only node can hold nobody.
TEST(TopologyPreemption, TakesAnotherFlavorThanOneWithoutNodes) {
  TopologyWorld world;
  world.queues("q {tas1/cpu=4, tas2/cpu=8} (within=LowerPriority whenCanPreempt=TryNextFlavor)");
  world.pool("1", 4);
  world.pool("2", 8, true);
  world.ask("low", "q", "main*1: cpu=4", {kHost}, 0);
  EXPECT_EQ(world.run(), "low: main cpu=tas1 n1=1");
  world.ask("high", "q", "main*1: cpu=4", {kHost}, 2);
  EXPECT_EQ(world.text(world.settle()),
            "evict low InClusterQueue; hold high WaitingForPreemptedWorkloads");
}

// Neither has nodes enough: the one that quota chose is named.
TEST(TopologyPreemption, TellsOfTheFirstFlavorIfNoneWillDo) {
  TopologyWorld world;
  world.queues("q {tas1/cpu=8, tas2/cpu=8}");
  world.pool("1", 3);
  world.pool("2", 2);
  world.ask("w", "q", "main*1: cpu=4", {kHost});
  EXPECT_EQ(world.run(),
            "w TopologyPlacementFailed: couldn't assign flavors to pod set main: topology "
            "\"racks\" doesn't allow to fit any of 1 pod(s). Total nodes: 1; excluded: resource "
            "\"cpu\": 1");
}

// Both quota and places are missing: Kueue's message tells the quota, the proof both.
TEST(TopologyPreemption, TheMessageTellsTheQuotaBeforeThePlaces) {
  TopologyWorld world;
  world.queues("q {tas/cpu=8} (within=LowerPriority)");
  world.nodes("r1/n1:4 r1/n2:4");
  world.ask("low", "q", "main*1: cpu=4", {kHost}, 0);
  world.run();
  world.ask("high", "q", "main*1: cpu=5", {kHost}, 2);
  EXPECT_EQ(world.run(),
            "high TopologyPlacementFailed: couldn't assign flavors to pod set main: insufficient "
            "unused quota for cpu in flavor tas, 1 more needed");
  EXPECT_EQ(world.admitter.waiting({"ns", "high"})->proof.facts.size(), 2u);
}

// --- what makes room ---

TEST(TopologyRoom, AForeignPodThatEndsOrShrinksLetsAWorkloadIn) {
  TopologyWorld world;
  world.queues("q {tas/cpu=8}");
  world.nodes("r1/n1:8");
  world.pod("other", "n1", 6);
  world.ask("w", "q", "main*1: cpu=4", {kHost});
  EXPECT_EQ(world.run().substr(0, 25), "w TopologyPlacementFailed");
  world.pod("other", "n1", 2);  // resized in place
  world.carry_out(world.settle());
  EXPECT_EQ(world.told(world.settle(Duration::seconds(1))), "w: main cpu=tas n1=1");
}

TEST(TopologyRoom, ANodeThatComesLetsAWorkloadInAndOneThatGoesTakesItsRoom) {
  TopologyWorld world;
  world.queues("q {tas/cpu=80}");
  world.ask("w", "q", "main*3: cpu=1", {kRack});
  EXPECT_EQ(world.run(),
            "w TopologyPlacementFailed: couldn't assign flavors to pod set main: no topology "
            "domains at level: rack");
  world.nodes("r1/n1:8");
  world.settle();
  EXPECT_EQ(world.told(world.settle(Duration::seconds(1))), "w: main cpu=tas n1=3");
  world.carry_out(world.last);
  world.nodes("r1/n1:8", false);
  world.ask("v", "q", "main*3: cpu=1", {kRack});
  EXPECT_EQ(world.run().substr(0, 25), "v TopologyPlacementFailed");
}

TEST(TopologyRoom, UsageSurvivesATopologyThatIsMadeAgain) {
  TopologyWorld world;
  world.queues("q {tas/cpu=80}");
  world.nodes("r1/n1:4");
  world.ask("k1", "q", "main*4: cpu=1", {kHost});
  EXPECT_EQ(world.run(), "k1: main cpu=tas n1=4");
  world.admitter.topology_gone("racks");
  world.settle();
  world.admitter.apply(TopologySpec{"racks", {"zone", "rack", topology::kHostname}});
  world.nodes("r1/n1:4");
  cluster::NodeSpec node = *world.model.node(world.model.find_node("n1")).spec;
  node.labels["zone"] = "z";
  world.admitter.observe(world.model.apply(world.journal, node));
  world.ask("k2", "q", "main*4: cpu=1", {kHost});
  EXPECT_EQ(world.run().substr(0, 18), "k2 WaitingForQuota");
  world.finish("k1");
  EXPECT_EQ(world.told(world.settle()), "k2: main cpu=tas n1=4");
  // …and is given back though it was charged to the old one.
  world.carry_out(world.last);
  world.admitter.topology_gone("racks");
  world.admitter.workload_gone({"ns", "k2"}, "uid-k2");
  world.admitter.apply(TopologySpec{"racks", {topology::kHostname}});
  world.ask("k3", "q", "main*4: cpu=1", {kHost});
  EXPECT_EQ(world.run(), "k3: main cpu=tas n1=4");
}

TEST(TopologyRoom, APlaceThatComesFreeIsForQueuesOfEveryCohort) {
  TopologyWorld world;
  world.queues("a@x {tas/cpu=4}; b@y {tas/cpu=4}");
  world.nodes("r1/n1:4");
  world.ask("first", "a", "main*4: cpu=1", {kHost});
  EXPECT_EQ(world.run(), "first: main cpu=tas n1=4");
  world.ask("second", "b", "main*4: cpu=1", {kHost});
  EXPECT_EQ(world.run().substr(0, 22), "second WaitingForQuota");
  world.finish("first");
  world.settle();
  EXPECT_EQ(world.told(world.settle(Duration::seconds(1))), "second: main cpu=tas n1=4");
}

TEST(TopologyRoom, AForkGoesItsOwnWay) {
  TopologyWorld world;
  world.queues("q {tas/cpu=80}");
  world.nodes("r1/n1:4 r1/n2:4");
  world.ask("a", "q", "main*4: cpu=1", {kHost});
  Journal journal;
  cluster::Model model = world.model;
  Admitter fork(world.admitter, journal);
  fork.set_cluster(&model);
  EXPECT_EQ(TopologyWorld::told(fork.cycle(World::kNow)), "a: main cpu=tas n1=4");
  // The original has not moved.
  world.ask("b", "q", "main*4: cpu=1", {kHost}, 9);
  EXPECT_EQ(world.run(), "b: main cpu=tas n1=4; a: main cpu=tas n2=4");
}

// --- second pass ---

class SecondPass : public ::testing::Test {
 protected:
  // A queue whose only check provisions nodes.
  void provisioning() {
    world.queues("q {tas/cpu=8}");
    ClusterQueueSpec spec = world.specs.at("q");
    spec.admission_checks = {{"prov", {}}};
    world.admitter.apply(AdmissionCheckSpec{"prov", "kueue.x-k8s.io/provisioning-request", true});
    world.admitter.apply(spec);
  }
  // The check of a workload is ready; its pods get that selector.
  void ready(const std::string& name, const Labels& selector) {
    CheckStatus check;
    check.name = "prov";
    check.state = CheckState::Ready;
    check.updates = {{"main", selector, {}}};
    world.workloads.at(name).checks = {check};
    world.see(name);
  }
  // What happens until all that was scheduled is done.
  std::string after(std::int64_t seconds) {
    std::vector<Decision> made = world.settle();
    std::vector<Decision> later = world.settle(Duration::seconds(seconds));
    made.insert(made.end(), later.begin(), later.end());
    world.carry_out(made);
    return TopologyWorld::told(made);
  }
  void failed(const std::string& name, const std::string& node, const std::string& list) {
    world.nodes(list, false);
    world.workloads.at(name).unhealthy_nodes = {node};
    world.see(name);
  }

  TopologyWorld world;
};

TEST_F(SecondPass, PlacesWhenTheChecksAreReadyWithWhatTheyAddToThePods) {
  provisioning();
  world.nodes("r1/n1:4");
  world.ask("w", "q", "main*2: cpu=1", {kRack});
  EXPECT_EQ(world.run(), "w: main cpu=tas pending");
  EXPECT_EQ(world.used("q"), "tas/cpu=2");
  ready("w", {{"rack", "r2"}});
  EXPECT_EQ(after(1), "");  // no such node yet
  world.nodes("r2/n2:4");
  EXPECT_EQ(after(2), "w: main cpu=tas n2=2");
  EXPECT_EQ(world.used("q"), "tas/cpu=2");
  EXPECT_TRUE(world.workloads.at("w").condition_true("Admitted"));
}

TEST_F(SecondPass, AFailedNodeIsReplacedAndTheRestStays) {
  world.queues("q {tas/cpu=8}");
  world.nodes("r1/n1:2 r1/n2:2 r1/n3:1 r2/n4:9");
  world.ask("w", "q", "main*3: cpu=1", {kRack});
  EXPECT_EQ(world.run(), "w: main cpu=tas n1=2 n3=1");
  failed("w", "n1", "r1/n1:2");
  EXPECT_EQ(after(1), "w: main cpu=tas n2=2 n3=1");
  EXPECT_TRUE(world.workloads.at("w").unhealthy_nodes.empty());
  EXPECT_EQ(world.used("q"), "tas/cpu=3");
}

TEST_F(SecondPass, RacksOfSimilarNamesAreDifferentRacks) {
  world.queues("q {tas/cpu=8}");
  world.nodes("r1/n1:1 r1/n2:1 r10/n3:9");
  world.ask("w", "q", "main*2: cpu=1", {kRack});
  EXPECT_EQ(world.run(), "w: main cpu=tas n1=1 n2=1");
  failed("w", "n2", "r1/n2:1");
  EXPECT_EQ(after(1), "evict w NodeFailures");
}

TEST_F(SecondPass, AWriteThatFailsLeavesTheOldPlaces) {
  world.queues("q {tas/cpu=8}");
  world.nodes("r1/n1:2 r1/n2:2");
  world.ask("w", "q", "main*2: cpu=1", {kRack});
  EXPECT_EQ(world.run(), "w: main cpu=tas n1=2");
  failed("w", "n1", "r1/n1:2");
  world.settle();
  EXPECT_EQ(TopologyWorld::told(world.settle(Duration::seconds(1))), "w: main cpu=tas n2=2");
  world.admitter.workload_written({"ns", "w"}, "uid-w", false, false);
  EXPECT_EQ(world.used("q"), "tas/cpu=2");
  EXPECT_EQ(after(1), "w: main cpu=tas n2=2");  // tried again
}

TEST_F(SecondPass, AWorkloadOfOnePodStaysWhereItIs) {
  world.queues("q {tas/cpu=8}");
  world.nodes("r1/n1:2 r1/n2:2");
  world.ask("w", "q", "main*1: cpu=1", {kRack});
  world.workloads.at("w").owner_kind = "Pod";
  world.see("w");
  EXPECT_EQ(world.run(), "w: main cpu=tas n1=1");
  failed("w", "n1", "r1/n1:2");
  EXPECT_EQ(after(1), "w: main cpu=tas n1=1");
}

}  // namespace
}  // namespace quorate::admission::testing
