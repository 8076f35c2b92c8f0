// What holds of every run of the whole engine on random trees, told against a slow model of quota
// that sums everything up anew for each question: nobody is admitted beyond what the tree allows,
// and once nothing happens any more nobody waits who could be admitted.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "admission/testing/dice.h"
#include "admission/testing/world.h"

namespace quorate::admission {
namespace {

using testing::Dice;
using testing::World;

// The recursion of KEP 1224 and KEP 79 for one resource, in millicores, without any cache. The tree
// is that of random_queues: r with its own quota of flavor f, x and y below it.
class SlowQuota {
 public:
  SlowQuota(const World& world, std::int64_t root_quota) : world_(world), root_(root_quota) {}

  std::int64_t available(const std::string& queue, const std::string& flavor) const {
    return std::max<std::int64_t>(available_of(queue, flavor), 0);
  }

 private:
  struct Quota {
    std::int64_t nominal = 0;
    std::optional<std::int64_t> borrowing, lending;
  };

  std::string parent(const std::string& node) const {
    if (node == "x" || node == "y") return "r";
    const auto queue = world_.specs.find(node);
    return queue == world_.specs.end() ? "" : queue->second.cohort;
  }

  Quota own(const std::string& node, const std::string& flavor) const {
    if (node == "r") return {flavor == "f" ? root_ : 0, {}, {}};
    const auto queue = world_.specs.find(node);
    if (queue == world_.specs.end()) return {};
    for (const quota::FlavorQuotas& one : queue->second.resource_groups.at(0).flavors) {
      if (one.flavor != flavor) continue;
      const quota::ResourceQuota& cpu = one.resources.at(0);
      Quota quota{cpu.nominal.base_units(), {}, {}};
      if (cpu.borrowing_limit.bound) quota.borrowing = cpu.borrowing_limit.bound->base_units();
      if (cpu.lending_limit.bound) quota.lending = cpu.lending_limit.bound->base_units();
      return quota;
    }
    return {};
  }

  std::set<std::string> children(const std::string& node) const {
    std::set<std::string> all;
    for (const char* cohort : {"x", "y"}) {
      if (parent(cohort) == node) all.insert(cohort);
    }
    for (const auto& [name, spec] : world_.specs) {
      if (spec.cohort == node) all.insert(name);
    }
    return all;
  }

  std::int64_t subtree(const std::string& node, const std::string& flavor) const {
    std::int64_t sum = own(node, flavor).nominal;
    for (const std::string& child : children(node)) {
      sum += subtree(child, flavor) - guaranteed(child, flavor);
    }
    return sum;
  }

  std::int64_t guaranteed(const std::string& node, const std::string& flavor) const {
    const Quota quota = own(node, flavor);
    if (!quota.lending) return 0;
    return std::max<std::int64_t>(subtree(node, flavor) - *quota.lending, 0);
  }

  std::int64_t usage(const std::string& node, const std::string& flavor) const {
    std::int64_t sum = 0;
    for (const auto& [name, workload] : world_.workloads) {
      if (!workload.admission || workload.condition_true("Finished")) continue;
      if (workload.admission->cluster_queue != node) continue;
      for (const PodSetAssignment& pods : workload.admission->pod_sets) {
        if (pods.flavors.at("cpu") == flavor) sum += pods.usage.at("cpu").base_units();
      }
    }
    for (const std::string& child : children(node)) {
      sum += std::max<std::int64_t>(usage(child, flavor) - guaranteed(child, flavor), 0);
    }
    return sum;
  }

  std::int64_t available_of(const std::string& node, const std::string& flavor) const {
    const std::string above = parent(node);
    const std::int64_t quota = subtree(node, flavor), used = usage(node, flavor);
    if (above.empty()) return quota - used;
    const std::int64_t guarantee = guaranteed(node, flavor);
    const std::int64_t local = std::max<std::int64_t>(guarantee - used, 0);
    std::int64_t lent = available_of(above, flavor);
    if (const auto most = own(node, flavor).borrowing) {
      const std::int64_t borrowed = std::max<std::int64_t>(used - guarantee, 0);
      lent = std::min(lent, quota - guarantee - borrowed + *most);
    }
    return local + lent;
  }

