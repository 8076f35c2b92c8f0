#include "src/objects/pb_fields.h"
#include "src/objects/pb_read.h"
#include "src/objects/read.h"

namespace quorate::objects {
namespace {

using namespace pb;  // NOLINT: the spelling of fields

void read_term(std::string_view message, NodeSelectorTerm& term) {
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(1):
        pb_at("matchExpressions", term.match_expressions.size(),
              [&] { pb_read_requirement(view(from), term.match_expressions.emplace_back()); });
        break;
      case bytes(2):
        pb_at("matchFields", term.match_fields.size(),
              [&] { pb_read_requirement(view(from), term.match_fields.emplace_back()); });
        break;
      default:
        from.skip();
    }
  }
}

void read_preferred(std::string_view message, std::pair<std::int32_t, NodeSelectorTerm>& into) {
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case varint(1):
        into.first = int32(from);
        break;
      case bytes(2):
        pb_at("preference", [&] { read_term(view(from), into.second); });
        break;
      default:
        from.skip();
    }
  }
}

void read_node_affinity(std::string_view message, NodeAffinity& affinity) {
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(1): {
        if (!affinity.required) affinity.required.emplace();
        pbf_reader terms = reader(view(from));
        while (terms.next(1, protozero::pbf_wire_type::length_delimited)) {
          pb_at("requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms",
                affinity.required->size(),
                [&] { read_term(view(terms), affinity.required->emplace_back()); });
        }
        break;
      }
      case bytes(2):
        pb_at("preferredDuringSchedulingIgnoredDuringExecution", affinity.preferred.size(),
              [&] { read_preferred(view(from), affinity.preferred.emplace_back()); });
        break;
      default:
        from.skip();
    }
  }
}

void read_toleration(std::string_view message, Toleration& toleration) {
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(1):
        toleration.key = text(from);
        break;
      case bytes(2):
        toleration.op = text(from);
        break;
      case bytes(3):
        toleration.value = text(from);
        break;
      case bytes(4):
        toleration.effect = text(from);
        break;
      case varint(5):
        toleration.toleration_seconds = from.get_int64();
        break;
      default:
        from.skip();
    }
  }
}

void read_resources(std::string_view message, ResourceList& requests, ResourceList& limits) {
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(1):
        pb_at("limits", [&] { pb_read_amount(view(from), limits); });
        break;
      case bytes(2):
        pb_at("requests", [&] { pb_read_amount(view(from), requests); });
        break;
      default:
        from.skip();
    }
  }
}

void read_port(std::string_view message, bool host_network, ContainerResources& container) {
  std::int32_t host_port = 0, container_port = 0;
  std::string protocol, host_ip;
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case varint(2):
        host_port = int32(from);
        break;
      case varint(3):
        container_port = int32(from);
        break;
      case bytes(4):
        protocol = text(from);
        break;
      case bytes(5):
        host_ip = text(from);
        break;
      default:
        from.skip();
    }
  }
  add_host_port(container, host_network, host_port, container_port, std::move(protocol),
                std::move(host_ip));
}

void read_container(std::string_view message, bool init, bool host_network,
                    ContainerResources& container, std::vector<std::string>& images) {
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(1):
        container.name = text(from);
        break;
      case bytes(2):
        if (std::string image = text(from); !image.empty()) images.push_back(std::move(image));
        break;
      case bytes(6):
        read_port(view(from), host_network, container);
        break;
      case bytes(8):
        pb_at("resources",
              [&] { read_resources(view(from), container.requests, container.limits); });
        break;
      case bytes(24):
        container.sidecar = init && view(from) == "Always";
        break;
      default:
        from.skip();
    }
  }
}

}  // namespace

void pb_read_requirement(std::string_view message, Requirement& requirement) {
  static constexpr std::pair<std::string_view, Requirement::Op> kOps[] = {
      {"In", Requirement::Op::In},         {"NotIn", Requirement::Op::NotIn},
      {"Exists", Requirement::Op::Exists}, {"DoesNotExist", Requirement::Op::DoesNotExist},
      {"Gt", Requirement::Op::Gt},         {"Lt", Requirement::Op::Lt}};
  std::string_view op;
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(1):
        requirement.key = text(from);
        break;
      case bytes(2):
        op = view(from);
        break;
      case bytes(3):
        requirement.values.push_back(text(from));
        break;
      default:
        from.skip();
    }
  }
  for (const auto& [name, value] : kOps) {
    if (name == op) {
      requirement.op = value;
      return;
    }
  }
  throw PbFault{"operator", "Unsupported value: \"" + std::string(op) + "\""};
}

