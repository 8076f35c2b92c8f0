#include "src/kube/testing/fake_api_server.h"

#include <algorithm>
#include <utility>

#include "src/kube/json_meta.h"
#include "src/kube/json_scan.h"
#include "src/kube/testing/merge_patch.h"
#include "src/kube/testing/wire_text.h"

namespace quorate::kube {
namespace {

http::Response answer(int status, std::string body, bool protobuf = false) {
  http::Response out;
  out.status = status;
  out.headers.set("Content-Type",
                  protobuf ? "application/vnd.kubernetes.protobuf" : "application/json");
  out.body = std::move(body);
  return out;
}

http::Response refuse(int code, std::string_view reason, std::string_view message) {
  return answer(code, status_json(code, reason, message));
}

std::string bookmark(bool protobuf, std::int64_t version, bool initial_events_end) {
  const std::string text = std::to_string(version);
  if (protobuf) return pb_event("BOOKMARK", "Any", pb_object({}, "", text, initial_events_end));
  std::string out = R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":")" + text + "\"";
  if (initial_events_end) out += R"(,"annotations":{"k8s.io/initial-events-end":"true"})";
  return out + "}}}\n";
}

// The text behind the metadata member, for objects that have other members.
std::string body_of(std::string_view json) {
  std::string out;
  (void)each_member(json, [&](std::string_view key, std::string_view value) {
    if (key == "metadata" || key == "apiVersion" || key == "kind") return true;
    if (!out.empty()) out += ',';
    out.append("\"").append(key).append("\":").append(value);
    return true;
  });
  return out;
}

}  // namespace

FakeApiServer::Target FakeApiServer::target_of(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::size_t end = std::min(path.find('/'), path.size());
    parts.push_back(http::percent_decode(path.substr(0, end)));
    path.remove_prefix(end);
  }
  std::size_t at = !parts.empty() && parts[0] == "api" ? 2 : 3;
  Target out;
  for (std::size_t i = 0; i < std::min(at, parts.size()); ++i) out.collection += "/" + parts[i];
  if (at + 2 < parts.size() && parts[at] == "namespaces") {
    out.key.ns = parts[at + 1];
    at += 2;
  }
  if (at < parts.size()) out.collection += "/" + parts[at++];
  if (at < parts.size()) out.key.name = parts[at++];
  if (at < parts.size()) out.subresource = parts[at];
  return out;
}

bool FakeApiServer::wants_protobuf(const http::Request& request) const {
  return protobuf_ && request.headers.get("Accept").find("protobuf") != std::string_view::npos;
}

http::Response FakeApiServer::handle(const http::Request& request) {
  MutexLock lock(mutex_);
  requests_.push_back(request);
  const Target target = target_of(request.path());
  switch (request.method) {
    case http::Method::Get: {
      if (request.query("watch") == "true") return watch(request, target);
      if (target.key.name.empty()) return list(request, target);
      const Objects& all = collections_[target.collection];
      const auto found = all.find(target.key);
      if (found == all.end()) return refuse(404, "NotFound", target.key.name + " not found");
      const Object& object = found->second;
      return answer(
          200, object_json(target.key, object.uid, std::to_string(object.version), object.body));
    }
    case http::Method::Post:
      return create(request, target);
    case http::Method::Put:
    case http::Method::Patch:
      return modify(request, target);
    case http::Method::Delete:
      return remove(request, target);
    case http::Method::Head:
      break;
  }
  return refuse(405, "MethodNotAllowed", "no");
}

// A page begins behind the key in its continue token, "<version>:<ns>/<name>". All pages of a list
// show the state at that version.
http::Response FakeApiServer::list(const http::Request& request, const Target& target) {
  const bool protobuf = wants_protobuf(request);
  const std::string limit_text = request.query("limit");
  const std::size_t limit = limit_text.empty() ? SIZE_MAX : std::stoul(limit_text);
  ObjectKey after;
  std::int64_t at = version_;
  const Objects* all = &collections_[target.collection];
  if (const std::string token = request.query("continue"); !token.empty()) {
    const std::size_t colon = token.find(':');
    const std::size_t slash = token.find('/');
    at = std::stoll(token.substr(0, colon));
    if (at < tokens_from_) {
      return refuse(410, "Expired", "The provided continue parameter is too old");
    }
    after = {token.substr(colon + 1, slash - colon - 1), token.substr(slash + 1)};
    all = &snapshots_[{at, target.collection}];
  }
  std::string items;
  std::size_t count = 0;
  std::string token;
  for (const auto& [key, object] : *all) {
    if (!(after < key) || (!target.key.ns.empty() && key.ns != target.key.ns)) continue;
    if (count == limit) {
      token = std::to_string(at) + ":" + after.ns + "/" + after.name;
      snapshots_.try_emplace({at, target.collection}, *all);
      break;
    }
    ++count;
    after = key;
    const std::string version = std::to_string(object.version);
    if (protobuf) {
      items += pb_bytes(2, pb_object(key, object.uid, version));
    } else {
      if (!items.empty()) items += ',';
      items += object_json(key, object.uid, version, object.body);
    }
  }
  const std::string version = std::to_string(at);
  if (protobuf) {
    return answer(
        200, pb_envelope("List", pb_bytes(1, pb_bytes(2, version) + pb_bytes(3, token)) + items),
        true);
  }
  return answer(200, R"({"kind":"List","metadata":{"resourceVersion":")" + version +
                         R"(","continue":)" + json_string(token) + "},\"items\":[" + items + "]}");
}

