#include <gmock/gmock.h>

#include <random>

#include "src/objects/codec.h"
#include "src/objects/core_kinds.h"
#include "src/objects/node.h"
#include "src/objects/pod.h"
#include "src/objects/protobuf_transcoder.h"
#include "src/objects/resource_claim.h"
#include "src/objects/resource_slice.h"

namespace quorate::objects {
namespace {

using testing_support::framed;
using testing_support::to_body;
using testing_support::to_frame;

std::string from_hex(std::string_view hex) {
  std::string bytes;
  int high = -1;
  for (const char c : hex) {
    if (c == ' ') continue;
    const int digit = c <= '9' ? c - '0' : c - 'a' + 10;
    if (high < 0) {
      high = digit;
    } else {
      bytes += static_cast<char>(high * 16 + digit);
      high = -1;
    }
  }
  return bytes;
}

constexpr std::string_view kPod = R"({"apiVersion":"v1","kind":"Pod",
  "metadata":{"name":"p","namespace":"ns","generateName":"p-","uid":"u-1","resourceVersion":"42",
    "generation":3,"creationTimestamp":"2026-01-02T03:04:05Z",
    "deletionTimestamp":"2026-01-02T03:05:05Z","deletionGracePeriodSeconds":30,
    "labels":{"app":"web","empty":""},
    "annotations":{"a":"b","kubectl.kubernetes.io/last-applied-configuration":"{...}"},
    "ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"j","uid":"u-2","controller":true,
      "blockOwnerDeletion":true},{"apiVersion":"v1","kind":"X","name":"y","uid":"z"}],
    "finalizers":["f1","f2"],"managedFields":[{"manager":"m","time":"2026-01-02T03:04:05Z"}]},
  "spec":{
    "containers":[
      {"name":"a","image":"i","args":["x","y"],"stdin":true,
       "resources":{"requests":{"cpu":"1500m","memory":"2Gi","x.io/gpu":4},"limits":{"cpu":2}},
       "ports":[{"name":"h","containerPort":80},{"containerPort":81,"hostPort":8081,"protocol":"UDP","hostIP":"10.0.0.1"}]},
      {"name":"b"}],
    "initContainers":[{"name":"s","restartPolicy":"Always","resources":{"requests":{"cpu":"100m"}}},
                      {"name":"i","restartPolicy":"Never"}],
    "hostNetwork":true,"restartPolicy":"Never","terminationGracePeriodSeconds":30,
    "nodeSelector":{"disk":"ssd"},"nodeName":"n1","schedulerName":"quorate-scheduler",
    "affinity":{"nodeAffinity":{
      "requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
        {"matchExpressions":[{"key":"k","operator":"In","values":["v","w"]},{"key":"g","operator":"Gt","values":["1"]}],
         "matchFields":[{"key":"metadata.name","operator":"NotIn","values":["n9"]}]},
        {"matchExpressions":[{"key":"e","operator":"Exists"},{"key":"d","operator":"DoesNotExist"},
                             {"key":"l","operator":"Lt","values":["5"]}]}]},
      "preferredDuringSchedulingIgnoredDuringExecution":[
        {"weight":10,"preference":{"matchExpressions":[{"key":"z","operator":"In","values":["1"]}]}}]}},
    "tolerations":[{"key":"gpu","operator":"Exists","effect":"NoSchedule"},
                   {"key":"t","value":"v","effect":"NoExecute","tolerationSeconds":300}],
    "priorityClassName":"high","priority":-10,"preemptionPolicy":"Never","runtimeClassName":"kata",
    "overhead":{"cpu":"50m"},"resources":{"requests":{"cpu":"3"},"limits":{}},
    "schedulingGates":[{"name":"g1"},{"name":"g2"}],"schedulingGroup":{"podGroupName":"pg-0"}},
  "status":{"phase":"Running","message":"m","reason":"r","podIP":"1.2.3.4","nominatedNodeName":"n2",
    "startTime":"2026-01-02T03:04:10Z",
    "conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-01-02T03:04:20Z"},
      {"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"no","observedGeneration":3,
       "lastProbeTime":"2026-01-02T03:04:20Z","lastTransitionTime":"2026-01-02T03:04:21Z"}],
    "containerStatuses":[{"name":"a","ready":true,"restartCount":2},{"name":"b","restartCount":1}],
    "initContainerStatuses":[{"name":"s","restartCount":4}]}})";

// Equal documents give equal values, whichever form they came in.
template <class T>
void expect_same(std::string_view json, std::string_view api_version, std::string_view kind) {
  const Outcome<T> from_json = decode_json<T>(json);
  const Outcome<T> from_protobuf = decode_protobuf<T>(to_body(json, api_version, kind));
  ASSERT_TRUE(from_json) << from_json.error().message;
  ASSERT_TRUE(from_protobuf) << from_protobuf.error().message;
  EXPECT_TRUE(*from_json == *from_protobuf) << json;
  EXPECT_FALSE(*from_json == T{}) << "the document says nothing";
}

