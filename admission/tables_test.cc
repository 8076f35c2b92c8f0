#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "admission/class_table.h"
#include "admission/key_index.h"

namespace quorate::admission {
namespace {

TEST(ClassTableTest, BehavesLikeAMap) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    ClassTable table;
    std::map<std::uint64_t, std::uint32_t> numbers;
    for (std::uint32_t step = 0; step < 500; ++step) {
      const std::uint64_t hash = random() % 97 * 0x100000001u;  // many collide
      const std::uint32_t number = table.put(hash);
      ASSERT_EQ(numbers.emplace(hash, number).first->second, number);
      table.at(number).failed = {step, 1};
      const std::uint64_t probe = random() % 97 * 0x100000001u;
      const auto at = numbers.find(probe);
      ASSERT_EQ(table.find(probe), at == numbers.end() ? ClassTable::kNone : at->second);
      ASSERT_EQ(table.size(), numbers.size());
    }
    table.clear();
    EXPECT_EQ(table.find(0), ClassTable::kNone);
  }
}

TEST(KeyIndexTest, BehavesLikeAMap) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    std::vector<ObjectKey> keys;
    for (int i = 0; i < 200; ++i) keys.push_back({"ns" + std::to_string(i % 7), std::to_string(i)});
    const auto key_of = [&](std::uint32_t slot) -> const ObjectKey& { return keys[slot]; };
    KeyIndex index;
    std::vector<bool> there(keys.size(), false);
    for (int step = 0; step < 3000; ++step) {
      const auto slot = static_cast<std::uint32_t>(random() % keys.size());
      ASSERT_EQ(index.find(keys[slot], key_of), there[slot] ? slot : KeyIndex::kNone);
      if (there[slot]) {
        index.erase(keys[slot], key_of);
      } else {
        index.insert(keys[slot], slot, key_of);
      }
      there[slot] = !there[slot];
    }
    EXPECT_EQ(index.size(), static_cast<std::size_t>(std::count(there.begin(), there.end(), true)));
  }
}

}  // namespace
}  // namespace quorate::admission
