#include "controller/metrics/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quorate::controller {
namespace {

MetricRegistry registry() {
  return MetricRegistry({{"jobs_total", MetricType::Counter, "Jobs.", {"queue", "class"}, {}},
                         {"depth", MetricType::Gauge, "Depth.", {}, {}},
                         {"wait_seconds", MetricType::Histogram, "Wait.", {"queue"}, {1, 2.5}}});
}

TEST(MetricRegistry, TextForm) {
  MetricRegistry metrics = registry();
  metrics.add("jobs_total", {"q", "hi\"gh"});
  metrics.add("jobs_total", {"q", "hi\"gh"}, 2);
  metrics.set("depth", {}, 0.1);
  metrics.observe("wait_seconds", {"q"}, 1);  // on the bound: inside
  metrics.observe("wait_seconds", {"q"}, 2);
  metrics.observe("wait_seconds", {"q"}, 100);
  EXPECT_EQ(metrics.expose(),
            "# HELP jobs_total Jobs.\n"
            "# TYPE jobs_total counter\n"
            "jobs_total{queue=\"q\",class=\"hi\\\"gh\"} 3\n"
            "# HELP depth Depth.\n"
            "# TYPE depth gauge\n"
            "depth 0.1\n"
            "# HELP wait_seconds Wait.\n"
            "# TYPE wait_seconds histogram\n"
            "wait_seconds_bucket{queue=\"q\",le=\"1\"} 1\n"
            "wait_seconds_bucket{queue=\"q\",le=\"2.5\"} 2\n"
            "wait_seconds_bucket{queue=\"q\",le=\"+Inf\"} 3\n"
            "wait_seconds_sum{queue=\"q\"} 103\n"
            "wait_seconds_count{queue=\"q\"} 3\n");
}

TEST(MetricRegistry, RemoveTakesWhatBeginsWithTheseLabels) {
  MetricRegistry metrics = registry();
  metrics.add("jobs_total", {"a", "x"});
  metrics.add("jobs_total", {"a", "y"});
  metrics.add("jobs_total", {"b", "x"});
  metrics.remove("jobs_total", {"a"});
  EXPECT_EQ(metrics.expose(),
            "# HELP jobs_total Jobs.\n# TYPE jobs_total counter\n"
            "jobs_total{queue=\"b\",class=\"x\"} 1\n");
}

TEST(MetricRegistry, RoleIsThatOfTheProcess) {
  MetricRegistry metrics({{"x", MetricType::Gauge, "X.", {"q", "replica_role"}, {}}});
  metrics.set("x", {"a", "leader"}, 1);
  metrics.set_role("standalone");
  EXPECT_THAT(metrics.expose(), testing::HasSubstr("x{q=\"a\",replica_role=\"standalone\"} 1\n"));
}

TEST(MetricRegistry, Buckets) {
  EXPECT_THAT(exponential_buckets(5), testing::ElementsAre(1, 2.5, 5, 10, 20));
}

TEST(MetricRegistryDeathTest, UndeclaredNamesAreBugs) {
  MetricRegistry metrics = registry();
  EXPECT_DEATH(metrics.add("nobody", {}), "not declared");
  EXPECT_DEATH(metrics.set("depth", {"x"}, 1), "other labels");
}

}  // namespace
}  // namespace quorate::controller
