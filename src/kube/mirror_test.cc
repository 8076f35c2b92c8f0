#include "src/kube/mirror.h"

#include <gmock/gmock.h>

#include <vector>

namespace quorate::kube {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Recorder final : public RawSink {
 public:
  std::vector<std::string> told;
  void on_upsert(const Meta& meta, const RawObject&) override {
    told.push_back("+" + meta.key.name + meta.uid + "@" + meta.resource_version);
  }
  void on_delete(const Meta& meta, const RawObject* last) override {
    told.push_back("-" + meta.key.name + (last != nullptr ? "@" + meta.resource_version : ""));
  }
  void on_synced() override {}
  void on_trouble(const Error&) override {}

  std::vector<std::string> take() { return std::exchange(told, {}); }
};

class MirrorTest : public testing::Test {
 protected:
  Recorder sink_;
  Mirror mirror_{sink_};

  void upsert(const char* name, const char* uid, const char* version) {
    mirror_.upsert({{"", name}, uid, version}, {});
  }
  void remove(const char* name, const char* uid, const char* version) {
    mirror_.remove({{"", name}, uid, version}, {});
  }
};

TEST_F(MirrorTest, TellsEachStateOnce) {
  upsert("a", "1", "5");
  upsert("a", "1", "5");
  upsert("a", "1", "6");
  remove("a", "1", "7");
  remove("a", "1", "7");
  EXPECT_THAT(sink_.take(), ElementsAre("+a1@5", "+a1@6", "-a@7"));
  EXPECT_EQ(mirror_.size(), 0u);
}

TEST_F(MirrorTest, WhatAListDoesNotHaveIsGone) {
  upsert("a", "1", "5");
  upsert("b", "2", "6");
  upsert("c", "3", "7");
  sink_.take();
  mirror_.begin_list();
  upsert("b", "2", "6");  // unchanged: not told
  upsert("d", "4", "9");
  EXPECT_THAT(sink_.take(), ElementsAre("+d4@9"));
  mirror_.end_list();
  EXPECT_THAT(sink_.take(), ElementsAre("-a", "-c"));
}

TEST_F(MirrorTest, AListThatBreaksOffDeletesNothing) {
  upsert("a", "1", "5");
  upsert("b", "2", "6");
  sink_.take();
  mirror_.begin_list();
  upsert("a", "1", "5");
  mirror_.begin_list();  // again from the start
  upsert("b", "2", "6");
  EXPECT_THAT(sink_.take(), IsEmpty());
  mirror_.end_list();
  EXPECT_THAT(sink_.take(), ElementsAre("-a"));
}

TEST_F(MirrorTest, AnObjectMadeAgainIsDeletedFirst) {
  upsert("a", "1", "5");
  upsert("a", "2", "9");
  EXPECT_THAT(sink_.take(), ElementsAre("+a1@5", "-a", "+a2@9"));
  remove("a", "1", "8");  // the deletion of the first comes late
  EXPECT_THAT(sink_.take(), IsEmpty());
}

TEST_F(MirrorTest, WhatCameByEventAfterAListIsNotGone) {
  mirror_.begin_list();
  mirror_.end_list();
  upsert("a", "1", "5");
  mirror_.end_list();
  EXPECT_THAT(sink_.take(), ElementsAre("+a1@5"));
}

}  // namespace
}  // namespace quorate::kube
