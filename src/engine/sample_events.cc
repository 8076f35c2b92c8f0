#include "src/engine/sample_events.h"

namespace quorate::engine::samples {
namespace {

using namespace admission;
using Op = Requirement::Op;

LabelSelector sample_selector() {
  return {{{"a", Op::In, {"1", "2"}},
           {"b", Op::NotIn, {"3"}},
           {"c", Op::Exists, {}},
           {"d", Op::DoesNotExist, {}},
           {"e", Op::Gt, {"4"}},
           {"f", Op::Lt, {"5"}}}};
}

ContainerResources sample_container(const std::string& name, bool sidecar) {
  return {name,
          {{"cpu", Quantity{1500}}, {"gpu", Quantity{-1}}},
          {{"memory", Quantity::max()}},
          sidecar,
          {{"10.0.0.1", "UDP", 53}, {"", "TCP", 8080}}};
}

std::vector<quota::ResourceGroup> sample_groups() {
  return {{{"cpu", "gpu"},
           {{"spot", {{"cpu", Quantity{10}, Limit{Quantity{0}}, Limit{}}}},
            {"reserved", {{"gpu", Quantity::max(), Limit{}, Limit{Quantity{3}}}}}}}};
}

ClusterQueueSpec sample_queue() {
  ClusterQueueSpec queue;
  queue.name = "q";
  queue.uid = "q-uid";
  queue.generation = 7;
  queue.cohort = "c";
  queue.resource_groups = sample_groups();
  queue.namespace_selector = sample_selector();
  queue.strategy = QueueingStrategy::StrictFifo;
  queue.stop_policy = StopPolicy::HoldAndDrain;
  queue.when_can_borrow = FungibilityPolicy::TryNextFlavor;
  queue.when_can_preempt = FungibilityPolicy::MayStopSearch;
  queue.preference = FungibilityPreference::PreemptionOverBorrowing;
  queue.within_cluster_queue = PreemptionPolicy::LowerOrNewerEqualPriority;
  queue.reclaim_within_cohort = PreemptionPolicy::Any;
  queue.borrow_within_cohort = {PreemptionPolicy::LowerPriority, -5};
  queue.fair_weight = 2'500'000'000;
  queue.by_usage = true;
  queue.admission_checks = {{"check", {"spot"}}, {"other", {}}};
  queue.terminating = true;
  queue.prove_placement = false;
  queue.concurrent_admission = {true, "spot"};
  queue.defect = "spec.x: bad";
  return queue;
}

Configured sample_configuration() {
  Configured configured;
  admission::Config& admission = configured.admission;
  admission.exclude_resource_prefixes = {"example.com/"};
  admission.transformations = {{"gpu", true, {{"credits", "1500m"}}, "cpu"}};
  admission.ignore_undeclared_resources = true;
  admission.requeue_by_creation = true;
  admission.fair_sharing = true;
  admission.equivalence_classes = false;
  admission.prove_placement = false;
  admission.move_back_batch = Duration::millis(1500);
  admission.elastic_slices = false;
  admission.pods_ready =
      admission::PodsReadyConfig{Duration::seconds(301), Duration::seconds(61), true, 0, 7, 77};
  admission.priority_boost = true;
  admission.recompute_on_target_overlap = false;
  admission.keep_scan_progress = false;
  admission.prioritize_preemptors = true;
  admission.concurrent_admission = true;
  admission.preemption_gates = true;
  admission.fair_strategies = {admission::FairStrategy::LessThanInitialShare};
  admission.non_borrowing_first = false;
  admission.priority_within_cohort = false;
  admission.preempt_within_nominal = false;
  admission.usage_sharing = admission::UsageSharing{
      Duration::seconds(600), Duration::seconds(60), {{"cpu", 2'500'000'000}}, false};
  scheduler::Config& scheduler = configured.scheduler;
  scheduler::PluginArgs args;
  args.fit = {scheduler::FitArgs::Strategy::RequestedToCapacityRatio,
              {{"x.io/a", 2}},
              {{0, 0}, {100, 10}},
              {"x.io/b"},
              {"y.io"}};
  args.balanced.resources = {"cpu"};
  args.inter_pod = {5, true};
  args.added_affinity.required.emplace();
  scheduler.profiles = {{"a", {{"NodeResourcesFit", 3}}, {"NodePorts"}, args}, {"b", {}, {}, {}}};
  scheduler.pod_initial_backoff = Duration::seconds(2);
  scheduler.pod_max_backoff = Duration::seconds(20);
  scheduler.bind_timeout = Duration::seconds(31);
  scheduler.bind_retry = Duration::millis(201);
  scheduler.unschedulable_flush = Duration::seconds(301);
  return configured;
}

cluster::NodeSpec sample_node() {
  return {"n",  "n-uid", {{"zone", "z"}},           {{"k", "v", "NoExecute"}},
          true, false,   {{"cpu", Quantity{64000}}}};
}

scheduler::CompositeGroupSpec sample_composite() {
  scheduler::CompositeGroupSpec group;
  group.key = {"ns", "c"};
  group.uid = "c-uid";
  group.gang = false;
  group.min_groups = 3;
  group.priority = 5;
  group.preemption_policy = "Never";
  group.topology_key = "block";
  group.disrupt_together = true;
  group.parent = "root";
  group.workload = "w";
  group.created = Time{18};
  group.terminating = true;
  return group;
}

scheduler::PodGroupSpec sample_group() {
  scheduler::PodGroupSpec group;
  group.key = {"ns", "g"};
  group.uid = "g-uid";
  group.native = false;
  group.gang = false;
  group.min_count = 4;
  group.priority = -1;
  group.topology_key = "rack";
  group.created = Time{17};
  group.initially_scheduled = true;
  group.condition_reason = "Unschedulable";
  group.condition_message = "no";
  group.preemption_policy = "Never";
  group.disrupt_together = true;
  group.parent = "c";
  group.workload = "w";
  group.ancestors = {sample_composite()};
  group.terminating = true;
  group.needs_admission = true;
  group.resource_claims = {{"dom", "channel", ""}};
  group.claim_names = {{"dom", "channel"}};
  return group;
}

PodRelations sample_relations() {
  const PodAffinityTerm term{sample_selector(), "zone", {"a", "b"}, LabelSelector{}, {"k"}, {"m"}};
  PodRelations relations;
  relations.affinity.required = {term, {std::nullopt, "rack", {}, std::nullopt, {}, {}}};
  relations.affinity.preferred = {{7, term}};
  relations.anti_affinity.preferred = {{100, term}};
  relations.spread = {{2, "zone", false, sample_selector(), {"k"}, 3, false, true}, {}};
  relations.volumes = {{"data", PodVolume::Kind::Ephemeral, "", true, {}},
                       {"disk", PodVolume::Kind::Rbd, "pool/image", false, {"m1", "m2"}}};
  return relations;
}

}  // namespace

PodTemplate sample_template() {
  PodTemplate pod;
  pod.labels = {{"app", "x"}};
  pod.annotations = {{"note", "y"}, {"empty", ""}};
  pod.containers = {sample_container("main", false)};
  pod.init_containers = {sample_container("proxy", true), sample_container("setup", false)};
  pod.pod_requests = ResourceList{};
  pod.pod_limits = ResourceList{{"cpu", Quantity{9}}};
  pod.overhead = {{"memory", Quantity{5}}};
  pod.runtime_class = "kata";
  pod.node_selector = {{"disk", "ssd"}};
  pod.node_affinity.required = std::vector<NodeSelectorTerm>{
      {{{"zone", Op::In, {"a"}}}, {{"metadata.name", Op::In, {"n"}}}}, {}};
  pod.node_affinity.preferred = {{50, {{{"gen", Op::Gt, {"3"}}}, {}}}};
  pod.tolerations = {{"k", "Equal", "v", "NoExecute", 30}, {"", "Exists", "", "", std::nullopt}};
  pod.priority_class = "high";
  pod.priority = 0;
  pod.preemption_policy = "Never";
  pod.scheduler_name = "quorate-scheduler";
  pod.scheduling_group = "g";
  pod.scheduling_gates = {"gate"};
  pod.resource_claims = {{"entry", "", "template"}, {"other", "claim", ""}};
  pod.host_network = true;
  pod.images = {"registry/app:1"};
  pod.relations = sample_relations();
  return pod;
}

WorkloadSpec sample_workload() {
  WorkloadSpec workload;
  workload.key = {"ns", "w"};
  workload.uid = "w-uid";
  workload.generation = 3;
  workload.queue_name = "lq";
  workload.priority = -10;
  workload.priority_boost = 4;
  workload.created = Time{-12345};
  workload.active = false;
  workload.terminating = true;
  workload.gated = true;
  workload.gated_by = "example.com/gate";
  PodSetSpec& pods = workload.pod_sets.emplace_back();
  pods.name = "workers";
  pods.count = 8;
  pods.min_count = 0;
  pods.pod = std::make_shared<const PodTemplate>(sample_template());
  pods.topology = TopologyRequest{"rack", "block", true,       "index",
                                  "sub",  0,       "together", {{"rack", 4}, {"host", 2}}};
  workload.reclaimable_pods = {{"workers", 3}};
  workload.admission =
      Admission{"q",
                {{"workers",
                  {{"cpu", "spot"}, {"gpu", "reserved"}},
                  {{"cpu", Quantity{12}}},
                  8,
                  TopologyAssignment{{"block", "rack"}, {{{"b1", "r1"}, 5}, {{"b1", "r2"}, 3}}},
                  DelayedTopology::Ready}}};
  workload.conditions = {
      {"Admitted", ConditionView::Status::False, "NoReservation", "waits", Time{99}},
      {"Evicted", ConditionView::Status::Unknown, "", "", Time{}}};
  workload.checks = {{"check", CheckState::Rejected, Time{98}, 0, "no", {}},
                     {"other",
                      CheckState::Retry,
                      Time{97},
                      std::nullopt,
                      "",
                      {{"workers", {{"pool", "p"}}, {{"k", "Equal", "v", "NoExecute", 30}}}}}};
  workload.unhealthy_nodes = {"n1"};
  workload.requeue_at = Time{0};
  workload.requeue_count = 2;
  workload.max_execution_seconds = 0;
  workload.replaces = ObjectKey{"ns", "smaller"};
  workload.parent_of_variants = true;
  workload.allowed_flavors = {"spot"};
  workload.preemption_gates = {{"gate", true, Time{19}}};
  workload.past_execution_seconds = 17;
  workload.owner_api_version = "batch/v1";
  workload.owner_kind = "Job";
  workload.owner_name = "j";
  workload.owner_uid = "j-uid";
  return workload;
}

cluster::PodSpec sample_pod() {
  cluster::PodSpec pod;
  pod.key = {"ns", "p"};
  pod.uid = "p-uid";
  pod.generation = 2;
  pod.spec = std::make_shared<const PodTemplate>(sample_template());
  pod.requests = {{"cpu", Quantity{1500}}};
  pod.node = "n";
  pod.phase = cluster::PodPhase::Failed;
  pod.terminating = true;
  pod.created = Time{55};
  pod.nominated_node = "m";
  pod.group = "g";
  pod.unschedulable_reason = "Unschedulable";
  pod.unschedulable_message = "0/1 nodes are available";
  pod.labels = std::make_shared<const Labels>(Labels{{"app", "x"}, {"index", "3"}});
  pod.claim_names = {{"entry", "made"}, {"none", ""}};
  pod.extended_claim = "p-extended-resources-x";
  return pod;
}

namespace {

devices::ClassObject sample_class() {
  return {"c", Time{5}, {{"true"}, {{"d", "{}"}}, "example.com/gpu"}};
}

devices::SliceObject sample_slice() {
  devices::SliceObject slice{"s", {}};
  slice.spec.driver = "d";
  slice.spec.pool = "p";
  slice.spec.generation = 3;
  slice.spec.slice_count = 0;  // not the default
  slice.spec.node_selector = dra::NodeTerms{{.match_expressions = {}, .match_fields = {}}};
  slice.spec.counters = {{"set", {{"mem", ExactQuantity{-(Int128{1} << 70)}}}}};
  dra::Device& device = slice.spec.devices.emplace_back();
  device.name = "x";
  device.attributes["a"] = {dra::Attribute::Type::Version, true, {}, {"1.0.0", ""}};
  device.attributes["n"] = {dra::Attribute::Type::Int, false, {-1}, {}};
  device.capacity["m"] = {ExactQuantity{5},
                          dra::CapacityPolicy{ExactQuantity{1}, {}, dra::CapacityPolicy::Range{}}};
  device.consumes = {{"set", {{"mem", ExactQuantity{1}}}}};
  device.taints = {{{"k", "v", "NoSchedule"}, std::nullopt}};
  device.binding_conditions = {"A"};
  device.binding_failure_conditions = {"B"};
  device.allow_multiple = true;
  return slice;
}

devices::ClaimObject sample_claim() {
  devices::ClaimObject claim;
  claim.key = {"ns", "c"};
  claim.uid = "c-uid";
  claim.owner_kind = "Pod";
  claim.extended = true;
  dra::Alternative all;
  all.name = "all";
  all.mode = "All";
  all.count = 0;
  all.tolerations = {{"k", "Exists", "", "", 7}};
  all.capacity["m"] = ExactQuantity{9};
  claim.spec.requests = {{"r", true, {all}}};
  claim.spec.constraints = {{{"r"}, "x/y", ""}};
  claim.spec.config = {{{"r"}, {"d", "{}"}}};
  claim.status.allocation.emplace();
  claim.status.allocation->devices = {
      {"r/all", {"d", "p", "x"}, true, {}, {"A"}, {"B"}, "share", {{"m", ExactQuantity{9}}}}};
  claim.status.allocation->config = {{true, {}, {"d", "{}"}}};
  claim.status.allocation->allocated_at = Time{11};
  claim.status.reserved_for = {{"", "pods", "p", "p-uid"}};
  claim.status.conditions = {{{"d", "p", "x"}, "share", "A", true, "R", "M"}};
  return claim;
}

}  // namespace

std::vector<Event> one_of_each() {
  return {
      sample_configuration(),
      Synced{},
      Tick{Time{1'700'000'000'123'456'789}},
      FlavorSpec{"spot",
                 {{"pool", "spot"}},
                 {{"t", "v", "NoSchedule"}},
                 {{"t", "Exists", "", "", std::nullopt}},
                 "racks"},
      FlavorGone{"spot"},
      TopologySpec{"racks", {"block", "rack"}},
      TopologyGone{"racks"},
      sample_queue(),
      ClusterQueueGone{"q"},
      CohortSpec{"c", "root", sample_groups(), 500},
      CohortGone{"c"},
      LocalQueueSpec{{"ns", "lq"},
                     "lq-uid",
                     "q",
                     StopPolicy::Hold,
                     3000,
                     true,
                     {{"cpu", ExactQuantity{1171572875}}}},
      LocalQueueGone{{"ns", "lq"}},
      AdmissionCheckSpec{"check", "example.com/controller", true},
      AdmissionCheckGone{"check"},
      NamespaceSpec{"ns", {{"team", "x"}}},
      NamespaceGone{"ns"},
      LimitRangeSpec{{"ns", "lr"},
                     {{true,
                       {{"cpu", Quantity{1}}},
                       {{"cpu", Quantity{2}}},
                       {{"cpu", Quantity{3}}},
                       {{"cpu", Quantity{4}}}}}},
      LimitRangeGone{{"ns", "lr"}},
      RuntimeClassSpec{"kata", {{"cpu", Quantity{250}}}},
      RuntimeClassGone{"kata"},
      sample_workload(),
      WorkloadGone{{"ns", "w"}, "w-uid"},
      sample_node(),
      NodeGone{"n"},
      sample_pod(),
      PodGone{{"ns", "p"}, "p-uid"},
      sample_group(),
      PodGroupGone{{"ns", "g"}, "g-uid"},
      sample_composite(),
      CompositeGroupGone{{"ns", "c"}, "c-uid"},
      scheduler::DisruptionBudget{
          {"ns", "pdb"}, {{{"app", Requirement::Op::In, {"db"}}}}, 2, {"gone"}},
      DisruptionBudgetGone{{"ns", "pdb"}},
      AdmissionWritten{{"ns", "w"}, "w-uid", false, true, "conflict"},
      BindWritten{{"ns", "p"}, "p-uid", "m", scheduler::BindResult::Elsewhere, "bound to m"},
      sample_class(),
      DeviceClassGone{"c"},
      sample_slice(),
      ResourceSliceGone{"s"},
      devices::TaintRuleObject{
          "r", {dra::TaintRuleSpec::Selector{"d", "", "x"}, {{"k", "v", "NoExecute"}, Time{7}}}},
      DeviceTaintRuleGone{"r"},
      devices::TemplateObject{{"ns", "t"}, sample_claim().spec},
      ClaimTemplateGone{{"ns", "t"}},
      sample_claim(),
      ClaimGone{{"ns", "c"}, "c-uid"},
      ClaimReleased{{"ns", "c"}, "p-uid"},
  };
}

}  // namespace quorate::engine::samples
