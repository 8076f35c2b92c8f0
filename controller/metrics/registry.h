#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/thread_annotations.h"

namespace quorate::controller {

enum class MetricType { Counter, Gauge, Histogram };

// A metric as it is declared: every name is known before the first sample.
struct MetricFamily {
  std::string name;
  MetricType type = MetricType::Gauge;
  std::string help;
  std::vector<std::string> labels;
  std::vector<double> buckets;  // histograms only; +Inf is added
};

// Samples by metric and label values, and their text form for Prometheus. Thread safe.
class MetricRegistry {
 public:
  using Values = std::vector<std::string>;  // one per label of the family

  explicit MetricRegistry(std::vector<MetricFamily> families);

  // What label "replica_role" says instead of the values that samples were given.
  void set_role(std::string role);

  // A name that was not declared, or the wrong number of labels, is a bug of the caller.
  void add(std::string_view name, const Values& values, double amount = 1);
  void set(std::string_view name, const Values& values, double value);
  void observe(std::string_view name, const Values& values, double value);
  // Drops every sample of the metric whose label values begin with these.
  void remove(std::string_view name, const Values& prefix);

  std::string expose() const;  // text format 0.0.4, in the order of declaration, then of the labels

 private:
  struct Histogram {
    std::vector<double> counts;  // per bucket, not cumulative
    double sum = 0;
    double count = 0;
  };
  struct Samples {
    MetricFamily family;
    std::map<Values, double> numbers;
    std::map<Values, Histogram> histograms;
  };
  Samples& samples(std::string_view name, const Values& values) REQUIRES(mutex_);
  Values shown(const MetricFamily& family, Values values) const REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::vector<Samples> families_ GUARDED_BY(mutex_);
  std::map<std::string, std::size_t, std::less<>> by_name_;
  std::string role_ GUARDED_BY(mutex_);
};

// Kueue's exponential buckets: 1, then 2.5 * 2^k; `count` in all.
std::vector<double> exponential_buckets(int count);
std::vector<double> default_buckets();  // Prometheus' own

}  // namespace quorate::controller