TEST(JsonAndProtobuf, GiveEqualValues) {
  expect_same<Pod>(kPod, "v1", "Pod");
  expect_same<Pod>(
      R"({"metadata":{"name":"small"},"spec":{"containers":[{"name":"c","ports":[{"containerPort":1}]}]}})",
      "v1", "Pod");
  expect_same<Pod>(R"({"metadata":{"name":"x"},"spec":{"resources":{},"affinity":{"nodeAffinity":{
                      "requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[]}}}}})",
                   "v1", "Pod");
  expect_same<Node>(R"({"metadata":{"name":"n","labels":{"zone":"a"}},
      "spec":{"podCIDR":"10.0.0.0/24","unschedulable":true,"taints":[{"key":"k","value":"v","effect":"NoSchedule",
        "timeAdded":"2026-01-02T03:04:05Z"}]},
      "status":{"capacity":{"cpu":"8","pods":"110"},"allocatable":{"cpu":"7800m","memory":"31Gi","pods":110},
        "conditions":[{"type":"Ready","status":"Unknown","reason":"R","message":"M",
          "lastHeartbeatTime":"2026-01-02T03:04:05Z","lastTransitionTime":"2026-01-02T03:04:06Z"}]}})",
                    "v1", "Node");
  expect_same<Namespace>(R"({"metadata":{"name":"n"},"status":{"phase":"Terminating"}})", "v1",
                         "Namespace");
  expect_same<PriorityClass>(
      R"({"metadata":{"name":"p"},"value":-7,"globalDefault":true,"description":"d","preemptionPolicy":"Never"})",
      "scheduling.k8s.io/v1", "PriorityClass");
  expect_same<PriorityClass>(R"({"metadata":{"name":"p"},"value":7})", "scheduling.k8s.io/v1",
                             "PriorityClass");
  expect_same<ResourceSlice>(
      R"({"metadata":{"name":"s"},"spec":{"driver":"d","nodeName":"n","perDeviceNodeSelection":true,
      "nodeSelector":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"z","operator":"In","values":["a"]}]}]},
      "pool":{"name":"p","generation":3,"resourceSliceCount":1},
      "sharedCounters":[{"name":"s","counters":{"mem":{"value":"40Gi"}}}],
      "devices":[{"name":"d0","attributes":{"a":{"int":-1},"b":{"bool":true},"c":{"string":"x"},
        "v":{"version":"1.2.3"},"l":{"ints":[1,2]}},
       "capacity":{"m":{"value":"10","requestPolicy":{"default":"1","validRange":{"min":"1","max":"4","step":"500m"}}}},
       "consumesCounters":[{"counterSet":"s","counters":{"mem":{"value":"20"}}}],
       "taints":[{"key":"k","value":"v","effect":"NoExecute","timeAdded":"2026-01-02T03:04:05Z"}],
       "bindsToNode":true,"bindingConditions":["A"],"bindingFailureConditions":["F"],
       "allowMultipleAllocations":true},{"name":"d1"}]}})",
      "resource.k8s.io/v1", "ResourceSlice");
  expect_same<ResourceClaim>(
      R"({"metadata":{"name":"c"},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"c",
       "selectors":[{"cel":{"expression":"true"}}],"count":2,"adminAccess":true,
       "tolerations":[{"key":"k","operator":"Exists"}],"capacity":{"requests":{"m":"1"}}}},
       {"name":"q","firstAvailable":[{"name":"a","deviceClassName":"c","allocationMode":"All"}]}],
       "constraints":[{"requests":["r"],"matchAttribute":"x/y"}]}},
      "status":{"allocation":{"devices":{"results":[
       {"request":"r","driver":"d","pool":"p","device":"d0","adminAccess":true,"shareID":"s",
        "consumedCapacity":{"m":"1"}}]},
       "nodeSelector":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In","values":["n"]}]}]},
       "allocationTimestamp":"2026-01-02T03:04:05Z"},
      "reservedFor":[{"apiGroup":"g","resource":"pods","name":"p","uid":"u"}],
      "devices":[{"driver":"d","pool":"p","device":"d0","conditions":[{"type":"T","status":"True","reason":"R"}]}]}})",
      "resource.k8s.io/v1", "ResourceClaim");
}

