#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/objects/core_kinds.h"
#include "src/objects/device_class.h"
#include "src/objects/flavors.h"
#include "src/objects/job.h"
#include "src/objects/json.h"
#include "src/objects/node.h"
#include "src/objects/pod.h"
#include "src/objects/pod_group.h"
#include "src/objects/queues.h"
#include "src/objects/resource_claim.h"
#include "src/objects/resource_slice.h"
#include "src/objects/workload.h"

// One reader per kind, from JSON. Faults are recorded in the document (see Json). `api_version` is
// the object's own, or its list's where items have none.
namespace quorate::objects {

ObjectMeta read_meta(Json json);
std::vector<Condition> read_conditions(Json json);
LabelSelector read_label_selector(Json json);
std::vector<Taint> read_taints(Json json);
std::vector<Toleration> read_tolerations(Json json);
NodeSelectorTerm read_node_term(Json json);
NodeAffinity read_node_affinity(Json json);
PodRelations read_pod_relations(Json spec);
// Images of containers, init containers and image volumes, in that order.
std::vector<std::string> read_pod_images(Json spec);
// An rbd image by its pool; the default pool is "rbd".
std::string rbd_id(std::string_view pool, std::string_view image);
std::vector<PodClaim> read_pod_claims(Json json);
// Of status.resourceClaimStatuses: entry -> claim.
std::map<std::string, std::string> read_claim_names(Json json);
// Of a PodSpec; labels and annotations stay empty.
PodTemplate read_pod_spec(Json spec);
TemplateSource read_template(Json json);

void read(Json json, std::string_view api_version, Pod& pod);
void read(Json json, std::string_view api_version, Node& node);
void read(Json json, std::string_view api_version, Namespace& ns);
void read(Json json, std::string_view api_version, PriorityClass& priority_class);
void read(Json json, std::string_view api_version, LimitRange& range);
void read(Json json, std::string_view api_version, RuntimeClass& runtime_class);
void read(Json json, std::string_view api_version, DeviceClass& device_class);
void read(Json json, std::string_view api_version, DeviceTaintRule& rule);
void read(Json json, std::string_view api_version, ResourceSlice& slice);
void read(Json json, std::string_view api_version, ResourceClaim& claim);
void read(Json json, std::string_view api_version, ResourceClaimTemplate& claim_template);
void read(Json json, std::string_view api_version, Job& job);
void read(Json json, std::string_view api_version, PodGroup& group);
void read(Json json, std::string_view api_version, CompositePodGroup& group);
void read(Json json, std::string_view api_version, DisruptionBudget& budget);
void read(Json json, std::string_view api_version, ResourceFlavor& flavor);
void read(Json json, std::string_view api_version, Topology& topology);
void read(Json json, std::string_view api_version, AdmissionCheck& check);
void read(Json json, std::string_view api_version, WorkloadPriorityClass& priority_class);
void read(Json json, std::string_view api_version, ClusterQueue& queue);
void read(Json json, std::string_view api_version, LocalQueue& queue);
void read(Json json, std::string_view api_version, Cohort& cohort);
void read(Json json, std::string_view api_version, Workload& workload);

// What both codecs do with a value once it is read.
ConditionStatus condition_status(std::string_view text);
PodPhase pod_phase(std::string_view text);
std::int32_t clamp_restarts(std::int64_t restarts);
bool keep_annotation(std::string_view key);
// Adds a container's port if it takes one of the node.
void add_host_port(ContainerResources& container, bool host_network, std::int32_t host_port,
                   std::int32_t container_port, std::string protocol, std::string host_ip);

}  // namespace quorate::objects
