#pragma once

#include <functional>
#include <memory>
#include <string>

#include "src/base/object_key.h"
#include "src/kube/client.h"
#include "src/kube/fence.h"

namespace quorate::kube {

struct LeaseOptions {
  ObjectKey lease;       // of coordination.k8s.io/v1
  std::string identity;  // unique per process: host name and a random part
  Duration lease_duration = Duration::seconds(15);
  Duration renew_deadline = Duration::seconds(10);  // after this without success we stop writing
  Duration retry_period = Duration::seconds(2);
};

struct LeaderCallbacks {  // all on the client's loop
  std::function<void()> on_started;
  std::function<void(std::string why)> on_stopped;  // the fence is closed already
  std::function<void(const std::string& identity)> on_new_leader;
};

// Holds a Lease while it can. Its fence is open only between a successful renewal and
// renew_deadline after that renewal was SENT, on a clock that counts suspended time. Others take
// the lease no sooner than lease_duration after they SAW the renewal, so the fence closes first.
//
// After losing the lease it does not try again: the process is expected to end or start a new one.
class LeaderElector {
 public:
  // Give it a client (and transport) of its own, so that renewals never wait behind other writes.
  // Errors: Invalid - the durations are not retry_period < renew_deadline < lease_duration, or a
  // name is empty.
  static Outcome<std::unique_ptr<LeaderElector>> create(Client& client, LeaseOptions options,
                                                        LeaderCallbacks callbacks);
  ~LeaderElector();  // closes the fence and goes without releasing the lease

  void start();
  // Closes the fence, stops renewing and, when we held it, gives the lease up so that another can
  // take it at once; waits at most `limit`. Drain the writing clients first. Not from the loop.
  void stop(Duration limit = Duration::seconds(3));

  bool leading() const;
  std::shared_ptr<const Fence> fence() const;

 private:
  struct Impl;
  explicit LeaderElector(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

// "<host name>_<random>".
std::string process_identity();

}  // namespace quorate::kube
