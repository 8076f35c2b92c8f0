#include "controller/reconcile/job_slices.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <tuple>
#include <utility>

#include "controller/reconcile/job_workload.h"
#include "controller/reconcile/placement_reconciler.h"
#include "src/objects/names.h"

namespace quorate::controller {
namespace {

namespace conditions = objects::conditions;
namespace names = objects::names;
using objects::is_true;
using objects::Pod;
using objects::PodSet;
using objects::Workload;

bool holds(const Workload& slice) {
  return is_true(slice.status.conditions, conditions::kQuotaReserved);
}
bool evicted(const Workload& slice) {
  return is_true(slice.status.conditions, conditions::kEvicted);
}

bool replaces(const Workload& slice, const Workload& other) {
  return objects::value_of(slice.meta.annotations, names::kSliceReplacementFor) ==
         other.meta.key.text();
}

// How many came before it, one in the place of the other. Creation times are whole seconds, so this
// tells who is newer.
std::size_t place_in_chain(const Workload& slice, const std::vector<Workload>& all) {
  std::size_t place = 0;
  for (const Workload* at = &slice; place < all.size();
       ++place) {  // whoever replaces itself ends too
    const auto before =
        std::ranges::find_if(all, [&](const Workload& other) { return replaces(*at, other); });
    if (before == all.end()) break;
    at = &*before;
  }
  return place;
}

// The last of those that `fits` says yes to; they come oldest first.
template <class Fits>
const Workload* newest(const std::vector<const Workload*>& open, Fits fits) {
  const auto found =
      std::find_if(open.rbegin(), open.rend(), [&](const Workload* slice) { return fits(*slice); });
  return found == open.rend() ? nullptr : *found;
}

bool gated(const Pod& pod) {
  return std::ranges::find(pod.spec->scheduling_gates, names::kElasticGate) !=
         pod.spec->scheduling_gates.end();
}

std::int64_t index_of(const Pod& pod) {
  const std::string_view text = objects::value_of(pod.meta.labels, names::kJobCompletionIndex);
  std::int64_t index = std::numeric_limits<std::int64_t>::max();
  std::from_chars(text.data(), text.data() + text.size(), index);
  return index;
}

}  // namespace

Slices choose_slices(const std::vector<Workload>& workloads) {
  std::vector<const Workload*> open;
  for (const Workload& slice : workloads) {
    if (!is_true(slice.status.conditions, conditions::kFinished)) open.push_back(&slice);
  }
  std::ranges::sort(open, {}, [&](const Workload* slice) {
    return std::tuple(slice->meta.created, place_in_chain(*slice, workloads),
                      std::string_view(slice->meta.key.name));
  });
  Slices chosen;
  chosen.holder =
      newest(open, [](const Workload& slice) { return holds(slice) && !evicted(slice); });
  if (chosen.holder == nullptr) chosen.holder = newest(open, holds);
  if (chosen.holder != nullptr) {
    chosen.next = newest(open, [&](const Workload& slice) {
      return !holds(slice) && !evicted(slice) && replaces(slice, *chosen.holder);
    });
  } else {
    chosen.holder = newest(open, [](const Workload& slice) { return !evicted(slice); });
    if (chosen.holder == nullptr && !open.empty()) chosen.holder = open.back();
  }
  for (const Workload* slice : open) {
    if (slice == chosen.holder || slice == chosen.next) continue;
    const bool replaced = std::ranges::any_of(
        workloads, [&](const Workload& other) { return replaces(other, *slice); });
    chosen.surplus.emplace_back(slice, replaced);
  }
  return chosen;
}

Resize resize_of(const Workload& slice, const std::vector<PodSet>& wanted) {
  bool grows = wanted.size() != slice.pod_sets.size();
  bool shrinks = false;
  for (const PodSet& pods : wanted) {
    const auto kept = std::ranges::find(slice.pod_sets, pods.name, &PodSet::name);
    grows = grows || kept == slice.pod_sets.end() || pods.count > kept->count;
    shrinks = shrinks || (kept != slice.pod_sets.end() && pods.count < kept->count);
  }
  if (!grows && !shrinks) return Resize::None;
  return grows && holds(slice) ? Resize::NewSlice : Resize::InPlace;
}

Outcome<Workload> next_slice(const objects::Job& job, const Workload& holder, std::int32_t count,
                             const jobs::Priority& priority, const ReconcileSettings& settings) {
  Outcome<Workload> slice = jobs::workload_of(job, priority, settings);
  if (!slice) return slice;
  // The Job's own template carries by now what the holder's admission added to it.
  slice->pod_sets = holder.pod_sets;
  for (PodSet& pods : slice->pod_sets) pods.count = count;
  slice->meta.annotations[std::string(names::kSliceReplacementFor)] = holder.meta.key.text();
  slice->meta.annotations[std::string(names::kSliceName)] = name_for_pods(holder);
  return slice;
}

std::vector<Write> ungate_slice(const Workload& slice,
                                const std::vector<std::shared_ptr<const Pod>>& pods) {
  std::vector<Write> writes;
  if (!is_true(slice.status.conditions, conditions::kAdmitted) || evicted(slice)) return writes;
  // A slice that was made smaller holds what is left of its admission.
  std::int64_t room = std::min(admitted_count(slice), slice.pod_sets.front().count);
  std::vector<const Pod*> waiting;
  for (const auto& pod : pods) {
    if (pod->ended()) continue;
    if (!gated(*pod)) {
      --room;
    } else if (!pod->terminating()) {
      waiting.push_back(pod.get());
    }
  }
  std::ranges::sort(waiting, {}, [](const Pod* pod) {
    return std::tuple(index_of(*pod), pod->meta.created, std::string_view(pod->meta.key.name));
  });
  for (const Pod* pod : waiting) {
    if (room-- <= 0) break;
    writes.push_back(
        UngatePod{pod->meta.key, pod->meta.uid, {std::string(names::kElasticGate)}, {}});
  }
  return writes;
}

}  // namespace quorate::controller
