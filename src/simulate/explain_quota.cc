// Remedies outside the workload: quota, queues, other workloads.

#include <algorithm>
#include <set>

#include "src/objects/names.h"
#include "src/simulate/explain.h"
#include "src/simulate/write_status.h"

namespace quorate::simulate {
namespace {

using objects::ClusterQueue;
using objects::Cohort;

constexpr std::size_t kMostEndings = 64;

// What is missing of a resource, by the last attempt, and the most that could be: with so much more
// it would fit beside everything that runs.
struct Missing {
  std::int64_t amount = 0;
  std::int64_t most = 0;
};
// By flavor and resource.
using Shortages = std::map<std::string, std::map<std::string, Missing>>;

// All that is reserved of the resource in the flavor, whoever holds it.
Quantity reserved_of(const SimulatedCluster& cluster, const std::string& flavor,
                     const std::string& resource) {
  const admission::Views& views = cluster.engine().admission_views();
  Quantity sum;
  for (const std::string& name : views.cluster_queues()) {
    const std::optional<admission::QueueView> view = views.cluster_queue(name);
    if (!view) continue;
    for (const admission::ResourceUsageView& each : view->reservation) {
      if (each.flavor == flavor && each.resource == resource) sum += each.total;
    }
  }
  return sum;
}

Shortages shortages_of(const SimulatedCluster& cluster, const admission::Hold& hold) {
  Shortages all;
  for (const admission::Fact& fact : hold.proof.facts) {
    const auto* found = std::get_if<admission::QuotaShortage>(&fact);
    if (found == nullptr) continue;
    Missing& missing = all[found->flavor][found->resource];
    const std::int64_t amount = (found->need - found->have.or_zero()).base_units();
    missing.amount = std::max(missing.amount, amount);
    missing.most =
        (found->need + found->need + reserved_of(cluster, found->flavor, found->resource))
            .base_units();
  }
  return all;
}

objects::ResourceQuota* find_quota(std::vector<objects::ResourceGroup>& groups,
                                   const std::string& flavor, const std::string& resource) {
  for (objects::ResourceGroup& group : groups) {
    for (objects::FlavorQuotas& quotas : group.flavors) {
      if (quotas.name != flavor) continue;
      for (objects::ResourceQuota& quota : quotas.resources) {
        if (quota.name == resource) return &quota;
      }
    }
  }
  return nullptr;
}

template <class T>
void apply_one(SimulatedCluster& trial, T object) {
  object.meta.generation = 0;  // the change makes a new one
  Objects applied;
  applied.of<T>().emplace(object.meta.key, std::move(object));
  trial.change({}, std::move(applied));
}

// What of a quota is raised.
enum class Field { Nominal, BorrowingLimit, LendingLimit };

const char* name_of(Field field) {
  switch (field) {
    case Field::Nominal:
      return "nominalQuota";
    case Field::BorrowingLimit:
      return "borrowingLimit";
    case Field::LendingLimit:
      return "lendingLimit";
  }
  return "";
}

const char* remedy_of(Field field) {
  switch (field) {
    case Field::Nominal:
      return "raise-quota";
    case Field::BorrowingLimit:
      return "raise-borrowing-limit";
    case Field::LendingLimit:
      return "raise-lending-limit";
  }
  return "";
}

// nullptr: there is no such limit, so that raising it means nothing.
Quantity* value_of(objects::ResourceQuota* quota, Field field) {
  if (quota == nullptr) return nullptr;
  switch (field) {
    case Field::Nominal:
      return &quota->nominal;
    case Field::BorrowingLimit:
      return quota->borrowing_limit ? &*quota->borrowing_limit : nullptr;
    case Field::LendingLimit:
      return quota->lending_limit ? &*quota->lending_limit : nullptr;
  }
  return nullptr;
}

// Several resources of one flavor are raised together; then each as little as the others allow.
template <class T>
void raise(Trials& trials, const T& owner, const std::string& kind, const std::string& flavor,
           const std::map<std::string, Missing>& missing, Field field, std::vector<Remedy>& out) {
  std::map<std::string, std::int64_t> raised;
  T probe = owner;
  for (const auto& [resource, amount] : missing) {
    objects::ResourceQuota* quota = find_quota(probe.resource_groups, flavor, resource);
    const Quantity* value = value_of(quota, field);
    if (value == nullptr) continue;
    raised[resource] = amount.most;
    // Nobody lends more than is his own.
    if (field == Field::LendingLimit) {
      raised[resource] = std::min(amount.most, (quota->nominal - *value).base_units());
    }
  }
  std::erase_if(raised, [](const auto& entry) { return entry.second <= 0; });
  // A quota that lacks one of the resources does not help; a limit may be set for some only.
  if (raised.empty() || (field == Field::Nominal && raised.size() < missing.size())) return;
  const auto with = [&](const std::map<std::string, std::int64_t>& amounts) {
    T changed = owner;
    for (const auto& [resource, amount] : amounts) {
      *value_of(find_quota(changed.resource_groups, flavor, resource), field) += Quantity{amount};
    }
    return changed;
  };
  if (!trials.admits([&](SimulatedCluster& trial) { apply_one(trial, with(raised)); })) return;
  for (auto& each : raised) {
    const std::string& resource = each.first;
    std::int64_t& amount = each.second;
    // A resource that was short only together with another may need nothing.
    std::map<std::string, std::int64_t> without = raised;
    without.erase(resource);
    if (!without.empty() &&
        trials.admits([&](SimulatedCluster& trial) { apply_one(trial, with(without)); })) {
      amount = 0;
      continue;
    }
    const std::optional<std::int64_t> least = trials.smallest(
        amount, missing.at(resource).amount, [&](SimulatedCluster& trial, std::int64_t units) {
          std::map<std::string, std::int64_t> amounts = raised;
          amounts[resource] = units;
          apply_one(trial, with(amounts));
        });
    if (least) amount = *least;
  }
  std::erase_if(raised, [](const auto& entry) { return entry.second == 0; });

  Remedy remedy{.kind = remedy_of(field)};
  remedy.text = std::string("raise ") + name_of(field) + " of " + kind + " " + owner.meta.key.name +
                " in flavor " + flavor + " by ";
  remedy.details = {{"object", kind + " " + owner.meta.key.name}, {"flavor", flavor}};
  bool first = true;
  for (const auto& [resource, amount] : raised) {
    const Quantity from = *value_of(find_quota(probe.resource_groups, flavor, resource), field);
    const std::string by = format_quantity(resource, Quantity{amount});
    remedy.text += (first ? "" : " and ") + by + " " + resource + " (to " +
                   format_quantity(resource, from + Quantity{amount}) + ")";
    remedy.details.emplace_back(resource, by);
    first = false;
  }
  out.push_back(std::move(remedy));
}

// The cohorts above, nearest first; a cycle among them ends where it would begin again.
std::vector<std::string> path_of(const Objects& objects, std::string cohort) {
  std::vector<std::string> path;
  while (!cohort.empty() && std::ranges::find(path, cohort) == path.end()) {
    path.push_back(cohort);
    const auto found = objects.of<Cohort>().find({"", cohort});
    cohort = found == objects.of<Cohort>().end() ? std::string() : found->second.parent;
  }
  return path;
}

}  // namespace

void quota_remedies(Trials& trials, const admission::Hold& hold, std::vector<Remedy>& out) {
  const Objects& objects = trials.base().objects();
  const auto& queues = objects.of<ClusterQueue>();
  const auto queue = queues.find({"", trials.base().queue_of(trials.workload())});
  if (queue == queues.end()) return;
  const std::vector<std::string> own = path_of(objects, queue->second.cohort);
  for (const auto& [flavor, missing] : shortages_of(trials.base(), hold)) {
    for (const Field field : {Field::Nominal, Field::BorrowingLimit}) {
      raise(trials, queue->second, "ClusterQueue", flavor, missing, field, out);
      for (const std::string& name : own) {
        const auto cohort = objects.of<Cohort>().find({"", name});
        if (cohort == objects.of<Cohort>().end()) continue;
        raise(trials, cohort->second, "Cohort", flavor, missing, field, out);
      }
    }
    // Whoever else stands in the tree may lend more.
    if (own.empty()) continue;
    const auto of_tree = [&](const std::string& cohort) {
      const std::vector<std::string> path = path_of(objects, cohort);
      return !path.empty() && path.back() == own.back();
    };
    for (const auto& [key, other] : queues) {
      if (key == queue->first || !of_tree(other.cohort)) continue;
      raise(trials, other, "ClusterQueue", flavor, missing, Field::LendingLimit, out);
    }
    for (const auto& [key, other] : objects.of<Cohort>()) {
      if (!of_tree(key.name)) continue;
      raise(trials, other, "Cohort", flavor, missing, Field::LendingLimit, out);
    }
  }
}

void ending_remedies(Trials& trials, const admission::Hold& hold, std::vector<Remedy>& out) {
  const Shortages missing = shortages_of(trials.base(), hold);
  if (missing.empty()) return;
  // Those that use what is missing: lowest priority first, then the newest.
  std::vector<const objects::Workload*> users;
  for (const auto& [key, workload] : trials.base().objects().of<objects::Workload>()) {
    if (!workload.status.admission || finished(workload) || !reserved(workload)) continue;
    const bool uses =
        std::ranges::any_of(workload.status.admission->pod_sets, [&](const auto& set) {
          return std::ranges::any_of(set.flavors, [&](const auto& choice) {
            const auto flavor = missing.find(choice.second);
            return flavor != missing.end() && flavor->second.contains(choice.first);
          });
        });
    if (uses) users.push_back(&workload);
  }
  std::ranges::sort(users, {}, [](const objects::Workload* w) {
    return std::tuple(w->priority.value_or(0), -w->meta.created.nanos, w->meta.key);
  });
  if (users.size() > kMostEndings) users.resize(kMostEndings);
  const auto ended = [&](const std::vector<const objects::Workload*>& chosen) {
    return trials.admits([&](SimulatedCluster& trial) {
      for (const objects::Workload* workload : chosen) trial.forget(workload->meta.key);
    });
  };
  // As few as a growing prefix allows; then none that is not needed.
  std::vector<const objects::Workload*> chosen;
  if (!ended(users)) return;
  std::size_t low = 0;
  std::size_t high = users.size();
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (ended({users.begin(), users.begin() + static_cast<std::ptrdiff_t>(middle)}) ? high : low) =
        middle;
  }
  chosen.assign(users.begin(), users.begin() + static_cast<std::ptrdiff_t>(high));
  for (std::size_t i = 0; i < chosen.size() && chosen.size() > 1;) {
    std::vector<const objects::Workload*> fewer = chosen;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (ended(fewer)) {
      chosen = std::move(fewer);
    } else {
      ++i;
    }
  }
  std::vector<std::string> names;
  for (const objects::Workload* workload : chosen) names.push_back(workload->meta.key.text());
  std::ranges::sort(names);
  Remedy remedy{.kind = "workloads-end", .text = "once "};
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  remedy.text += list + (names.size() == 1 ? " has ended" : " have ended");
  remedy.details = {{"workloads", list}};
  out.push_back(std::move(remedy));
}