void pb_read_pod_spec(std::string_view message, PodTemplate& spec, std::string& node_name) {
  // Read last: how a port counts depends on hostNetwork, which may come after the containers.
  std::vector<std::string_view> containers, init_containers, volumes;
  PodRelations relations = *spec.relations;
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(1):
        volumes.push_back(view(from));
        break;
      case bytes(2):
        containers.push_back(view(from));
        break;
      case bytes(20):
        init_containers.push_back(view(from));
        break;
      case bytes(7):
        pb_read_pair(view(from), spec.node_selector);
        break;
      case bytes(10):
        node_name = text(from);
        break;
      case varint(11):
        spec.host_network = boolean(from);
        break;
      case bytes(18): {
        pbf_reader affinity = reader(view(from));
        while (affinity.next()) {
          switch (affinity.tag_and_type()) {
            case bytes(1):
              pb_at("affinity.nodeAffinity",
                    [&] { read_node_affinity(view(affinity), spec.node_affinity); });
              break;
            case bytes(2):
              pb_at("affinity.podAffinity",
                    [&] { pb_read_pod_affinity(view(affinity), relations.affinity); });
              break;
            case bytes(3):
              pb_at("affinity.podAntiAffinity",
                    [&] { pb_read_pod_affinity(view(affinity), relations.anti_affinity); });
              break;
            default:
              affinity.skip();
          }
        }
        break;
      }
      case bytes(19):
        spec.scheduler_name = text(from);
        break;
      case bytes(22):
        read_toleration(view(from), spec.tolerations.emplace_back());
        break;
      case bytes(24):
        spec.priority_class = text(from);
        break;
      case varint(25):
        spec.priority = int32(from);
        break;
      case bytes(29):
        spec.runtime_class = text(from);
        break;
      case bytes(31):
        spec.preemption_policy = text(from);
        break;
      case bytes(32):
        pb_at("overhead", [&] { pb_read_amount(view(from), spec.overhead); });
        break;
      case bytes(33):
        pb_at("topologySpreadConstraints", relations.spread.size(),
              [&] { pb_read_spread(view(from), relations.spread.emplace_back()); });
        break;
      case bytes(38): {
        std::string& gate = spec.scheduling_gates.emplace_back();
        pbf_reader name = reader(view(from));
        while (name.next(1, protozero::pbf_wire_type::length_delimited)) gate = text(name);
        break;
      }
      case bytes(39): {
        PodClaim& claim = spec.resource_claims.emplace_back();
        pbf_reader entry = reader(view(from));
        while (entry.next()) {
          switch (entry.tag_and_type()) {
            case bytes(1):
              claim.name = text(entry);
              break;
            case bytes(3):
              claim.claim = text(entry);
              break;
            case bytes(4):
              claim.claim_template = text(entry);
              break;
            default:
              entry.skip();
          }
        }
        break;
      }
      case bytes(40):
        if (!spec.pod_requests) spec.pod_requests.emplace();
        if (!spec.pod_limits) spec.pod_limits.emplace();
        pb_at("resources",
              [&] { read_resources(view(from), *spec.pod_requests, *spec.pod_limits); });
        break;
      case bytes(43): {
        pbf_reader group = reader(view(from));
        while (group.next(1, protozero::pbf_wire_type::length_delimited)) {
          spec.scheduling_group = text(group);
        }
        break;
      }
      default:
        from.skip();
    }
  }
  for (const std::string_view each : containers) {
    pb_at("containers", spec.containers.size(), [&] {
      read_container(each, false, spec.host_network, spec.containers.emplace_back(), spec.images);
    });
  }
  for (const std::string_view each : init_containers) {
    pb_at("initContainers", spec.init_containers.size(), [&] {
      read_container(each, true, spec.host_network, spec.init_containers.emplace_back(),
                     spec.images);
    });
  }
  for (const std::string_view each : volumes) {
    pb_read_volume(each, relations.volumes, spec.images);
  }
  spec.relations = std::move(relations);
}

}  // namespace quorate::objects
