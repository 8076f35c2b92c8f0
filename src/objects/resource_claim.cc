#include "src/objects/resource_claim.h"

#include "src/objects/read.h"
#include "src/objects/read_devices.h"

namespace quorate::objects {
namespace {

dra::Alternative read_alternative(Json json, bool named) {
  dra::Alternative way;
  if (named) way.name = json["name"].text();
  way.device_class = json["deviceClassName"].text();
  way.selectors = read_selectors(json["selectors"]);
  way.mode = json["allocationMode"].text();
  if (way.mode.empty()) way.mode = "ExactCount";
  way.count = json["count"].int64();
  if (way.count == 0 && way.mode == "ExactCount") way.count = 1;
  way.admin_access = !named && json["adminAccess"].boolean();
  way.tolerations = read_tolerations(json["tolerations"]);
  way.capacity = json["capacity"]["requests"].exact_amounts();
  way.derived_attributes = json["derivedAttributes"].size() > 0;
  return way;
}

dra::AllocatedDevice read_result(Json json) {
  dra::AllocatedDevice result;
  result.request = json["request"].text();
  result.device = {json["driver"].text(), json["pool"].text(), json["device"].text()};
  result.admin_access = json["adminAccess"].boolean();
  result.tolerations = read_tolerations(json["tolerations"]);
  result.binding_conditions = json["bindingConditions"].texts();
  result.binding_failure_conditions = json["bindingFailureConditions"].texts();
  result.share_id = json["shareID"].text();
  result.consumed = json["consumedCapacity"].exact_amounts();
  return result;
}

dra::Allocation read_allocation(Json json) {
  dra::Allocation allocation;
  const Json devices = json["devices"];
  devices["results"].each([&](Json each) { allocation.devices.push_back(read_result(each)); });
  devices["config"].each([&](Json each) {
    allocation.config.push_back({.from_class = each["source"].text() == "FromClass",
                                 .requests = each["requests"].texts(),
                                 .opaque = read_opaque(each["opaque"])});
  });
  if (const Json selector = json["nodeSelector"]; selector.present()) {
    allocation.node_selector = read_node_terms(selector);
  }
  allocation.allocated_at = json["allocationTimestamp"].maybe_time();
  return allocation;
}

dra::ClaimStatus read_status(Json json) {
  dra::ClaimStatus status;
  if (const Json allocation = json["allocation"]; allocation.present()) {
    status.allocation = read_allocation(allocation);
  }
  json["reservedFor"].each([&](Json each) {
    status.reserved_for.push_back({.api_group = each["apiGroup"].text(),
                                   .resource = each["resource"].text(),
                                   .name = each["name"].text(),
                                   .uid = each["uid"].text()});
  });
  json["devices"].each([&](Json each) {
    const dra::DeviceName device{each["driver"].text(), each["pool"].text(), each["device"].text()};
    for (const Condition& condition : read_conditions(each["conditions"])) {
      status.conditions.push_back({.device = device,
                                   .share_id = each["shareID"].text(),
                                   .type = condition.type,
                                   .is_true = condition.status == ConditionStatus::True,
                                   .reason = condition.reason,
                                   .message = condition.message});
    }
  });
  return status;
}

}  // namespace

std::vector<std::string> read_selectors(Json json) {
  std::vector<std::string> selectors;
  json.each([&](Json each) { selectors.push_back(each["cel"]["expression"].text()); });
  return selectors;
}

dra::Opaque read_opaque(Json json) {
  const Json parameters = json["parameters"];
  return {json["driver"].text(), parameters.present() ? parameters.canonical() : ""};
}

dra::ClaimSpec read_claim_spec(Json json) {
  dra::ClaimSpec spec;
  const Json devices = json["devices"];
  devices["requests"].each([&](Json each) {
    dra::Request& request = spec.requests.emplace_back();
    request.name = each["name"].text();
    const Json exactly = each["exactly"];
    const Json alternatives = each["firstAvailable"];
    request.first_available = alternatives.size() > 0;
    if (exactly.present() == request.first_available) {
      each.fail("Invalid value: must specify exactly one of: `exactly`, `firstAvailable`");
    }
    if (exactly.present()) request.alternatives.push_back(read_alternative(exactly, false));
    alternatives.each(
        [&](Json way) { request.alternatives.push_back(read_alternative(way, true)); });
  });
  devices["constraints"].each([&](Json each) {
    spec.constraints.push_back({.requests = each["requests"].texts(),
                                .match_attribute = each["matchAttribute"].text(),
                                .distinct_attribute = each["distinctAttribute"].text()});
  });
  devices["config"].each([&](Json each) {
    spec.config.push_back(
        {.requests = each["requests"].texts(), .opaque = read_opaque(each["opaque"])});
  });
  return spec;
}

void read(Json json, std::string_view, ResourceClaim& claim) {
  claim.meta = read_meta(json["metadata"]);
  claim.spec = read_claim_spec(json["spec"]);
  claim.status = read_status(json["status"]);
}

void read(Json json, std::string_view, ResourceClaimTemplate& claim_template) {
  claim_template.meta = read_meta(json["metadata"]);
  const Json spec = json["spec"];
  claim_template.claim_labels = spec["metadata"]["labels"].labels();
  claim_template.claim_annotations = spec["metadata"]["annotations"].labels();
  claim_template.spec = read_claim_spec(spec["spec"]);
}

}  // namespace quorate::objects
