#include "src/objects/codec.h"
#include "src/objects/read.h"

namespace quorate::objects {
namespace {

// The object in `document`, with which one it is also when it cannot be understood.
template <class T>
Decoded<T> decode(JsonDocument& document, Json json, std::string_view list_version) {
  const Json metadata = json["metadata"];
  Decoded<T> decoded{.key = {metadata["namespace"].text(), metadata["name"].text()},
                     .uid = metadata["uid"].text(),
                     .resource_version = metadata["resourceVersion"].text(),
                     .object = T{}};
  std::string api_version(list_version);
  if (json["apiVersion"].present()) api_version = json["apiVersion"].text();
  // An item of a list of a built-in kind has no version of its own; a "List" says only "v1".
  if (api_version.empty()) api_version = list_version;
  read(json, api_version, *decoded.object);
  if (document.fault()) {
    decoded.object = error(Errc::Invalid, *document.fault());
    document.clear_fault();
  }
  return decoded;
}

Outcome<void> parse_object(JsonDocument& document, std::string_view text) {
  if (Outcome<void> parsed = document.parse(text); !parsed) return parsed;
  if (!document.root().is_object()) return error(Errc::Invalid, "must be an object");
  return {};
}

ApiStatus read_api_status(Json json) {
  return {.code = json["code"].int32(),
          .reason = json["reason"].text(),
          .message = json["message"].text(),
          .retry_after_seconds = json["details"]["retryAfterSeconds"].int32()};
}

std::optional<WatchType> watch_type(std::string_view text) {
  if (text == "ADDED") return WatchType::Added;
  if (text == "MODIFIED") return WatchType::Modified;
  if (text == "DELETED") return WatchType::Deleted;
  if (text == "BOOKMARK") return WatchType::Bookmark;
  if (text == "ERROR") return WatchType::Error;
  return std::nullopt;
}

}  // namespace

template <class T>
Outcome<T> decode_json(std::string_view text) {
  JsonDocument document;
  if (const Outcome<void> parsed = parse_object(document, text); !parsed) {
    return tl::unexpected(parsed.error());
  }
  return decode<T>(document, document.root(), {}).object;
}

template <class T>
Outcome<ListMeta> decode_list_json(std::string_view text, const ItemSink<T>& sink) {
  JsonDocument head;
  const auto hand_over = [&](JsonDocument& item) {
    const std::string list_version = head.root()["apiVersion"].text();
    sink(decode<T>(item, item.root(), list_version));
  };
  if (const Outcome<void> parsed = parse_list(text, head, hand_over); !parsed) {
    return tl::unexpected(parsed.error());
  }
  const Json metadata = head.root()["metadata"];
  ListMeta meta{.resource_version = metadata["resourceVersion"].text(),
                .continue_token = metadata["continue"].text(),
                .remaining_items = metadata["remainingItemCount"].int64()};
  if (head.fault()) return error(Errc::Invalid, *head.fault());
  return meta;
}

template <class T>
Outcome<WatchItem<T>> decode_watch_json(std::string_view line) {
  JsonDocument document;
  if (const Outcome<void> parsed = parse_object(document, line); !parsed) {
    return tl::unexpected(parsed.error());
  }
  const std::string named = document.root()["type"].text();
  const Json object = document.root()["object"];
  const std::optional<WatchType> type = watch_type(named);
  if (!type || !object.is_object()) return error(Errc::Invalid, "no watch event: type " + named);

  WatchItem<T> item{.type = *type, .decoded = {.object = T{}}};
  if (*type == WatchType::Error) {
    item.status = read_api_status(object);
  } else if (*type == WatchType::Bookmark) {
    const Json metadata = object["metadata"];
    item.decoded.resource_version = metadata["resourceVersion"].text();
    item.initial_events_end = metadata["annotations"]["k8s.io/initial-events-end"].text() == "true";
  } else {
    item.decoded = decode<T>(document, object, {});
  }
  if (document.fault()) return error(Errc::Invalid, *document.fault());
  return item;
}

Outcome<ApiStatus> decode_status_json(std::string_view text) {
  JsonDocument document;
  if (const Outcome<void> parsed = parse_object(document, text); !parsed) {
    return tl::unexpected(parsed.error());
  }
  const ApiStatus status = read_api_status(document.root());
  if (document.root()["kind"].text() != "Status" || document.fault()) {
    return error(Errc::Invalid, "no Status object");
  }
  return status;
}

#define QUORATE_JSON_KIND(T)                                                            \
  template Outcome<T> decode_json<T>(std::string_view);                                 \
  template Outcome<ListMeta> decode_list_json<T>(std::string_view, const ItemSink<T>&); \
  template Outcome<WatchItem<T>> decode_watch_json<T>(std::string_view);
QUORATE_JSON_KIND(Pod)
QUORATE_JSON_KIND(Node)
QUORATE_JSON_KIND(Namespace)
QUORATE_JSON_KIND(PriorityClass)
QUORATE_JSON_KIND(LimitRange)
QUORATE_JSON_KIND(RuntimeClass)
QUORATE_JSON_KIND(DeviceClass)
QUORATE_JSON_KIND(DeviceTaintRule)
QUORATE_JSON_KIND(ResourceSlice)
QUORATE_JSON_KIND(ResourceClaim)
QUORATE_JSON_KIND(ResourceClaimTemplate)
QUORATE_JSON_KIND(Job)
QUORATE_JSON_KIND(PodGroup)
QUORATE_JSON_KIND(CompositePodGroup)
QUORATE_JSON_KIND(DisruptionBudget)
QUORATE_JSON_KIND(ResourceFlavor)
QUORATE_JSON_KIND(Topology)
QUORATE_JSON_KIND(AdmissionCheck)
QUORATE_JSON_KIND(WorkloadPriorityClass)
QUORATE_JSON_KIND(ClusterQueue)
QUORATE_JSON_KIND(LocalQueue)
QUORATE_JSON_KIND(Cohort)
QUORATE_JSON_KIND(Workload)
#undef QUORATE_JSON_KIND

}  // namespace quorate::objects
