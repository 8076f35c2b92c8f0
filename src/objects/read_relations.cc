// Of a PodSpec: what relates the pod to other pods and to volumes.

#include "src/objects/read.h"

namespace quorate::objects {
namespace {

std::optional<LabelSelector> read_selector(Json json) {
  if (!json.present()) return std::nullopt;
  return read_label_selector(json);
}

PodAffinityTerm read_term(Json json) {
  return {.selector = read_selector(json["labelSelector"]),
          .topology_key = json["topologyKey"].text(),
          .namespaces = json["namespaces"].texts(),
          .namespace_selector = read_selector(json["namespaceSelector"]),
          .match_label_keys = json["matchLabelKeys"].texts(),
          .mismatch_label_keys = json["mismatchLabelKeys"].texts()};
}

PodAffinity read_affinity(Json json) {
  PodAffinity affinity;
  json["requiredDuringSchedulingIgnoredDuringExecution"].each(
      [&](Json term) { affinity.required.push_back(read_term(term)); });
  json["preferredDuringSchedulingIgnoredDuringExecution"].each([&](Json each) {
    affinity.preferred.emplace_back(each["weight"].int32(), read_term(each["podAffinityTerm"]));
  });
  return affinity;
}

SpreadConstraint read_spread(Json json) {
  return {.max_skew = json["maxSkew"].int32(),
          .topology_key = json["topologyKey"].text(),
          .hard = json["whenUnsatisfiable"].text() != "ScheduleAnyway",
          .selector = read_selector(json["labelSelector"]),
          .match_label_keys = json["matchLabelKeys"].texts(),
          .min_domains = json["minDomains"].maybe_int32(),
          .honor_affinity = json["nodeAffinityPolicy"].text() != "Ignore",
          .honor_taints = json["nodeTaintsPolicy"].text() == "Honor"};
}

std::optional<PodVolume> read_volume(Json json) {
  using Kind = PodVolume::Kind;
  PodVolume volume;
  volume.name = json["name"].text();
  const auto known = [&](const char* source, const char* id, Kind kind) {
    const Json from = json[source];
    if (!from.present()) return false;
    volume.kind = kind;
    if (id != nullptr) volume.id = from[id].text();
    volume.read_only = from["readOnly"].boolean();
    return true;
  };
  if (known("persistentVolumeClaim", "claimName", Kind::Claim) ||
      known("ephemeral", nullptr, Kind::Ephemeral) ||
      known("gcePersistentDisk", "pdName", Kind::GceDisk) ||
      known("awsElasticBlockStore", "volumeID", Kind::AwsDisk) ||
      known("iscsi", "iqn", Kind::Iscsi)) {
    return volume;
  }
  if (known("rbd", "image", Kind::Rbd)) {
    volume.id = rbd_id(json["rbd"]["pool"].text(), volume.id);
    volume.monitors = json["rbd"]["monitors"].texts();
    return volume;
  }
  return std::nullopt;
}

}  // namespace

std::string rbd_id(std::string_view pool, std::string_view image) {
  return std::string(pool.empty() ? "rbd" : pool) + "/" + std::string(image);
}

PodRelations read_pod_relations(Json spec) {
  PodRelations relations;
  relations.affinity = read_affinity(spec["affinity"]["podAffinity"]);
  relations.anti_affinity = read_affinity(spec["affinity"]["podAntiAffinity"]);
  spec["topologySpreadConstraints"].each(
      [&](Json each) { relations.spread.push_back(read_spread(each)); });
  spec["volumes"].each([&](Json each) {
    if (auto volume = read_volume(each)) relations.volumes.push_back(std::move(*volume));
  });
  return relations;
}

std::vector<std::string> read_pod_images(Json spec) {
  std::vector<std::string> images;
  const auto add = [&](Json image) {
    if (std::string name = image.text(); !name.empty()) images.push_back(std::move(name));
  };
  for (const char* list : {"containers", "initContainers"}) {
    spec[list].each([&](Json each) { add(each["image"]); });
  }
  spec["volumes"].each([&](Json each) { add(each["image"]["reference"]); });
  return images;
}

}  // namespace quorate::objects
