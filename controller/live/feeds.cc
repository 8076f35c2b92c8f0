#include "controller/live/feeds.h"

#include <algorithm>
#include <utility>

#include "controller/reconcile/placement_reconciler.h"
#include "src/objects/kinds.h"
#include "src/objects/names.h"
#include "src/translate/translate.h"

namespace quorate::controller {
namespace {

namespace kinds = objects::kinds;

template <class T>
using Shared = std::shared_ptr<const T>;

}  // namespace

Feeds::Feeds(kube::Client& client, Caches& caches, MetricRegistry& metrics, Hearers hearers,
             const Parts& parts)
    : client_(client), caches_(caches), metrics_(metrics), to_(std::move(hearers)), parts_(parts) {
  add_job_kinds();
  add_pod_kinds();
}

template <class T>
void Feeds::add(const objects::KindInfo& kind, Store<T>& store, Listener<T> listener,
                std::function<bool(const T&)> filter) {
  kube::ReflectorOptions options;
  options.seed = all().size() + 1;
  if (kind.protobuf) options.format = kube::Format::Protobuf;
  const std::string name(kind.kind);
  auto told = std::move(listener.on_invalid);
  listener.on_invalid = [this, name, told = std::move(told)](const kube::Meta& meta,
                                                             const Error& why) {
    metrics_.add("quorate_invalid_objects_total", {name});
    if (told) told(meta, why);
  };
  const auto decoder = [&kind](const kube::RawObject& raw) { return decode<T>(raw, &kind); };
  insert(std::make_unique<Feed<T>>(client_, resource_of(kind), options, decoder, store,
                                   std::move(listener), std::move(filter),
                                   [this] { one_synced(); }));
}

void Feeds::insert(std::unique_ptr<AnyFeed> feed) {
  AnyFeed* const added = feed.get();
  bool begin = false;
  {
    MutexLock lock(mutex_);
    feeds_.push_back(std::move(feed));
    begin = started_;
  }
  if (begin) added->start();
}

std::vector<AnyFeed*> Feeds::all() const {
  MutexLock lock(mutex_);
  std::vector<AnyFeed*> found;
  for (const auto& feed : feeds_) found.push_back(feed.get());
  return found;
}

void Feeds::follow(const Served& served) {
  client_.loop().run_and_wait([&] {
    if (served.kueue && !admission_kinds_added_) {
      add_admission_kinds();
      admission_kinds_added_ = true;
    }
    if (served.admission_checks && parts_.admission && !checks_added_) {
      add<objects::AdmissionCheck>(
          kinds::kAdmissionCheck, caches_.checks,
          {.on_put = [this](const auto& now, const auto&) { tell(translate::to_spec(*now)); },
           .on_gone =
               [this](const auto& last) {
                 tell(engine::AdmissionCheckGone{last->meta.key.name});
               }});
      checks_added_ = true;
    }
    // Whoever places pods, or proves that they can be placed.
    if ((parts_.scheduler || parts_.admission) && served.devices && !device_kinds_added_) {
      add_device_kinds();
      device_kinds_added_ = true;
    }
    if (device_kinds_added_ && served.taint_rules && !taint_rules_added_) {
      add<objects::DeviceTaintRule>(
          kinds::kDeviceTaintRule, caches_.taint_rules,
          {.on_put = [this](const auto& now, const auto&) { tell(translate::to_spec(*now)); },
           .on_gone =
               [this](const auto& last) {
                 tell(engine::DeviceTaintRuleGone{last->meta.key.name});
               }});
      taint_rules_added_ = true;
    }
    if (parts_.scheduler) add_scheduler_kinds(served);
    if (!parts_.jobs && !parts_.pod_groups && !parts_.scheduler) return;
    if (served.native_groups != native_) {
      if (native_) remove("podgroups.scheduling.k8s.io");
      native_ = served.native_groups;
      if (native_) add_groups(*native_);
    }
    if (served.fallback_groups != fallback_) {
      if (fallback_) remove("podgroups.scheduling.x-k8s.io");
      fallback_ = served.fallback_groups;
      if (fallback_) add_groups(objects::PodGroupApi::Fallback);
    }
  });
}

void Feeds::remove(const std::string& name) {
  std::vector<std::unique_ptr<AnyFeed>> dropped;
  {
    MutexLock lock(mutex_);
    for (auto& feed : feeds_) {
      if (feed->name() == name) dropped.push_back(std::move(feed));
    }
    std::erase(feeds_, nullptr);
  }
  for (const auto& feed : dropped) feed->stop();
}

void Feeds::add_scheduler_kinds(const Served& served) {
  if (!budgets_added_) {
    add<objects::DisruptionBudget>(
        kinds::kDisruptionBudget, caches_.budgets,
        {.on_put = [this](const auto& now, const auto&) { tell(translate::to_spec(*now)); },
         .on_gone =
             [this](const auto& last) { tell(engine::DisruptionBudgetGone{last->meta.key}); }});
    budgets_added_ = true;
  }
  if (served.composite_groups && !composites_added_) {
    add<objects::CompositePodGroup>(
        kinds::kCompositePodGroup, caches_.composite_groups,
        {.on_put = [this](const auto& now, const auto&) { tell(translate::to_spec(*now)); },
         .on_gone =
             [this](const auto& last) {
               tell(engine::CompositeGroupGone{last->meta.key, last->meta.uid});
             }});
    composites_added_ = true;
  }
}

void Feeds::add_device_kinds() {
  add<objects::DeviceClass>(
      kinds::kDeviceClass, caches_.device_classes,
      {.on_put = [this](const auto& now, const auto&) { tell(translate::to_spec(*now)); },
       .on_gone =
           [this](const auto& last) { tell(engine::DeviceClassGone{last->meta.key.name}); }});
  add<objects::ResourceSlice>(
      kinds::kResourceSlice, caches_.slices,
      {.on_put = [this](const auto& now, const auto&) { tell(translate::to_spec(*now)); },
       .on_gone =
           [this](const auto& last) { tell(engine::ResourceSliceGone{last->meta.key.name}); }});
  add<objects::ResourceClaimTemplate>(
      kinds::kResourceClaimTemplate, caches_.claim_templates,
      {.on_put = [this](const auto& now, const auto&) { tell(translate::to_spec(*now)); },
       .on_gone = [this](const auto& last) { tell(engine::ClaimTemplateGone{last->meta.key}); }});
  add<objects::ResourceClaim>(
      kinds::kResourceClaim, caches_.claims,
      {.on_put = [this](const auto& now, const auto&) { tell(translate::to_spec(*now)); },
       .on_gone =
           [this](const auto& last) {
             tell(engine::ClaimGone{last->meta.key, last->meta.uid});
           }});
}

void Feeds::add_groups(objects::PodGroupApi api) {
  const bool native = api != objects::PodGroupApi::Fallback;
  add<objects::PodGroup>(objects::kind_of(api), caches_.groups.of(native),
                         {.on_put =
                              [this](const auto& now, const auto&) {
                                tell(translate::to_spec(*now));
                                if (to_.reconcilers != nullptr)
                                  to_.reconcilers->group_changed(*now);
                              },
                          .on_gone =
                              [this](const auto& last) {
                                tell(engine::PodGroupGone{last->meta.key, last->meta.uid});
                                if (to_.reconcilers != nullptr)
                                  to_.reconcilers->group_changed(*last);
                              }});
}

void Feeds::add_admission_kinds() {
  const bool engine_needs = parts_.admission || parts_.scheduler;
  if (engine_needs || parts_.jobs || parts_.pod_groups) {
    add<objects::Workload>(
        kinds::kWorkload, caches_.workloads,
        {.on_put =
             [this](const auto& now, const auto& before) {
               translate::Defects defects;
               tell(translate::to_spec(*now, &defects));
               if (before == nullptr || before->meta.generation != now->meta.generation) {
                 for (const translate::Defect& defect : defects) {
                   log_warn("workload has a part without meaning",
                            {{"workload", now->meta.key.text()}, {"reason", defect.text()}});
                 }
               }
               if (to_.reconcilers != nullptr) to_.reconcilers->workload_changed(*now);
             },
         .on_gone =
             [this](const auto& last) {
               tell(engine::WorkloadGone{last->meta.key, last->meta.uid});
               if (to_.reconcilers != nullptr) to_.reconcilers->workload_changed(*last);
             },
         .on_invalid =
             [this](const kube::Meta& meta, const Error& why) {
               if (to_.on_bad_workload) to_.on_bad_workload(meta, why);
             }});
    add<objects::ResourceFlavor>(
        kinds::kResourceFlavor, caches_.flavors,
        {.on_put =
             [this](const auto& now, const auto& before) {
               tell(translate::to_spec(*now));
               if (to_.reconcilers != nullptr) {
                 to_.reconcilers->flavor_changed(*now, before == nullptr);
               }
             },
         .on_gone = [this](const auto& last) { tell(engine::FlavorGone{last->meta.key.name}); }});
  }
  if (parts_.admission) {
    add<objects::ClusterQueue>(
        kinds::kClusterQueue, caches_.cluster_queues,
        {.on_put =
             [this](const auto& now, const auto& before) {
               tell(translate::to_spec(*now));
               if (to_.reconcilers != nullptr) {
                 to_.reconcilers->cluster_queue_changed(now.get(), before.get());
               }
               if (to_.queue_status != nullptr) {
                 to_.queue_status->cluster_queue_changed(now->meta.key.name);
               }
             },
         .on_gone =
             [this](const auto& last) {
               tell(engine::ClusterQueueGone{last->meta.key.name});
               if (to_.reconcilers != nullptr) {
                 to_.reconcilers->cluster_queue_changed(nullptr, last.get());
               }
               if (to_.queue_status != nullptr) {
                 to_.queue_status->cluster_queue_gone(last->meta.key.name);
               }
             },
         .on_invalid =
             [this](const kube::Meta& meta, const Error& why) {
               tell(translate::unreadable_cluster_queue(meta.key.name, meta.uid, why.message));
             }});
    add<objects::Topology>(
        kinds::kTopology, caches_.topologies,
        {.on_put = [this](const auto& now, const auto&) { tell(translate::to_spec(*now)); },
         .on_gone = [this](const auto& last) { tell(engine::TopologyGone{last->meta.key.name}); }});
    add<objects::Cohort>(
        kinds::kCohort, caches_.cohorts,
        {.on_put = [this](const auto& now, const auto&) { tell(translate::to_spec(*now)); },
         .on_gone =
             [this](const auto& last) {
               tell(engine::CohortGone{last->meta.key.name});
               if (to_.queue_status != nullptr) to_.queue_status->cohort_gone(last->meta.key.name);
             }});
    add<objects::LimitRange>(
        kinds::kLimitRange, caches_.limit_ranges,
        {.on_put = [this](const auto& now, const auto&) { tell(translate::to_spec(*now)); },
         .on_gone = [this](const auto& last) { tell(engine::LimitRangeGone{last->meta.key}); }});
    add<objects::RuntimeClass>(
        kinds::kRuntimeClass, caches_.runtime_classes,
        {.on_put = [this](const auto& now, const auto&) { tell(translate::to_spec(*now)); },
         .on_gone =
             [this](const auto& last) { tell(engine::RuntimeClassGone{last->meta.key.name}); }});
  }
  if (parts_.admission || parts_.webhooks) {
    add<objects::LocalQueue>(kinds::kLocalQueue, caches_.local_queues,
                             {.on_put =
                                  [this](const auto& now, const auto&) {
                                    tell(translate::to_spec(*now));
                                    if (to_.queue_status != nullptr)
                                      to_.queue_status->local_queue_changed(now->meta.key);
                                  },
                              .on_gone =
                                  [this](const auto& last) {
                                    tell(engine::LocalQueueGone{last->meta.key});
                                    if (to_.queue_status != nullptr)
                                      to_.queue_status->local_queue_gone(last->meta.key);
                                  }});
  }
  if (parts_.admission || parts_.webhooks || parts_.jobs || parts_.pod_groups) {
    const auto changed = [this](const Shared<objects::WorkloadPriorityClass>& one) {
      if (to_.reconcilers != nullptr) to_.reconcilers->classes_changed(one->meta.key.name);
    };
    add<objects::WorkloadPriorityClass>(
        kinds::kWorkloadPriorityClass, caches_.workload_classes,
        {.on_put = [changed](const auto& now, const auto&) { changed(now); }, .on_gone = changed});
  }
}

void Feeds::add_job_kinds() {
  if (parts_.jobs || parts_.webhooks) {
    add<objects::Job>(kinds::kJob, caches_.jobs,
                      {.on_put =
                           [this](const auto& now, const auto&) {
                             if (to_.reconcilers != nullptr) to_.reconcilers->job_changed(*now);
                           },
                       .on_gone =
                           [this](const auto& last) {
                             if (to_.reconcilers != nullptr) to_.reconcilers->job_changed(*last);
                           }});
  }
  if (parts_.jobs || parts_.pod_groups) {
    add<objects::PriorityClass>(kinds::kPriorityClass, caches_.pod_classes,
                                {.on_put = [this](const auto&, const auto&) {
                                  if (to_.reconcilers != nullptr)
                                    to_.reconcilers->classes_changed("");
                                }});
  }
  if (parts_.admission || parts_.jobs || parts_.webhooks || parts_.pod_groups) {
    add<objects::Namespace>(
        kinds::kNamespace, caches_.namespaces,
        {.on_put =
             [this](const auto& now, const auto& before) {
               tell(translate::to_spec(*now));
               const bool moved = before != nullptr && before->meta.labels != now->meta.labels;
               if (moved && to_.reconcilers != nullptr) {
                 to_.reconcilers->namespace_changed(now->meta.key.name);
               }
             },
         .on_gone =
             [this](const auto& last) { tell(engine::NamespaceGone{last->meta.key.name}); }});
  }
}

void Feeds::add_pod_kinds() {
  // Admission places by topology: nodes, and what pods of others take of them.
  const bool to_engine = parts_.scheduler || parts_.admission;
  if (to_engine) {
    add<objects::Node>(kinds::kNode, caches_.nodes,
                       {.on_put =
                            [this](const auto& now, const auto& before) {
                              tell(translate::to_spec(*now));
                              if (to_.reconcilers != nullptr) {
                                to_.reconcilers->node_changed(now.get(), before.get());
                              }
                            },
                        .on_gone =
                            [this](const auto& last) {
                              tell(engine::NodeGone{last->meta.key.name});
                              if (to_.reconcilers != nullptr)
                                to_.reconcilers->node_changed(nullptr, last.get());
                            }});
  }
  if (!to_engine && !parts_.pod_groups && !parts_.jobs) return;
  // Without them only members of groups matter, and pods that wait for their Workload.
  std::function<bool(const objects::Pod&)> filter;
  if (!to_engine) {
    filter = [](const objects::Pod& pod) {
      return !objects::group_of(pod).empty() || !workload_name_of(pod).empty();
    };
  }
  add<objects::Pod>(kinds::kPod, caches_.pods,
                    {.on_put =
                         [this, to_engine](const auto& now, const auto& before) {
                           if (to_engine) tell(translate::to_spec(*now));
                           if (to_.reconcilers != nullptr) {
                             to_.reconcilers->pod_changed(*now, before.get());
                           }
                         },
                     .on_gone =
                         [this, to_engine](const auto& last) {
                           if (to_engine) tell(engine::PodGone{last->meta.key, last->meta.uid});
                           if (to_.reconcilers != nullptr) {
                             to_.reconcilers->pod_changed(*last, nullptr);
                           }
                         }},
                    std::move(filter));
}

void Feeds::start(std::function<void()> on_synced) {
  // On the loop, where the calls of the feeds come: none of them is told before all have begun.
  client_.loop().run_and_wait([&] {
    on_synced_ = std::move(on_synced);
    {
      MutexLock lock(mutex_);
      started_ = true;
    }
    for (AnyFeed* feed : all()) feed->start();
  });
}

void Feeds::stop() {
  client_.loop().run_and_wait([&] {
    on_synced_ = nullptr;
    for (AnyFeed* feed : all()) feed->stop();
  });
}

void Feeds::one_synced() {
  if (!on_synced_ || !synced()) return;
  const auto tell_once = std::exchange(on_synced_, nullptr);
  tell_once();
}

bool Feeds::synced() const { return waiting_for().empty(); }

std::string Feeds::waiting_for() const {
  MutexLock lock(mutex_);
  if (!started_) return "lists have not begun";
  for (const auto& feed : feeds_) {
    if (feed->synced()) continue;
    const auto trouble = feed->trouble();
    return "waiting for the list of " + feed->name() + (trouble ? ": " + *trouble : "");
  }
  return "";
}

}  // namespace quorate::controller
