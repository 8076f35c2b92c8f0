#include <yaml-cpp/yaml.h>

#include <filesystem>

#include "src/kube/base64.h"
#include "src/kube/config.h"

namespace quorate::kube {
namespace {

// A member, or a null node: an undefined one throws when it is looked at.
YAML::Node member(const YAML::Node& map, const char* name) {
  if (!map.IsMap()) return {};
  const YAML::Node found = map[name];
  return found.IsDefined() ? found : YAML::Node();
}

// Reads one map of the file; the first thing that is wrong stays in `problem`, naming its field.
class Fields {
 public:
  Fields(YAML::Node node, std::string where, std::string directory, std::optional<Error>& problem)
      : node_(std::move(node)),
        where_(std::move(where)),
        directory_(std::move(directory)),
        problem_(problem) {
    if (!node_.IsNull() && !node_.IsMap()) fail("", "is not a map");
  }

  bool has(const char* name) const { return !member(node_, name).IsNull(); }

  std::string text(const char* name) const {
    if (!has(name)) return {};
    const YAML::Node field = node_[name];
    if (field.IsScalar()) return field.Scalar();
    fail(name, "is not a text");
    return {};
  }

  bool flag(const char* name) const {
    const std::string value = text(name);
    if (value == "true") return true;
    if (!value.empty() && value != "false") fail(name, "is neither true nor false");
    return false;
  }

  // A path in the file is relative to the file.
  std::string path(const char* name) const {
    const std::string value = text(name);
    if (value.empty() || value.front() == '/') return value;
    return (std::filesystem::path(directory_) / value).lexically_normal().string();
  }

  TextOrFile data_or_file(const char* data_name, const char* file_name) const {
    TextOrFile out;
    out.file = path(file_name);
    const std::string encoded = text(data_name);
    if (encoded.empty()) return out;
    if (std::optional<std::string> decoded = base64_decode(encoded)) {
      out.text = std::move(*decoded);
      out.file.clear();
    } else {
      fail(data_name, "is not base64");
    }
    return out;
  }

  std::vector<std::string> texts(const char* name) const {
    std::vector<std::string> out;
    if (!has(name)) return out;
    const YAML::Node field = node_[name];
    if (!field.IsSequence()) fail(name, "is not a list");
    for (const YAML::Node& entry : field) {
      if (!entry.IsScalar()) {
        fail(name, "holds something that is not a text");
        break;
      }
      out.push_back(entry.Scalar());
    }
    return out;
  }

  Fields map(const char* name) const {
    return Fields(member(node_, name), where(name), directory_, problem_);
  }

  // The map `inner` in that entry of list `list` which has this name.
  Fields named(const char* list, const std::string& name, const char* inner) const {
    const std::string place = std::string(list) + "[name=" + name + "]";
    const YAML::Node entries = member(node_, list);
    if (entries.IsSequence()) {
      for (const YAML::Node& entry : entries) {
        const YAML::Node label = member(entry, "name");
        if (!label.IsScalar() || label.Scalar() != name) continue;
        return Fields(member(entry, inner), where(place.c_str()) + "." + inner, directory_,
                      problem_);
      }
    }
    fail(list, "has no entry named '" + name + "'");
    return Fields(YAML::Node(), where(place.c_str()), directory_, problem_);
  }

  // Calls `visit` with each map of a list.
  template <class F>
  void each(const char* list, F visit) const {
    if (!has(list)) return;
    const YAML::Node entries = node_[list];
    if (!entries.IsSequence()) return fail(list, "is not a list");
    int index = 0;
    for (const YAML::Node& entry : entries) {
      visit(Fields(entry, where(list) + "[" + std::to_string(index++) + "]", directory_, problem_));
    }
  }

  void fail(const std::string& name, const std::string& what) const {
    if (!problem_) problem_ = Error{Errc::Invalid, where(name.c_str()) + ": " + what};
  }

 private:
  std::string where(const char* name) const {
    if (where_.empty() || *name == '\0') return where_ + name;
    return where_ + "." + name;
  }

