#include "src/simulate/history.h"

#include <algorithm>

namespace quorate::simulate {
namespace {

// Base units of one unit that people think in.
double unit_of(const std::string& resource) { return resource == "cpu" ? 1000 : 1; }

double amount_of(const std::string& resource, Quantity amount) {
  return static_cast<double>(amount.base_units()) / unit_of(resource);
}

void put(History::Points& points, double x, double y) {
  if (!points.empty() && points.back().first == x) {
    points.back().second = y;
  } else if (points.empty() || points.back().second != y) {
    points.emplace_back(x, y);
  }
}

template <class T>
void add_quota(const T& object, std::map<std::string, double>& capacity) {
  for (const objects::ResourceGroup& group : object.resource_groups) {
    for (const objects::FlavorQuotas& flavor : group.flavors) {
      for (const objects::ResourceQuota& quota : flavor.resources) {
        capacity[quota.name] += amount_of(quota.name, quota.nominal);
      }
    }
  }
}

}  // namespace

Spread spread_of(std::vector<double> values) {
  Spread spread;
  spread.count = values.size();
  if (values.empty()) return spread;
  std::ranges::sort(values);
  const auto at = [&](double part) {
    const auto index = static_cast<std::size_t>(part * static_cast<double>(values.size()));
    return values[std::min(index, values.size() - 1)];
  };
  double sum = 0;
  for (const double value : values) sum += value;
  spread.mean = sum / static_cast<double>(values.size());
  spread.median = at(0.5);
  spread.p95 = at(0.95);
  spread.most = values.back();
  return spread;
}

std::string class_of(const objects::Workload& workload) {
  const std::string_view label = objects::value_of(workload.meta.labels, "class");
  if (!label.empty()) return std::string(label);
  if (workload.priority_class) return workload.priority_class->name;
  return "priority " + std::to_string(workload.priority.value_or(0));
}

History::History(const SimulatedCluster& cluster) : start_(cluster.now()) {
  for (const auto& [key, queue] : cluster.objects().of<objects::ClusterQueue>()) {
    add_quota(queue, capacity_);
  }
  for (const auto& [key, cohort] : cluster.objects().of<objects::Cohort>()) {
    add_quota(cohort, capacity_);
  }
  for (const auto& [key, workload] : cluster.objects().of<objects::Workload>()) {
    if (workload.status.admission) admitted_[key] = true;
  }
  put(preemptions_, 0, 0);
}

double History::now(const SimulatedCluster& cluster) const {
  return static_cast<double>((cluster.now() - start_).nanos) / 1e9;
}

void History::account(double until) {
  for (const auto& [resource, amount] : used_) used_seconds_[resource] += amount * (until - last_);
  last_ = until;
}

void History::cycle(const CycleAnswer& cycle, const SimulatedCluster& cluster) {
  const double at = now(cluster);
  account(at);
  const auto& workloads = cluster.objects().of<objects::Workload>();
  for (const AdmittedEntry& entry : cycle.admitted) {
    const auto found = workloads.find(entry.workload);
    if (!entry.admitted || found == workloads.end()) continue;
    ++admissions_;
    if (!admitted_.emplace(entry.workload, true).second) continue;
    const double wait =
        static_cast<double>((cluster.now() - found->second.meta.created).nanos) / 1e9;
    by_class_[class_of(found->second)].push_back(std::max(wait, 0.0));
    by_queue_[entry.cluster_queue].push_back(std::max(wait, 0.0));
  }
  evictions_ += cycle.evicted.size();
  if (!cycle.preempted.empty()) {
    preempted_ += cycle.preempted.size();
    evictions_ += cycle.preempted.size();
    put(preemptions_, at, static_cast<double>(preempted_));
  }
}

void History::moment(const SimulatedCluster& cluster) {
  account(now(cluster));
  sample(cluster);
}

void History::sample(const SimulatedCluster& cluster) {
  const double at = now(cluster);
  const admission::Views& views = cluster.engine().admission_views();
  const std::vector<std::string> changed = views.changed_cluster_queues(cursor_);
  if (changed.empty()) return;
  for (const std::string& name : changed) {
    const std::optional<admission::QueueView> view = views.cluster_queue(name);
    std::map<std::string, double> amounts;
    std::int64_t pending = 0;
    if (view) {
      pending = view->pending;
      for (const admission::ResourceUsageView& each : view->reservation) {
        amounts[each.resource] += amount_of(each.resource, each.total);
      }
    }
    pending_all_ += pending - pending_[name];
    pending_[name] = pending;
    double share = 0;
    for (const auto& [resource, amount] : amounts) {
      Points& points = usage_[resource][name];
      used_[resource] += amount - (points.empty() ? 0 : points.back().second);
      put(points, at, amount);
      if (capacity_[resource] > 0) share = std::max(share, amount / capacity_[resource] * 100);
    }
    put(shares_[name], at, share);
  }
  put(waiting_, at, static_cast<double>(pending_all_));
  for (const auto& [resource, capacity] : capacity_) {
    if (capacity <= 0) continue;
    const double unused = std::max(capacity - used_[resource], 0.0) / capacity * 100;
    put(stranded_[resource], at, pending_all_ > 0 ? unused : 0);
  }
}

double History::utilization(const std::string& resource) const {
  const auto used = used_seconds_.find(resource);
  const auto capacity = capacity_.find(resource);
  if (used == used_seconds_.end() || capacity == capacity_.end()) return 0;
  if (capacity->second <= 0 || last_ <= 0) return 0;
  return used->second / capacity->second / last_ * 100;
}

}  // namespace quorate::simulate
