#include "controller/live/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/objects/core_kinds.h"

namespace quorate::controller {
namespace {

using objects::Namespace;

Namespace object(const std::string& name, const std::string& version,
                 const std::string& team = "") {
  Namespace made;
  made.meta.key.name = name;
  made.meta.uid = "uid-" + name;
  made.meta.resource_version = version;
  if (!team.empty()) made.meta.labels["team"] = team;
  return made;
}

Store<Namespace> by_team() {
  return Store<Namespace>([](const Namespace& n) {
    const auto found = n.meta.labels.find("team");
    return found == n.meta.labels.end() ? std::vector<std::string>{}
                                        : std::vector<std::string>{found->second};
  });
}

TEST(Store, OwnWriteIsSeenAtOnceAndAnOlderWatchEventDoesNotHideIt) {
  Store<Namespace> store;
  store.watched(object("a", "5", "old"));
  store.assume(object("a", "9", "new"));
  EXPECT_EQ(store.find({"", "a"})->meta.labels.at("team"), "new");

  EXPECT_FALSE(store.watched(object("a", "7", "between")).news);
  EXPECT_EQ(store.find({"", "a"})->meta.labels.at("team"), "new");
}

TEST(Store, TheWatchEventOfAnOwnWriteIsNewsToWatchersOnce) {
  Store<Namespace> store;
  store.assume(object("a", "9"));
  EXPECT_TRUE(store.watched(object("a", "9")).news);
  EXPECT_FALSE(store.watched(object("a", "9")).news);
}

TEST(Store, AnAnswerThatIsOlderThanTheWatchIsIgnored) {
  Store<Namespace> store;
  store.watched(object("a", "12", "newest"));
  store.assume(object("a", "9", "older"));
  EXPECT_EQ(store.find({"", "a"})->meta.labels.at("team"), "newest");
}

TEST(Store, IndexFollowsChangesAndDeletions) {
  Store<Namespace> store = by_team();
  store.watched(object("b", "1", "red"));
  store.watched(object("a", "2", "red"));
  ASSERT_EQ(store.find_by("red").size(), 2u);
  EXPECT_EQ(store.find_by("red")[0]->meta.key.name, "a");  // by name

  store.watched(object("a", "3", "blue"));
  EXPECT_EQ(store.find_by("red").size(), 1u);
  EXPECT_EQ(store.find_by("blue").size(), 1u);
  store.gone({"", "b"}, "uid-b");
  EXPECT_TRUE(store.find_by("red").empty());
}

TEST(Store, AnAnswerAboutADeletedObjectDoesNotBringItBack) {
  Store<Namespace> store;
  store.watched(object("a", "1"));
  store.gone({"", "a"}, "uid-a");
  store.assume(object("a", "2"));
  EXPECT_EQ(store.find({"", "a"}), nullptr);
}

TEST(Store, DeletionOfAnotherUidIsIgnored) {
  Store<Namespace> store;
  store.watched(object("a", "1"));
  EXPECT_EQ(store.gone({"", "a"}, "uid-of-its-predecessor"), nullptr);
  EXPECT_NE(store.gone({"", "a"}, ""), nullptr);
  EXPECT_EQ(store.size(), 0u);
}

TEST(Store, SweepDropsWhatARelistDidNotMention) {
  Store<Namespace> store = by_team();
  store.watched(object("stays", "1", "red"));
  store.watched(object("vanished", "2", "red"));
  store.begin_relist();
  store.watched(object("stays", "1", "red"));
  store.watched(object("fresh", "3", "red"));
  const auto dropped = store.sweep();
  ASSERT_EQ(dropped.size(), 1u);
  EXPECT_EQ(dropped[0]->meta.key.name, "vanished");
  EXPECT_EQ(store.find_by("red").size(), 2u);
}

}  // namespace
}  // namespace quorate::controller
