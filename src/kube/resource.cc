#include "src/kube/resource.h"

#include "src/http/message.h"

namespace quorate::kube {

std::string Resource::group_path() const {
  return group.empty() ? "/api/" + version : "/apis/" + group + "/" + version;
}

std::string Resource::collection_path(std::string_view ns) const {
  std::string out = group_path();
  if (namespaced && !ns.empty()) out.append("/namespaces/").append(http::percent_encode(ns));
  return out.append("/").append(plural);
}

std::string Resource::object_path(const ObjectKey& key) const {
  return collection_path(key.ns) + "/" + http::percent_encode(key.name);
}

}  // namespace quorate::kube
