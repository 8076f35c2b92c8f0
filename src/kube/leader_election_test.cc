#include "src/kube/leader_election.h"

#include <gmock/gmock.h>

#include <vector>

#include "src/http/fault_transport.h"
#include "src/http/handler_transport.h"
#include "src/http/manual_loop.h"
#include "src/kube/testing/fake_api_server.h"
#include "src/kube/testing/wire_text.h"

namespace quorate::kube {
namespace {

using http::Fault;
using testing::ElementsAre;
using testing::HasSubstr;

const ObjectKey kLease{"kube-system", "quorate"};

// One candidate with a faulty network of its own.
struct Candidate {
  Candidate(http::ManualLoop& loop, FakeApiServer& server, const std::string& identity,
            std::vector<http::ScriptedFaults::Rule> rules = {})
      : transport(http::make_fault_transport(
            http::make_handler_transport(
                [&server](const http::Request& request) { return server.handle(request); }, loop),
            loop, faults.plan())),
        client(transport, loop, {.max_retries = 0}),
        elector(*LeaderElector::create(
            client, {.lease = kLease, .identity = identity},
            {.on_started = [this] { told.push_back("started"); },
             .on_stopped = [this](const std::string& why) { told.push_back("stopped: " + why); },
             .on_new_leader =
                 [this](const std::string& who) { told.push_back("leader " + who); }})) {
    for (http::ScriptedFaults::Rule& rule : rules) faults.add(std::move(rule));
    elector->start();
    loop.run();
  }
  // From now on its requests fail in this way.
  void fail(Fault::Kind kind, int times = 1'000'000) {
    faults.add({.fault = {.kind = kind}, .times = times});
  }
  bool open() const { return elector->fence()->remaining().has_value(); }

  http::ScriptedFaults faults;
  std::shared_ptr<http::HttpTransport> transport;
  Client client;
  std::vector<std::string> told;
  std::unique_ptr<LeaderElector> elector;
};

class LeaderElectionTest : public testing::Test {
 protected:
  http::ManualLoop loop_;
  FakeApiServer server_;

