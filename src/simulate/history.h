#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/simulate/answer.h"

namespace quorate::simulate {

// The summary of many numbers.
struct Spread {
  std::size_t count = 0;
  double mean = 0, median = 0, p95 = 0, most = 0;
};
Spread spread_of(std::vector<double> values);

// What happened over the time of a run: what a report plots, and the figures of a trace. Seconds
// count from the start.
class History {
 public:
  explicit History(const SimulatedCluster& cluster);

  void cycle(const CycleAnswer& cycle, const SimulatedCluster& cluster);
  void moment(const SimulatedCluster& cluster);

  using Points = std::vector<std::pair<double, double>>;

  // Reserved amounts by resource, then queue, in the resource's own unit (cores, bytes, pieces).
  const std::map<std::string, std::map<std::string, Points>>& usage() const { return usage_; }
  // The largest part of all quota, over resources, that a queue holds: percent.
  const std::map<std::string, Points>& shares() const { return shares_; }
  // Quota that nobody uses although workloads wait: percent of all, by resource.
  const std::map<std::string, Points>& stranded() const { return stranded_; }
  const Points& waiting() const { return waiting_; }
  const Points& preemptions() const { return preemptions_; }  // how many so far
  // From creation to the first admission, in seconds, by class of workload and by queue.
  const std::map<std::string, std::vector<double>>& waits_by_class() const { return by_class_; }
  const std::map<std::string, std::vector<double>>& waits_by_queue() const { return by_queue_; }
  // All quota of a resource, in its own unit.
  const std::map<std::string, double>& capacity() const { return capacity_; }
  // Used part of the quota of a resource over the whole time, in percent.
  double utilization(const std::string& resource) const;

  std::size_t admissions() const { return admissions_; }
  std::size_t evictions() const { return evictions_; }
  double seconds() const { return last_; }

 private:
  double now(const SimulatedCluster& cluster) const;
  void sample(const SimulatedCluster& cluster);
  void account(double until);

  Time start_;
  std::uint64_t cursor_ = 0;
  std::map<std::string, std::map<std::string, Points>> usage_;
  std::map<std::string, Points> shares_;
  std::map<std::string, Points> stranded_;
  Points waiting_, preemptions_;
  std::map<std::string, std::vector<double>> by_class_, by_queue_;
  std::map<std::string, double> capacity_;
  std::map<std::string, double> used_;           // now, by resource
  std::map<std::string, double> used_seconds_;   // amount times time
  std::map<std::string, std::int64_t> pending_;  // now, by queue
  std::int64_t pending_all_ = 0;
  std::map<ObjectKey, bool> admitted_;
  std::size_t admissions_ = 0, preempted_ = 0, evictions_ = 0;
  double last_ = 0;
};

// The class of a workload: its label "class", else its priority class, else its priority.
std::string class_of(const objects::Workload& workload);

}  // namespace quorate::simulate
