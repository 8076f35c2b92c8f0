#include "src/kube/watch_decoder.h"

#include <gmock/gmock.h>

#include <vector>

#include "src/kube/testing/wire_text.h"

namespace quorate::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// "A ns/name uid version", "E code message"
std::string print(const WatchEvent& event) {
  static constexpr const char* kNames[] = {"A", "M", "D", "B", "E"};
  std::string out = kNames[static_cast<int>(event.type)];
  if (event.error) return out + " " + event.error->message;
  out += " " + event.meta.key.text() + " " + event.meta.uid + " " + event.meta.resource_version;
  return event.initial_events_end ? out + " end" : out;
}

// The events when the stream comes in pieces of `size` bytes.
std::vector<std::string> decode(Format format, std::string_view stream, std::size_t size) {
  WatchDecoder decoder(format, 5000);
  std::vector<std::string> out;
  while (!stream.empty()) {
    const std::string piece(stream.substr(0, size));  // a copy of its own: reads past it are seen
    stream.remove_prefix(piece.size());
    const Outcome<void> fed = decoder.feed(piece, [&](const WatchEvent& event) {
      out.push_back(print(event));
      return true;
    });
    if (!fed) {
      out.push_back("broken: " + fed.error().message);
      break;
    }
  }
  return out;
}

std::string json_stream() {
  return R"({"type":"ADDED","object":)" + object_json({"ns", "a"}, "u1", "5", R"("x":"}\n")") +
         "}\n\n" + R"({"object":)" + object_json({"", "b"}, "u2", "6") + R"(,"type":"MODIFIED"})" +
         "\n" + R"({"type":"DELETED","object":)" + object_json({"ns", "a"}, "u1", "7") + "}\n" +
         R"({"type":"BOOKMARK","object":{"kind":"X","metadata":{"resourceVersion":"9",)" +
         R"("annotations":{"x":"y","k8s.io/initial-events-end":"true"}}}})" + "\n" +
         R"({"type":"ERROR","object":)" + status_json(410, "Expired", "too old") + "}\n";
}

std::string protobuf_stream() {
  return pb_event("ADDED", "Pod", pb_object({"ns", "a"}, "u1", "5") + pb_bytes(2, "spec")) +
         pb_event("MODIFIED", "Node", pb_object({"", "b"}, "u2", "6")) +
         pb_event("DELETED", "Pod", pb_object({"ns", "a"}, "u1", "7")) +
         pb_event("BOOKMARK", "Pod", pb_object({}, "", "9", true)) +
         pb_event("ERROR", "Status", pb_status(410, "Expired", "too old"));
}

TEST(WatchDecoder, CutsEventsHoweverTheyAreChunked) {
  const auto want = ElementsAre("A ns/a u1 5", "M b u2 6", "D ns/a u1 7", "B   9 end",
                                "E watch: too old (410 Expired)");
  for (const std::size_t size : {1, 2, 3, 7, 64, 100'000}) {
    EXPECT_THAT(decode(Format::Json, json_stream(), size), want) << size;
    EXPECT_THAT(decode(Format::Protobuf, protobuf_stream(), size), want) << size;
  }
}

TEST(WatchDecoder, HandsOverTheObjectsBytes) {
  WatchDecoder json(Format::Json);
  std::string seen;
  const auto keep = [&](const WatchEvent& event) {
    seen = event.object.bytes;
    return true;
  };
  const std::string object = object_json({"ns", "a"}, "u1", "5", R"("spec":{"n":1})");
  ASSERT_TRUE(json.feed("{\"type\":\"ADDED\",\"object\":" + object + "}\n", keep));
  EXPECT_EQ(seen, object);
  WatchDecoder protobuf(Format::Protobuf);
  const std::string message = pb_object({"ns", "a"}, "u1", "5") + pb_bytes(2, "spec");
  ASSERT_TRUE(protobuf.feed(pb_event("ADDED", "Pod", message), keep));
  EXPECT_EQ(seen, message);
}

TEST(WatchDecoder, StopsWhenTold) {
  WatchDecoder decoder(Format::Json);
  int events = 0;
  EXPECT_TRUE(decoder.feed(json_stream(), [&](const WatchEvent&) { return ++events < 2; }));
  EXPECT_EQ(events, 2);
}

TEST(WatchDecoder, KnowsAnUnfinishedEvent) {
  WatchDecoder decoder(Format::Json);
  const auto ignore = [](const WatchEvent&) { return true; };
  EXPECT_TRUE(decoder.feed(json_stream() + "{\"type\":\"ADD", ignore));
  EXPECT_TRUE(decoder.in_mid_event());
}

TEST(WatchDecoder, ErrorEventsMapToWhatTheCallerDoes) {
  WatchDecoder decoder(Format::Json);
  std::vector<Errc> codes;
  const auto collect = [&](const WatchEvent& event) {
    codes.push_back(event.error->code);
    return true;
  };
  for (const auto& [code, reason] : {std::pair(410, "Gone"), {500, "InternalError"}, {429, ""}}) {
    ASSERT_TRUE(decoder.feed(
        R"({"type":"ERROR","object":)" + status_json(code, reason, "m") + "}\n", collect));
  }
  EXPECT_THAT(codes, ElementsAre(Errc::Gone, Errc::Unavailable, Errc::Unavailable));
}

TEST(WatchDecoder, BrokenStreamsSayWhy) {
  const auto json = [](const std::string& text) { return decode(Format::Json, text, 9999).back(); };
  EXPECT_THAT(json("nonsense\n"), StartsWith("broken: watch: JSON: no object"));
  EXPECT_THAT(json(R"({"type":"PAINTED","object":{"metadata":{}}})"
                   "\n"),
              HasSubstr("'PAINTED'"));
  EXPECT_THAT(json("{\"type\":\"ADDED\"}\n"), StartsWith("broken: watch: JSON: no object"));
  EXPECT_THAT(json(R"({"type":"ADDED","object":{"spec":{}}})"
                   "\n"),
              HasSubstr("without metadata"));
  EXPECT_THAT(json(std::string(6000, 'x')), HasSubstr("longer than the limit"));

  const auto protobuf = [](std::string_view bytes) {
    return decode(Format::Protobuf, bytes, 9999).back();
  };
  using namespace std::string_view_literals;
  EXPECT_THAT(protobuf("\0\0\0\0"sv), HasSubstr("frame of 0 bytes"));
  EXPECT_THAT(protobuf("\xff\0\0\0"sv), HasSubstr("frame of 4278190080 bytes"));
  EXPECT_THAT(protobuf("\0\0\0\x02zz"sv), HasSubstr("broken"));
  // The object is not in an envelope.
  const std::string bare = pb_bytes(1, "ADDED") + pb_bytes(2, pb_bytes(1, "{}"));
  EXPECT_THAT(protobuf(std::string("\0\0\0", 3) + static_cast<char>(bare.size()) + bare),
              HasSubstr("not a Kubernetes protobuf"));
}

// Whatever the bytes, decoding ends without harm.
TEST(WatchDecoder, RandomDamageDoesNoHarm) {
  std::uint64_t state = 42;
  const auto random = [&state] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 33;
  };
  for (int round = 0; round < 2000; ++round) {
    for (const Format format : {Format::Json, Format::Protobuf}) {
      std::string stream = format == Format::Json ? json_stream() : protobuf_stream();
      for (int hits = 0; hits < 3; ++hits) {
        stream[random() % stream.size()] = static_cast<char>(random());
      }
      decode(format, stream, 1 + random() % 200);
    }
  }
}

}  // namespace
}  // namespace quorate::kube
