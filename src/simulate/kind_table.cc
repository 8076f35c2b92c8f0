#include "src/simulate/kind_table.h"

#include <algorithm>

#include "src/objects/read.h"
#include "src/objects/validate.h"

namespace quorate::simulate {
namespace {

using objects::Json;

template <class T>
bool read_kind(Json json, std::string_view api_version, const ObjectKey& key, Objects& into) {
  T object{};
  objects::read(json, api_version, object);
  object.meta.key = key;
  return into.of<T>().insert_or_assign(key, std::move(object)).second;
}

template <class T>
bool remove_kind(Objects& from, const ObjectKey& key) {
  return from.of<T>().erase(key) > 0;
}

template <class T>
std::vector<std::string> faults_of(const Objects& objects, const ObjectKey& key) {
  const auto found = objects.of<T>().find(key);
  if (found == objects.of<T>().end()) return {};
  std::vector<std::string> texts;
  for (const objects::FieldError& fault : objects::validate(found->second)) {
    texts.push_back(fault.text());
  }
  return texts;
}

template <class T>
Kind kind(std::string_view group, std::vector<std::string_view> versions, std::string_view name,
          bool namespaced = true) {
  Kind entry{group, std::move(versions), name, namespaced, read_kind<T>, nullptr, remove_kind<T>};
  if constexpr (requires(const T& object) { objects::validate(object); }) {
    entry.faults = faults_of<T>;
  }
  return entry;
}

template <const char* kName>
bool read_opaque(Json json, std::string_view, const ObjectKey& key, Objects& into) {
  Opaque object{.meta = objects::read_meta(json["metadata"]), .kind = kName};
  object.meta.key = key;
  return into.of<Opaque>()
      .insert_or_assign({key.ns, std::string(kName) + " " + key.name}, std::move(object))
      .second;
}

template <const char* kName>
bool remove_opaque(Objects& from, const ObjectKey& key) {
  return from.of<Opaque>().erase({key.ns, std::string(kName) + " " + key.name}) > 0;
}

template <const char* kName>
Kind opaque(std::string_view group, std::vector<std::string_view> versions, bool namespaced) {
  return {group,   std::move(versions), kName, namespaced, read_opaque<kName>,
          nullptr, remove_opaque<kName>};
}

constexpr char kMultiKueueConfig[] = "MultiKueueConfig";
constexpr char kMultiKueueCluster[] = "MultiKueueCluster";
constexpr char kProvisioningRequestConfig[] = "ProvisioningRequestConfig";
constexpr char kGangWorkload[] = "Workload";

constexpr std::string_view kKueue = "kueue.x-k8s.io";
constexpr std::string_view kScheduling = "scheduling.k8s.io";
constexpr std::string_view kResource = "resource.k8s.io";

const std::vector<Kind>& table() {
  using namespace quorate::objects;  // NOLINT(google-build-using-namespace): a table of its types
  const std::vector<std::string_view> kueue = {"v1beta2", "v1beta1"};
  const std::vector<std::string_view> gangs = {"v1beta1", "v1alpha3", "v1alpha2"};
  const std::vector<std::string_view> devices = {"v1", "v1beta2", "v1beta1"};
  static const std::vector<Kind> kKinds = {
      kind<ResourceFlavor>(kKueue, kueue, "ResourceFlavor", false),
      kind<ClusterQueue>(kKueue, kueue, "ClusterQueue", false),
      kind<LocalQueue>(kKueue, kueue, "LocalQueue"),
      kind<Cohort>(kKueue, kueue, "Cohort", false),
      kind<objects::Workload>(kKueue, kueue, "Workload"),
      kind<WorkloadPriorityClass>(kKueue, kueue, "WorkloadPriorityClass", false),
      kind<AdmissionCheck>(kKueue, kueue, "AdmissionCheck", false),
      kind<Topology>(kKueue, kueue, "Topology", false),
      opaque<kMultiKueueConfig>(kKueue, kueue, false),
      opaque<kMultiKueueCluster>(kKueue, kueue, false),
      opaque<kProvisioningRequestConfig>(kKueue, kueue, false),
      kind<Namespace>("", {"v1"}, "Namespace", false),
      kind<Node>("", {"v1"}, "Node", false),
      kind<Pod>("", {"v1"}, "Pod"),
      kind<LimitRange>("", {"v1"}, "LimitRange"),
      kind<RuntimeClass>("node.k8s.io", {"v1"}, "RuntimeClass", false),
      kind<PriorityClass>(kScheduling, {"v1"}, "PriorityClass", false),
      kind<PodGroup>(kScheduling, gangs, "PodGroup"),
      kind<PodGroup>("scheduling.x-k8s.io", {"v1alpha1"}, "PodGroup"),
      opaque<kGangWorkload>(kScheduling, gangs, true),
      kind<CompositePodGroup>(kScheduling, gangs, "CompositePodGroup"),
      kind<DisruptionBudget>("policy", {"v1"}, "PodDisruptionBudget"),
      kind<Job>("batch", {"v1"}, "Job"),
      kind<ResourceSlice>(kResource, devices, "ResourceSlice", false),
      kind<ResourceClaim>(kResource, devices, "ResourceClaim"),
      kind<DeviceClass>(kResource, devices, "DeviceClass", false),
      kind<DeviceTaintRule>(kResource, {"v1", "v1beta2", "v1alpha3"}, "DeviceTaintRule", false),
      kind<ResourceClaimTemplate>(kResource, devices, "ResourceClaimTemplate"),
  };
  return kKinds;
}

std::pair<std::string_view, std::string_view> split(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return {"", api_version};
  return {api_version.substr(0, slash), api_version.substr(slash + 1)};
}

}  // namespace

const Kind* find_kind(std::string_view api_version, std::string_view name) {
  const auto [group, version] = split(api_version);
  for (const Kind& entry : table()) {
    if (entry.kind != name) continue;
    if (api_version.empty()) return &entry;
    if (entry.group != group) continue;
    if (std::ranges::find(entry.versions, version) != entry.versions.end()) return &entry;
  }
  return nullptr;
}

std::string unknown_kind(std::string_view api_version, std::string_view name) {
  const auto [group, version] = split(api_version);
  std::string text =
      "unknown kind \"" + std::string(name) + "\" of \"" + std::string(api_version) + "\"";
  for (const Kind& entry : table()) {
    if (entry.kind != name || entry.group != group) continue;
    text += "; known versions of it:";
    for (const std::string_view known : entry.versions) text += " " + std::string(known);
    break;
  }
  return text;
}

ObjectKey key_of(Json object, const Kind& kind) {
  const Json metadata = object["metadata"];
  ObjectKey key{kind.namespaced ? metadata["namespace"].text("default") : std::string(),
                metadata["generateName"].is_text() ? metadata["name"].text()
                                                   : metadata["name"].required_text()};
  if (kind.namespaced && key.ns.empty()) key.ns = "default";
  return key;
}

}  // namespace quorate::simulate
