#include "src/engine/group_admissions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace quorate::engine {
namespace {

using admission::ConditionView;
using scheduler::GroupAdmission;
using testing::ElementsAre;
using testing::IsEmpty;

const ObjectKey kGroup{"ns", "g"};
const Labels kSpot{{"pool", "spot"}};
const std::vector<Toleration> kSpotTolerations{{"spot", "Exists", "", "", std::nullopt}};

admission::FlavorSpec flavor(const std::string& name) {
  return {name, {{"pool", name}}, {}, {{name, "Exists", "", "", std::nullopt}}, ""};
}

scheduler::PodGroupSpec group(const std::string& uid = "g-uid") {
  scheduler::PodGroupSpec spec;
  spec.key = kGroup;
  spec.uid = uid;
  spec.needs_admission = true;
  return spec;
}

admission::WorkloadSpec workload(std::vector<std::string> true_conditions,
                                 const std::string& flavor_name = "spot",
                                 const std::string& name = "w") {
  admission::WorkloadSpec spec;
  spec.key = {"ns", name};
  spec.uid = name + "-uid";
  spec.owner_kind = "PodGroup";
  spec.owner_name = "g";
  spec.owner_uid = "g-uid";
  spec.admission = admission::Admission{"q", {{"main", {{"gpu", flavor_name}}, {}, 4, {}}}};
  for (std::string& type : true_conditions) {
    spec.conditions.push_back({std::move(type), ConditionView::Status::True, "", "", {}});
  }
  return spec;
}

const GroupChange kAdmitted = GroupAdmission{kGroup, kSpot, kSpotTolerations, "w", "main"};
const GroupChange kWithdrawn = GroupWithdrawn{kGroup};

TEST(GroupAdmissions, AnAdmittedWorkloadAdmitsItsGroupWithItsFlavor) {
  GroupAdmissions groups;
  EXPECT_THAT(groups.apply(flavor("spot")), IsEmpty());
  EXPECT_THAT(groups.apply(group()), IsEmpty());
  EXPECT_THAT(groups.apply(workload({"QuotaReserved"})), IsEmpty());
  EXPECT_THAT(groups.apply(workload({"QuotaReserved", "Admitted"})), ElementsAre(kAdmitted));
  EXPECT_THAT(groups.apply(workload({"QuotaReserved", "Admitted"})), IsEmpty()) << "said already";
}

TEST(GroupAdmissions, TheOrderOfArrivalDoesNotMatter) {
  std::vector<int> order = {0, 1, 2};
  do {
    GroupAdmissions groups;
    std::vector<GroupChange> last;
    for (const int what : order) {
      if (what == 0) last = groups.apply(flavor("spot"));
      if (what == 1) last = groups.apply(group());
      if (what == 2) last = groups.apply(workload({"Admitted"}));
    }
    EXPECT_THAT(last, ElementsAre(kAdmitted));
  } while (std::next_permutation(order.begin(), order.end()));
}

struct EndCase {
  std::string name;
  std::function<std::vector<GroupChange>(GroupAdmissions&)> end;
};

class GroupAdmissionsEnd : public testing::TestWithParam<EndCase> {};

TEST_P(GroupAdmissionsEnd, Withdraws) {
  GroupAdmissions groups;
  groups.apply(flavor("spot"));
  groups.apply(group());
  ASSERT_THAT(groups.apply(workload({"Admitted"})), ElementsAre(kAdmitted));
  EXPECT_THAT(GetParam().end(groups), ElementsAre(kWithdrawn));
  EXPECT_THAT(GetParam().end(groups), IsEmpty()) << "said already";
}

INSTANTIATE_TEST_SUITE_P(WhenTheWorkload, GroupAdmissionsEnd,
                         testing::ValuesIn(std::vector<EndCase>{
                             {"IsEvicted",
                              [](auto& g) {
                                return g.apply(workload({"Admitted", "Evicted"}));
                              }},
                             {"LostItsAdmission", [](auto& g) { return g.apply(workload({})); }},
                             {"Finished",
                              [](auto& g) {
                                return g.apply(workload({"Admitted", "Finished"}));
                              }},
                             {"IsInactive",
                              [](auto& g) {
                                auto w = workload({"Admitted"});
                                w.active = false;
                                return g.apply(w);
                              }},
                             {"IsBeingDeleted",
                              [](auto& g) {
                                auto w = workload({"Admitted"});
                                w.terminating = true;
                                return g.apply(w);
                              }},
                             {"IsGone",
                              [](auto& g) {
                                return g.workload_gone({"ns", "w"}, "w-uid");
                              }},
                             {"HasAnotherOwner",
                              [](auto& g) {
                                auto w = workload({"Admitted"});
                                w.owner_kind = "Job";
                                return g.apply(w);
                              }},
                             {"LosesItsFlavor", [](auto& g) { return g.flavor_gone("spot"); }},
                             {"LosesItsGroup",
                              [](auto& g) { return g.group_gone(kGroup, "g-uid"); }},
                         }),
                         [](const auto& test) { return test.param.name; });

TEST(GroupAdmissions, AChangedFlavorReplacesWhatWasSaid) {
  GroupAdmissions groups;
  groups.apply(flavor("spot"));
  groups.apply(group());
  groups.apply(workload({"Admitted"}));
  auto moved = flavor("spot");
  moved.node_labels = {{"pool", "spot-2"}};
  EXPECT_THAT(groups.apply(moved),
              ElementsAre(GroupChange{
                  GroupAdmission{kGroup, {{"pool", "spot-2"}}, kSpotTolerations, "w", "main"}}));
}

TEST(GroupAdmissions, ReadmissionIntoAnotherFlavorReplacesWhatWasSaid) {
  GroupAdmissions groups;
  groups.apply(flavor("spot"));
  groups.apply(flavor("reserved"));
  groups.apply(group());
  groups.apply(workload({"Admitted"}));
  EXPECT_THAT(groups.apply(workload({"Admitted"}, "reserved")),
              ElementsAre(GroupChange{GroupAdmission{kGroup,
                                                     {{"pool", "reserved"}},
                                                     {{"reserved", "Exists", "", "", std::nullopt}},
                                                     "w",
                                                     "main"}}));
}

TEST(GroupAdmissions, ALateEventAboutADeadUidChangesNothing) {
  GroupAdmissions groups;
  groups.apply(flavor("spot"));
  groups.apply(group());
  groups.apply(workload({"Admitted"}));
  EXPECT_THAT(groups.workload_gone({"ns", "w"}, "earlier"), IsEmpty());
  EXPECT_THAT(groups.workload_gone({"ns", "unknown"}, "w-uid"), IsEmpty());
  EXPECT_THAT(groups.group_gone(kGroup, "earlier"), IsEmpty());
  EXPECT_THAT(groups.flavor_gone("unknown"), IsEmpty());
}

TEST(GroupAdmissions, ASuccessorOfTheSameNameIsNotAdmittedByItsPredecessorsWorkload) {
  GroupAdmissions groups;
  groups.apply(flavor("spot"));
  groups.apply(group("g-uid"));
  groups.apply(workload({"Admitted"}));
  EXPECT_THAT(groups.apply(group("g-uid-2")), ElementsAre(kWithdrawn));
  auto second = workload({"Admitted"}, "spot", "w2");
  second.owner_uid = "g-uid-2";
  EXPECT_THAT(
      groups.apply(second),
      ElementsAre(GroupChange{GroupAdmission{kGroup, kSpot, kSpotTolerations, "w2", "main"}}));
}

TEST(GroupAdmissions, AGroupThatNoQueueManagesIsLeftAlone) {
  GroupAdmissions groups;
  groups.apply(flavor("spot"));
  auto free = group();
  free.needs_admission = false;
  groups.apply(free);
  EXPECT_THAT(groups.apply(workload({"Admitted"})), IsEmpty());
}

}  // namespace
}  // namespace quorate::engine