void queue_remedies(Trials& trials, std::vector<Remedy>& out) {
  const Objects& objects = trials.base().objects();
  const objects::Workload& workload = trials.workload();
  const auto try_one = [&](auto changed, std::string kind, std::string text, std::string object) {
    if (!trials.admits([&](SimulatedCluster& trial) { apply_one(trial, changed); })) return;
    out.push_back({std::move(kind), std::move(text), {{"object", std::move(object)}}});
  };
  const ObjectKey local{workload.meta.key.ns, workload.queue_name};
  const auto& locals = objects.of<objects::LocalQueue>();
  const auto& queues = objects.of<ClusterQueue>();
  if (const auto found = locals.find(local);
      found != locals.end() && found->second.stop != objects::StopPolicy::None) {
    objects::LocalQueue changed = found->second;
    changed.stop = objects::StopPolicy::None;
    try_one(changed, "resume-queue", "set stopPolicy None on LocalQueue " + local.text(),
            "LocalQueue " + local.text());
  }
  if (const auto found = queues.find({"", trials.base().queue_of(workload)});
      found != queues.end()) {
    const std::string name = "ClusterQueue " + found->first.name;
    if (found->second.stop != objects::StopPolicy::None) {
      ClusterQueue changed = found->second;
      changed.stop = objects::StopPolicy::None;
      try_one(changed, "resume-queue", "set stopPolicy None on " + name, name);
    }
    if (found->second.namespace_selector != LabelSelector{}) {
      ClusterQueue changed = found->second;
      changed.namespace_selector = LabelSelector{};
      try_one(changed, "let-namespace-in",
              "let namespace " + local.ns + " match the namespaceSelector of " + name, name);
    }
  }
  if (!workload.active) {
    objects::Workload changed = workload;
    changed.active = true;
    try_one(changed, "activate", "set spec.active to true", "Workload " + trials.key().text());
  }
  if (!objects::value_of(workload.meta.annotations, objects::names::kAdmissionGatedBy).empty()) {
    objects::Workload changed = workload;
    changed.meta.annotations.erase(std::string(objects::names::kAdmissionGatedBy));
    try_one(changed, "open-gates",
            "remove the annotation " + std::string(objects::names::kAdmissionGatedBy),
            "Workload " + trials.key().text());
  }
}

}  // namespace quorate::simulate
