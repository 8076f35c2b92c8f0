#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "src/base/time.h"

namespace quorate::scheduler {

struct Profile {
  std::string scheduler_name = "quorate-scheduler";
  std::map<std::string, std::int64_t> score_weights;  // plugin -> weight; absent: default
  std::vector<std::string> disabled;                  // plugin names

  friend bool operator==(const Profile&, const Profile&) = default;
};

struct Config {
  std::vector<Profile> profiles = {Profile{}};
  Duration pod_initial_backoff = Duration::seconds(1);
  Duration pod_max_backoff = Duration::seconds(10);
  Duration bind_timeout = Duration::seconds(30);  // how long a half-bound gang is retried
  Duration bind_retry = Duration::millis(200);    // between tries of one failed bind
  Duration unschedulable_flush = Duration::seconds(300);
  // A pod whose backoff an event started is tried early when nothing else is queued.
  bool pop_from_backoff = true;
  // Work units (one node looked at for one member) that the search for a gang may spend after the
  // plain attempt failed and no bound proved the gang impossible.
  std::int64_t search_budget = 200'000;

  friend bool operator==(const Config&, const Config&) = default;
};

}  // namespace quorate::scheduler
