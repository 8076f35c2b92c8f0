#include "src/base/slot_map.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <string>

#include "src/base/interner.h"

namespace quorate {
namespace {

struct ThingTag;
using Things = SlotMap<ThingTag, std::string>;

TEST(SlotMap, FindsWhatWasInserted) {
  Things things;
  const auto a = things.insert("a");
  const auto b = things.insert("b");
  EXPECT_EQ(things.at(a), "a");
  EXPECT_EQ(things.at(b), "b");
  EXPECT_EQ(things.size(), 2u);
}

TEST(SlotMap, ADeadIdNeverNamesTheSuccessor) {
  Things things;
  const auto old = things.insert("old");
  EXPECT_TRUE(things.erase(old));
  const auto young = things.insert("young");
  EXPECT_EQ(young.slot, old.slot);
  EXPECT_EQ(things.find(old), nullptr);
  EXPECT_FALSE(things.erase(old));
  EXPECT_EQ(things.at(young), "young");
}

TEST(SlotMap, TheEmptyIdFindsNothing) {
  Things things;
  things.insert("a");
  EXPECT_EQ(things.find(Id<ThingTag>{}), nullptr);
  EXPECT_FALSE(Id<ThingTag>{});
}

TEST(SlotMapDeathTest, AtOfADeadIdStopsTheProcess) {
  Things things;
  const auto id = things.insert("a");
  things.erase(id);
  EXPECT_DEATH(things.at(id), "invariant broken: SlotMap::at: dead id");
}

TEST(SlotMap, AgreesWithAMap) {
  const std::uint64_t seed = 7;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  SlotMap<ThingTag, int> things;
  std::map<int, Id<ThingTag>> alive;
  for (int i = 0; i < 5000; ++i) {
    if (random() % 3 != 0 || alive.empty()) {
      alive[i] = things.insert(i);
    } else {
      const auto victim = std::next(alive.begin(), static_cast<long>(random() % alive.size()));
      EXPECT_TRUE(things.erase(victim->second));
      alive.erase(victim);
    }
  }
  std::map<int, Id<ThingTag>> seen;
  things.each([&](Id<ThingTag> id, int value) { seen[value] = id; });
  EXPECT_EQ(seen, alive);
  EXPECT_EQ(things.size(), alive.size());
  EXPECT_LT(things.slots(), 5000u) << "slots are reused";
}

TEST(Interner, GivesOneIdPerNameAndKeepsItInCopies) {
  struct NameTag;
  Interner<NameTag> names;
  const auto gpu = names.intern("gpu");
  const auto cpu = names.intern("cpu");
  EXPECT_NE(gpu, cpu);
  EXPECT_EQ(names.intern("gpu"), gpu);
  EXPECT_FALSE(names.find("memory"));

  auto original = std::make_unique<Interner<NameTag>>(names);
  const Interner<NameTag> copy = *original;
  original.reset();  // the copy refers to its own texts
  EXPECT_EQ(copy.find("gpu"), gpu);
  EXPECT_EQ(copy.name(cpu), "cpu");
}

}  // namespace
}  // namespace quorate
