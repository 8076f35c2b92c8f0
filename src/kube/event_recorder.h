#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "src/kube/client.h"

namespace quorate::kube {

struct ObjectReference {
  std::string api_version;
  std::string kind;
  ObjectKey key;
  std::string uid;
  std::string resource_version;

  friend bool operator==(const ObjectReference&, const ObjectReference&) = default;
};

enum class EventType { Normal, Warning };

struct Event {
  ObjectReference regarding;
  std::optional<ObjectReference> related;
  EventType type = EventType::Normal;
  std::string reason;  // "QuotaReserved"
  std::string action;  // what was being done: "Scheduling"; the reason when empty
  std::string note;    // the message; cut at 1024 bytes
};

struct EventOptions {
  std::string controller;                            // reportingController: "kueue.x-k8s.io/..."
  std::string instance;                              // reportingInstance: "<controller>-<host>"
  Duration series_interval = Duration::seconds(60);  // at most one write per series in this time
  Duration series_idle = Duration::seconds(360);     // then a repetition is a new event
  int object_burst = 25;                             // events per object, refilled ...
  Duration object_refill = Duration::seconds(300);   // ... one in this time
  double qps = 50;                                   // of the recorder; negative: no limit
  int burst = 200;
  int max_pending = 10'000;  // writes not answered yet; more are dropped
};

struct EventStats {
  std::uint64_t created = 0;  // writes that succeeded
  std::uint64_t updated = 0;
  std::uint64_t repeated = 0;  // told by counting up a series
  std::uint64_t dropped = 0;   // over a limit, or refused by the server
};

// Writes events.k8s.io/v1 Events in the background: never waits, never fails the caller. A
// repetition (same objects, type, reason, action and note) counts up the first one's series.
class EventRecorder {
 public:
  EventRecorder(Client& client, EventOptions options);
  ~EventRecorder();

  void record(Event event);  // any thread
  // Writes the series counts that are still owed now instead of later.
  void flush();
  EventStats stats() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace quorate::kube
