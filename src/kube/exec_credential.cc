#include "src/kube/exec_credential.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <vector>

#include "src/http/loop.h"
#include "src/kube/base64.h"
#include "src/kube/json_scan.h"

extern char** environ;

namespace quorate::kube {
namespace {

constexpr std::size_t kMaxOutput = std::size_t{1} << 20;
constexpr std::size_t kMaxComplaint = 500;

struct Pipe {
  int read = -1;
  int write = -1;

  bool open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read = ends[0];
    write = ends[1];
    return true;
  }
  static void close(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
  ~Pipe() {
    close(read);
    close(write);
  }
};

std::string exec_info(const Config& config) {
  std::string out = "{\"apiVersion\":" + json_string(config.exec->api_version) +
                    R"(,"kind":"ExecCredential","spec":{"interactive":false)";
  if (config.exec->provide_cluster_info) {
    out += ",\"cluster\":{\"server\":" + json_string(config.server);
    if (!config.tls_server_name.empty()) {
      out += ",\"tls-server-name\":" + json_string(config.tls_server_name);
    }
    if (config.insecure_skip_verify) out += ",\"insecure-skip-tls-verify\":true";
    if (!config.ca.text.empty()) {
      out += ",\"certificate-authority-data\":" + json_string(base64_encode(config.ca.text));
    }
    out += "}";
  }
  return out + "}}";
}

std::vector<std::string> environment(const Config& config) {
  std::vector<std::string> out;
  for (char** variable = environ; *variable != nullptr; ++variable) out.emplace_back(*variable);
  const auto set = [&out](const std::string& name, const std::string& value) {
    std::erase_if(out, [&](const std::string& v) { return v.starts_with(name + "="); });
    out.push_back(name + "=" + value);
  };
  for (const auto& [name, value] : config.exec->env) set(name, value);
  set("KUBERNETES_EXEC_INFO", exec_info(config));
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// The process id, or an errno in the error's message.
Outcome<pid_t> spawn(const Config& config, const Pipe& out, const Pipe& err) {
  std::vector<std::string> args{config.exec->command};
  args.insert(args.end(), config.exec->args.begin(), config.exec->args.end());
  std::vector<std::string> env = environment(config);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.write, 1);
  posix_spawn_file_actions_adddup2(&actions, err.write, 2);
  pid_t child = 0;
  const int code = ::posix_spawnp(&child, config.exec->command.c_str(), &actions, nullptr,
                                  pointers(args).data(), pointers(env).data());
  posix_spawn_file_actions_destroy(&actions);
  if (code != 0) return error(Errc::Unavailable, std::strerror(code));
  return child;
}

// Collects both outputs until the plugin closes them. False when the time is over.
bool collect(Pipe& out, Pipe& err, Duration limit, std::string& output, std::string& complaint) {
  const http::Steady end = http::steady_now() + limit;
  while (out.read >= 0 || err.read >= 0) {
    const Duration left = end - http::steady_now();
    if (left <= Duration{} || output.size() > kMaxOutput) return false;
    std::array<pollfd, 2> ends{{{out.read, POLLIN, 0}, {err.read, POLLIN, 0}}};
    ::poll(ends.data(), ends.size(), static_cast<int>(left.nanos / 1'000'000 + 1));
    const auto drain = [](const pollfd& ready, int& end_of_pipe, std::string& into) {
      if (ready.revents == 0) return;
      char bytes[4096];
      const ssize_t got = ::read(end_of_pipe, bytes, sizeof bytes);
      if (got > 0) into.append(bytes, static_cast<std::size_t>(got));
      if (got == 0 || (got < 0 && errno != EINTR)) Pipe::close(end_of_pipe);
    };
    drain(ends[0], out.read, output);
    drain(ends[1], err.read, complaint);
    if (complaint.size() > kMaxOutput) complaint.resize(kMaxComplaint);
  }
  return true;
}

// A plugin may close its outputs and stay. Leaves its exit status to be collected.
bool ends_by(pid_t pid, http::Steady end) {
  for (;;) {
    siginfo_t info{};
    const int code = ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT | WNOHANG);
    if ((code == 0 && info.si_pid == pid) || (code < 0 && errno != EINTR)) return true;
    if (http::steady_now() >= end) return false;
    ::poll(nullptr, 0, 5);
  }
}

Error plugin_error(const Config& config, const std::string& what, const std::string& complaint) {
  Error out{Errc::Unavailable, "credential plugin " + config.exec->command + ": " + what};
  if (!complaint.empty()) {
    out.message += ": " + complaint.substr(0, std::min(complaint.find('\n'), kMaxComplaint));
  }
  if (!config.exec->install_hint.empty() && what.starts_with("does not start")) {
    out.message += " (" + config.exec->install_hint + ")";
  }
  return out;
}

}  // namespace