http::Response FakeApiServer::watch(const http::Request& request, const Target& target) {
  const bool with_list = request.query("sendInitialEvents") == "true";
  if (with_list && !watch_list_) {
    return refuse(422, "Invalid",
                  "sendInitialEvents is forbidden for watch unless the feature is on");
  }
  http::Response out = answer(200, "", wants_protobuf(request));
  if (wants_protobuf(request)) {
    out.headers.set("Content-Type", "application/vnd.kubernetes.protobuf;stream=watch");
  }
  const Watch fresh{target.collection, target.key.ns, wants_protobuf(request),
                    std::make_shared<http::BodyStream>()};
  out.stream = fresh.body;
  const std::string from_text = request.query("resourceVersion");
  const std::int64_t from = from_text.empty() ? version_ : std::stoll(from_text);
  std::erase_if(watches_, [](const Watch& w) { return w.body->closed(); });
  if (with_list) {
    for (const auto& [key, object] : collections_[target.collection]) {
      if (!fresh.ns.empty() && key.ns != fresh.ns) continue;
      const std::string version = std::to_string(object.version);
      fresh.body->write(fresh.protobuf
                            ? pb_event("ADDED", "Any", pb_object(key, object.uid, version))
                            : R"({"type":"ADDED","object":)" +
                                  object_json(key, object.uid, version, object.body) + "}\n");
    }
    fresh.body->write(bookmark(fresh.protobuf, version_, true));
    watches_.push_back(fresh);
    return out;
  }
  if (from < oldest_) {
    const std::string message = "too old resource version: " + from_text;
    fresh.body->write(fresh.protobuf
                          ? pb_event("ERROR", "Status", pb_status(410, "Expired", message))
                          : R"({"type":"ERROR","object":)" + status_json(410, "Expired", message) +
                                "}\n");
    fresh.body->finish();
    return out;
  }
  const std::vector<Watch> others = std::exchange(watches_, {fresh});
  for (const Change& change : history_) {
    if (change.version > from) tell(change);
  }
  watches_.insert(watches_.end(), others.begin(), others.end());
  return out;
}

http::Response FakeApiServer::create(const http::Request& request, const Target& target) {
  const Outcome<JsonMeta> meta = read_json_meta(request.body);
  if (!meta) return refuse(400, "BadRequest", meta.error().message);
  const ObjectKey key{target.key.ns, meta->meta.key.name};
  Objects& all = collections_[target.collection];
  if (all.contains(key)) {
    return refuse(409, "AlreadyExists", "\"" + key.name + "\" already exists");
  }
  store(target.collection, key,
        {.uid = "uid-" + std::to_string(next_uid_++), .body = body_of(request.body)}, "ADDED");
  const Object& object = all[key];
  return answer(201, object_json(key, object.uid, std::to_string(object.version), object.body));
}

http::Response FakeApiServer::modify(const http::Request& request, const Target& target) {
  Objects& all = collections_[target.collection];
  const auto found = all.find(target.key);
  if (found == all.end()) return refuse(404, "NotFound", target.key.name + " not found");
  Object object = found->second;
  const Outcome<JsonMeta> meta = read_json_meta(request.body);
  const std::string wanted = meta ? meta->meta.resource_version : "";
  if (!wanted.empty() && wanted != std::to_string(object.version)) {
    return refuse(409, "Conflict",
                  "the object has been modified; please apply your changes to the latest version");
  }
  const std::string change = body_of(request.body);
  object.body = request.method == http::Method::Put
                    ? change
                    : body_of(merge_patch("{" + object.body + "}", "{" + change + "}"));
  if (object.body != found->second.body) store(target.collection, target.key, object, "MODIFIED");
  const Object& now = all[target.key];
  return answer(200, object_json(target.key, now.uid, std::to_string(now.version), now.body));
}

