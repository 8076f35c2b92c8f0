#include "controller/live/discovery.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "src/objects/kinds.h"

namespace quorate::controller {
namespace {

namespace kinds = objects::kinds;

constexpr std::array<const objects::KindInfo*, 6> kNeeded = {
    &kinds::kWorkload,       &kinds::kClusterQueue, &kinds::kLocalQueue,
    &kinds::kResourceFlavor, &kinds::kCohort,       &kinds::kWorkloadPriorityClass};

}  // namespace

Outcome<Served> discover(kube::Client& client) {
  Served served;
  const Outcome<std::vector<std::string>> plurals =
      client.served_plurals(kinds::kWorkload.group, kinds::kWorkload.version);
  if (!plurals) return tl::unexpected(plurals.error());
  const auto has = [&](std::string_view plural) {
    return std::ranges::find(*plurals, plural) != plurals->end();
  };
  for (const objects::KindInfo* kind : kNeeded) {
    if (has(kind->plural)) continue;
    served.missing.push_back(std::string(kind->plural) + "." + std::string(kind->group) + "/" +
                             std::string(kind->version));
  }
  served.kueue = served.missing.empty();
  served.admission_checks = has(kinds::kAdmissionCheck.plural);

  for (const objects::PodGroupApi api :
       {objects::PodGroupApi::V1beta1, objects::PodGroupApi::V1alpha3,
        objects::PodGroupApi::V1alpha2, objects::PodGroupApi::Fallback}) {
    const objects::KindInfo& kind = objects::kind_of(api);
    const Outcome<bool> there = client.served(kind.group, kind.version, kind.plural);
    if (!there) return tl::unexpected(there.error());
    if (!*there) continue;
    if (api == objects::PodGroupApi::Fallback) {
      served.fallback_groups = true;
    } else if (!served.native_groups) {
      served.native_groups = api;
    }
  }
  const objects::KindInfo& composite = kinds::kCompositePodGroup;
  const Outcome<bool> composites =
      client.served(composite.group, composite.version, composite.plural);
  if (!composites) return tl::unexpected(composites.error());
  served.composite_groups = *composites;
  const Outcome<std::vector<std::string>> devices =
      client.served_plurals(kinds::kResourceClaim.group, kinds::kResourceClaim.version);
  if (!devices) return tl::unexpected(devices.error());
  const auto of_devices = [&](const objects::KindInfo& kind) {
    return std::ranges::find(*devices, kind.plural) != devices->end();
  };
  served.devices = of_devices(kinds::kResourceClaim) && of_devices(kinds::kResourceSlice);
  served.taint_rules = of_devices(kinds::kDeviceTaintRule);
  return served;
}

}  // namespace quorate::controller
