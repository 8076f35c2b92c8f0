#include "admission/assigner.h"

#include <gtest/gtest.h>

#include <map>

#include "admission/testing/builders.h"

namespace quorate::admission {
namespace {

using testing::items;

struct Case {
  std::string name;
  std::string flavors;  // "f1 labels zone=a", "f1 taint k=v:NoSchedule tolerated"
  std::string queues;
  std::string used;
  std::string pod_sets;  // of a workload for the first queue
  std::string want;
  std::string resume;  // "p0 cpu=0"
  bool ignore_undeclared = false;
};

class AssignWorld {
 public:
  explicit AssignWorld(const Case& given) : case_(given) {
    for (const std::string& line : items(given.queues)) {
      if (line.rfind("cohort ", 0) == 0) {
        const CohortSpec cohort = testing::cohort(line);
        tree_.put_cohort(cohort.name, cohort.parent, cohort.resource_groups, names_);
      } else {
        const ClusterQueueSpec queue = testing::queue(line);
        tree_.put_cluster_queue(queue.name, queue.cohort, queue.resource_groups, names_);
        if (spec_.name.empty()) spec_ = queue;
        for (const auto& group : queue.resource_groups) {
          for (const auto& flavor : group.flavors) {
            auto& known = flavors_[names_.flavors.intern(flavor.flavor).slot];
            if (!known) known = std::make_shared<const FlavorSpec>(FlavorSpec{flavor.flavor});
          }
        }
      }
    }
    tree_.settle();
    for (const std::string& line : items(given.flavors)) add_flavor(line);
    for (const std::string& line : items(given.used)) {
      const quota::testing::UsageLine used = quota::testing::parse_usage(line);
      for (const auto& [flavor, resource, amount] : used.amounts) {
        tree_.charge(tree_.cluster_queue(used.queue), names_.pair(flavor, resource), amount);
      }
    }
  }

  std::string run() {
    const Config config;
    const LimitSummary limits;
    const std::map<std::string, RuntimeClassSpec> classes;
    const auto facts = compiler_.compile(testing::workload("w", case_.pod_sets),
                                         {&config, &limits, &classes}, names_, order_);
    const QueuePlan plan = compile(spec_, names_);
    const AssignContext context{
        tree_,  tree_.cluster_queue(spec_.name), spec_, plan, flavors_, names_,
        order_, case_.ignore_undeclared,         false};
    const Scan scan = resume();
    return print(assign_or_shrink(context, *facts, case_.resume.empty() ? nullptr : &scan), *facts);
  }

 private:
  void add_flavor(const std::string& line) {
    const std::vector<std::string> parts = testing::words(line);
    FlavorSpec flavor{parts[0]};
    for (std::size_t i = 1; i < parts.size(); ++i) {
      if (parts[i] == "labels") {
        const auto pair = testing::split(parts.at(++i), "=");
        flavor.node_labels[pair[0]] = pair[1];
      } else if (parts[i] == "taint") {
        flavor.node_taints.push_back(testing::taint(parts.at(++i)));
      } else if (parts[i] == "tolerated") {
        const Taint& taint = flavor.node_taints.back();
        flavor.tolerations.push_back({taint.key, "Equal", taint.value, taint.effect, {}});
      } else if (parts[i] == "missing") {
        flavors_.erase(names_.flavors.intern(flavor.name).slot);
        return;
      }
    }
    flavors_[names_.flavors.intern(flavor.name).slot] = std::make_shared<const FlavorSpec>(flavor);
  }

  Scan resume() {
    Scan scan;
    scan.pod_sets.resize(4);
    for (const std::string& word : testing::words(case_.resume)) {
      const auto pair = testing::split(word, "=");
      scan.pod_sets[0].push_back({names_.resources.intern(pair[0]).slot, std::stoi(pair[1])});
    }
    return scan;
  }