  std::string lease() const { return server_.object(leases(), kLease).value_or("none"); }
};

TEST_F(LeaderElectionTest, TheFirstCandidateLeadsAndRenews) {
  Candidate a(loop_, server_, "a");
  EXPECT_THAT(a.told, ElementsAre("leader a", "started"));
  EXPECT_TRUE(a.elector->leading());
  EXPECT_EQ(a.elector->fence()->remaining(), Duration::seconds(10));
  EXPECT_THAT(lease(), HasSubstr(R"("holderIdentity":"a","leaseDurationSeconds":15)"));
  loop_.advance(Duration::seconds(600));
  EXPECT_TRUE(a.open());
  EXPECT_THAT(a.told, ElementsAre("leader a", "started"));
  // Undisturbed renewals cost one write and no read.
  int reads = 0;
  for (const std::string& request : server_.requests()) {
    reads += request.starts_with("GET") ? 1 : 0;
  }
  EXPECT_EQ(reads, 1);
}

TEST_F(LeaderElectionTest, ASecondCandidateWaitsUntilTheFirstReleases) {
  Candidate a(loop_, server_, "a");
  Candidate b(loop_, server_, "b");
  loop_.advance(Duration::seconds(100));
  EXPECT_THAT(b.told, ElementsAre("leader a"));
  EXPECT_FALSE(b.open());
  a.elector->stop(Duration{});
  EXPECT_FALSE(a.open());
  loop_.advance(Duration::seconds(2));
  EXPECT_THAT(a.told, ElementsAre("leader a", "started", "stopped: stopped"));
  EXPECT_THAT(b.told, ElementsAre("leader a", "leader b", "started"));
  EXPECT_TRUE(b.open());
}

TEST_F(LeaderElectionTest, ADeadHoldersLeaseIsTakenAfterItsDurationAsSeenHere) {
  { Candidate a(loop_, server_, "a"); }  // gone without releasing
  Candidate b(loop_, server_, "b");
  loop_.advance(Duration::seconds(14));
  EXPECT_FALSE(b.open());
  loop_.advance(Duration::seconds(3));
  EXPECT_TRUE(b.open());
  EXPECT_THAT(lease(), HasSubstr(R"("leaseTransitions":1)"));
}

TEST_F(LeaderElectionTest, AHolderThatCannotRenewStopsBeforeItsDeadline) {
  Candidate a(loop_, server_, "a");
  a.fail(Fault::Kind::DisconnectBeforeSend);
  loop_.advance(Duration::millis(9'999));
  EXPECT_TRUE(a.open());
  loop_.advance(Duration::millis(1));
  EXPECT_FALSE(a.open());
  EXPECT_FALSE(a.elector->leading());
  EXPECT_THAT(a.told.back(), HasSubstr("stopped: lease kube-system/quorate not renewed in time: "
                                       "get leases.coordination.k8s.io kube-system/quorate"));
  loop_.advance(Duration::seconds(100));
  EXPECT_FALSE(a.open());  // it does not try again
}

// The fence counts from when the renewal was sent, not from when its answer came.
TEST_F(LeaderElectionTest, SlowAnswersDoNotProlongTheFence) {
  Candidate a(loop_, server_, "a");
  a.faults.add({.fault = {.kind = Fault::Kind::Slow, .delay = Duration::seconds(6)}, .times = 1});
  loop_.advance(Duration::seconds(2 + 6));  // sent at 2, answered at 8
  EXPECT_EQ(a.elector->fence()->remaining(), Duration::seconds(4));
}

TEST_F(LeaderElectionTest, ALostAnswerIsRecognisedAsOurOwnWrite) {
  Candidate a(loop_, server_, "a");
  a.fail(Fault::Kind::LostAnswer, 1);
  loop_.advance(Duration::seconds(60));
  EXPECT_TRUE(a.open());
  EXPECT_THAT(a.told, ElementsAre("leader a", "started"));
}

TEST_F(LeaderElectionTest, ALostAnswerOfTheFirstCreateToo) {
  Candidate a(loop_, server_, "a",
              {{.fault = {.kind = Fault::Kind::LostAnswer}, .method = "POST"}});
  EXPECT_EQ(a.faults.remaining(), 0);
  EXPECT_FALSE(a.open());
  loop_.advance(Duration::seconds(2));
  EXPECT_THAT(a.told, ElementsAre("leader a", "started"));
}

TEST_F(LeaderElectionTest, AHolderThatSeesAnotherNameStopsAtOnce) {
  Candidate a(loop_, server_, "a");
  server_.put(leases(), kLease, R"("spec":{"holderIdentity":"x","leaseDurationSeconds":15})");
  loop_.advance(Duration::seconds(2));
  EXPECT_FALSE(a.open());
  EXPECT_THAT(a.told.back(), "stopped: lease kube-system/quorate is held by x");
}

TEST_F(LeaderElectionTest, ReleaseFindsTheVersionAfterALostRenewal) {
  Candidate a(loop_, server_, "a");
  a.fail(Fault::Kind::LostAnswer, 1);
  loop_.advance(Duration::seconds(2));  // renewed, but we do not know the version
  a.elector->stop(Duration{});
  loop_.run();
  EXPECT_THAT(lease(), HasSubstr(R"("holderIdentity":"")"));
}

// Never two open fences, whatever the network does, and a leader most of the time.
TEST_F(LeaderElectionTest, FencesNeverOverlap) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    http::ManualLoop loop;
    FakeApiServer server;
    std::uint64_t state = seed;
    const auto random = [&state] {
      state = state * 6364136223846793005u + 1442695040888963407u;
      return state >> 33;
    };
    std::vector<std::unique_ptr<Candidate>> all;
    int born = 0;
    int led = 0;
    for (int step = 0; step < 1500; ++step) {
      while (all.size() < 3) {
        all.push_back(std::make_unique<Candidate>(loop, server, "c" + std::to_string(born++)));
      }
      Candidate& one = *all[random() % all.size()];
      const std::uint64_t dice = random() % 60;
      if (dice == 0) one.fail(Fault::Kind::DisconnectBeforeSend, 12);
      if (dice == 1) one.fail(Fault::Kind::LostAnswer, static_cast<int>(1 + random() % 8));
      if (dice == 2) {
        one.faults.add(
            {.fault = {.kind = Fault::Kind::Slow,
                       .delay = Duration::millis(static_cast<std::int64_t>(random() % 20'000))},
             .times = 4});
      }
      if (dice == 3) one.elector->stop(Duration{});
      if (dice == 4) all.erase(all.begin() + static_cast<long>(random() % all.size()));
      loop.advance(Duration::millis(static_cast<std::int64_t>(random() % 700)));
      int open = 0;
      for (const auto& candidate : all) open += candidate->open() ? 1 : 0;
      ASSERT_LE(open, 1) << "seed " << seed << " step " << step;
      led += open;
      std::erase_if(all, [](const auto& c) {
        return !c->told.empty() && c->told.back().starts_with("stopped");
      });
    }
    EXPECT_GT(led, 300) << "seed " << seed;
  }
}

TEST_F(LeaderElectionTest, BadOptionsAreRefused) {
  const auto transport = http::make_handler_transport(
      [this](const http::Request& request) { return server_.handle(request); }, loop_);
  Client client(transport, loop_, {});
  const auto message = [&](LeaseOptions options) {
    return LeaderElector::create(client, std::move(options), {}).error().message;
  };
  EXPECT_THAT(message({.lease = {"", "x"}, .identity = "a"}), HasSubstr("namespace and a name"));
  EXPECT_THAT(message({.lease = kLease}), HasSubstr("identity"));
  EXPECT_THAT(message({.lease = kLease, .identity = "a", .renew_deadline = Duration::seconds(15)}),
              HasSubstr("renewDeadline < leaseDuration"));
  EXPECT_NE(process_identity(), process_identity());
}

}  // namespace
}  // namespace quorate::kube
