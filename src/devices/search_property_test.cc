// The search against a slow and obvious one, on random slices and claims.

#include <gtest/gtest.h>

#include <random>

#include "src/devices/testing/world.h"

namespace quorate::devices {
namespace {

struct Case {
  std::vector<dra::Device> devices;
  std::vector<std::string> used;
  dra::ClaimSpec spec;
};

Case random_case(std::mt19937& dice) {
  const auto roll = [&](int n) { return static_cast<int>(dice() % static_cast<unsigned>(n)); };
  Case out;
  const int count = 2 + roll(5);
  for (int i = 0; i < count; ++i) {
    DeviceArgs args;
    if (roll(6) > 0) args.attributes["root"] = int_value(roll(3));
    args.attributes["type"] = text_value(roll(2) == 0 ? "x" : "y");
    if (roll(5) == 0) args.taints.push_back({"bad", "", "NoSchedule"});
    if (roll(2) == 0)
      args.consumes = {{"s", {{"mem", ExactQuantity{Int128{1 + roll(3)} * 1000000000}}}}};
    out.devices.push_back(dev("d" + std::to_string(i), std::move(args)));
    if (roll(4) == 0) out.used.push_back("d" + std::to_string(i));
  }
  const int requests = 1 + roll(3);
  for (int r = 0; r < requests; ++r) {
    RequestArgs args{.count = 1 + roll(2)};
    if (roll(2) == 0) args.selectors = {roll(2) == 0 ? "type=x" : "type=y"};
    if (roll(3) == 0) args.tolerations = {{"bad", "Exists", "", "", {}}};
    const std::string name = "r" + std::to_string(r);
    if (roll(4) == 0) {
      RequestArgs other = args;
      other.count = 1;
      other.selectors = {"type=y"};
      out.spec.requests.push_back(first_of(name, {way("a", args), way("b", other)}));
    } else {
      out.spec.requests.push_back(req(name, args));
    }
  }
  if (roll(2) == 0) out.spec.constraints.push_back(match("d/root"));
  if (roll(3) == 0) out.spec.constraints.push_back(distinct("d/root", {"r0"}));
  return out;
}

// Every assignment of free devices to the claim's places, one after another.
class Obvious {
 public:
  Obvious(const Case& given) : given_(given) {}

  bool possible(std::size_t request = 0) {
    if (request == given_.spec.requests.size()) return true;
    for (const dra::Alternative& way : given_.spec.requests[request].alternatives) {
      if (places(request, way, way.count)) return true;
    }
    return false;
  }

 private:
  struct Pick {
    std::size_t device;
    std::string request;
  };

  bool places(std::size_t request, const dra::Alternative& way, std::int64_t left) {
    if (left == 0) return possible(request + 1);
    for (std::size_t i = 0; i < given_.devices.size(); ++i) {
      picks_.push_back({i, given_.spec.requests[request].name});
      if (allowed(way) && places(request, way, left - 1)) return true;
      picks_.pop_back();
    }
    return false;
  }

  std::optional<std::int64_t> root(std::size_t device) const {
    const auto found = given_.devices[device].attributes.find("root");
    if (found == given_.devices[device].attributes.end()) return std::nullopt;
    return found->second.numbers.at(0);
  }
  std::int64_t mem(std::size_t device) const {
    const auto& uses = given_.devices[device].consumes;
    return uses.empty() ? 0 : static_cast<std::int64_t>(uses[0].counters.at("mem").billionths());
  }

  // Whether the last pick goes together with the others.
  bool allowed(const dra::Alternative& way) const {
    const Pick& last = picks_.back();
    const dra::Device& device = given_.devices[last.device];
    if (std::ranges::count(given_.used, device.name) > 0) return false;
    std::int64_t left = 4'000'000'000;
    for (std::size_t i = 0; i < given_.devices.size(); ++i) {
      if (std::ranges::count(given_.used, given_.devices[i].name) > 0) left -= mem(i);
    }
    for (const Pick& each : picks_) left -= mem(each.device);
    if (left < 0 && mem(last.device) > 0) return false;
    for (std::size_t i = 0; i + 1 < picks_.size(); ++i) {
      if (picks_[i].device == last.device) return false;
    }
    for (const std::string& selector : way.selectors) {
      if (device.attributes.at("type").texts[0] != selector.substr(5)) return false;
    }
    if (!device.taints.empty() && way.tolerations.empty()) return false;
    for (const dra::Constraint& rule : given_.spec.constraints) {
      const auto covers = [&](const Pick& pick) {
        return rule.requests.empty() || rule.requests[0] == pick.request;
      };
      if (!covers(last)) continue;
      if (!root(last.device)) return false;
      for (std::size_t i = 0; i + 1 < picks_.size(); ++i) {
        if (!covers(picks_[i])) continue;
        const bool equal = root(picks_[i].device) == root(last.device);
        if (equal == rule.match_attribute.empty()) return false;
      }
    }
    return true;
  }

  const Case& given_;
  std::vector<Pick> picks_;
};

TEST(SearchProperty, FindsWhatExistsInEitherOrder) {
  int found = 0;
  for (std::uint32_t seed = 0; seed < 1500; ++seed) {
    std::mt19937 dice(seed);
    const Case given = random_case(dice);
    const bool possible = Obvious(given).possible();
    found += possible ? 1 : 0;
    for (const Order order : {Order::AsListed, Order::LeastRemainder}) {
      DeviceWorld world(order);
      SliceObject devices = sl("n1", given.devices);
      devices.spec.slice_count = 2;
      SliceObject counters = sl("n1", {});
      counters.name += "-counters";
      counters.spec.slice_count = 2;
      counters.spec.counters = {{"s", {{"mem", amount("4")}}}};
      world.slice(counters);
      world.slice(devices);
      for (const std::string& device : given.used) world.in_use("used-" + device, device);
      const std::string answer = world.choose(given.spec);
      ASSERT_EQ(!answer.starts_with("no: "), possible) << "seed " << seed << ": " << answer;
    }
  }
  EXPECT_GT(found, 300);  // both answers are common
  EXPECT_LT(found, 1200);
}

// A claim of k pairs of devices on one root each, where no root has a pair: hopeless and large.
TEST(SearchProperty, AHopelessSearchEndsByItsBudget) {
  DeviceWorld world;
  std::vector<dra::Device> devices;
  for (int i = 0; i < 120; ++i) {
    devices.push_back(dev("d" + std::to_string(i),
                          {.attributes = {{"root", int_value(i % 60)}, {"n", int_value(i)}}}));
  }
  world.slice(sl("n1", std::move(devices)));
  dra::ClaimSpec spec;
  for (int r = 0; r < 10; ++r) {
    const std::string name = "r" + std::to_string(r);
    spec.requests.push_back(req(name, {.count = 3}));
    spec.constraints.push_back(match("d/root", {name}));
    spec.constraints.push_back(distinct("d/n"));
  }
  world.add_claim("ask", spec);
  EXPECT_EQ(world.fits("ask"), Verdict::Kind::NoDevices);  // the first request already
  spec.requests.front().alternatives.front().count = 2;
  for (std::size_t r = 1; r + 1 < spec.requests.size(); ++r) {
    spec.requests[r].alternatives.front().count = 2;
  }
  world.gone("ask");
  world.add_claim("ask", spec);  // nine pairs exist, a triple does not
  EXPECT_EQ(world.fits("ask"), Verdict::Kind::TimedOut);
}

}  // namespace
}  // namespace quorate::devices