  std::string print(const Assignment& got, const Facts& facts) const {
    const Proof proof{Layer::Quota, got.facts};
    if (got.mode == Mode::NoFit) {
      std::string message = message_of(proof);
      for (std::size_t at;
           (at = message.find("couldn't assign flavors to pod set ")) != std::string::npos;) {
        message.erase(at, message.find(": ", at) + 2 - at);
      }
      return "NoFit " + reason_text(got.reason) + ": " + message;
    }
    std::string text = got.mode == Mode::Fit ? "Fit" : "Preempt";
    std::string counts;
    bool shrunk = false;
    for (std::size_t i = 0; i < got.pod_sets.size(); ++i) {
      counts += (i == 0 ? "" : ", ") + std::to_string(got.pod_sets[i].count);
      shrunk = shrunk || got.pod_sets[i].count != facts.pod_sets[i].remaining;
    }
    if (shrunk) text += "; counts " + counts;
    for (const PodSetResult& pods : got.pod_sets) {
      if (got.pod_sets.size() > 1)
        text += "; " + pods.name + ":";
      else
        text += ";";
      for (const FlavorChoice& choice : pods.choices) {
        text += " " + names_.resources.name({choice.resource, 0}) + ">" +
                names_.flavors.name({choice.flavor, 0});
      }
    }
    if (got.level > 0) text += "; level " + std::to_string(got.level);
    text += "; tried";
    for (const auto& positions : got.scan.pod_sets) {
      for (const Scan::Position& one : positions) {
        text += " " + names_.resources.name({one.resource, 0}) + "=" + std::to_string(one.flavor);
      }
    }
    return text;
  }

