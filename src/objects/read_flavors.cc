#include "src/objects/read.h"

namespace quorate::objects {

void read(Json json, std::string_view, ResourceFlavor& flavor) {
  flavor.meta = read_meta(json["metadata"]);
  const Json spec = json["spec"];
  flavor.node_labels = spec["nodeLabels"].labels();
  flavor.node_taints = read_taints(spec["nodeTaints"]);
  flavor.tolerations = read_tolerations(spec["tolerations"]);
  flavor.topology = spec["topologyName"].text();
}

void read(Json json, std::string_view, Topology& topology) {
  topology.meta = read_meta(json["metadata"]);
  json["spec"]["levels"].each(
      [&](Json level) { topology.levels.push_back(level["nodeLabel"].required_text()); });
}

void read(Json json, std::string_view, AdmissionCheck& check) {
  check.meta = read_meta(json["metadata"]);
  const Json spec = json["spec"];
  check.controller_name = spec["controllerName"].text();
  check.parameters_api_group = spec["parameters"]["apiGroup"].text();
  check.parameters_kind = spec["parameters"]["kind"].text();
  check.parameters_name = spec["parameters"]["name"].text();
  check.conditions = read_conditions(json["status"]["conditions"]);
}

void read(Json json, std::string_view, WorkloadPriorityClass& priority_class) {
  priority_class.meta = read_meta(json["metadata"]);
  if (!json["value"].present()) json["value"].fail("Required value");
  priority_class.value = json["value"].int32();
}

}  // namespace quorate::objects
