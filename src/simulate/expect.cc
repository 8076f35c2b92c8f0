#include "src/simulate/expect.h"

#include <algorithm>
#include <map>
#include <set>

#include "src/simulate/write_status.h"

namespace quorate::simulate {
namespace {

using objects::Workload;

class Comparison {
 public:
  Comparison(const Expectation& expect, const Answer& answer) : expect_(expect), answer_(answer) {
    for (const CycleAnswer& cycle : answer.cycles) {
      for (const AdmittedEntry& each : cycle.admitted) {
        if (each.admitted) admitted_.insert(each.workload.text());
      }
      for (const EvictedEntry& each : cycle.preempted) {
        preempted_names_.insert(each.workload.text());
      }
    }
  }

  std::vector<std::string> take() && {
    if (expect_.admitted) admitted();
    if (expect_.preempted) leavers("preempted", *expect_.preempted, &CycleAnswer::preempted);
    if (expect_.evicted) leavers("evicted", *expect_.evicted, &CycleAnswer::evicted);
    if (expect_.pending) pending();
    if (expect_.finished) ended();
    if (expect_.flavors) compare(*expect_.flavors, flavors(), "flavors", false);
    if (expect_.places) compare(*expect_.places, places(), "places", false);
    if (expect_.usage) compare(*expect_.usage, usage(), "usage", true);
    return std::move(lines_);
  }

 private:
  void missing(const std::string& text) { lines_.push_back("- " + text); }
  void extra(const std::string& text) { lines_.push_back("+ " + text); }
  const std::map<ObjectKey, Workload>& workloads() const { return answer_.final->workloads; }

  void admitted() {
    const std::set<std::string> wanted(expect_.admitted->begin(), expect_.admitted->end());
    std::set<std::string> holding;
    for (const auto& [key, workload] : workloads()) {
      if (simulate::admitted(workload) || finished(workload)) holding.insert(key.text());
    }
    for (const std::string& name : wanted) {
      if (!admitted_.contains(name) && !holding.contains(name)) missing("admitted: " + name);
    }
    for (const std::string& name : admitted_) {
      if (holding.contains(name) && !wanted.contains(name)) extra("admitted: " + name);
    }
  }

  // Those who had to go, each as often as it was told to: `what` is the list of the expectation,
  // `found` where a cycle lists them.
  void leavers(const std::string& what, const std::vector<ExpectedPreemption>& expected,
               std::vector<EvictedEntry> CycleAnswer::*found) {
    std::vector<const EvictedEntry*> left;
    for (const CycleAnswer& cycle : answer_.cycles) {
      for (const EvictedEntry& each : cycle.*found) left.push_back(&each);
    }
    for (const ExpectedPreemption& wanted : expected) {
      const auto match = std::ranges::find_if(left, [&](const EvictedEntry* each) {
        return each->workload.text() == wanted.workload &&
               (!wanted.reason || *wanted.reason == each->reason) &&
               (!wanted.preemptor ||
                (each->preemptor && each->preemptor->text() == *wanted.preemptor));
      });
      if (match != left.end()) {
        left.erase(match);
        continue;
      }
      missing(what + ": " + wanted.workload +
              (wanted.reason ? " for " + *wanted.reason : std::string()) +
              (wanted.preemptor ? " by " + *wanted.preemptor : std::string()));
    }
    for (const EvictedEntry* each : left) {
      extra(what + ": " + each->workload.text() + " for " + each->reason +
            (each->preemptor ? " by " + each->preemptor->text() : std::string()));
    }
  }

  static bool waits(const Workload& workload) { return !reserved(workload) && !finished(workload); }