TEST(Protobuf, PublishedVectors) {
  const std::string body = from_hex(
      "6b 38 73 00 0a 0f 0a 02 76 31 12 09 4e 61 6d 65 73 70 61 63 65 12 0a 0a 08 0a 06 74 65 61 "
      "6d 2d "
      "61 1a 00 22 00");
  EXPECT_EQ(decode_protobuf<Namespace>(body)->meta.key.name, "team-a");

  const std::string added = from_hex("00 00 00 30 0a 05 41 44 44 45 44 12 27 0a 25") + body;
  const std::string bookmark = from_hex(
      "00 00 00 31 0a 08 42 4f 4f 4b 4d 41 52 4b 12 25 0a 23 6b 38 73 00 0a 0f 0a 02 76 31 12 09 "
      "4e 61 "
      "6d 65 73 70 61 63 65 12 08 0a 06 32 04 31 32 33 34 1a 00 22 00");
  std::vector<std::string> events;
  WatchFrames frames;
  for (const char byte : added + bookmark) {
    frames.feed({&byte, 1});
    while (true) {
      const auto frame = frames.next();
      ASSERT_TRUE(frame);
      if (!*frame) break;
      const auto item = decode_watch_protobuf<Namespace>(**frame);
      ASSERT_TRUE(item) << item.error().message;
      events.push_back(item->type == WatchType::Bookmark
                           ? "bookmark " + item->decoded.resource_version
                           : "added " + item->decoded.key.name);
    }
  }
  EXPECT_EQ(events, (std::vector<std::string>{"added team-a", "bookmark 1234"}));
  EXPECT_FALSE(frames.inside_frame());
  frames.feed(added.substr(0, 20));
  const auto partial = frames.next();
  ASSERT_TRUE(partial);
  EXPECT_FALSE(*partial);
  EXPECT_TRUE(frames.inside_frame());

  const auto end =
      decode_watch_protobuf<Namespace>(from_hex("0a08424f4f4b4d41524b125c0a5a6b3873000a0f0a02763112"
                                                "094e616d657370616365123f0a370a0012001a0022002a00"
                                                "3204353535353800420062210a196b38732e696f2f696e6974"
                                                "69616c2d6576656e74732d656e6412047472756512001a02"
                                                "0a001a002200"));
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_TRUE(end->initial_events_end);
  EXPECT_EQ(end->decoded.resource_version, "5555");
}

std::string pod_with_spec(std::string_view spec_hex) {
  const std::string spec = from_hex(spec_hex);
  std::string body = from_hex("6b 38 73 00 0a 09 0a 02 76 31 12 03 50 6f 64 12");
  body += static_cast<char>(spec.size() + 2);
  body += '\x12';
  body += static_cast<char>(spec.size());
  return body + spec;
}

TEST(Protobuf, FieldsOfAPodSpec) {
  EXPECT_EQ(
      decode_protobuf<Pod>(pod_with_spec("c8 01 f6 ff ff ff ff ff ff ff ff 01"))->spec->priority,
      -10);
  EXPECT_EQ(decode_protobuf<Pod>(pod_with_spec("c8 01 e8 07"))->spec->priority, 1000);
  EXPECT_EQ(decode_protobuf<Pod>(pod_with_spec(""))->spec->priority, std::nullopt);
  EXPECT_EQ(
      decode_protobuf<Pod>(pod_with_spec("da 02 06 0a 04 70 67 2d 30"))->spec->scheduling_group,
      "pg-0");
  const auto unknown =
      decode_protobuf<Pod>(pod_with_spec("52 06 6e 6f 64 65 2d 31 9a 06 01 78 58 01"));
  EXPECT_EQ(unknown->node_name, "node-1");
  EXPECT_TRUE(unknown->spec->host_network);
  // A known number with another wire type is as unknown as any.
  EXPECT_EQ(decode_protobuf<Pod>(pod_with_spec("50 05"))->node_name, "");
  // The spec twice: merged, as protobuf has it.
  std::string twice = pod_with_spec("52 01 61");
  twice[16] = static_cast<char>(twice[16] + 4);
  const auto merged = decode_protobuf<Pod>(twice + from_hex("12 02 58 01"));
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(merged->node_name, "a");
  EXPECT_TRUE(merged->spec->host_network);
}

TEST(Protobuf, Lists) {
  const std::string body = to_body(
      R"({"metadata":{"resourceVersion":"9","continue":"c","remainingItemCount":2},
          "items":[{"metadata":{"name":"a"},"spec":{"containers":[{"resources":{"requests":{"cpu":"1"}}}]}},
                   {"metadata":{"name":"b","resourceVersion":"3"},"spec":{"containers":[{},{"resources":{"requests":{"x.io/y":"1q"}}}]}},
                   {"metadata":{"name":"c"}}]})",
      "v1", "PodList");
  std::vector<std::string> seen;
  const auto meta = decode_list_protobuf<Pod>(body, [&](Decoded<Pod> item) {
    seen.push_back(item.key.name +
                   (item.object ? "" : item.resource_version + item.object.error().message));
  });
  ASSERT_TRUE(meta) << meta.error().message;
  EXPECT_EQ(*meta, (ListMeta{"9", "c", 2}));
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[0], "a");
  EXPECT_THAT(seen[1],
              testing::StartsWith(
                  "b3spec.containers[1].resources.requests[x.io/y]: Invalid value: \"1q\": "));
  EXPECT_EQ(seen[2], "c");
}

