#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/outcome.h"
#include "src/http/cpprest_transport.h"
#include "src/kube/client.h"
#include "src/kube/credentials.h"

namespace quorate::kube {

// A program that prints credentials (client.authentication.k8s.io ExecCredential).
struct ExecPlugin {
  std::string api_version;
  std::string command;
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;
  std::string install_hint;
  bool provide_cluster_info = false;
};

// PEM (or token) text, or the file that holds it; the text wins, as in kubectl.
struct TextOrFile {
  std::string text;
  std::string file;
  bool empty() const { return text.empty() && file.empty(); }
};

// Where the API server is and who we are to it.
struct Config {
  std::string source;  // "kubeconfig /path (context x)" or "in-cluster", for messages
  std::string server;  // "https://host:port[/path]"
  TextOrFile ca;       // empty: the system's CA bundle
  bool insecure_skip_verify = false;
  std::string tls_server_name;

  TextOrFile client_certificate;
  TextOrFile client_key;
  TextOrFile token;
  std::optional<ExecPlugin> exec;
  std::string impersonate_user;
  std::string impersonate_uid;
  std::vector<std::string> impersonate_groups;

  std::string ns = "default";
};

// The chosen context (empty: current-context) of a kubeconfig file. Relative paths in it are
// relative to the file.
// Errors: NotFound - no such file; Invalid - names the file and the field.
Outcome<Config> load_kubeconfig(const std::string& path, std::string_view context = {});
// The same from text; `path` is used for messages and relative paths.
Outcome<Config> parse_kubeconfig(std::string_view yaml, const std::string& path,
                                 std::string_view context = {});

// What a pod finds: KUBERNETES_SERVICE_HOST/PORT and the service account's files below `root`.
// Errors: NotFound - not in a cluster, saying what is missing.
Outcome<Config> load_in_cluster(
    const std::string& root = "/var/run/secrets/kubernetes.io/serviceaccount");

// `kubeconfig` if it is not empty, else in-cluster.
Outcome<Config> load_config(const std::string& kubeconfig);

std::shared_ptr<Credentials> make_credentials(const Config& config);

// What a Client of this server is made from.
struct Connection {
  std::shared_ptr<http::HttpTransport> transport;
  std::shared_ptr<Credentials> credentials;
  ClientOptions options;  // base path and impersonation filled in
};
// Errors: Invalid - the server URL, or a file that cannot be read now.
Outcome<Connection> connect(const Config& config, int max_in_flight = 32);

}  // namespace quorate::kube
