#include "controller/live/claim_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/live/fake_api.h"

namespace quorate::controller {
namespace {

using namespace quorate::controller::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::shared_ptr<const dra::Allocation> device(const std::string& name) {
  auto allocation = std::make_shared<dra::Allocation>();
  dra::AllocatedDevice& result = allocation->devices.emplace_back();
  result.request = "r";
  result.device = {"d", "p", name};
  return allocation;
}

scheduler::ClaimWrite write_of(const std::string& device_name) {
  scheduler::ClaimWrite write;
  write.claim = {"team", "c"};
  write.claim_uid = "claim-uid";
  write.allocation = device(device_name);
  write.consumer = {"", "pods", "p", "pod-uid"};
  return write;
}

objects::ResourceClaim read_claim() {
  objects::ResourceClaim claim;
  claim.meta.key = {"team", "c"};
  claim.meta.uid = "claim-uid";
  claim.meta.resource_version = "7";
  claim.meta.finalizers = {std::string(objects::kClaimFinalizer)};
  return claim;
}

std::string refusal(const objects::ResourceClaim& claim) {
  const ClaimStep step = next_step(claim, write_of("a"), Time{});
  const auto* refused = std::get_if<ClaimRefused>(&step);
  return refused == nullptr ? "" : refused->why;
}

TEST(ClaimSteps, V23TheFinalizerComesBeforeTheAllocation) {
  objects::ResourceClaim claim = read_claim();
  claim.meta.finalizers.clear();
  EXPECT_TRUE(std::holds_alternative<AddFinalizer>(next_step(claim, write_of("a"), Time{})));
  claim = read_claim();
  const ClaimStep step = next_step(claim, write_of("a"), Time::from_seconds(1767225600));
  ASSERT_TRUE(std::holds_alternative<WriteStatus>(step));
  EXPECT_THAT(std::get<WriteStatus>(step).patch, HasSubstr(R"("resourceVersion":"7")"));
  EXPECT_THAT(std::get<WriteStatus>(step).patch,
              HasSubstr(R"("allocationTimestamp":"2026-01-01T00:00:00Z")"));
  EXPECT_THAT(std::get<WriteStatus>(step).patch, HasSubstr(R"("uid":"pod-uid")"));
}

TEST(ClaimSteps, V23WhatIsThereIsNotWrittenAgain) {
  objects::ResourceClaim claim = read_claim();
  claim.status.allocation = *device("a");
  EXPECT_TRUE(std::holds_alternative<WriteStatus>(next_step(claim, write_of("a"), Time{})));
  claim.status.reserved_for = {{"", "pods", "p", "pod-uid"}};
  EXPECT_TRUE(std::holds_alternative<ClaimIsThere>(next_step(claim, write_of("a"), Time{})));
}

TEST(ClaimSteps, V24AnAllocationBySomebodyElseIsNotAdopted) {
  objects::ResourceClaim claim = read_claim();
  claim.status.allocation = *device("b");
  EXPECT_EQ(refusal(claim), "claim team/c got allocated elsewhere in the meantime");
}

TEST(ClaimSteps, AClaimThatGoesOrWentIsRefused) {
  objects::ResourceClaim claim = read_claim();
  claim.meta.deleted = Time{};
  EXPECT_EQ(refusal(claim), "claim team/c is being deleted");
  claim = read_claim();
  claim.meta.uid = "other";
  EXPECT_EQ(refusal(claim), "claim team/c is another one of that name");
}

TEST(ClaimSteps, V30AFullClaimIsRefused) {
  objects::ResourceClaim claim = read_claim();
  claim.status.allocation = *device("a");
  for (int i = 0; i < 256; ++i) {
    claim.status.reserved_for.push_back({"", "pods", "q", std::to_string(i)});
  }
  EXPECT_THAT(refusal(claim), HasSubstr("status.reservedFor: Too many: 257"));
}

// A server that keeps one claim.
class ClaimWriterTest : public ::testing::Test {
 protected:
  ClaimWriterTest() {
    api.answer = [this](const http::Request& request) {
      if (conflicts > 0 && request.method == http::Method::Patch) {
        --conflicts;
        return FakeApi::refusal(409, "Conflict", "the object has been modified");
      }
      if (request.method == http::Method::Patch) apply(request.body);
      return FakeApi::json(objects::encode_json(claim));
    };
    claim = read_claim();
    claim.meta.finalizers.clear();
  }
  void apply(const std::string& patch) {
    if (patch.find("finalizers") != std::string::npos) {
      claim.meta.finalizers = {std::string(objects::kClaimFinalizer)};
    } else if (patch.find("$patch") != std::string::npos) {
      claim.status.reserved_for.clear();
    } else if (patch.find(R"("allocation":null)") != std::string::npos) {
      claim.status = {};
    } else {
      claim.status.allocation = *device("a");
      claim.status.reserved_for = {{"", "pods", "p", "pod-uid"}};
    }
    claim.meta.resource_version += "1";
  }
  // "done", or why not.
  std::string write() {
    std::string answer = "no answer";
    writer.write_all({write_of("a")},
                     [&](Outcome<void> done) { answer = done ? "done" : done.error().message; });
    api.loop.run();
    return answer;
  }