  YAML::Node node_;
  std::string where_;
  std::string directory_;
  std::optional<Error>& problem_;
};

void read_cluster(const Fields& cluster, Config& out) {
  out.server = cluster.text("server");
  if (!out.server.starts_with("https://") && !out.server.starts_with("http://")) {
    cluster.fail("server", "'" + out.server + "' is not an http or https URL");
  }
  out.ca = cluster.data_or_file("certificate-authority-data", "certificate-authority");
  out.insecure_skip_verify = cluster.flag("insecure-skip-tls-verify");
  out.tls_server_name = cluster.text("tls-server-name");
  if (out.insecure_skip_verify && !out.ca.empty()) {
    cluster.fail("insecure-skip-tls-verify", "excludes a certificate authority");
  }
  if (cluster.has("proxy-url")) cluster.fail("proxy-url", "proxies are not supported");
}

void read_exec(const Fields& exec, Config& out) {
  ExecPlugin plugin;
  plugin.api_version = exec.text("apiVersion");
  if (plugin.api_version != "client.authentication.k8s.io/v1" &&
      plugin.api_version != "client.authentication.k8s.io/v1beta1") {
    exec.fail("apiVersion",
              "'" + plugin.api_version + "' is not client.authentication.k8s.io/v1 or v1beta1");
  }
  plugin.command = exec.text("command");
  if (plugin.command.empty()) exec.fail("command", "is missing");
  if (plugin.command.find('/') != std::string::npos) plugin.command = exec.path("command");
  plugin.args = exec.texts("args");
  exec.each("env", [&](const Fields& variable) {
    plugin.env.emplace_back(variable.text("name"), variable.text("value"));
    if (plugin.env.back().first.empty()) variable.fail("name", "is missing");
  });
  plugin.install_hint = exec.text("installHint");
  plugin.provide_cluster_info = exec.flag("provideClusterInfo");
  if (exec.text("interactiveMode") == "Always") {
    exec.fail("interactiveMode", "a plugin that needs a terminal cannot be used");
  }
  out.exec = std::move(plugin);
}

void read_user(const Fields& user, Config& out) {
  out.client_certificate = user.data_or_file("client-certificate-data", "client-certificate");
  out.client_key = user.data_or_file("client-key-data", "client-key");
  if (out.client_certificate.empty() != out.client_key.empty()) {
    user.fail(out.client_key.empty() ? "client-key" : "client-certificate", "is missing");
  }
  out.token.file = user.path("tokenFile");
  if (out.token.file.empty()) out.token.text = user.text("token");  // the file goes first
  for (const char* name : {"username", "password"}) {
    if (user.has(name)) user.fail(name, "basic authentication is not supported");
  }
  if (user.has("auth-provider")) {
    user.fail("auth-provider", "is not supported; use an exec plugin");
  }
  if (user.has("exec")) read_exec(user.map("exec"), out);
  out.impersonate_user = user.text("as");
  out.impersonate_uid = user.text("as-uid");
  out.impersonate_groups = user.texts("as-groups");
  if (out.impersonate_groups.size() > 1) {  // the client library joins repeated headers
    user.fail("as-groups", "more than one group is not supported");
  }
}

Outcome<Config> read_document(const YAML::Node& document, const std::string& path,
                              std::string_view context) {
  std::optional<Error> problem;
  const std::string directory = std::filesystem::absolute(path).parent_path().string();
  const Fields root(document, "", directory, problem);
  Config out;
  const std::string name = context.empty() ? root.text("current-context") : std::string(context);
  if (!document.IsMap()) return error(Errc::Invalid, "is not a map");
  if (name.empty()) return error(Errc::Invalid, "current-context: is not set");
  out.source = "kubeconfig " + path + " (context " + name + ")";

  const Fields chosen = root.named("contexts", name, "context");
  if (!problem) {
    if (const std::string ns = chosen.text("namespace"); !ns.empty()) out.ns = ns;
    const std::string cluster = chosen.text("cluster");
    if (cluster.empty()) chosen.fail("cluster", "is missing");
    if (!problem) read_cluster(root.named("clusters", cluster, "cluster"), out);
    const std::string user = chosen.text("user");
    if (!problem && !user.empty()) read_user(root.named("users", user, "user"), out);
  }
  if (problem) return tl::unexpected(*problem);
  return out;
}

}  // namespace

Outcome<Config> parse_kubeconfig(std::string_view yaml, const std::string& path,
                                 std::string_view context) {
  const std::string where = "kubeconfig " + path;
  try {
    Outcome<Config> out = read_document(YAML::Load(std::string(yaml)), path, context);
    if (!out) return within(where, out.error());
    return out;
  } catch (const YAML::Exception& e) {
    return error(Errc::Invalid, where + ": " + e.what());
  }
}

}  // namespace quorate::kube
