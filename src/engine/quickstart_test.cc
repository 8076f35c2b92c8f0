// The numbers of examples/quickstart, without a cluster: three teams, 64 GPUs on 8 nodes, gangs of
// 48, 32 and 16.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "src/engine/event_log.h"
#include "src/engine/replay.h"
#include "src/engine/toy_cluster.h"

namespace quorate::engine {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::SizeIs;

Time at(std::int64_t seconds) { return Time::from_seconds(seconds); }

std::set<std::string> distinct(const std::vector<std::string>& nodes) {
  return {nodes.begin(), nodes.end()};
}

TEST(Quickstart, QuotaIsLentThenTheLastGangWaitsAndFollows) {
  ToyCluster cluster;
  tell_quickstart(cluster);
  EXPECT_THAT(cluster.settle(at(4)), IsEmpty())
      << "nothing is decided before the lists are complete";
  cluster.tell(Synced{});
  cluster.settle(at(5));

  // pretrain: 24 of its own and 24 borrowed. transcribe: the 16 it owns. 64 - 64 = 0 are left, so
  // finetune, which needs 32, waits at the quota layer.
  EXPECT_TRUE(cluster.admitted("team-vision", "pretrain"));
  EXPECT_TRUE(cluster.admitted("team-speech", "transcribe"));
  EXPECT_FALSE(cluster.admitted("team-language", "finetune"));
  const auto why = cluster.engine().admission_views().waiting({"team-language", "finetune"});
  ASSERT_TRUE(why.has_value());
  EXPECT_EQ(why->proof.layer, admission::Layer::Quota);
  ASSERT_THAT(why->proof.facts, testing::Not(IsEmpty()));
  const auto& shortage = std::get<admission::QuotaShortage>(why->proof.facts.front());
  EXPECT_EQ(shortage.have, Quantity{0});
  EXPECT_EQ(shortage.need, Quantity{32});

  // Each pod takes a whole node.
  const auto pretrain = cluster.nodes_of("team-vision", "pretrain");
  const auto transcribe = cluster.nodes_of("team-speech", "transcribe");
  EXPECT_THAT(pretrain, SizeIs(6));
  EXPECT_THAT(transcribe, SizeIs(2));
  std::set<std::string> used = distinct(pretrain);
  used.merge(distinct(transcribe));
  EXPECT_THAT(used, SizeIs(8));

  cluster.finish("team-vision", "pretrain", at(15));
  const std::vector<std::string> next = cluster.settle(at(16));
  EXPECT_THAT(next,
              Contains("Admit team-language/finetune in language: main nvidia.com/gpu=h100 x4"));
  const auto finetune = cluster.nodes_of("team-language", "finetune");
  EXPECT_THAT(distinct(finetune), SizeIs(4));
  for (const std::string& node : finetune) EXPECT_THAT(pretrain, Contains(node));
}

TEST(Quickstart, AGangWithoutRoomOnTheNodesWaitsAtTheGangLayer) {
  ToyCluster cluster;
  tell_quickstart(cluster);
  // Quota for 64, nodes for 40.
  for (const char* node : {"gpu-6", "gpu-7", "gpu-8"}) cluster.tell(NodeGone{node});
  cluster.tell(Synced{});
  cluster.settle(at(5));
  // transcribe, which does not borrow, comes first and takes 2 nodes. pretrain would get the 48
  // that are left of the quota, but 3 nodes are left for its 6 pods; finetune needs 4.
  EXPECT_TRUE(cluster.admitted("team-speech", "transcribe"));
  EXPECT_FALSE(cluster.admitted("team-vision", "pretrain"));
  EXPECT_FALSE(cluster.admitted("team-language", "finetune"));
  const auto why = cluster.engine().admission_views().waiting({"team-vision", "pretrain"});
  ASSERT_TRUE(why.has_value());
  EXPECT_EQ(why->proof.layer, admission::Layer::Gang);
  EXPECT_THAT(why->proof.facts,
              Contains(testing::VariantWith<admission::NotPlaceable>(testing::_)));

  for (const char* node : {"gpu-9", "gpu-10", "gpu-11"}) {
    cluster.node(node, 8, {{"example.com/gpu-model", "h100"}});
  }
  cluster.settle(at(10));
  cluster.settle(at(12));  // what waits for room is tried again a little later, all at once
  EXPECT_TRUE(cluster.admitted("team-vision", "pretrain"));
  EXPECT_THAT(distinct(cluster.nodes_of("team-vision", "pretrain")), SizeIs(6));
}

TEST(Quickstart, AdmissionAloneAdmitsByQuota) {
  ToyCluster cluster({.admission = true, .scheduler = false});
  tell_quickstart(cluster);
  for (int i = 1; i <= 8; ++i) cluster.tell(NodeGone{"gpu-" + std::to_string(i)});
  cluster.tell(Synced{});
  cluster.settle(at(5));
  EXPECT_TRUE(cluster.admitted("team-vision", "pretrain"));
  EXPECT_TRUE(cluster.admitted("team-speech", "transcribe"));
  EXPECT_THAT(cluster.nodes_of("team-vision", "pretrain"), IsEmpty());
}

// Plays the whole story and returns what was recorded of it.
std::vector<Record> record_quickstart() {
  std::vector<Record> records;
  ToyCluster cluster({}, [&](Record record) { records.push_back(std::move(record)); });
  tell_quickstart(cluster);
  cluster.tell(Synced{});
  cluster.settle(at(5));
  cluster.recorded().checkpoint();
  cluster.finish("team-vision", "pretrain", at(15));
  cluster.settle(at(16));
  cluster.recorded().checkpoint();
  return records;
}

std::string log_of(const std::vector<Record>& records) {
  std::string log = event_log_header();
  for (const Record& record : records) append_to_log(log, record);
  return log;
}

std::int64_t decisions_in(const std::vector<Record>& records) {
  std::int64_t count = 0;
  for (const Record& record : records) {
    if (const auto* step = std::get_if<Step>(&record)) count += step->decisions;
  }
  return count;
}

TEST(Quickstart, ReplaysToTheSameHashes) {
  const std::vector<Record> records = record_quickstart();
  EXPECT_GE(decisions_in(records), 3 + 12) << "three admissions and a bind per pod";
  const Outcome<Replay> replay = replay_log(log_of(records));
  ASSERT_TRUE(replay) << replay.error().message;
  EXPECT_EQ(replay->engine()->decision_hash(), std::get<Checkpoint>(records.back()).decision_hash);
  EXPECT_EQ(replay->engine()->state_hash(), std::get<Checkpoint>(records.back()).state_hash);
  EXPECT_EQ(log_of(record_quickstart()), log_of(records)) << "played again: the same bytes";
}

TEST(Quickstart, AReplayThatMissesAnEventIsFoundOut) {
  std::vector<Record> records = record_quickstart();
  const auto lost = std::ranges::find_if(records, [](const Record& record) {
    const auto* event = std::get_if<Event>(&record);
    const auto* node = event == nullptr ? nullptr : std::get_if<cluster::NodeSpec>(event);
    return node != nullptr && node->name == "gpu-3";
  });
  ASSERT_NE(lost, records.end());
  records.erase(lost);
  const Outcome<Replay> replay = replay_log(log_of(records));
  ASSERT_FALSE(replay);
  EXPECT_THAT(replay.error().message, testing::StartsWith("step "));
}

TEST(Quickstart, AReplayOfChangedHashesIsFoundOut) {
  std::vector<Record> records = record_quickstart();
  std::get<Checkpoint>(records.back()).state_hash ^= 1;
  const Outcome<Replay> replay = replay_log(log_of(records));
  ASSERT_FALSE(replay);
  EXPECT_THAT(replay.error().message, testing::HasSubstr("state: recorded hash"));
}

}  // namespace
}  // namespace quorate::engine
