#include "src/http/message.h"

#include <gmock/gmock.h>

namespace quorate::http {
namespace {

TEST(Headers, NamesCompareWithoutCase) {
  Headers headers{{"Content-Type", "a"}};
  headers.set("content-type", "b");
  EXPECT_EQ(headers.get("CONTENT-TYPE"), "b");
  EXPECT_EQ(headers.fields().size(), 1u);
  EXPECT_EQ(headers.get("Absent"), "");
}

TEST(Request, SplitsTheTarget) {
  Request request;
  request.target = "/a/b?watch=true&labelSelector=a%3Db%2Cc&empty=&flag&plus=a+b";
  EXPECT_EQ(request.path(), "/a/b");
  EXPECT_EQ(request.query("watch"), "true");
  EXPECT_EQ(request.query("labelSelector"), "a=b,c");
  EXPECT_EQ(request.query("plus"), "a b");
  EXPECT_EQ(request.query("empty"), "");
  EXPECT_EQ(request.query("none"), "");
}

TEST(PercentEncoding, RoundTripsEveryByte) {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  EXPECT_EQ(percent_decode(percent_encode(all)), all);
  EXPECT_EQ(percent_encode("a/b c?d&e=f"), "a%2Fb%20c%3Fd%26e%3Df");
  EXPECT_EQ(percent_decode("100%"), "100%");
  EXPECT_EQ(percent_decode("%zz%4"), "%zz%4");
}

}  // namespace
}  // namespace quorate::http
