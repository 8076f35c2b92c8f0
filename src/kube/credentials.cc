#include "src/kube/credentials.h"

#include <signal.h>

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "src/base/thread_annotations.h"
#include "src/http/loop.h"
#include "src/kube/config.h"
#include "src/kube/exec_credential.h"
#include "src/kube/watched_file.h"

namespace quorate::kube {
namespace {

constexpr Duration kPluginLimit = Duration::seconds(60);
constexpr Duration kRenewBefore = Duration::seconds(10);

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \n\r\t");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \n\r\t") + 1 - begin);
}

// Text, or a file that is read again when it changes.
class Source {
 public:
  explicit Source(const TextOrFile& from) : text_(from.text), file_(from.file) {}
  bool empty() const { return text_.empty() && file_.path().empty(); }
  Outcome<std::string> get() {
    if (!text_.empty() || file_.path().empty()) return text_;
    return file_.text();
  }

 private:
  std::string text_;
  WatchedFile file_;
};

// Token and certificate from the configuration.
class StaticCredentials final : public Credentials {
 public:
  explicit StaticCredentials(const Config& config)
      : token_(config.token), certificate_(config.client_certificate), key_(config.client_key) {}

  void with_token(std::function<void(Outcome<std::string>)> done) override {
    Outcome<std::string> token;
    {
      MutexLock lock(mutex_);
      token = token_.get();
    }
    if (!token) return done(within("bearer token", token.error()));
    done(trimmed(*token));
  }

  Outcome<http::KeyPair> identity() override {
    MutexLock lock(mutex_);
    if (certificate_.empty()) return http::KeyPair{};
    Outcome<std::string> certificate = certificate_.get();
    if (!certificate) return within("client certificate", certificate.error());
    Outcome<std::string> key = key_.get();
    if (!key) return within("client key", key.error());
    return http::KeyPair{std::move(*certificate), std::move(*key)};
  }

  void rejected() override {}

 private:
  Mutex mutex_;
  Source token_ GUARDED_BY(mutex_);
  Source certificate_ GUARDED_BY(mutex_);
  Source key_ GUARDED_BY(mutex_);
};

// The last credentials of a plugin, and its one run at a time. Shared with the thread that runs it,
// so that whoever holds the credentials last may let go on that thread.
class PluginState : public std::enable_shared_from_this<PluginState> {
 public:
  using Waiter = std::function<void(Outcome<std::string>)>;

  explicit PluginState(const Config& config) : config_(config) {}

  void with_token(Waiter done) {
    std::string token;
    {
      MutexLock lock(mutex_);
      if (!usable()) {
        waiting_.push_back(std::move(done));
        if (!std::exchange(running_, true)) {
          std::thread([self = shared_from_this()] { self->run(); }).detach();
        }
        return;
      }
      token = cached_->token;
    }
    done(std::move(token));
  }

  http::KeyPair identity() {
    MutexLock lock(mutex_);
    return cached_ ? cached_->identity : http::KeyPair{};
  }

  void rejected() {
    MutexLock lock(mutex_);
    cached_.reset();
  }

  // Ends a run that is going on and waits for it.
  void stop() {
    MutexLock lock(mutex_);
    stopped_ = true;
    // A plugin that is being started right now finds the mark and ends itself.
    if (const int child = child_.exchange(-1); child > 0) ::kill(child, SIGKILL);
    while (running_ && runner_ != std::this_thread::get_id()) ended_.wait(mutex_);
  }

 private:
  bool usable() const REQUIRES(mutex_) {
    return cached_ && (!cached_->expiry || http::wall_now() + kRenewBefore < *cached_->expiry);
  }

  // Until nobody waits: a waiter may ask again while it is served.
  void run() {
    for (bool first = true;; first = false) {
      std::vector<Waiter> served;
      bool again = false;
      {
        MutexLock lock(mutex_);
        runner_ = std::this_thread::get_id();
        if (!first && (waiting_.empty() || stopped_)) {
          running_ = false;
          ended_.notify_all();
          return;
        }
        again = !usable();
      }
      Outcome<ExecCredential> fresh = error(Errc::Unavailable, "stopped");
      if (again) fresh = run_exec_plugin(config_, kPluginLimit, child_);
      {
        MutexLock lock(mutex_);
        if (again && fresh) cached_ = *fresh;
        if (!again && cached_) fresh = *cached_;
        served = std::exchange(waiting_, {});
      }
      for (const Waiter& done : served) {
        fresh ? done(fresh->token) : done(tl::unexpected(fresh.error()));
      }
    }
  }

  const Config config_;
  std::atomic<int> child_{0};
  Mutex mutex_;
  CondVar ended_;
  std::optional<ExecCredential> cached_ GUARDED_BY(mutex_);
  std::vector<Waiter> waiting_ GUARDED_BY(mutex_);
  std::thread::id runner_ GUARDED_BY(mutex_);
  bool running_ GUARDED_BY(mutex_) = false;
  bool stopped_ GUARDED_BY(mutex_) = false;
};

class ExecCredentials final : public Credentials {
 public:
  explicit ExecCredentials(const Config& config)
      : state_(std::make_shared<PluginState>(config)), fallback_(config) {}
  ~ExecCredentials() override { state_->stop(); }

  void with_token(std::function<void(Outcome<std::string>)> done) override {
    state_->with_token(std::move(done));
  }
  Outcome<http::KeyPair> identity() override {
    http::KeyPair identity = state_->identity();
    if (!identity.certificate_pem.empty()) return identity;
    return fallback_.identity();
  }
  void rejected() override { state_->rejected(); }

 private:
  std::shared_ptr<PluginState> state_;
  StaticCredentials fallback_;
};

}  // namespace

std::shared_ptr<Credentials> make_credentials(const Config& config) {
  if (config.exec) return std::make_shared<ExecCredentials>(config);
  return std::make_shared<StaticCredentials>(config);
}

}  // namespace quorate::kube
