#include "src/base/transaction.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <string>

namespace quorate {
namespace {

// A ledger with a column and an index of another type, both undone by the journal.
struct Ledger {
  Journal journal;
  Column amounts;
  std::map<std::string, int> names;

  Ledger() { amounts.grow(8); }

  void name(const std::string& key, int value) {
    const auto found = names.find(key);
    const std::optional<int> old =
        found == names.end() ? std::nullopt : std::optional(found->second);
    journal.action([this, key, old] {
      if (old) {
        names[key] = *old;
      } else {
        names.erase(key);
      }
    });
    names[key] = value;
  }
};

TEST(Transaction, RollsBackAtTheEndOfItsScope) {
  Ledger ledger;
  ledger.amounts.set(ledger.journal, 0, 5);
  {
    const Transaction trial(ledger.journal);
    ledger.amounts.set(ledger.journal, 0, 7);
    ledger.amounts.set(ledger.journal, 0, 9);
    ledger.name("a", 1);
    EXPECT_EQ(ledger.amounts[0], 9);
  }
  EXPECT_EQ(ledger.amounts[0], 5);
  EXPECT_TRUE(ledger.names.empty());
}

TEST(Transaction, CommitKeeps) {
  Ledger ledger;
  {
    Transaction trial(ledger.journal);
    ledger.amounts.set(ledger.journal, 0, 7);
    trial.commit();
  }
  EXPECT_EQ(ledger.amounts[0], 7);
  EXPECT_FALSE(ledger.journal.recording());
}

TEST(Transaction, TheOuterUndoesWhatTheInnerCommitted) {
  Ledger ledger;
  {
    const Transaction outer(ledger.journal);
    ledger.amounts.set(ledger.journal, 0, 1);
    {
      Transaction inner(ledger.journal);
      ledger.amounts.set(ledger.journal, 1, 2);
      inner.commit();
    }
    EXPECT_EQ(ledger.amounts[1], 2);
  }
  EXPECT_EQ(ledger.amounts[0], 0);
  EXPECT_EQ(ledger.amounts[1], 0);
}

TEST(Transaction, RollBackGoesOnRecording) {
  Ledger ledger;
  {
    Transaction trial(ledger.journal);
    ledger.amounts.set(ledger.journal, 0, 1);
    trial.roll_back();
    EXPECT_EQ(ledger.amounts[0], 0);
    ledger.amounts.set(ledger.journal, 1, 1);
  }
  EXPECT_EQ(ledger.amounts[1], 0);
}

TEST(Transaction, ACopyHasAJournalOfItsOwn) {
  Ledger ledger;
  const Transaction trial(ledger.journal);
  const Ledger copy =
      ledger;  // NOLINT(performance-unnecessary-copy-initialization): the copy is the test
  EXPECT_TRUE(ledger.journal.recording());
  EXPECT_FALSE(copy.journal.recording());
}

// Runs random writes in nested transactions, some committed; the state must equal that of a twin
// which only ever saw what no enclosing transaction undid.
void random_nest(std::mt19937_64& random, Ledger& ledger, int depth) {
  const Ledger before = ledger;
  Transaction trial(ledger.journal);
  for (int i = 0; i < 20; ++i) {
    switch (random() % 4) {
      case 0:
      case 1:
        ledger.amounts.set(ledger.journal, random() % 8, static_cast<std::int64_t>(random() % 5));
        break;
      case 2:
        ledger.name(std::string(1, static_cast<char>('a' + random() % 4)),
                    static_cast<int>(random() % 5));
        break;
      default:
        if (depth > 0) random_nest(random, ledger, depth - 1);
    }
  }
  if (random() % 2 == 0) {
    trial.commit();
  } else {
    trial.roll_back();
    EXPECT_EQ(ledger.amounts, before.amounts);
    EXPECT_EQ(ledger.names, before.names);
  }
}

TEST(Transaction, UndoIsNeverDone) {
  const std::uint64_t seed = 42;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  Ledger ledger;
  for (int i = 0; i < 300; ++i) random_nest(random, ledger, 3);
}

}  // namespace
}  // namespace quorate
