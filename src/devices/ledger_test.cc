#include "src/devices/ledger.h"

#include <gtest/gtest.h>

namespace quorate::devices {
namespace {

TEST(Ledger, UndoRestoresUsageAndConsumption) {
  Ledger ledger;
  Journal journal;
  const std::uint32_t slot = ledger.slot({"d", "p", "a"});
  // Beyond 64 bits: 2^70 billionths.
  const ExactQuantity huge{Int128{1} << 70};
  ledger.take(journal, {slot, true, {{3, huge}}});
  {
    Transaction trial(journal);
    ledger.take(journal, {slot, true, {{3, huge}}});
    EXPECT_EQ(ledger.shares(slot), 2);
    EXPECT_EQ(ledger.consumed(slot, 3).billionths(), Int128{1} << 71);
  }
  EXPECT_EQ(ledger.shares(slot), 1);
  EXPECT_EQ(ledger.consumed(slot, 3), huge);
}

TEST(Ledger, ASlotLivesWhileSomebodyPublishesOrUsesTheDevice) {
  Ledger ledger;
  Journal journal;
  const std::uint32_t slot = ledger.slot({"d", "p", "a"});
  ledger.publish(slot);
  ledger.take(journal, {slot, false, {}});
  ledger.withdraw(slot);
  EXPECT_EQ(ledger.find({"d", "p", "a"}), slot);
  ledger.give_back(journal, {slot, false, {}});
  ledger.reclaim(slot);
  EXPECT_EQ(ledger.find({"d", "p", "a"}), Ledger::kNone);
  EXPECT_EQ(ledger.slot({"d", "p", "b"}), slot);  // used again
}

}  // namespace
}  // namespace quorate::devices
