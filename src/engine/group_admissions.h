#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "admission/spec.h"
#include "src/base/object_key.h"
#include "src/scheduler/spec.h"

namespace quorate::engine {

struct GroupWithdrawn {
  ObjectKey group;

  friend bool operator==(const GroupWithdrawn&, const GroupWithdrawn&) = default;
};
using GroupChange = std::variant<scheduler::GroupAdmission, GroupWithdrawn>;

// Turns what the API server shows of Workloads into what the scheduler is told about the PodGroups
// they stand for: a group that a queue manages is admitted while a Workload that it owns has
// Admitted=True, with the node labels and tolerations of the flavors it was given.
//
// A group waits while a flavor of its admission is not known, because its members would land
// outside of the quota they were charged to. A Workload that is evicted, finished, inactive or
// being deleted admits nobody. A Workload of an earlier group of the same name (another owner uid)
// does not count. Answers are complete: each call returns what changed by it.
class GroupAdmissions {
 public:
  std::vector<GroupChange> apply(const admission::FlavorSpec& flavor);
  std::vector<GroupChange> flavor_gone(const std::string& name);
  std::vector<GroupChange> apply(const admission::WorkloadSpec& workload);
  std::vector<GroupChange> workload_gone(const ObjectKey& key, const std::string& uid);
  std::vector<GroupChange> apply(const scheduler::PodGroupSpec& group);
  std::vector<GroupChange> group_gone(const ObjectKey& key, const std::string& uid);

 private:
  // What one Workload says about its group.
  struct Claim {
    std::string uid;
    std::string owner_uid;
    ObjectKey group;
    bool admitted = false;
    std::vector<std::string> flavors;  // in the order of the assignment, without repeats
    std::string pod_set;               // the first: a group's workload has one
  };

  static std::optional<Claim> claim_of(const admission::WorkloadSpec& workload);
  void drop_claim(const ObjectKey& workload);
  std::optional<scheduler::GroupAdmission> granted_by(const ObjectKey& workload,
                                                      const Claim& claim) const;
  std::optional<scheduler::GroupAdmission> wanted(const ObjectKey& group) const;
  void settle(const ObjectKey& group, std::vector<GroupChange>& changes);
  std::vector<GroupChange> settle_all();

  std::map<std::string, std::shared_ptr<const admission::FlavorSpec>> flavors_;
  std::map<ObjectKey, Claim> claims_;                   // by workload
  std::map<ObjectKey, std::set<ObjectKey>> claimants_;  // workloads by group
  std::map<ObjectKey, std::string> managed_;            // groups that need admission: their uids
  std::map<ObjectKey, scheduler::GroupAdmission> granted_;  // what was said last
};

}  // namespace quorate::engine
