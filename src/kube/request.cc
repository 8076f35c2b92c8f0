#include "src/kube/request.h"

#include <utility>

#include "src/kube/json_scan.h"

namespace quorate::kube {
namespace {

std::string name_of(const Resource& resource, const ObjectKey& key) {
  std::string out = resource.plural;
  if (!resource.group.empty()) out.append(".").append(resource.group);
  return key.name.empty() && key.ns.empty() ? out : out + " " + key.text();
}

void add_query(ApiRequest& request, std::string_view name, std::string_view value) {
  if (!value.empty()) request.query.emplace_back(name, value);
}

ApiRequest write(std::string_view verb, http::Method method, const Resource& resource,
                 const ObjectKey& key, const WriteOptions& options) {
  ApiRequest out;
  const std::string suffix = options.subresource.empty() ? "" : "/" + options.subresource;
  out.what = std::string(verb) + " " + resource.plural +
             (resource.group.empty() ? "" : "." + resource.group) + suffix + " " + key.text();
  out.method = method;
  out.path = resource.object_path(key) + suffix;
  out.mutating = true;
  add_query(out, "fieldManager", options.field_manager);
  add_query(out, "fieldValidation", options.field_validation);
  if (options.dry_run) add_query(out, "dryRun", "All");
  return out;
}

std::string delete_options_json(const DeleteOptions& options) {
  std::string preconditions;
  if (!options.uid.empty()) preconditions = "\"uid\":" + json_string(options.uid);
  if (!options.resource_version.empty()) {
    if (!preconditions.empty()) preconditions += ',';
    preconditions += "\"resourceVersion\":" + json_string(options.resource_version);
  }
  std::string out = R"({"kind":"DeleteOptions","apiVersion":"v1")";
  if (!preconditions.empty()) out += ",\"preconditions\":{" + preconditions + "}";
  if (!options.propagation.empty()) {
    out += ",\"propagationPolicy\":" + json_string(options.propagation);
  }
  if (options.grace_period_seconds) {
    out += ",\"gracePeriodSeconds\":" + std::to_string(*options.grace_period_seconds);
  }
  return out + "}";
}

}  // namespace

std::string full_path(const ApiRequest& request) {
  std::string out = request.path;
  char separator = '?';
  for (const auto& [name, value] : request.query) {
    out += std::exchange(separator, '&');
    out += name;
    out += '=';
    out += http::percent_encode(value);
  }
  return out;
}

ApiRequest get(const Resource& resource, const ObjectKey& key, Format accept) {
  ApiRequest out;
  out.what = "get " + name_of(resource, key);
  out.path = resource.object_path(key);
  out.accept = accept;
  out.idempotent = true;
  return out;
}

ApiRequest list_page(const Resource& resource, const ListOptions& options) {
  ApiRequest out;
  out.what = "list " + name_of(resource, {options.ns, ""});
  out.path = resource.collection_path(options.ns);
  out.accept = options.accept;
  out.idempotent = true;
  out.timeout = Duration::seconds(60);
  add_query(out, "labelSelector", options.label_selector);
  add_query(out, "fieldSelector", options.field_selector);
  if (options.limit > 0) add_query(out, "limit", std::to_string(options.limit));
  add_query(out, "continue", options.continue_token);
  // A continue token carries the version already, and the server refuses both together.
  if (options.continue_token.empty()) add_query(out, "resourceVersion", options.resource_version);
  return out;
}

ApiRequest create(const Resource& resource, const ObjectKey& key, std::string json,
                  const WriteOptions& options) {
  ApiRequest out = write("create", http::Method::Post, resource, key, options);
  out.path = resource.collection_path(key.ns);
  out.content_type = "application/json";
  out.body = std::move(json);
  out.idempotent = !key.name.empty();  // the second time it is AlreadyExists
  return out;
}

ApiRequest replace(const Resource& resource, const ObjectKey& key, std::string json,
                   const WriteOptions& options) {
  ApiRequest out = write("replace", http::Method::Put, resource, key, options);
  out.content_type = "application/json";
  out.body = std::move(json);
  out.idempotent = true;
  return out;
}

ApiRequest patch(const Resource& resource, const ObjectKey& key, PatchKind kind, std::string json,
                 const WriteOptions& options) {
  ApiRequest out = write("patch", http::Method::Patch, resource, key, options);
  switch (kind) {
    case PatchKind::Merge:
      out.content_type = "application/merge-patch+json";
      out.idempotent = true;
      break;
    case PatchKind::Json:
      out.content_type = "application/json-patch+json";  // "add" to a list is not repeatable
      break;
    case PatchKind::Strategic:
      out.content_type = "application/strategic-merge-patch+json";
      out.idempotent = true;
      break;
  }
  out.body = std::move(json);
  return out;
}

ApiRequest apply(const Resource& resource, const ObjectKey& key, std::string json, Force force,
                 const WriteOptions& options) {
  ApiRequest out = write("apply", http::Method::Patch, resource, key, options);
  out.content_type = "application/apply-patch+yaml";  // JSON is YAML
  out.body = std::move(json);
  out.idempotent = true;
  if (force == Force::Yes) add_query(out, "force", "true");
  return out;
}

ApiRequest remove(const Resource& resource, const ObjectKey& key, const DeleteOptions& options) {
  ApiRequest out = write("delete", http::Method::Delete, resource, key, {});
  out.content_type = "application/json";
  out.body = delete_options_json(options);
  out.idempotent = true;  // the second time it is NotFound
  return out;
}

ApiRequest bind_pod(const ObjectKey& pod, std::string_view uid, std::string_view node) {
  ApiRequest out = write("bind", http::Method::Post, pods(), pod, {.subresource = "binding"});
  out.content_type = "application/json";
  out.body = R"({"kind":"Binding","apiVersion":"v1","metadata":{"namespace":)" +
             json_string(pod.ns) + ",\"name\":" + json_string(pod.name);
  if (!uid.empty()) out.body += ",\"uid\":" + json_string(uid);
  out.body += R"(},"target":{"kind":"Node","name":)" + json_string(node) + "}}";
  out.idempotent = true;  // the second time it is Conflict
  return out;
}

ApiRequest evict_pod(const ObjectKey& pod, const DeleteOptions& options) {
  ApiRequest out = write("evict", http::Method::Post, pods(), pod, {.subresource = "eviction"});
  out.content_type = "application/json";
  out.body = R"({"kind":"Eviction","apiVersion":"policy/v1","metadata":{"namespace":)" +
             json_string(pod.ns) + ",\"name\":" + json_string(pod.name) +
             "},\"deleteOptions\":" + delete_options_json(options) + "}";
  out.idempotent = true;
  out.retry_refused = false;
  return out;
}

}  // namespace quorate::kube
