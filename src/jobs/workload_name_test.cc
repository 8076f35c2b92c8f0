#include "src/jobs/workload_name.h"

#include <gtest/gtest.h>

namespace quorate::jobs {
namespace {

TEST(WorkloadName, KindOwnerAndHash) {
  // sha1("Job\nbatch\ntrain\nuid-1")
  EXPECT_EQ(workload_name("Job", "batch", "train", "uid-1"), "job-train-a6870");
  EXPECT_EQ(workload_name("Job", "batch", "train", "uid-2"), "job-train-4ba11");
}

TEST(WorkloadName, LongNamesAreCutBeforeTheHash) {
  const std::string owner(300, 'x');
  const std::string want = "job-" + std::string(243, 'x') + "-b01c4";
  EXPECT_EQ(workload_name("Job", "batch", owner, "u"), want);
  EXPECT_EQ(want.size(), 253u);
  EXPECT_EQ(workload_name("Job", "batch", owner, "u", 63).size(), 63u);
}

TEST(WorkloadName, WhatComesBehindTheUidCounts) {
  // sha1("Job\nbatch\ntrain\nuid-1\n7")
  EXPECT_EQ(workload_name("Job", "batch", "train", "uid-1", kLongName, "7"), "job-train-b2389");
}

TEST(WorkloadName, ShortHash) {
  EXPECT_EQ(short_hash("abc", 8), "a9993e36");
  EXPECT_EQ(short_hash("abc", 5), "a9993");
}

// SHA-1 over "Workload", group, parent, uid and flavor, by lines.
TEST(VariantName, NamesParentAndFlavorWithAHashOfItsOwn) {
  EXPECT_EQ(variant_name("job-my-job-12345", "uid-123", "spot"), "job-my-job-variant-spot-3bae0");
  EXPECT_EQ(variant_name("plain", "u", "spot"), "plain-variant-spot-cb73b");
  const std::string cut = variant_name("job-my-job-12345", "uid-123", std::string(300, 'a'));
  EXPECT_EQ(cut.size(), kLongName);
  EXPECT_EQ(variant_name("job-my-job-12345", "uid-123", std::string(300, 'a'), kShortName).size(),
            kShortName);
}

}  // namespace
}  // namespace quorate::jobs
