#include "src/base/digest.h"

#include <gtest/gtest.h>

namespace quorate {
namespace {

TEST(Digest, IsFnv1aOfTheBytes) {
  // Published test vectors of 64-bit FNV-1a.
  EXPECT_EQ(Digest().bytes("").hex(), "cbf29ce484222325");
  EXPECT_EQ(Digest().bytes("a").hex(), "af63dc4c8601ec8c");
  EXPECT_EQ(Digest().bytes("foobar").hex(), "85944171f73967e8");
}

TEST(Digest, FramesTextsByTheirLength) {
  EXPECT_NE(Digest().text("ab").text("c").value(), Digest().text("a").text("bc").value());
  EXPECT_NE(Digest().text("").text("a").value(), Digest().text("a").text("").value());
}

TEST(Digest, NumbersAreEightLittleEndianBytes) {
  using namespace std::string_view_literals;
  EXPECT_EQ(Digest().number(0x0102).value(), Digest().bytes("\x02\x01\0\0\0\0\0\0"sv).value());
  EXPECT_EQ(Digest().number(-1).value(),
            Digest().bytes("\xff\xff\xff\xff\xff\xff\xff\xff"sv).value());
}

TEST(Digest, DependsOnOrder) {
  EXPECT_NE(Digest().number(1).number(2).value(), Digest().number(2).number(1).value());
}

}  // namespace
}  // namespace quorate
