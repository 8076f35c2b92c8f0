#include "src/objects/kinds.h"
#include "src/objects/resource_claim.h"
#include "src/objects/write.h"

namespace quorate::objects {
namespace {

void write_amounts(JsonWriter& out, std::string_view name, const ExactAmounts& amounts) {
  if (amounts.empty()) return;
  out.key(name).open();
  for (const auto& [key, amount] : amounts) {
    out.field(key, std::string_view(format_exact_quantity(key, amount)));
  }
  out.close();
}

void write_tolerations(JsonWriter& out, const std::vector<Toleration>& tolerations) {
  if (tolerations.empty()) return;
  out.key("tolerations").open_list();
  for (const Toleration& each : tolerations) write_toleration(out, each);
  out.close_list();
}

void write_opaque(JsonWriter& out, const dra::Opaque& opaque) {
  out.key("opaque").open().field("driver", std::string_view(opaque.driver));
  out.key("parameters").raw(opaque.parameters.empty() ? "{}" : opaque.parameters).close();
}

void write_selectors(JsonWriter& out, const std::vector<std::string>& selectors) {
  if (selectors.empty()) return;
  out.key("selectors").open_list();
  for (const std::string& each : selectors) {
    out.open().key("cel").open().field("expression", std::string_view(each)).close().close();
  }
  out.close_list();
}

void write_alternative(JsonWriter& out, const dra::Alternative& way) {
  out.open();
  if (way.admin_access) out.field("adminAccess", true);
  out.field("allocationMode", std::string_view(way.mode));
  if (!way.capacity.empty()) {
    out.key("capacity").open();
    write_amounts(out, "requests", way.capacity);
    out.close();
  }
  if (way.mode == "ExactCount") out.field("count", way.count);
  out.field("deviceClassName", std::string_view(way.device_class));
  out.field_unless_empty("name", way.name);
  write_selectors(out, way.selectors);
  write_tolerations(out, way.tolerations);
  out.close();
}

void write_spec(JsonWriter& out, const dra::ClaimSpec& spec) {
  out.key("spec").open().key("devices").open();
  if (!spec.config.empty()) {
    out.key("config").open_list();
    for (const dra::ClaimConfig& each : spec.config) {
      out.open();
      write_opaque(out, each.opaque);
      out.texts("requests", each.requests).close();
    }
    out.close_list();
  }
  if (!spec.constraints.empty()) {
    out.key("constraints").open_list();
    for (const dra::Constraint& each : spec.constraints) {
      out.open().field_unless_empty("distinctAttribute", each.distinct_attribute);
      out.field_unless_empty("matchAttribute", each.match_attribute);
      out.texts("requests", each.requests).close();
    }
    out.close_list();
  }
  if (!spec.requests.empty()) {
    out.key("requests").open_list();
    for (const dra::Request& each : spec.requests) {
      out.open();
      if (each.first_available) {
        out.key("firstAvailable").open_list();
        for (const dra::Alternative& way : each.alternatives) write_alternative(out, way);
        out.close_list();
      } else {
        out.key("exactly");
        write_alternative(out, each.alternatives.front());
      }
      out.field("name", std::string_view(each.name)).close();
    }
    out.close_list();
  }
  out.close().close();
}

void write_result(JsonWriter& out, const dra::AllocatedDevice& result) {
  out.open();
  if (result.admin_access) out.field("adminAccess", true);
  out.texts("bindingConditions", result.binding_conditions);
  out.texts("bindingFailureConditions", result.binding_failure_conditions);
  write_amounts(out, "consumedCapacity", result.consumed);
  out.field("device", std::string_view(result.device.device));
  out.field("driver", std::string_view(result.device.driver));
  out.field("pool", std::string_view(result.device.pool));
  out.field("request", std::string_view(result.request));
  out.field_unless_empty("shareID", result.share_id);
  write_tolerations(out, result.tolerations);
  out.close();
}

std::string_view text_of(Requirement::Op op) {
  switch (op) {
    case Requirement::Op::In:
      return "In";
    case Requirement::Op::NotIn:
      return "NotIn";
    case Requirement::Op::Exists:
      return "Exists";
    case Requirement::Op::DoesNotExist:
      return "DoesNotExist";
    case Requirement::Op::Gt:
      return "Gt";
    case Requirement::Op::Lt:
      return "Lt";
  }
  return "In";
}

void write_requirements(JsonWriter& out, std::string_view name,
                        const std::vector<Requirement>& requirements) {
  if (requirements.empty()) return;
  out.key(name).open_list();
  for (const Requirement& each : requirements) {
    out.open().field("key", std::string_view(each.key)).field("operator", text_of(each.op));
    out.texts("values", each.values).close();
  }
  out.close_list();
}

void write_allocation(JsonWriter& out, const dra::Allocation& allocation) {
  out.open();
  if (allocation.allocated_at) {
    out.field("allocationTimestamp", std::string_view(format_time(*allocation.allocated_at)));
  }
  out.key("devices").open();
  if (!allocation.config.empty()) {
    out.key("config").open_list();
    for (const dra::AllocatedConfig& each : allocation.config) {
      out.open();
      write_opaque(out, each.opaque);
      out.texts("requests", each.requests);
      out.field("source", each.from_class ? "FromClass" : "FromClaim").close();
    }
    out.close_list();
  }
  out.key("results").open_list();
  for (const dra::AllocatedDevice& each : allocation.devices) write_result(out, each);
  out.close_list().close();
  if (allocation.node_selector) {
    out.key("nodeSelector").open().key("nodeSelectorTerms").open_list();
    for (const NodeSelectorTerm& term : *allocation.node_selector) {
      out.open();
      write_requirements(out, "matchExpressions", term.match_expressions);
      write_requirements(out, "matchFields", term.match_fields);
      out.close();
    }
    out.close_list().close();
  }
  out.close();
}

void write_reserved_for(JsonWriter& out, const std::vector<dra::Consumer>& consumers) {
  out.key("reservedFor").open_list();
  for (const dra::Consumer& each : consumers) {
    out.open().field_unless_empty("apiGroup", each.api_group);
    out.field("name", std::string_view(each.name));
    out.field("resource", std::string_view(each.resource));
    out.field("uid", std::string_view(each.uid)).close();
  }
  out.close_list();
}

}  // namespace

std::string encode_json(const ResourceClaim& claim) {
  JsonWriter out;
  out.open();
  write_type(out, kinds::kResourceClaim.api_version(), kinds::kResourceClaim.kind);
  write_meta(out, claim.meta);
  write_spec(out, claim.spec);
  if (claim.status.allocation) {
    out.key("status").open().key("allocation");
    write_allocation(out, *claim.status.allocation);
    if (!claim.status.reserved_for.empty()) write_reserved_for(out, claim.status.reserved_for);
    out.close();
  }
  return out.close().take();
}

std::string claim_status_patch(std::string_view uid, std::string_view resource_version,
                               const dra::ClaimStatus& status) {
  JsonWriter out;
  out.open().key("metadata").open().field("resourceVersion", resource_version);
  out.field("uid", uid).close().key("status").open().key("allocation");
  if (status.allocation) {
    write_allocation(out, *status.allocation);
    write_reserved_for(out, status.reserved_for);
  } else {
    out.null().key("devices").null().key("reservedFor").null();
  }
  return out.close().close().take();
}

std::string claim_unreserve_patch(std::string_view claim_uid, std::string_view consumer_uid) {
  JsonWriter out;
  out.open().key("metadata").open().field("uid", claim_uid).close();
  out.key("status").open().key("reservedFor").open_list();
  out.open().field("$patch", "delete").field("uid", consumer_uid).close();
  return out.close_list().close().close().take();
}

}  // namespace quorate::objects