  const World& world_;
  const std::int64_t root_;
};

class RandomRun {
 public:
  explicit RandomRun(std::uint32_t seed) : dice_(seed) {
    const std::string lines = testing::random_queues(dice_, dice_.pick(1, 6), /*any=*/false,
                                                     /*borrowing=*/false);
    const std::size_t quota = lines.find("f/cpu=") + 6;
    model_.emplace(world_, std::stoll(lines.substr(quota)) * 1000);
    world_.queues(lines);
  }

  void run() {
    for (int round = 0; round < 25; ++round) {
      for (int n = dice_.pick(0, 3); n > 0; --n) submit();
      step(Duration::millis(dice_.pick(0, 1500)));
      end_some();
    }
    for (int round = 0; round < 200; ++round) {
      const bool quiet = step(Duration::seconds(2));
      if (quiet && !world_.admitter.next_wakeup()) return;
    }
    ADD_FAILURE() << "does not come to rest";
  }

  // The head of a strict queue that waits keeps what it asks for: others may wait behind it.
  bool strict_head_waits() const {
    return std::ranges::any_of(world_.workloads, [&](const auto& entry) {
      const WorkloadSpec& spec = entry.second;
      return !spec.admission && !spec.condition_true("Finished") &&
             world_.specs.at(spec.queue_name).strategy == QueueingStrategy::StrictFifo;
    });
  }

  // Of those who wait where newer ones may pass: whoever would fit.
  std::string left_waiting() const {
    std::string names;
    for (const auto& [name, spec] : world_.workloads) {
      if (spec.admission || spec.condition_true("Finished")) continue;
      if (world_.specs.at(spec.queue_name).strategy == QueueingStrategy::StrictFifo) continue;
      const std::int64_t wants = request(spec);
      for (const char* flavor : {"f", "g"}) {
        if (wants <= model_->available(spec.queue_name, flavor)) names += name + " ";
      }
    }
    return names;
  }

 private:
  static std::int64_t request(const WorkloadSpec& spec) {
    return spec.pod_sets.at(0).pod->containers.at(0).requests.at("cpu").base_units();
  }

  void submit() {
    const std::string name = "w" + std::to_string(count_++);
    auto queue = world_.specs.begin();
    std::advance(queue, dice_.pick(0, static_cast<int>(world_.specs.size()) - 1));
    // One draw after the other: operands of + have no order.
    const int priority = dice_.pick(-2, 2);
    const int cpu = dice_.pick(1, 5);
    world_.waiting(name + ">" + queue->first + " p" + std::to_string(priority) + " t" +
                   std::to_string(count_) + " cpu=" + std::to_string(cpu));
  }

  // Decisions are shown one by one, each admission after a question to the model.
  bool step(Duration after) {
    const std::vector<Decision> decided = world_.settle(after);
    for (const Decision& decision : decided) {
      if (const auto* admit = std::get_if<Admit>(&decision)) {
        const PodSetAssignment& pods = admit->admission.pod_sets.at(0);
        EXPECT_LE(pods.usage.at("cpu").base_units(),
                  model_->available(admit->admission.cluster_queue, pods.flavors.at("cpu")))
            << World::text(decision);
      }
      world_.carry_out(decision);
    }
    for (const Decision& decision : decided) {
      if (const auto* evict = std::get_if<Evict>(&decision)) {
        world_.release(evict->workload.name, true);
      }
    }
    return decided.empty();
  }

  void end_some() {
    for (auto& [name, spec] : world_.workloads) {
      const bool runs = spec.admission && !spec.condition_true("Finished");
      if (runs && !spec.condition_true("Evicted") && dice_.one_in(3)) world_.finish(name);
    }
  }

  Dice dice_;
  World world_;
  std::optional<SlowQuota> model_;
  int count_ = 0;
};

TEST(CyclePropertyTest, NobodyIsAdmittedBeyondTheTreeAndNobodyWaitsWhoFits) {
  int judged = 0;
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomRun run(seed);
    run.run();
    if (!run.strict_head_waits()) {
      ++judged;
      EXPECT_EQ(run.left_waiting(), "");
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(judged, 50);
}

}  // namespace
}  // namespace quorate::admission
