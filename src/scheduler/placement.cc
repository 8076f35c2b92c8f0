#include "src/scheduler/placement.h"

#include <algorithm>

#include "src/devices/model.h"
#include "src/scheduler/evaluation_cache.h"
#include "src/scheduler/framework.h"
#include "src/scheduler/group_plan.h"

namespace quorate::scheduler {

struct GangPlacer::Kept {
  explicit Kept(const Profile& with) : profile(with), framework(with) {}

  Profile profile;
  Framework framework;
  EvaluationCache evaluations;
};

GangPlacer::GangPlacer(cluster::Model& model, Journal& journal, const Config& config)
    : model_(model), journal_(journal), config_(config) {}
GangPlacer::~GangPlacer() = default;

std::optional<NotPlaced> GangPlacer::reserve(const GangRequest& gang) {
  Transaction trial(journal_);
  model_.drop_reservation(journal_, gang.uid);

  std::vector<std::shared_ptr<const cluster::Demand>> demands;  // by pod set
  std::vector<PodView> views;
  std::vector<std::size_t> set_of;  // by view
  for (std::size_t s = 0; s < gang.pod_sets.size(); ++s) {
    const PodSetRequest& set = gang.pod_sets[s];
    demands.push_back(std::make_shared<const cluster::Demand>(
        model_.demand(set.pod, pod_requests(*set.pod), gang.workload.ns)));
    const devices::Model* devices = devices::of(model_);
    std::shared_ptr<const devices::PodClaims> claims;
    if (devices != nullptr && devices->concerns(*set.pod)) {
      claims = devices->claims_of(gang.workload.ns, *set.pod);
      if (claims->nothing()) claims = nullptr;
    }
    for (std::int32_t i = 0; i < set.count; ++i) {
      views.push_back(
          {demands.back().get(), "", &set.node_labels, &set.tolerations, nullptr, claims});
      set_of.push_back(s);
    }
  }
  if (views.empty()) {
    trial.commit();
    return std::nullopt;
  }
  const Profile profile = config_.profiles.empty() ? Profile{} : config_.profiles.front();
  if (kept_ == nullptr || kept_->profile != profile) kept_ = std::make_unique<Kept>(profile);
  const Framework& framework = kept_->framework;
  const auto everyone = static_cast<std::int32_t>(views.size());
  const GroupPlanInput input{framework,
                             model_,
                             journal_,
                             views,
                             0,
                             everyone,
                             model_.nodes(),
                             {},
                             config_.search_budget,
                             &kept_->evaluations};
  const GroupPlan plan = framework.plan_group->plan(input);
  if (!plan.error.empty()) return NotPlaced{"", plan.error};
  if (plan.outcome != GroupPlan::Outcome::Placed) {
    NotPlaced why{"", plan.proof};
    for (std::size_t i = 0; i < views.size(); ++i) {
      if (views[i].claims == nullptr || plan.members[i].fate != GroupPlan::Fate::Failed) continue;
      const std::string closest =
          devices::of(model_)->shortfall(model_, model_.nodes(), *views[i].claims, 64);
      if (!closest.empty()) why.why += "; " + closest;
      break;
    }
    const auto failed =
        std::ranges::find(plan.members, GroupPlan::Fate::Failed, &GroupPlan::Member::fate);
    if (failed == plan.members.end()) return why;
    why.pod_set =
        gang.pod_sets[set_of[static_cast<std::size_t>(failed - plan.members.begin())]].name;
    why.why = plan.fit_errors[failed->fit_error] + " (" + why.why + ")";
    return why;
  }
  cluster::Reservation reservation{gang.workload, {}};
  {
    // Their devices, all together as in the plan.
    Transaction together(journal_);
    devices::Model* devices = devices::of(model_);
    for (std::size_t i = 0; i < views.size(); ++i) {
      if (views[i].claims == nullptr) continue;
      if (!devices->try_out(model_, journal_, plan.members[i].node, views[i].claims, i)) {
        return NotPlaced{gang.pod_sets[set_of[i]].name, "devices: the search ended by its budget"};
      }
    }
    for (std::size_t i = 0; i < views.size(); ++i) {
      reservation.pods.push_back({gang.pod_sets[set_of[i]].name, demands[set_of[i]],
                                  plan.members[i].node,
                                  views[i].claims == nullptr ? nullptr : devices->tried_out(i)});
    }
  }
  model_.reserve(journal_, gang.uid, std::move(reservation));
  trial.commit();
  return std::nullopt;
}

void GangPlacer::release(const std::string& workload_uid) {
  model_.drop_reservation(journal_, workload_uid);
}

}  // namespace quorate::scheduler
