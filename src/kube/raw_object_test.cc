#include "src/kube/raw_object.h"

#include <gmock/gmock.h>

#include <vector>

#include "src/kube/testing/wire_text.h"

namespace quorate::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Meta kMeta{{"ns", "a"}, "u1", "5"};

std::vector<std::string> names_in(const Document& list, ListMeta* meta) {
  std::vector<std::string> out;
  const Outcome<ListMeta> read = read_list(list, [&](const RawObject& item) {
    const Outcome<Meta> found = read_meta(item);
    out.push_back(found ? found->key.text() : found.error().message);
  });
  if (read) *meta = *read;
  if (!read) out.push_back(read.error().message);
  return out;
}

TEST(ReadMeta, OfJsonAndProtobuf) {
  EXPECT_EQ(*read_meta({Format::Json, object_json({"ns", "a"}, "u1", "5", R"("spec":{})")}), kMeta);
  EXPECT_EQ(*read_meta({Format::Protobuf, pb_object({"ns", "a"}, "u1", "5")}), kMeta);
  EXPECT_EQ(read_meta({Format::Json, "{}"}).error().message, "object without metadata");
  EXPECT_FALSE(read_meta({Format::Json, R"({"metadata":3})"}));
  EXPECT_FALSE(read_meta({Format::Protobuf, ""}));
}

TEST(Document, OpensTheEnvelope) {
  const Document document{Format::Protobuf, pb_envelope("Pod", pb_object({"ns", "a"}, "u1", "5"))};
  EXPECT_EQ(*read_meta(*document.object()), kMeta);
  EXPECT_FALSE((Document{Format::Protobuf, "{}"}).object());
  const Document squeezed{Format::Protobuf,
                          std::string("k8s\0", 4) + pb_bytes(2, "x") + pb_bytes(3, "gzip")};
  EXPECT_THAT(squeezed.object().error().message, HasSubstr("'gzip'"));
  const Document json{Format::Protobuf, std::string("k8s\0", 4) + pb_bytes(2, "{}") +
                                            pb_bytes(4, "application/json")};
  EXPECT_EQ(json.object()->format, Format::Json);
}

TEST(ReadList, OfJsonAndProtobuf) {
  const std::string a = object_json({"ns", "a"}, "u1", "5");
  const std::string b = object_json({"ns", "b"}, "u2", "6");
  ListMeta meta;
  const Document json{Format::Json, R"({"items":[)" + a + "," + b +
                                        R"(],"metadata":{"resourceVersion":"9","continue":"t"}})"};
  EXPECT_THAT(names_in(json, &meta), ElementsAre("ns/a", "ns/b"));
  EXPECT_EQ(meta.resource_version, "9");
  EXPECT_EQ(meta.continue_token, "t");

  const Document protobuf{
      Format::Protobuf,
      pb_envelope("PodList", pb_bytes(1, pb_bytes(2, "9") + pb_bytes(3, "t") + pb_number(4, 7)) +
                                 pb_bytes(2, pb_object({"ns", "a"}, "u1", "5")) +
                                 pb_bytes(2, pb_object({"ns", "b"}, "u2", "6")))};
  meta = {};
  EXPECT_THAT(names_in(protobuf, &meta), ElementsAre("ns/a", "ns/b"));
  EXPECT_EQ(meta.resource_version, "9");
  EXPECT_EQ(meta.continue_token, "t");
}

TEST(ReadList, EmptyAndBrokenLists) {
  ListMeta meta;
  EXPECT_THAT(names_in({Format::Json, R"({"metadata":{},"items":null})"}, &meta), ElementsAre());
  EXPECT_THAT(names_in({Format::Json, R"({"kind":"Status"})"}, &meta),
              ElementsAre("list: no items"));
  EXPECT_THAT(names_in({Format::Json, R"({"items":[{"metadata":{"name":"x"}},)"}, &meta),
              ElementsAre(HasSubstr("list")));
}

}  // namespace
}  // namespace quorate::kube
