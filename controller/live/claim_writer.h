#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "src/base/outcome.h"
#include "src/engine/event.h"
#include "src/kube/client.h"
#include "src/objects/resource_claim.h"
#include "src/scheduler/decision.h"

namespace quorate::controller {

// What brings a claim, as it was just read, closer to being allocated and reserved.
struct ClaimIsThere {};
struct ClaimRefused {
  std::string why;
};
struct AddFinalizer {
  std::string patch;  // merge patch of the object
};
struct WriteStatus {
  std::string patch;  // merge patch of its status
};
using ClaimStep = std::variant<ClaimIsThere, ClaimRefused, AddFinalizer, WriteStatus>;

// One step; pure. Every write names the resourceVersion that was read, so that nothing is decided
// on an old state: an allocation by somebody else is refused and never adopted.
ClaimStep next_step(const objects::ResourceClaim& claim, const scheduler::ClaimWrite& write,
                    Time now);

// Writes claims before pods are bound, and takes reservations back. Works on one claim at a time
// per chain of writes, reads before it writes, and tries again when the claim changed meanwhile.
// Each answer of the server is told to the engine before the outcome is. Thread safe.
class ClaimWriter {
 public:
  using Post = std::function<void(engine::Event)>;
  using Done = std::function<void(Outcome<void>)>;

  ClaimWriter(kube::Client& client, Post post);
  ~ClaimWriter();

  // All of them, one after the other; ends with the first that fails. Nothing is taken back: who
  // asked gives the pods up, and their claims are released.
  void write_all(std::vector<scheduler::ClaimWrite> writes, Done done);
  void release(scheduler::ReleaseClaim release);

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace quorate::controller
