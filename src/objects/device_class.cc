#include "src/objects/device_class.h"

#include "src/objects/read.h"
#include "src/objects/read_devices.h"

namespace quorate::objects {

void read(Json json, std::string_view, DeviceClass& device_class) {
  device_class.meta = read_meta(json["metadata"]);
  const Json spec = json["spec"];
  device_class.spec.selectors = read_selectors(spec["selectors"]);
  spec["config"].each(
      [&](Json each) { device_class.spec.config.push_back(read_opaque(each["opaque"])); });
  device_class.spec.extended_resource = spec["extendedResourceName"].text();
}

dra::DeviceTaint read_device_taint(Json json) {
  return {{json["key"].text(), json["value"].text(), json["effect"].text()},
          json["timeAdded"].maybe_time()};
}

void read(Json json, std::string_view, DeviceTaintRule& rule) {
  rule.meta = read_meta(json["metadata"]);
  const Json spec = json["spec"];
  if (const Json selector = spec["deviceSelector"]; selector.present()) {
    rule.spec.selector = dra::TaintRuleSpec::Selector{
        selector["driver"].text(), selector["pool"].text(), selector["device"].text()};
  }
  rule.spec.taint = read_device_taint(spec["taint"]);
  rule.conditions = read_conditions(json["status"]["conditions"]);
}

}  // namespace quorate::objects
