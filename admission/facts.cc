#include "admission/facts.h"

#include <algorithm>
#include <array>

#include "admission/pod_digest.h"
#include "src/base/digest.h"

namespace quorate::admission {
namespace {

constexpr std::array<std::string_view, 8> kConditions = {
    "Admitted",  "DeactivationTarget", "Evicted",  "Finished",
    "PodsReady", "QuotaReserved",      "Requeued", "WaitingForReplacementPods"};

// Evictions that the workload itself caused put it behind those of its priority.
Time queue_time(const Facts& facts, const Config& config) {
  const ConditionFacts* evicted = facts.condition(Cond::Evicted);
  if (evicted == nullptr || evicted->status != ConditionView::Status::True) return facts.created;
  const bool timed_out = evicted->reason == "PodsReadyTimeout" && !config.requeue_by_creation;
  return timed_out || evicted->reason == "AdmissionCheck" ? evicted->last_transition
                                                          : facts.created;
}

std::uint64_t hash_of(const Facts& facts) {
  Digest digest;
  digest.number(facts.priority);
  if (facts.replaces) digest.text(facts.replaces->ns).text(facts.replaces->name);
  if (facts.variation) {
    for (const std::uint32_t flavor : facts.variation->allowed) digest.number(flavor);
  }
  for (const PodSetFacts& pods : facts.pod_sets) {
    digest.text(pods.name).number(static_cast<std::int64_t>(pods.shape->digest));
    digest.number(pods.remaining).number(pods.count).number(pods.min_count.value_or(-1));
    digest.number(pods.topology ? 1 : 0);
    if (!pods.topology) continue;
    const TopologyRequest& topology = *pods.topology;
    digest.text(topology.required_level).text(topology.preferred_level);
    digest.number(topology.unconstrained ? 1 : 0).text(topology.pod_set_group);
    for (const topology::Layer& layer : topology.layers) {
      digest.text(layer.level).number(layer.size);
    }
  }
  return digest.value();
}

std::shared_ptr<const VariantFacts> variation_of(const WorkloadSpec& spec, const Config& config,
                                                 quota::Names& names) {
  VariantFacts facts;
  if (config.concurrent_admission) {
    facts.parent = spec.parent_of_variants;
    if (spec.is_variant()) facts.parent_uid = spec.owner_uid;
    for (const std::string& flavor : spec.allowed_flavors) {
      facts.allowed.push_back(names.flavors.intern(flavor).slot);
    }
  }
  facts.gated = config.preemption_gates &&
                std::any_of(spec.preemption_gates.begin(), spec.preemption_gates.end(),
                            [](const PreemptionGate& gate) { return !gate.open; });
  return facts == VariantFacts{} ? nullptr : std::make_shared<const VariantFacts>(std::move(facts));
}

bool same_topology(const TopologyRequest* a, const TopologyRequest* b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

}  // namespace

std::uint64_t ResourceOrder::hash(const quota::Names& names, std::uint32_t resource) {
  while (hashes_.size() <= resource) {
    const quota::ResourceId id{static_cast<std::uint32_t>(hashes_.size()), 0};
    hashes_.push_back(Digest().bytes(names.resources.name(id)).value());
  }
  return hashes_[resource];
}

bool ResourceOrder::before(const quota::Names& names, std::uint32_t a, std::uint32_t b) {
  const std::uint64_t hash_a = hash(names, a), hash_b = hash(names, b);
  if (hash_a != hash_b) return hash_a < hash_b;
  return names.resources.name({a, 0}) < names.resources.name({b, 0});
}

std::uint64_t condition_text(std::string_view reason, std::string_view message) {
  return Digest().text(reason).text(message).value();
}

const ConditionFacts* Facts::condition(Cond type) const {
  const auto found = std::find_if(conditions.begin(), conditions.end(),
                                  [&](const ConditionFacts& one) { return one.type == type; });
  return found == conditions.end() ? nullptr : &*found;
}

bool Facts::is_true(Cond type) const {
  const ConditionFacts* found = condition(type);
  return found != nullptr && found->status == ConditionView::Status::True;
}

bool Facts::is_false(Cond type) const {
  const ConditionFacts* found = condition(type);
  return found != nullptr && found->status == ConditionView::Status::False;
}

bool Facts::allows(std::uint32_t flavor) const {
  if (!variation || variation->allowed.empty()) return true;
  const std::vector<std::uint32_t>& allowed = variation->allowed;
  return std::find(allowed.begin(), allowed.end(), flavor) != allowed.end();
}

bool same_class(const Facts& a, const Facts& b) {
  if (a.scheduling_hash != b.scheduling_hash || a.priority != b.priority) return false;
  // Slices with different predecessors ask for different amounts.
  if ((a.replaces == nullptr) != (b.replaces == nullptr)) return false;
  if (a.replaces && *a.replaces != *b.replaces) return false;
  const auto allowed = [](const Facts& facts) {
    return facts.variation ? facts.variation->allowed : std::vector<std::uint32_t>{};
  };
  if (a.variation != b.variation && allowed(a) != allowed(b)) return false;
  return std::equal(a.pod_sets.begin(), a.pod_sets.end(), b.pod_sets.begin(), b.pod_sets.end(),
                    [](const PodSetFacts& x, const PodSetFacts& y) {
                      return x.name == y.name && x.count == y.count && x.remaining == y.remaining &&
                             x.min_count == y.min_count &&
                             (x.shape == y.shape || *x.shape->pod == *y.shape->pod) &&
                             same_topology(x.topology.get(), y.topology.get());
                    });
}

std::shared_ptr<const PodShape> FactsCompiler::shape(const PodTemplate& stated,
                                                     const RequestContext& context,
                                                     quota::Names& names, ResourceOrder& order) {
  const Key key{digest_of(stated), context.limits};
  const auto [from, to] = shapes_.equal_range(key);
  for (auto at = from; at != to; ++at) {
    if (const auto known = at->second.lock(); known && same_pod(*known->source, stated))
      return known;
  }
  auto source = std::make_shared<PodTemplate>(stated);
  source->labels.clear();
  source->annotations.clear();
  source->scheduling_group.clear();
  source->scheduling_gates.clear();
  auto made = std::make_shared<PodShape>();
  PodTemplate full = with_defaults(*source, context);
  made->digest = digest_of(full);
  made->pod = full == *source ? source : std::make_shared<const PodTemplate>(std::move(full));
  made->source = std::move(source);
  for (const auto& [resource, amount] : quota_request(*made->pod, *context.config)) {
    made->requests.push_back({names.resources.intern(resource).slot, amount});
  }
  std::sort(made->requests.begin(), made->requests.end(),
            [&](const auto& a, const auto& b) { return order.before(names, a.first, b.first); });
  if (shapes_.size() >= sweep_at_) forget_unused();
  shapes_.emplace(key, made);
  return made;
}

void FactsCompiler::forget_unused() {
  std::erase_if(shapes_, [](const auto& entry) { return entry.second.expired(); });
  sweep_at_ = std::max<std::size_t>(1024, 2 * shapes_.size());
}

std::shared_ptr<const Facts> FactsCompiler::compile(const WorkloadSpec& spec,
                                                    const RequestContext& context,
                                                    quota::Names& names, ResourceOrder& order) {
  auto facts = std::make_shared<Facts>();
  facts->key = spec.key;
  facts->uid = spec.uid;
  facts->job_uid = spec.owner_uid;
  facts->queue_name = spec.queue_name;
  facts->generation = spec.generation;
  facts->boost = context.config->priority_boost ? spec.priority_boost : 0;
  facts->priority = std::int64_t{spec.priority} + facts->boost;
  facts->created = spec.created;
  facts->active = spec.active;
  facts->terminating = spec.terminating;
  if (spec.replaces) facts->replaces = std::make_shared<const ObjectKey>(*spec.replaces);
  facts->pod_owned = spec.owner_kind == "Pod";
  if (spec.gated) facts->gated_by = std::make_shared<const std::string>(spec.gated_by);
  facts->checks = spec.checks;
  facts->requeue_at = spec.requeue_at;
  facts->requeue_count = spec.requeue_count;
  facts->max_execution_seconds = spec.max_execution_seconds;
  facts->past_execution_seconds = spec.past_execution_seconds;
  facts->unhealthy_nodes = spec.unhealthy_nodes;
  facts->variation = variation_of(spec, *context.config, names);
  if (spec.admission) facts->admission = std::make_shared<const Admission>(*spec.admission);
  for (const ConditionView& condition : spec.conditions) {
    const auto known = std::lower_bound(kConditions.begin(), kConditions.end(), condition.type);
    if (known == kConditions.end() || *known != condition.type) continue;
    const auto type = static_cast<Cond>(known - kConditions.begin());
    facts->conditions.push_back({type, condition.status, condition.reason,
                                 condition_text(condition.reason, condition.message),
                                 condition.last_transition});
    if (type == Cond::DeactivationTarget) {
      facts->target_message = std::make_shared<const std::string>(condition.message);
    }
  }
  for (const PodSetSpec& pods : spec.pod_sets) {
    PodSetFacts& set = facts->pod_sets.emplace_back();
    set.name = pods.name;
    set.count = std::max(pods.count, 0);
    const auto done = spec.reclaimable_pods.find(pods.name);
    set.remaining =
        set.count -
        (done == spec.reclaimable_pods.end() ? 0 : std::clamp(done->second, 0, set.count));
    set.min_count = pods.min_count;
    if (pods.topology) set.topology = std::make_shared<const TopologyRequest>(*pods.topology);
    set.shape = shape(*pods.pod, context, names, order);
  }
  finish(*facts, context);
  return facts;
}

std::shared_ptr<const Facts> FactsCompiler::recompile(const Facts& facts,
                                                      const RequestContext& context,
                                                      quota::Names& names, ResourceOrder& order) {
  auto again = std::make_shared<Facts>(facts);
  for (PodSetFacts& set : again->pod_sets) {
    set.shape = shape(*set.shape->source, context, names, order);
  }
  finish(*again, context);
  return again;
}

void FactsCompiler::finish(Facts& facts, const RequestContext& context) {
  facts.queued_at = queue_time(facts, *context.config);
  std::optional<InvalidInput> invalid;
  for (std::size_t i = 0; i < facts.pod_sets.size() && !invalid; ++i) {
    invalid = check_requests(*facts.pod_sets[i].shape->pod, i);
    if (invalid) invalid->why.insert(0, "resources validation failed: ");
  }
  for (std::size_t i = 0; i < facts.pod_sets.size() && !invalid; ++i) {
    invalid = check_limits(*facts.pod_sets[i].shape->pod, *context.limits, i);
    if (invalid) invalid->why.insert(0, "resources didn't satisfy LimitRange constraints: ");
  }
  facts.invalid = invalid ? std::make_shared<const InvalidInput>(*invalid) : nullptr;
  facts.scheduling_hash = hash_of(facts);
}

}  // namespace quorate::admission
