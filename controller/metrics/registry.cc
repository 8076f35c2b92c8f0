#include "controller/metrics/registry.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "src/base/check.h"

namespace quorate::controller {
namespace {

std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  if (value == std::floor(value) && std::abs(value) < 1e15) {
    return std::to_string(static_cast<long long>(value));
  }
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  // The shortest text that reads back as the same number.
  for (int digits = 1; digits < 17; ++digits) {
    char shorter[40];
    std::snprintf(shorter, sizeof shorter, "%.*g", digits, value);
    double back = 0;
    if (std::sscanf(shorter, "%lf", &back) == 1 && back == value) return shorter;
  }
  return text;
}

std::string escaped(std::string_view value) {
  std::string out;
  for (const char c : value) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out;
}

std::string label_text(const std::vector<std::string>& names,
                       const std::vector<std::string>& values, std::string_view extra = {}) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += (out.empty() ? "" : ",") + names[i] + "=\"" + escaped(values[i]) + "\"";
  }
  if (!extra.empty()) out.append(out.empty() ? "" : ",").append(extra);
  return out.empty() ? "" : "{" + out + "}";
}

const char* type_text(MetricType type) {
  switch (type) {
    case MetricType::Counter:
      return "counter";
    case MetricType::Gauge:
      return "gauge";
    case MetricType::Histogram:
      return "histogram";
  }
  return "untyped";
}

}  // namespace

std::vector<double> exponential_buckets(int count) {
  std::vector<double> buckets{1};
  double next = 2.5;
  while (static_cast<int>(buckets.size()) < count) {
    buckets.push_back(next);
    next *= 2;
  }
  return buckets;
}

std::vector<double> default_buckets() {
  return {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};
}

MetricRegistry::MetricRegistry(std::vector<MetricFamily> families) {
  for (MetricFamily& family : families) {
    const bool fresh = by_name_.emplace(family.name, by_name_.size()).second;
    check(fresh, "a metric is declared twice");
    families_.push_back({std::move(family), {}, {}});
  }
}

MetricRegistry::Samples& MetricRegistry::samples(std::string_view name, const Values& values) {
  const auto found = by_name_.find(name);
  check(found != by_name_.end(), "a metric was not declared");
  Samples& family = families_[found->second];
  check(values.size() == family.family.labels.size(), "a metric has other labels");
  return family;
}

void MetricRegistry::add(std::string_view name, const Values& values, double amount) {
  MutexLock lock(mutex_);
  samples(name, values).numbers[values] += amount;
}

void MetricRegistry::set(std::string_view name, const Values& values, double value) {
  MutexLock lock(mutex_);
  samples(name, values).numbers[values] = value;
}

void MetricRegistry::observe(std::string_view name, const Values& values, double value) {
  MutexLock lock(mutex_);
  Samples& family = samples(name, values);
  Histogram& histogram = family.histograms[values];
  histogram.counts.resize(family.family.buckets.size() + 1);
  const auto bucket = std::ranges::lower_bound(family.family.buckets, value);
  histogram.counts[static_cast<std::size_t>(bucket - family.family.buckets.begin())] += 1;
  histogram.sum += value;
  histogram.count += 1;
}

void MetricRegistry::remove(std::string_view name, const Values& prefix) {
  MutexLock lock(mutex_);
  const auto found = by_name_.find(name);
  check(found != by_name_.end(), "a metric was not declared");
  const auto begins = [&](const auto& entry) {
    return entry.first.size() >= prefix.size() &&
           std::equal(prefix.begin(), prefix.end(), entry.first.begin());
  };
  std::erase_if(families_[found->second].numbers, begins);
  std::erase_if(families_[found->second].histograms, begins);
}

void MetricRegistry::set_role(std::string role) {
  MutexLock lock(mutex_);
  role_ = std::move(role);
}

MetricRegistry::Values MetricRegistry::shown(const MetricFamily& family, Values values) const {
  for (std::size_t i = 0; i < values.size() && !role_.empty(); ++i) {
    if (family.labels[i] == "replica_role") values[i] = role_;
  }
  return values;
}

std::string MetricRegistry::expose() const {
  MutexLock lock(mutex_);
  std::string out;
  for (const Samples& samples : families_) {
    const MetricFamily& family = samples.family;
    if (samples.numbers.empty() && samples.histograms.empty()) continue;
    out += "# HELP " + family.name + " " + family.help + "\n";
    out += "# TYPE " + family.name + " " + type_text(family.type) + "\n";
    for (const auto& [values, number] : samples.numbers) {
      out += family.name + label_text(family.labels, shown(family, values)) + " " +
             number_text(number) + "\n";
    }
    for (const auto& [given, histogram] : samples.histograms) {
      const Values values = shown(family, given);
      double below = 0;
      for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
        below += histogram.counts[i];
        const std::string bound =
            i < family.buckets.size() ? number_text(family.buckets[i]) : "+Inf";
        out += family.name + "_bucket" + label_text(family.labels, values, "le=\"" + bound + "\"") +
               " " + number_text(below) + "\n";
      }
      const std::string labels = label_text(family.labels, values);
      out += family.name + "_sum" + labels + " " + number_text(histogram.sum) + "\n";
      out += family.name + "_count" + labels + " " + number_text(histogram.count) + "\n";
    }
  }
  return out;
}

}  // namespace quorate::controller
