#include "src/kube/leader_election.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <future>
#include <optional>
#include <random>
#include <utility>

#include "src/base/thread_annotations.h"
#include "src/kube/lease.h"

namespace quorate::kube {
namespace {

// Open until a moment of the suspend-counting clock.
class LeaseFence final : public Fence {
 public:
  explicit LeaseFence(http::Loop& loop) : loop_(loop) {}

  std::optional<Duration> remaining() const override {
    const std::int64_t until = open_until_.load();
    if (until == 0) return std::nullopt;
    const Duration left = http::Steady{until} - loop_.now();
    if (left <= Duration{}) return std::nullopt;
    return left;
  }
  void open_until(http::Steady moment) { open_until_.store(moment.nanos); }
  void close() { open_until_.store(0); }

 private:
  http::Loop& loop_;
  std::atomic<std::int64_t> open_until_{0};
};

}  // namespace

// Belongs to the client's loop, but for `leading`.
struct LeaderElector::Impl : std::enable_shared_from_this<LeaderElector::Impl> {
  Impl(Client& c, LeaseOptions o, LeaderCallbacks cb)
      : client(c),
        loop(c.loop()),
        options(std::move(o)),
        callbacks(std::move(cb)),
        fence(std::make_shared<LeaseFence>(loop)) {}

  void start() {
    running = true;
    look();
  }

  // Every step begins by reading the lease or by writing with the version that was read last.
  void look() {
    client.submit(get(leases(), options.lease), step([](Impl& self, Outcome<Document> answer) {
                    self.looked(std::move(answer));
                  }));
  }

  void looked(const Outcome<Document>& answer) {
    if (!answer) {
      if (answer.error().code == Errc::NotFound) return write(std::nullopt);
      return failed(answer.error());
    }
    const Outcome<Lease> lease = decode_lease(*answer);
    if (!lease) return failed(lease.error());
    observe(*lease);
    if (lease->holder.empty() || lease->holder == options.identity) return write(*lease);
    if (leading) return lose("lease " + options.lease.text() + " is held by " + lease->holder);
    // Without a duration in it (not written by us) our own counts.
    const Duration valid = lease->duration > Duration{} ? lease->duration : options.lease_duration;
    if (loop.now() - observed_at >= valid) return write(*lease);
    later();
  }

  // Remembers when a change of the lease was first seen on our own clock: the holder's time stamps
  // are never compared with it.
  void observe(const Lease& lease) {
    if (observed && observed->resource_version == lease.resource_version) return;
    const bool new_holder = !observed || observed->holder != lease.holder;
    observed = lease;
    observed_at = loop.now();
    if (new_holder && !lease.holder.empty() && callbacks.on_new_leader) {
      callbacks.on_new_leader(lease.holder);
    }
  }

  // Takes or renews the lease: creates it, or replaces the version that `seen` has.
  void write(const std::optional<Lease>& seen) {
    const http::Steady sent = loop.now();
    const bool renewal = seen && seen->holder == options.identity;
    LeaseChange change{
        .holder = options.identity, .duration = options.lease_duration, .renew_time = loop.wall()};
    if (!renewal) {
      change.acquire_time = loop.wall();
      change.transitions = seen ? seen->transitions + (seen->holder.empty() ? 0 : 1) : 0;
    }
    ApiRequest request =
        seen ? patch(leases(), options.lease, PatchKind::Merge,
                     lease_patch(change, seen->resource_version))
             : kube::create(leases(), options.lease, new_lease(options.lease, change));
    request.timeout = std::min(request.timeout, options.renew_deadline);
    request.mutating = false;  // it is the fence that these writes open
    client.submit(std::move(request), step([sent](Impl& self, Outcome<Document> answer) {
                    self.written(sent, std::move(answer));
                  }));
  }

  void written(http::Steady sent, const Outcome<Document>& answer) {
    if (!answer) {
      // A conflict may be our own write whose answer was lost: look who holds it.
      if (answer.error().code == Errc::Conflict || answer.error().code == Errc::AlreadyExists) {
        return conflicts++ < 3 ? look() : failed(answer.error());
      }
      return failed(answer.error());
    }
    const Outcome<Lease> lease = decode_lease(*answer);
    if (!lease) return failed(lease.error());
    observe(*lease);
    if (lease->holder != options.identity) return failed(Error{Errc::Conflict, "lease not taken"});
    conflicts = 0;
    renewed(sent);
  }

  void renewed(http::Steady sent) {
    const http::Steady until = sent + options.renew_deadline;
    if (loop.now() >= until) return failed(Error{Errc::Unavailable, "renewal took too long"});
    fence->open_until(until);
    loop.cancel(deadline);
    deadline = loop.after(until - loop.now(), [weak = weak_from_this()] {
      const auto self = weak.lock();
      if (self && self->running && self->leading) {
        self->lose("lease " + self->options.lease.text() + " not renewed in time" +
                   (self->last_error.empty() ? "" : ": " + self->last_error));
      }
    });
    last_error.clear();
    if (!leading.exchange(true) && callbacks.on_started) callbacks.on_started();
    if (running) later();
  }

  void failed(const Error& why) {
    conflicts = 0;
    last_error = why.message;
    later();
  }

