#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/object_key.h"
#include "src/base/time.h"
#include "src/http/message.h"
#include "src/kube/raw_object.h"
#include "src/kube/resource.h"

namespace quorate::kube {

// One call of the Kubernetes API as a value, made by the functions below and carried out by a
// Client. It can be compared and printed in tests before anything is sent.
struct ApiRequest {
  std::string what;  // "create jobs default/train": begins the message of every error
  http::Method method = http::Method::Get;
  std::string path;  // escaped, without query
  std::vector<std::pair<std::string, std::string>> query;
  std::string content_type;  // of the body
  std::string body;
  Format accept = Format::Json;  // Protobuf: preferred; JSON may come all the same
  bool mutating = false;         // consults the fence
  bool idempotent = false;       // may be carried out twice without harm
  bool retry_refused = true;     // sends it again after 429, or 503 with Retry-After
  Duration timeout = Duration::seconds(30);

  friend bool operator==(const ApiRequest&, const ApiRequest&) = default;
};

std::string full_path(const ApiRequest& request);  // path and query, as sent

ApiRequest get(const Resource& resource, const ObjectKey& key, Format accept = Format::Json);

struct ListOptions {
  std::string ns;  // "": all namespaces
  std::string label_selector;
  std::string field_selector;
  Format accept = Format::Json;
  int limit = 500;  // objects per page
  std::string continue_token;
  std::string resource_version;  // "": the most recent; "0": whatever the cache has
};
ApiRequest list_page(const Resource& resource, const ListOptions& options);

struct WriteOptions {
  std::string subresource;  // "status", "scale"
  std::string field_manager;
  std::string field_validation;  // "Strict", "Warn", "Ignore"; "": the server's default
  bool dry_run = false;
};

// `json` is the whole object. An empty name (generateName) makes the request not idempotent.
ApiRequest create(const Resource& resource, const ObjectKey& key, std::string json,
                  const WriteOptions& options = {});
ApiRequest replace(const Resource& resource, const ObjectKey& key, std::string json,
                   const WriteOptions& options = {});

enum class PatchKind { Merge, Json, Strategic };
// Guard it: a resourceVersion in a merge patch, a "test" in a JSON patch.
ApiRequest patch(const Resource& resource, const ObjectKey& key, PatchKind kind, std::string json,
                 const WriteOptions& options = {});

enum class Force { No, Yes };
// Server-side apply: options.field_manager owns exactly the fields in `json` afterwards. A foreign
// owner of one of them is a Conflict, or loses it with Force::Yes.
ApiRequest apply(const Resource& resource, const ObjectKey& key, std::string json, Force force,
                 const WriteOptions& options);

struct DeleteOptions {
  std::string uid;  // preconditions, when not empty
  std::string resource_version;
  std::string propagation;  // "Background", "Foreground", "Orphan"; "": the kind's default
  std::optional<std::int64_t> grace_period_seconds;
};
ApiRequest remove(const Resource& resource, const ObjectKey& key, const DeleteOptions& options);

// Binds a pod to a node. With the uid a pod of the same name that came later is not bound.
// A 409 says nothing about who bound it: read the pod back and compare uid and node.
ApiRequest bind_pod(const ObjectKey& pod, std::string_view uid, std::string_view node);

// Evicts through the eviction subresource. A disruption budget that forbids it now is Unavailable;
// when to try again is the caller's decision.
ApiRequest evict_pod(const ObjectKey& pod, const DeleteOptions& options);

}  // namespace quorate::kube
