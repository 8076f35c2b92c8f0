#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controller/live/store.h"
#include "controller/metrics/registry.h"
#include "controller/reconcile/workload_status.h"
#include "src/base/thread_annotations.h"
#include "src/engine/event.h"
#include "src/kube/client.h"
#include "src/kube/event_recorder.h"
#include "src/objects/workload.h"

namespace quorate::controller {

// Writes what admission decided into the Workloads' status, each by one server-side apply.
//
// Writes of one Workload follow each other; what is decided while one is under way, or waits for
// its turn, goes out together as one. Waiting workloads' reasons (Hold) come after everything else,
// a little later, so that a Workload that is admitted meanwhile costs one write. Thread safe.
class StatusWriter {
 public:
  using Post = std::function<void(engine::Event)>;  // outcomes, to the engine
  struct Limits {
    int urgent_in_flight = 24;
    int lazy_in_flight = 4;
    Duration lazy_delay = Duration::millis(300);
    Duration retry_base = Duration::millis(100);
    Duration retry_max = Duration::seconds(10);
  };

  // All outlive the writer.
  StatusWriter(kube::Client& client, Store<objects::Workload>& store, kube::EventRecorder& events,
               MetricRegistry& metrics, Post post, Limits limits);
  ~StatusWriter();

  // `required_checks`: see StatusContext.
  void submit(StatusChange change,
              std::optional<std::vector<std::string>> required_checks = std::nullopt);
  // Sends nothing more.
  void stop();
  std::size_t pending() const;  // Workloads with something to write

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace quorate::controller
