#include "src/http/body_stream.h"

#include <gmock/gmock.h>

namespace quorate::http {
namespace {

using Taken = BodyStream::Taken;

TEST(BodyStream, HandsOverChunksThenTheEnd) {
  BodyStream stream;
  EXPECT_TRUE(stream.write("a"));
  EXPECT_TRUE(stream.write("b"));
  stream.finish();
  EXPECT_FALSE(stream.write("c"));
  std::shared_ptr<const std::string> chunk;
  EXPECT_EQ(stream.take(chunk), Taken::Chunk);
  EXPECT_EQ(*chunk, "a");
  EXPECT_EQ(stream.take(chunk), Taken::Chunk);
  EXPECT_EQ(*chunk, "b");
  EXPECT_EQ(stream.take(chunk), Taken::Finished);
}

TEST(BodyStream, WakesTheTakerForEachChange) {
  BodyStream stream;
  int woken = 0;
  stream.attach([&] { ++woken; });
  EXPECT_EQ(woken, 1);
  stream.write("a");
  EXPECT_EQ(woken, 2);
  stream.finish();
  EXPECT_EQ(woken, 3);
}

TEST(BodyStream, AReaderThatFallsBehindIsCutOff) {
  BodyStream stream(10);
  bool closed = false;
  stream.on_close([&] { closed = true; });
  EXPECT_TRUE(stream.write("12345678"));
  EXPECT_FALSE(stream.write("901"));
  EXPECT_TRUE(closed);
  std::shared_ptr<const std::string> chunk;
  EXPECT_EQ(stream.take(chunk), Taken::Aborted);
}

TEST(BodyStream, OnCloseRunsOnceAndAtOnceWhenLate) {
  BodyStream stream;
  int closed = 0;
  stream.on_close([&] { ++closed; });
  stream.reader_gone();
  stream.finish();
  EXPECT_EQ(closed, 1);
  stream.on_close([&] { ++closed; });
  EXPECT_EQ(closed, 2);
}

}  // namespace
}  // namespace quorate::http