TEST(Protobuf, WatchEvents) {
  const std::string pod = to_body(kPod, "v1", "Pod");
  const auto modified = decode_watch_protobuf<Pod>(to_frame("MODIFIED", pod));
  ASSERT_TRUE(modified) << modified.error().message;
  EXPECT_TRUE(*modified->decoded.object == *decode_json<Pod>(kPod));
  const auto failed = decode_watch_protobuf<Pod>(to_frame(
      "ERROR",
      to_body(
          R"({"code":410,"reason":"Expired","message":"old","details":{"retryAfterSeconds":3}})",
          "v1", "Status")));
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->status, (ApiStatus{410, "Expired", "old", 3}));
  EXPECT_FALSE(decode_watch_protobuf<Node>(to_frame("ADDED", pod)));
  EXPECT_FALSE(decode_watch_protobuf<Pod>(to_frame("WHAT", pod)));
  EXPECT_FALSE(decode_watch_protobuf<Pod>(to_frame("ADDED", "{}")));
  EXPECT_FALSE(decode_watch_protobuf<Pod>(""));
}

TEST(Protobuf, RefusesOtherBodies) {
  EXPECT_FALSE(decode_protobuf<Pod>("{\"kind\":\"Pod\"}"));
  EXPECT_FALSE(decode_protobuf<Pod>(""));
  EXPECT_FALSE(decode_protobuf<Pod>(to_body(R"({"metadata":{"name":"n"}})", "v1", "Namespace")));
  const auto error = decode_list_protobuf<Pod>(to_body("{}", "v1", "Pod"), [](Decoded<Pod>) {});
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().message, "expected v1 PodList, got v1 Pod");
  // JSON inside the envelope, as it may say.
  EXPECT_EQ(decode_protobuf<Pod>(from_hex("6b 38 73 00 0a 09 0a 02 76 31 12 03 50 6f 64 12 1e") +
                                 R"({"metadata":{"name":"jsonny"}})" + from_hex("22 10") +
                                 "application/json")
                ->meta.key.name,
            "jsonny");
  // Compressed contents are none that we know.
  EXPECT_FALSE(
      decode_protobuf<Pod>(from_hex("6b 38 73 00 0a 09 0a 02 76 31 12 03 50 6f 64 1a 01 78")));
}

TEST(Protobuf, FrameLengthsAreBounded) {
  for (const char* hex : {"00 00 00 00", "01 00 00 01", "ff ff ff ff"}) {
    WatchFrames frames;
    frames.feed(from_hex(hex));
    EXPECT_FALSE(frames.next()) << hex;
  }
}

TEST(Protobuf, ManyFramesInUnevenChunks) {
  std::string stream;
  for (int i = 0; i < 3000; ++i) {
    stream +=
        framed(to_frame("ADDED", to_body(R"({"metadata":{"name":"n)" + std::to_string(i) + R"("}})",
                                         "v1", "Namespace")));
  }
  WatchFrames frames;
  int seen = 0;
  std::minstd_rand random(7);
  for (std::size_t at = 0; at < stream.size();) {
    const std::size_t size = 1 + random() % 9000;
    frames.feed(std::string_view(stream).substr(at, size));
    at += size;
    for (auto frame = frames.next(); *frame; frame = frames.next()) {
      EXPECT_EQ(decode_watch_protobuf<Namespace>(**frame)->decoded.key.name,
                "n" + std::to_string(seen++));
    }
  }
  EXPECT_EQ(seen, 3000);
  EXPECT_FALSE(frames.inside_frame());
}

TEST(Protobuf, EveryCutAndFlipIsHandled) {
  const std::string body = to_body(kPod, "v1", "Pod");
  const std::size_t needed = body.size() - 4;  // the last two fields of the envelope are empty
  for (std::size_t size = 0; size < needed; ++size) {
    EXPECT_FALSE(decode_protobuf<Pod>(body.substr(0, size)) == decode_json<Pod>(kPod)) << size;
  }
  std::minstd_rand random(3);
  for (int round = 0; round < 20'000; ++round) {
    std::string bad = body;
    for (int flips = 0; flips < 3; ++flips)
      bad[random() % bad.size()] = static_cast<char>(random());
    (void)decode_protobuf<Pod>(bad);
    (void)decode_watch_protobuf<Pod>(bad);
  }
}

}  // namespace
}  // namespace quorate::objects