  void pending() {
    std::set<std::string> named;
    for (const ExpectedWait& wanted : *expect_.pending) {
      named.insert(wanted.workload);
      const std::size_t slash = wanted.workload.find('/');
      const auto found =
          workloads().find({wanted.workload.substr(0, slash), wanted.workload.substr(slash + 1)});
      const std::string what = "pending: " + wanted.workload;
      if (found == workloads().end() || !waits(found->second)) {
        missing(what);
        continue;
      }
      const auto last = answer_.final->waiting.find(found->first);
      const WaitingEntry* why = last == answer_.final->waiting.end() ? nullptr : &last->second;
      const std::string reason = why != nullptr ? why->reason : "";
      const std::string message = why != nullptr ? why->message : "";
      const std::string layer = why != nullptr ? std::string(text_of(why->proof.layer)) : "";
      if (wanted.reason && *wanted.reason != reason) {
        missing(what + " for " + *wanted.reason);
        extra(what + " for " + reason);
      }
      if (wanted.message && *wanted.message != message) {
        missing(what + ": " + *wanted.message);
        extra(what + ": " + message);
      }
      if (wanted.layer && *wanted.layer != layer) {
        missing(what + " at layer " + *wanted.layer);
        extra(what + " at layer " + layer);
      }
    }
    for (const auto& [key, workload] : workloads()) {
      const std::string name = key.text();
      if (!waits(workload) || named.contains(name) || preempted_names_.contains(name)) continue;
      const auto why = answer_.final->waiting.find(key);
      extra("pending: " + name +
            (why != answer_.final->waiting.end() ? " for " + why->second.reason : std::string()));
    }
  }

  void ended() {
    const std::set<std::string> wanted(expect_.finished->begin(), expect_.finished->end());
    std::set<std::string> have;
    for (const auto& [key, workload] : workloads()) {
      if (finished(workload)) have.insert(key.text());
    }
    for (const std::string& name : wanted) {
      if (!have.contains(name)) missing("finished: " + name);
    }
    for (const std::string& name : have) {
      if (!wanted.contains(name)) extra("finished: " + name);
    }
  }

  Labels flavors() const {
    Labels all;
    for (const auto& [key, workload] : workloads()) {
      if (!workload.status.admission) continue;
      for (const objects::PodSetAssignment& set : workload.status.admission->pod_sets) {
        for (const auto& [resource, flavor] : set.flavors) {
          all[key.text() + "/" + set.name + "/" + resource] = flavor;
        }
      }
    }
    return all;
  }

  Labels places() const {
    Labels all;
    for (const auto& [key, workload] : workloads()) {
      if (!workload.status.admission) continue;
      for (const objects::PodSetAssignment& set : workload.status.admission->pod_sets) {
        if (!set.topology) continue;
        std::string& text = all[key.text() + "/" + set.name];
        for (const objects::TopologyDomain& domain : set.topology->domains) {
          std::string path;
          for (const std::string& value : domain.values) path += (path.empty() ? "" : "/") + value;
          text += (text.empty() ? "" : " ") + path + "=" + std::to_string(domain.count);
        }
      }
    }
    return all;
  }

  Labels usage() const {
    Labels all;
    for (const auto& [queue, flavors] : answer_.final->usage) {
      for (const auto& [flavor, resources] : flavors) {
        for (const auto& [resource, amount] : resources) {
          all[queue + "/" + flavor + "/" + resource] = format_quantity(resource, amount);
        }
      }
    }
    return all;
  }

  // Only what is named is compared. Amounts are compared as amounts: "2000m" cpu is "2".
  void compare(const Labels& wanted, const Labels& have, const std::string& what, bool amounts) {
    for (const auto& [name, value] : wanted) {
      const auto found = have.find(name);
      const std::string is = found == have.end() ? (amounts ? "0" : "none") : found->second;
      std::string want = value;
      if (amounts) {
        const std::string resource = name.substr(name.rfind('/') + 1);
        if (const Outcome<Quantity> parsed = parse_quantity(resource, value)) {
          want = format_quantity(resource, *parsed);
        }
      }
      if (is == want) continue;
      missing(what + ": " + name + " is " + value);
      extra(what + ": " + name + " is " + is);
    }
  }

  const Expectation& expect_;
  const Answer& answer_;
  std::set<std::string> admitted_, preempted_names_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> differences(const Expectation& expect, const Answer& answer) {
  return Comparison(expect, answer).take();
}

}  // namespace quorate::simulate