  const Case& case_;
  Journal journal_;
  quota::Names names_;
  quota::CohortTree tree_{journal_};
  ResourceOrder order_;
  FactsCompiler compiler_;
  FlavorTable flavors_;
  ClusterQueueSpec spec_;
};

class AssignTest : public ::testing::TestWithParam<Case> {};

TEST_P(AssignTest, Chooses) { EXPECT_EQ(AssignWorld(GetParam()).run(), GetParam().want); }

const char kTwo[] = "q {f1/cpu=4, f2/cpu=8}";
const char kZones[] = "f1 labels zone=a; f2 labels zone=b";
const char kTree[] =
    "a@x {f/cpu=2}; cohort r; cohort x<r; cohort y<r; b@x {f/cpu=2}; c@y {f/cpu=6}";

std::string over(const std::string& resource, const std::string& flavor, const std::string& before,
                 const std::string& current, const std::string& most) {
  return "insufficient quota for " + resource + " in flavor " + flavor +
         ", previously considered podsets requests (" + before + ") + current podset request (" +
         current + ") > maximum capacity (" + most + ")";
}

INSTANTIATE_TEST_SUITE_P(
    Vectors, AssignTest,
    ::testing::ValuesIn(std::vector<Case>{
        // clang-format off
        {"QF01", "", kTwo, "w@q f1/cpu=2", "main*1: cpu=2", "Fit; cpu>f1; tried cpu=0"},
        {"QF02", "", kTwo, "w@q f1/cpu=2", "main*1: cpu=3", "Fit; cpu>f2; tried cpu=-1"},
        {"QF03", "", kTwo, "w@q f1/cpu=2", "main*1: cpu=5", "Fit; cpu>f2; tried cpu=-1"},
        {"QF04", "", kTwo, "w@q f1/cpu=2", "main*1: cpu=9",
         "NoFit ExceedsMaxQuota: " + over("cpu", "f1", "0", "9", "4") + ", " + over("cpu", "f2", "0", "9", "8")},
        {"QF05", "", "q {f1/cpu=4, f1/memory=4Gi, f2/cpu=8, f2/memory=2Gi}", "", "main*1: cpu=5, memory=1Gi",
         "Fit; memory>f2 cpu>f2; tried memory=-1 cpu=-1"},
        {"QF06", "", "q {f1/cpu=4, f1/memory=4Gi, f2/cpu=8, f2/memory=2Gi}", "", "main*1: cpu=5, memory=3Gi",
         "NoFit ExceedsMaxQuota: " + over("cpu", "f1", "0", "5", "4") + ", " + over("memory", "f2", "0", "3Gi", "2Gi")},
        {"QF07", "", "q {x86/cpu=4, arm/cpu=9} {t4/gpu=1, a100/gpu=8}", "", "main*1: cpu=3, gpu=2",
         "Fit; gpu>a100 cpu>x86; tried gpu=-1 cpu=0"},
        {"QF08", "", kTwo, "", "main*1: cpu=1, gpu=1", "NoFit NoMatchingFlavor: resource gpu unavailable in ClusterQueue"},
        {"QF09", "", kTwo, "", "main*1: cpu=1, gpu=0", "Fit; cpu>f1; tried cpu=0"},
        {"QF10", "", kTwo, "", "main*1: cpu=1, gpu=2", "Fit; cpu>f1; tried cpu=0", "", true},
        {"QF11", "f1 taint pool=batch:NoSchedule", kTwo, "", "main*1: cpu=1", "Fit; cpu>f2; tried cpu=-1"},
        {"QF12", "f1 taint pool=batch:NoSchedule", kTwo, "", "main*1: cpu=1; tolerates pool=batch:NoSchedule", "Fit; cpu>f1; tried cpu=0"},
        {"QF13", "f1 taint pool=batch:NoSchedule tolerated", kTwo, "", "main*1: cpu=1", "Fit; cpu>f1; tried cpu=0"},
        {"QF14", "f1 taint pool=batch:PreferNoSchedule", kTwo, "", "main*1: cpu=1", "Fit; cpu>f1; tried cpu=0"},
        {"QF15", kZones, kTwo, "", "main*1: cpu=1; select zone=b", "Fit; cpu>f2; tried cpu=-1"},
        {"QF16", kZones, kTwo, "", "main*1: cpu=1; select disk=ssd", "Fit; cpu>f1; tried cpu=0"},
        {"QF17", kZones, kTwo, "", "main*1: cpu=1; affinity zone=b disk=ssd", "Fit; cpu>f1; tried cpu=0"},
        {"QF18", kZones, kTwo, "", "main*1: cpu=1; affinity zone=b zone=c", "Fit; cpu>f2; tried cpu=-1"},
        {"QF19", "", kTwo, "", "p1*1: cpu=3 | p2*1: cpu=3", "Fit; p1: cpu>f1; p2: cpu>f2; tried cpu=0 cpu=-1"},
        {"QF20", "", "q {f/cpu=10, f/pods=3}", "", "main*4: cpu=1", "NoFit ExceedsMaxQuota: " + over("pods", "f", "0", "4", "3")},
        {"QF21", "", "q {f/cpu=10, f/pods=3}", "", "main*3: cpu=1", "Fit; pods>f cpu>f; tried pods=-1 cpu=-1"},
        {"QF22", "", "a@k {f1/cpu=2, f2/cpu=6}; b@k {f1/cpu=4}", "", "main*1: cpu=4", "Fit; cpu>f1; level 1; tried cpu=0"},
        {"QF23", "", "a@k {f1/cpu=2, f2/cpu=6} (whenCanBorrow=TryNextFlavor); b@k {f1/cpu=4}", "", "main*1: cpu=4", "Fit; cpu>f2; tried cpu=-1"},
        {"QF24", "", "a@k {f1/cpu=2, f2/cpu=1} (whenCanBorrow=TryNextFlavor); b@k {f1/cpu=4}", "", "main*1: cpu=4", "Fit; cpu>f1; level 1; tried cpu=-1"},
        {"QF25", "", "q {f1/cpu=4, f2/cpu=4} (within=LowerPriority)", "low@q f1/cpu=4 p-1", "main*1: cpu=4", "Fit; cpu>f2; tried cpu=-1"},
        {"QF27", "", "a@k {f1/cpu=4, f2/cpu=1} (within=LowerPriority whenCanBorrow=TryNextFlavor whenCanPreempt=TryNextFlavor); b@k {f2/cpu=5}",
         "low@a f1/cpu=4 p-1", "main*1: cpu=4", "Fit; cpu>f2; level 1; tried cpu=-1"},
        {"QF31", "", kTwo, "", "main*1: cpu=1", "Fit; cpu>f2; tried cpu=-1", "cpu=0"},
        {"QF32", "", kTwo, "", "main*1: cpu=1", "Fit; cpu>f1; tried cpu=0", "cpu=-1"},
        {"QF33", "", kTree, "", "main*1: cpu=2", "Fit; cpu>f; tried cpu=-1"},
        {"QF34", "", kTree, "", "main*1: cpu=4", "Fit; cpu>f; level 1; tried cpu=-1"},
        {"QF35", "", kTree, "", "main*1: cpu=5", "Fit; cpu>f; level 2; tried cpu=-1"},
        {"QF36", "", "q {f1/cpu=4, f1/gpu=4, f2/cpu=8, f2/gpu=4}", "", "lead*1: cpu=1; group g | work*2: cpu=2, gpu=1; group g",
         "Fit; lead: cpu>f2; work: gpu>f2 cpu>f2; tried cpu=-1 gpu=-1 cpu=-1"},
        {"QF37", "", "q {f/cpu=6}", "", "main*10 min 2: cpu=1", "Fit; counts 6; cpu>f; tried cpu=-1"},
        {"QF38", "", "q {f/cpu=7}", "", "p1*4: cpu=1 | p2*8 min 0: cpu=1", "Fit; counts 4, 3; p1: cpu>f; p2: cpu>f; tried cpu=-1 cpu=-1"},
        {"QF39", "", "q {f/cpu=11}", "", "p1*10 min 4: cpu=1 | p2*6 min 3: cpu=1", "Fit; counts 6, 4; p1: cpu>f; p2: cpu>f; tried cpu=-1 cpu=-1"},
        {"QF41", "", "q {f/cpu=2}", "", "main*4: cpu=1; done 3", "Fit; cpu>f; tried cpu=-1"},
        {"QF42", "", "a@k {f/cpu=4 b2}; b@k {f/cpu=10}", "", "main*1: cpu=7", "NoFit ExceedsMaxQuota: " + over("cpu", "f", "0", "7", "6")},
        {"QF43", "", "a@k {f/cpu=2} (within=LowerPriority reclaim=Any); b@k {f/cpu=4}", "w@b f/cpu=4 p-9", "main*1: cpu=4",
         "NoFit WaitingForQuota: insufficient unused quota for cpu in flavor f, 2 more needed"},
        {"QF44", "", "a@k {f/cpu=2} (within=LowerPriority); b@k {f/cpu=4}", "w@b f/cpu=6 p-9", "main*1: cpu=2", "Preempt; cpu>f; tried cpu=-1"},
        {"QF45", "", "q {f1/cpu=4} {g1/gpu=4}", "", "main*1: cpu=1, gpu=1", "Fit; gpu>g1 cpu>f1; tried gpu=-1 cpu=-1"},
        {"QF46", "", "a@k {f1/cpu=1, f2/cpu=0} (whenCanBorrow=TryNextFlavor); b@k {f1/cpu=4, f2/cpu=9}", "", "main*1: cpu=3", "Fit; cpu>f1; level 1; tried cpu=-1"},
        // The reference leaves the reason empty, which no condition may have.
        {"QF47", "", "q {f/memory=4Gi}", "", "main*1: memory=1Gi, nvidia.com/gpu=1", "NoFit NoMatchingFlavor: resource nvidia.com/gpu unavailable in ClusterQueue"},
        {"QF48", "", "q {x86/cpu=4} {t4/gpu=1}", "", "main*1: cpu=5, gpu=2", "NoFit ExceedsMaxQuota: " + over("gpu", "t4", "0", "2", "1")},
        {"QF51", "", "q {f/cpu=6} (within=LowerPriority)", "low@q f/cpu=6 p-1", "p1*1: cpu=3 | p2*1: cpu=5",
         "NoFit ExceedsMaxQuota: insufficient unused quota for cpu in flavor f, 3 more needed; " + over("cpu", "f", "3", "5", "6")},
        {"QF52", "", "q {f/cpu=6}", "", "main*10 min 2: cpu=1; done 3", "Fit; counts 6; cpu>f; tried cpu=-1"},
        {"QF53", "", "q {f1/cpu=4, f1/memory=4, f2/cpu=4, f2/memory=4}", "", "lead*1: cpu=1; group g | work*1: memory=1; group g",
         "Fit; lead: cpu>f1; work: memory>f1; tried cpu=0 memory=0", "cpu=0"},
        {"QF54", "", "q {f1/cpu=4, f1/memory=4, f2/cpu=4, f2/memory=4}", "", "lead*1: memory=1; group g | work*1: cpu=1; group g",
         "Fit; lead: memory>f2; work: cpu>f2; tried memory=-1 cpu=-1", "memory=0"},
        {"FlavorMissing", "f1 missing", "q {f1/cpu=4}", "", "main*1: cpu=1", "NoFit NoMatchingFlavor: flavor f1 not found"},
        {"TaintMessage", "f1 taint pool=batch:NoSchedule", "q {f1/cpu=4}", "", "main*1: cpu=1",
         "NoFit NoMatchingFlavor: untolerated taint {pool batch NoSchedule <nil>} in flavor f1"},
        {"AffinityMessage", kZones, "q {f1/cpu=4}", "", "main*1: cpu=1; select zone=b", "NoFit NoMatchingFlavor: flavor f1 doesn't match node affinity"},
        {"MildestReasonOfTheFlavors", "f1 taint pool=batch:NoSchedule", "q {f1/cpu=4, f2/cpu=1}", "", "main*1: cpu=2",
         "NoFit ExceedsMaxQuota: " + over("cpu", "f2", "0", "2", "1") + ", untolerated taint {pool batch NoSchedule <nil>} in flavor f1"},
        // A pod set that asks for nothing that counts does not end the assignment.
        {"EmptyPodSetGoesOn", "", "q {f/cpu=5}", "", "p1*1: gpu=0 | p2*1: cpu=9", "NoFit ExceedsMaxQuota: " + over("cpu", "f", "0", "9", "5")},
        {"OnlyNothingFits", "", "q {f/cpu=5}", "", "p1*1: gpu=0", "Fit;; tried"},
        {"NearestLender", "", "a@team {east/cpu=2, west/cpu=2} (whenCanBorrow=TryNextFlavor); cohort root {east/cpu=3}; cohort team<root {east/cpu=4, west/cpu=4}",
         "u@a east/cpu=6+west/cpu=2", "main*1: cpu=1", "Fit; cpu>west; level 1; tried cpu=-1"},
        {"HugeCountSaturates", "", "q {f/cpu=8}", "", "main*1000000: cpu=9223372036854",
         "NoFit ExceedsMaxQuota: " + over("cpu", "f", "0", "9223372036854775807m", "8")},
        // clang-format on
    }),
    [](const auto& test) { return test.param.name; });

TEST(AssignTest, ProofNamesTheCohortWhoseQuotaIsShort) {
  QuotaShortage shortage{
      {Scope::Kind::Cohort, "research"}, "main", "a100", "gpu", Quantity{3}, Quantity{4}};
  EXPECT_EQ(explain({Layer::Quota, {shortage}}),
            "needs 4 gpu in flavor a100, 3 available in cohort research");
  shortage.beyond_capacity = true;
  shortage.scope = {Scope::Kind::ClusterQueue, "team"};
  EXPECT_EQ(explain({Layer::Quota, {shortage}}),
            "needs 4 gpu in flavor a100, at most 3 possible in ClusterQueue team");
}

}  // namespace
}  // namespace quorate::admission