http::Response FakeApiServer::remove(const http::Request& request, const Target& target) {
  Objects& all = collections_[target.collection];
  const auto found = all.find(target.key);
  if (found == all.end()) return refuse(404, "NotFound", target.key.name + " not found");
  std::string uid;
  (void)each_member(request.body, [&](std::string_view key, std::string_view value) {
    if (key != "preconditions") return true;
    (void)each_member(value, [&](std::string_view name, std::string_view field) {
      if (name == "uid") uid = string_value(field).value_or("");
      return true;
    });
    return false;
  });
  if (!uid.empty() && uid != found->second.uid) {
    return refuse(409, "Conflict", "Precondition failed: UID in precondition: " + uid);
  }
  drop(target.collection, target.key);
  return answer(200, R"({"kind":"Status","status":"Success"})");
}

void FakeApiServer::store(const std::string& collection, const ObjectKey& key, Object object,
                          const std::string& type) {
  object.version = ++version_;
  collections_[collection][key] = object;
  history_.push_back({version_, type, collection, key, object});
  tell(history_.back());
}

void FakeApiServer::drop(const std::string& collection, const ObjectKey& key) {
  Objects& all = collections_[collection];
  const auto found = all.find(key);
  if (found == all.end()) return;
  Object object = found->second;
  all.erase(found);
  object.version = ++version_;
  history_.push_back({version_, "DELETED", collection, key, object});
  tell(history_.back());
}

void FakeApiServer::tell(const Change& change) {
  const std::string version = std::to_string(change.version);
  for (const Watch& watch : watches_) {
    if (watch.collection != change.collection) continue;
    if (!watch.ns.empty() && watch.ns != change.key.ns) continue;
    watch.body->write(
        watch.protobuf
            ? pb_event(change.type, "Any", pb_object(change.key, change.object.uid, version))
            : "{\"type\":\"" + change.type + "\",\"object\":" +
                  object_json(change.key, change.object.uid, version, change.object.body) + "}\n");
  }
}

void FakeApiServer::put(const Resource& resource, const ObjectKey& key, const std::string& body) {
  MutexLock lock(mutex_);
  const std::string collection = resource.collection_path();
  const Objects& all = collections_[collection];
  const auto found = all.find(key);
  Object object{
      .uid = found == all.end() ? "uid-" + std::to_string(next_uid_++) : found->second.uid,
      .body = body};
  const std::string type = found == all.end() ? "ADDED" : "MODIFIED";
  store(collection, key, std::move(object), type);
}

void FakeApiServer::erase(const Resource& resource, const ObjectKey& key) {
  MutexLock lock(mutex_);
  drop(resource.collection_path(), key);
}

void FakeApiServer::compact() {
  MutexLock lock(mutex_);
  history_.clear();
  oldest_ = version_;
  tokens_from_ = ++version_;
}

void FakeApiServer::end_watches() {
  MutexLock lock(mutex_);
  for (const Watch& watch : std::exchange(watches_, {})) watch.body->finish();
}

void FakeApiServer::break_watches() {
  MutexLock lock(mutex_);
  for (const Watch& watch : std::exchange(watches_, {})) watch.body->abort();
}

void FakeApiServer::send_bookmarks() {
  MutexLock lock(mutex_);
  for (const Watch& watch : watches_) watch.body->write(bookmark(watch.protobuf, version_, false));
}

void FakeApiServer::serve_watch_list(bool on) {
  MutexLock lock(mutex_);
  watch_list_ = on;
}

void FakeApiServer::serve_protobuf(bool on) {
  MutexLock lock(mutex_);
  protobuf_ = on;
}

std::vector<std::string> FakeApiServer::requests() const {
  MutexLock lock(mutex_);
  std::vector<std::string> out;
  for (const http::Request& request : requests_) {
    out.push_back(std::string(http::method_name(request.method)) + " " + request.target);
  }
  return out;
}

std::vector<http::Request> FakeApiServer::raw_requests() const {
  MutexLock lock(mutex_);
  return requests_;
}

std::vector<std::string> FakeApiServer::objects(const Resource& resource) const {
  MutexLock lock(mutex_);
  std::vector<std::string> out;
  const auto all = collections_.find(resource.collection_path());
  if (all == collections_.end()) return out;
  for (const auto& [key, object] : all->second) {
    out.push_back(key.text() + "=" + std::to_string(object.version));
  }
  return out;
}

std::optional<std::string> FakeApiServer::object(const Resource& resource,
                                                 const ObjectKey& key) const {
  MutexLock lock(mutex_);
  const auto all = collections_.find(resource.collection_path());
  if (all == collections_.end()) return std::nullopt;
  const auto found = all->second.find(key);
  if (found == all->second.end()) return std::nullopt;
  const Object& object = found->second;
  return object_json(key, object.uid, std::to_string(object.version), object.body);
}

std::int64_t FakeApiServer::version() const {
  MutexLock lock(mutex_);
  return version_;
}

int FakeApiServer::open_watches() const {
  MutexLock lock(mutex_);
  return static_cast<int>(
      std::ranges::count_if(watches_, [](const Watch& w) { return !w.body->closed(); }));
}

}  // namespace quorate::kube