  void later() {
    const std::uint64_t mine = ++attempt;
    loop.after(options.retry_period, [weak = weak_from_this(), mine] {
      const auto self = weak.lock();
      if (!self || !self->running || self->attempt != mine) return;
      // A holder that nobody disturbs renews with one write; others look first.
      const bool ours = self->leading && self->observed && self->last_error.empty();
      ours ? self->write(self->observed) : self->look();
    });
  }

  void lose(const std::string& why) {
    fence->close();
    running = false;
    ++attempt;
    loop.cancel(deadline);
    if (leading.exchange(false) && callbacks.on_stopped) callbacks.on_stopped(why);
  }

  // Callback of a request: dropped when this step is not the current one any more.
  template <class F>
  Client::Completion step(F act) {
    const std::uint64_t mine = ++attempt;
    return [weak = weak_from_this(), mine, act](Outcome<Document> answer) {
      const auto self = weak.lock();
      if (self && self->running && self->attempt == mine) act(*self, std::move(answer));
    };
  }

  void stop(const std::shared_ptr<std::promise<void>>& released) {
    const bool held = leading.exchange(false);
    fence->close();
    const bool was_running = std::exchange(running, false);
    ++attempt;
    loop.cancel(deadline);
    if (!held || !was_running || !observed) return released->set_value();
    if (callbacks.on_stopped) callbacks.on_stopped("stopped");
    release(observed->resource_version, released, 1);
  }

  // With a duration of one second a waiting candidate takes it at its next look.
  void release(const std::string& version, const std::shared_ptr<std::promise<void>>& released,
               int more_tries) {
    ApiRequest request = patch(
        leases(), options.lease, PatchKind::Merge,
        lease_patch({.holder = "", .duration = Duration::seconds(1), .renew_time = loop.wall()},
                    version));
    request.mutating = false;
    client.submit(std::move(request), [self = shared_from_this(), released,
                                       more_tries](const Outcome<Document>& answer) {
      // The answer of our last renewal may have been lost, and with it the version to replace.
      if (!answer && answer.error().code == Errc::Conflict && more_tries > 0) {
        return self->release_after_look(released, more_tries - 1);
      }
      released->set_value();
    });
  }

  void release_after_look(const std::shared_ptr<std::promise<void>>& released, int more_tries) {
    client.submit(get(leases(), options.lease), [self = shared_from_this(), released,
                                                 more_tries](const Outcome<Document>& answer) {
      const Outcome<Lease> lease = answer ? decode_lease(*answer) : tl::unexpected(answer.error());
      if (!lease || lease->holder != self->options.identity) return released->set_value();
      self->release(lease->resource_version, released, more_tries);
    });
  }

  Client& client;
  http::Loop& loop;
  const LeaseOptions options;
  const LeaderCallbacks callbacks;
  const std::shared_ptr<LeaseFence> fence;
  std::atomic<bool> leading{false};

  bool running = false;
  std::uint64_t attempt = 0;
  int conflicts = 0;
  std::optional<Lease> observed;
  http::Steady observed_at;
  http::Loop::TimerId deadline = 0;
  std::string last_error;
};

LeaderElector::LeaderElector(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Outcome<std::unique_ptr<LeaderElector>> LeaderElector::create(Client& client, LeaseOptions options,
                                                              LeaderCallbacks callbacks) {
  if (options.lease.ns.empty() || options.lease.name.empty()) {
    return error(Errc::Invalid, "leader election: the lease needs a namespace and a name");
  }
  if (options.identity.empty()) {
    return error(Errc::Invalid, "leader election: the identity is empty");
  }
  const bool ordered = Duration{} < options.retry_period &&
                       options.retry_period < options.renew_deadline &&
                       options.renew_deadline < options.lease_duration;
  if (!ordered || options.lease_duration < Duration::seconds(1)) {
    return error(Errc::Invalid,
                 "leader election: needs 0 < retryPeriod < renewDeadline < leaseDuration");
  }
  return std::unique_ptr<LeaderElector>(
      new LeaderElector(std::make_shared<Impl>(client, std::move(options), std::move(callbacks))));
}

LeaderElector::~LeaderElector() {
  impl_->loop.run_and_wait([this] {
    impl_->fence->close();
    impl_->leading = false;
    impl_->running = false;
    ++impl_->attempt;
    impl_->loop.cancel(impl_->deadline);
  });
}

void LeaderElector::start() {
  impl_->loop.post([impl = impl_] { impl->start(); });
}

void LeaderElector::stop(Duration limit) {
  impl_->fence->close();
  auto released = std::make_shared<std::promise<void>>();
  std::future<void> done = released->get_future();
  impl_->loop.post([impl = impl_, released] { impl->stop(released); });
  done.wait_for(std::chrono::nanoseconds(limit.nanos));
}

bool LeaderElector::leading() const { return impl_->leading; }
std::shared_ptr<const Fence> LeaderElector::fence() const { return impl_->fence; }

std::string process_identity() {
  char host[256] = "localhost";
  ::gethostname(host, sizeof host - 1);
  std::random_device random;
  char suffix[17];
  std::snprintf(suffix, sizeof suffix, "%08x%08x", random(), random());
  return std::string(host) + "_" + suffix;
}

}  // namespace quorate::kube
