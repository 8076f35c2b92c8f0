#include "src/kube/config.h"

#include <cstdlib>

#include "src/kube/watched_file.h"

namespace quorate::kube {

Outcome<Config> load_kubeconfig(const std::string& path, std::string_view context) {
  const Outcome<std::string> text = read_file(path);
  if (!text) return within("kubeconfig", text.error());
  return parse_kubeconfig(*text, path, context);
}

Outcome<Config> load_in_cluster(const std::string& root) {
  const char* host = std::getenv("KUBERNETES_SERVICE_HOST");
  const char* port = std::getenv("KUBERNETES_SERVICE_PORT");
  if (host == nullptr || *host == '\0' || port == nullptr || *port == '\0') {
    return error(Errc::NotFound,
                 "not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not "
                 "set (use --kubeconfig)");
  }
  Config out;
  out.source = "in-cluster";
  // The client library does not take IPv6 literals; the API server's certificate has this name too.
  const std::string name(host);
  out.server = "https://" +
               (name.find(':') == std::string::npos ? name : "kubernetes.default.svc") + ":" + port;
  out.ca.file = root + "/ca.crt";
  out.token.file = root + "/token";
  for (const std::string& file : {out.ca.file, out.token.file}) {
    if (const Outcome<std::string> text = read_file(file); !text) {
      return within("not in a cluster", text.error());
    }
  }
  if (const Outcome<std::string> ns = read_file(root + "/namespace"); ns && !ns->empty()) {
    out.ns = *ns;
  }
  return out;
}

Outcome<Config> load_config(const std::string& kubeconfig) {
  return kubeconfig.empty() ? load_in_cluster() : load_kubeconfig(kubeconfig);
}

}  // namespace quorate::kube