  FakeApi api;
  int conflicts = 0;
  objects::ResourceClaim claim;
  std::vector<engine::Event> posted;
  ClaimWriter writer{api.client,
                     [this](engine::Event event) { posted.push_back(std::move(event)); }};
};

constexpr char kPath[] = "/apis/resource.k8s.io/v1/namespaces/team/resourceclaims/c";

TEST_F(ClaimWriterTest, V23WritesInTheirOrderAndTellsWhatIsThere) {
  EXPECT_EQ(write(), "done");
  EXPECT_THAT(api.asked, ElementsAre(std::string("GET ") + kPath, std::string("PATCH ") + kPath,
                                     std::string("PATCH ") + kPath + "/status"));
  ASSERT_EQ(posted.size(), 1u);
  EXPECT_TRUE(std::get<devices::ClaimObject>(posted[0]).status.allocation);
  api.asked.clear();
  EXPECT_EQ(write(), "done");  // again: only looked at
  EXPECT_THAT(api.asked, ElementsAre(std::string("GET ") + kPath));
}

TEST_F(ClaimWriterTest, AConflictIsReadAgain) {
  conflicts = 2;
  EXPECT_EQ(write(), "done");
  conflicts = 100;
  claim = read_claim();
  EXPECT_THAT(write(), HasSubstr("the object has been modified"));
}

TEST_F(ClaimWriterTest, V35AMissingPermissionIsNoLoop) {
  api.answer = [](const http::Request&) {
    return FakeApi::refusal(422, "Invalid", "requires resource=resourceclaims/binding");
  };
  EXPECT_THAT(write(), HasSubstr("resourceclaims/binding"));
  EXPECT_EQ(api.asked.size(), 1u);
}

TEST_F(ClaimWriterTest, V25AReservationIsTakenBackAndTheAllocationStays) {
  EXPECT_EQ(write(), "done");
  posted.clear();
  writer.release({{"team", "c"}, "claim-uid", "pod-uid", false});
  api.loop.run();
  EXPECT_TRUE(claim.status.allocation);
  EXPECT_TRUE(claim.status.reserved_for.empty());
  ASSERT_EQ(posted.size(), 2u);  // what the claim is now, then that it is released
  EXPECT_TRUE(std::holds_alternative<devices::ClaimObject>(posted[0]));
  EXPECT_EQ(std::get<engine::ClaimReleased>(posted[1]).consumer_uid, "pod-uid");
}

TEST_F(ClaimWriterTest, AClaimOfOthersIsNotDeallocated) {
  EXPECT_EQ(write(), "done");
  claim.status.reserved_for.push_back({"", "pods", "q", "other"});
  writer.release({{"team", "c"}, "claim-uid", "pod-uid", true});
  api.loop.run();
  EXPECT_TRUE(claim.status.allocation);
  claim.status.reserved_for.pop_back();
  writer.release({{"team", "c"}, "claim-uid", "pod-uid", true});
  api.loop.run();
  EXPECT_FALSE(claim.status.allocation);
}

}  // namespace
}  // namespace quorate::controller