Outcome<ExecCredential> parse_exec_credential(std::string_view json) {
  ExecCredential out;
  std::string kind;
  std::string_view status;
  const Outcome<void> outer = each_member(json, [&](std::string_view key, std::string_view value) {
    if (key == "kind") kind = string_value(value).value_or("");
    if (key == "status") status = value;
    return true;
  });
  if (!outer) return tl::unexpected(outer.error());
  if (kind != "ExecCredential" || status.empty()) {
    return error(Errc::Invalid, "no ExecCredential with a status");
  }
  std::string expiry;
  const Outcome<void> inner =
      each_member(status, [&](std::string_view key, std::string_view value) {
        const std::string text = string_value(value).value_or("");
        if (key == "token") out.token = text;
        if (key == "clientCertificateData") out.identity.certificate_pem = text;
        if (key == "clientKeyData") out.identity.key_pem = text;
        if (key == "expirationTimestamp") expiry = text;
        return true;
      });
  if (!inner) return within("status", inner.error());
  if (out.token.empty() && out.identity.certificate_pem.empty()) {
    return error(Errc::Invalid, "status has neither a token nor a client certificate");
  }
  if (!out.identity.certificate_pem.empty() || !out.identity.key_pem.empty()) {
    if (const Outcome<void> sound = http::check_key_pair(out.identity); !sound) {
      return within("status.clientCertificateData", sound.error());
    }
  }
  if (!expiry.empty()) {
    const Outcome<Time> time = parse_time(expiry);
    if (!time) return within("status.expirationTimestamp", time.error());
    out.expiry = *time;
  }
  return out;
}

Outcome<ExecCredential> run_exec_plugin(const Config& config, Duration limit,
                                        std::atomic<int>& child) {
  Pipe out;
  Pipe err;
  if (!out.open() || !err.open()) {
    return tl::unexpected(plugin_error(config, std::strerror(errno), ""));
  }
  const Outcome<pid_t> pid = spawn(config, out, err);
  if (!pid) {
    return tl::unexpected(plugin_error(config, "does not start: " + pid.error().message, ""));
  }
  int none = 0;
  if (!child.compare_exchange_strong(none, *pid)) ::kill(*pid, SIGKILL);  // stopped meanwhile
  Pipe::close(out.write);
  Pipe::close(err.write);
  std::string output;
  std::string complaint;
  const http::Steady end = http::steady_now() + limit;
  const bool in_time = collect(out, err, limit, output, complaint) && ends_by(*pid, end);
  if (!in_time) ::kill(*pid, SIGKILL);
  int status = 0;
  while (::waitpid(*pid, &status, 0) < 0 && errno == EINTR) {
  }
  child = 0;
  if (!in_time) return tl::unexpected(plugin_error(config, "took too long", complaint));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    const std::string how = WIFEXITED(status)
                                ? "exit status " + std::to_string(WEXITSTATUS(status))
                                : "ended by signal " + std::to_string(WTERMSIG(status));
    return tl::unexpected(plugin_error(config, how, complaint));
  }
  Outcome<ExecCredential> credential = parse_exec_credential(output);
  if (!credential) {
    return tl::unexpected(plugin_error(config, "bad output: " + credential.error().message, ""));
  }
  return credential;
}

}  // namespace quorate::kube
