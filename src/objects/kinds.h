#pragma once

#include <string>
#include <string_view>

namespace quorate::objects {

// Where objects of a kind live on an API server.
struct KindInfo {
  std::string_view group;  // "" is core
  std::string_view version;
  std::string_view kind;
  std::string_view plural;
  bool namespaced = true;
  bool protobuf = false;  // the server can serve it, and we can read it, as protobuf

  std::string api_version() const {
    return group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
  }
  friend bool operator==(const KindInfo&, const KindInfo&) = default;
};

namespace kinds {

inline constexpr KindInfo kPod{"", "v1", "Pod", "pods", true, true};
inline constexpr KindInfo kNode{"", "v1", "Node", "nodes", false, true};
inline constexpr KindInfo kNamespace{"", "v1", "Namespace", "namespaces", false, true};
inline constexpr KindInfo kLimitRange{"", "v1", "LimitRange", "limitranges"};
inline constexpr KindInfo kPriorityClass{"scheduling.k8s.io", "v1",  "PriorityClass",
                                         "priorityclasses",   false, true};
inline constexpr KindInfo kRuntimeClass{"node.k8s.io", "v1", "RuntimeClass", "runtimeclasses",
                                        false};
inline constexpr KindInfo kJob{"batch", "v1", "Job", "jobs"};
inline constexpr KindInfo kDeviceClass{"resource.k8s.io", "v1", "DeviceClass", "deviceclasses",
                                       false};
inline constexpr KindInfo kDeviceTaintRule{"resource.k8s.io", "v1", "DeviceTaintRule",
                                           "devicetaintrules", false};
inline constexpr KindInfo kResourceSlice{"resource.k8s.io", "v1",  "ResourceSlice",
                                         "resourceslices",  false, true};
inline constexpr KindInfo kResourceClaim{"resource.k8s.io", "v1", "ResourceClaim",
                                         "resourceclaims",  true, true};
inline constexpr KindInfo kResourceClaimTemplate{"resource.k8s.io", "v1", "ResourceClaimTemplate",
                                                 "resourceclaimtemplates"};

// The PodGroup is one type of ours and four API versions; prefer them in this order.
inline constexpr KindInfo kPodGroupV1beta1{"scheduling.k8s.io", "v1beta1", "PodGroup", "podgroups"};
inline constexpr KindInfo kPodGroupV1alpha3{"scheduling.k8s.io", "v1alpha3", "PodGroup",
                                            "podgroups"};
inline constexpr KindInfo kPodGroupV1alpha2{"scheduling.k8s.io", "v1alpha2", "PodGroup",
                                            "podgroups"};
inline constexpr KindInfo kPodGroupFallback{"scheduling.x-k8s.io", "v1alpha1", "PodGroup",
                                            "podgroups"};

inline constexpr KindInfo kCompositePodGroup{"scheduling.k8s.io", "v1alpha3", "CompositePodGroup",
                                             "compositepodgroups"};
inline constexpr KindInfo kDisruptionBudget{"policy", "v1", "PodDisruptionBudget",
                                            "poddisruptionbudgets"};

inline constexpr KindInfo kResourceFlavor{"kueue.x-k8s.io", "v1beta2", "ResourceFlavor",
                                          "resourceflavors", false};
inline constexpr KindInfo kClusterQueue{"kueue.x-k8s.io", "v1beta2", "ClusterQueue",
                                        "clusterqueues", false};
inline constexpr KindInfo kLocalQueue{"kueue.x-k8s.io", "v1beta2", "LocalQueue", "localqueues"};
inline constexpr KindInfo kCohort{"kueue.x-k8s.io", "v1beta2", "Cohort", "cohorts", false};
inline constexpr KindInfo kWorkload{"kueue.x-k8s.io", "v1beta2", "Workload", "workloads"};
inline constexpr KindInfo kWorkloadPriorityClass{
    "kueue.x-k8s.io", "v1beta2", "WorkloadPriorityClass", "workloadpriorityclasses", false};
inline constexpr KindInfo kAdmissionCheck{"kueue.x-k8s.io", "v1beta2", "AdmissionCheck",
                                          "admissionchecks", false};
inline constexpr KindInfo kTopology{"kueue.x-k8s.io", "v1beta2", "Topology", "topologies", false};

}  // namespace kinds
}  // namespace quorate::objects
