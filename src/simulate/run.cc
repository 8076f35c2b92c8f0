#include "src/simulate/run.h"

#include <algorithm>

namespace quorate::simulate {
namespace {

// Wakeups in a row that change nothing, after which nothing is taken to be going to.
constexpr int kFruitless = 64;

// Up to so many workloads each cycle lists all that wait. Beyond, only the first cycle and those
// whose number was asked for do; the others list what they decided about. Else an answer grows with
// the number of cycles times the number of workloads.
constexpr std::size_t kListedInFull = 1000;

class Runner {
 public:
  Runner(SimulatedCluster& cluster, const RunLimits& limits, const CycleListener& listener,
         const MomentListener& moment)
      : cluster_(cluster),
        limits_(limits),
        listener_(listener),
        moment_(moment),
        start_(cluster.now()) {
    if (limits.until) deadline_ = start_ + *limits.until;
  }

  Ending run(const Scenario* scenario) {
    if (scenario != nullptr) {
      for (std::size_t i = 0; i < scenario->steps.size(); ++i) {
        const bool last = i + 1 == scenario->steps.size();
        if (!step(scenario->steps[i], i == 0)) return ending_;
        // A scenario that ends with counted cycles asks for the state that they leave.
        if (last && scenario->steps[i].cycles && !scenario->steps[i].settle) return Ending::Limit;
      }
    }
    if (limits_.cycles) {
      counted(*limits_.cycles - used_);
      return Ending::Limit;
    }
    settle(std::nullopt);
    return ending_;
  }

  Ending run(std::vector<Arrival> arrivals) {
    std::size_t next = 0;
    while (next < arrivals.size()) {
      const Time when = arrivals[next].at;
      if (!settle(when)) return ending_;
      if (past(when)) return Ending::Limit;
      cluster_.advance(when);
      for (; next < arrivals.size() && arrivals[next].at == when; ++next) {
        cluster_.submit(std::move(arrivals[next].workload), arrivals[next].runtime);
      }
    }
    settle(std::nullopt);
    return ending_;
  }

 private:
  // False: a limit was met.
  bool step(const Step& step, bool first) {
    if (step.at) {
      const Time when = start_ + *step.at;
      if (!settle(when)) return false;
      if (past(when)) return stop(Ending::Limit);
      cluster_.advance(when);
    } else if (!first && !settle(std::nullopt)) {
      return false;
    }
    cluster_.change(step.remove, step.apply);
    if (step.cycles && !counted(*step.cycles)) return false;
    if (step.settle) return settle(std::nullopt);
    return true;
  }

  bool past(Time when) const { return deadline_ && when > *deadline_; }
  bool stop(Ending ending) {
    ending_ = ending;
    return false;
  }

  // Runs until idle, or until what comes next comes at `before` or later.
  bool settle(std::optional<Time> before) {
    int fruitless = 0;
    const std::size_t most = 10'000 + 100 * cluster_.objects().of<objects::Workload>().size();
    for (std::size_t wakeups = 0;; ++wakeups) {
      // A workload that is evicted and tried again without end never lets it come to rest.
      if (!before && !deadline_ && wakeups > most) return stop(Ending::Unsettled);
      if (!at_this_moment()) return false;
      if (moment_) moment_(cluster_);
      const std::optional<Time> next = cluster_.next_event();
      if (!next || (before && *next >= *before)) return true;
      if (past(*next)) {
        cluster_.advance(*deadline_);
        return stop(Ending::Limit);
      }
      cluster_.advance(*next);
      const std::size_t told = told_;
      if (!one(false)) return false;
      fruitless = told_ == told ? fruitless + 1 : 0;
      if (fruitless > kFruitless && !cluster_.busy()) return true;
    }
  }

  // All cycles that are to be had without time passing.
  bool at_this_moment() {
    const std::size_t most = 1000 + 20 * cluster_.objects().of<objects::Workload>().size();
    std::size_t done = 0;
    while (cluster_.busy()) {
      if (!one(false)) return false;
      if (++done > most) return stop(Ending::Unsettled);
    }
    return true;
  }

  bool counted(std::int64_t cycles) {
    for (std::int64_t i = 0; i < cycles; ++i) {
      // As in the reference, a cycle that nobody would take part in ends the count, and what was on
      // its way out before the first one stays there.
      if (cluster_.evicting() && (!cluster_.engine().busy() || nobody_waits())) return true;
      if (!one(true)) return false;
    }
    return true;
  }

  bool nobody_waits() const {
    const admission::Views& views = cluster_.engine().admission_views();
    const std::vector<std::string> queues = views.cluster_queues();
    return std::all_of(queues.begin(), queues.end(), [&](const std::string& queue) {
      return views.pending(queue).size() == views.parked(queue).size();
    });
  }

  bool one(bool asked_for) {
    if (limits_.cycles && used_ >= *limits_.cycles) return stop(Ending::Limit);
    // All that wait are listed, but not over and over where there are many of them.
    const bool all = asked_for || used_ == 0 ||
                     cluster_.objects().of<objects::Workload>().size() <= kListedInFull;
    const auto survey = all ? SimulatedCluster::Survey::All : SimulatedCluster::Survey::Decided;
    CycleAnswer answer = answer_of(cluster_.cycle(survey), cluster_, survey);
    if (answer.empty() && !asked_for) return true;
    answer.number = ++used_;
    ++told_;
    listener_(answer, cluster_);
    return true;
  }

  SimulatedCluster& cluster_;
  const RunLimits& limits_;
  const CycleListener& listener_;
  const MomentListener& moment_;
  Time start_;
  std::optional<Time> deadline_;
  std::int64_t used_ = 0;
  std::size_t told_ = 0;
  Ending ending_ = Ending::Idle;
};

}  // namespace

Ending run(SimulatedCluster& cluster, const Scenario* scenario, const RunLimits& limits,
           const CycleListener& listener, const MomentListener& moment) {
  return Runner(cluster, limits, listener, moment).run(scenario);
}

Ending run_arrivals(SimulatedCluster& cluster, std::vector<Arrival> arrivals,
                    const RunLimits& limits, const CycleListener& listener,
                    const MomentListener& moment) {
  return Runner(cluster, limits, listener, moment).run(std::move(arrivals));
}

}  // namespace quorate::simulate
