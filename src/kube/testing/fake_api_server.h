#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/base/thread_annotations.h"
#include "src/http/body_stream.h"
#include "src/http/message.h"
#include "src/kube/resource.h"

namespace quorate::kube {

// An API server in memory for tests: enough of Kubernetes' rules for objects of any kind that
// clients, reflectors and leases notice the difference. It is an http::Handler: hand it to a
// handler transport, or to a real server. Thread safe.
//
// Objects keep their JSON text; protobuf readers get an envelope whose message has metadata only.
class FakeApiServer {
 public:
  http::Response handle(const http::Request& request) EXCLUDES(mutex_);

  // What the cluster does by itself. `body` is the object's text after its metadata:
  // put(jobs(), {"ns", "a"}, R"("spec":{"n":1})").
  void put(const Resource& resource, const ObjectKey& key, const std::string& body)
      EXCLUDES(mutex_);
  void erase(const Resource& resource, const ObjectKey& key) EXCLUDES(mutex_);
  // Forgets history and continue tokens: watches and pages that begin before now are told 410.
  void compact() EXCLUDES(mutex_);
  void end_watches() EXCLUDES(mutex_);    // as the server does after timeoutSeconds
  void break_watches() EXCLUDES(mutex_);  // as a lost connection does
  void send_bookmarks() EXCLUDES(mutex_);

  void serve_watch_list(bool on) EXCLUDES(mutex_);  // off by default: 422, as older servers
  void serve_protobuf(bool on) EXCLUDES(mutex_);    // off by default: answers JSON

  // "GET /api/v1/pods?limit=2", in order.
  std::vector<std::string> requests() const EXCLUDES(mutex_);
  std::vector<http::Request> raw_requests() const EXCLUDES(mutex_);
  // "ns/name=resourceVersion" of all objects of a kind, sorted.
  std::vector<std::string> objects(const Resource& resource) const EXCLUDES(mutex_);
  std::optional<std::string> object(const Resource& resource, const ObjectKey& key) const
      EXCLUDES(mutex_);
  std::int64_t version() const EXCLUDES(mutex_);
  int open_watches() const EXCLUDES(mutex_);

 private:
  struct Object {
    std::string uid;
    std::int64_t version = 0;
    std::string body;  // what follows the metadata
  };
  struct Change {
    std::int64_t version = 0;
    std::string type;
    std::string collection;
    ObjectKey key;
    Object object;
  };
  struct Watch {
    std::string collection;
    std::string ns;
    bool protobuf = false;
    std::shared_ptr<http::BodyStream> body;
  };
  using Objects = std::map<ObjectKey, Object>;
  // What a path names: a collection ("/apis/batch/v1/jobs"), maybe a namespace and a name.
  struct Target {
    std::string collection;
    ObjectKey key;
    std::string subresource;
  };

  static Target target_of(std::string_view path);
  http::Response list(const http::Request& request, const Target& target) REQUIRES(mutex_);
  http::Response watch(const http::Request& request, const Target& target) REQUIRES(mutex_);
  http::Response create(const http::Request& request, const Target& target) REQUIRES(mutex_);
  http::Response modify(const http::Request& request, const Target& target) REQUIRES(mutex_);
  http::Response remove(const http::Request& request, const Target& target) REQUIRES(mutex_);
  void store(const std::string& collection, const ObjectKey& key, Object object,
             const std::string& type) REQUIRES(mutex_);
  void drop(const std::string& collection, const ObjectKey& key) REQUIRES(mutex_);
  void tell(const Change& change) REQUIRES(mutex_);
  bool wants_protobuf(const http::Request& request) const REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::map<std::string, Objects> collections_ GUARDED_BY(mutex_);
  std::map<std::pair<std::int64_t, std::string>, Objects> snapshots_ GUARDED_BY(mutex_);
  std::vector<Change> history_ GUARDED_BY(mutex_);
  std::vector<Watch> watches_ GUARDED_BY(mutex_);
  std::vector<http::Request> requests_ GUARDED_BY(mutex_);
  std::int64_t version_ GUARDED_BY(mutex_) = 100;
  std::int64_t oldest_ GUARDED_BY(mutex_) = 100;  // watches from before are told 410
  std::int64_t tokens_from_ GUARDED_BY(mutex_) = 0;
  std::int64_t next_uid_ GUARDED_BY(mutex_) = 1;
  bool watch_list_ GUARDED_BY(mutex_) = false;
  bool protobuf_ GUARDED_BY(mutex_) = false;
};

}  // namespace quorate::kube
