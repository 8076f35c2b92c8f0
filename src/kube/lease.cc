#include "src/kube/lease.h"

#include "src/kube/json_scan.h"

namespace quorate::kube {
namespace {

// Whole seconds, rounded up: nobody may take it sooner than we think.
std::int64_t seconds_of(Duration duration) {
  return (duration.nanos + 999'999'999) / 1'000'000'000;
}

std::string spec_of(const LeaseChange& change) {
  std::string out = "{\"holderIdentity\":" + json_string(change.holder) +
                    ",\"leaseDurationSeconds\":" + std::to_string(seconds_of(change.duration)) +
                    ",\"renewTime\":" + json_string(format_micro_time(change.renew_time));
  if (change.acquire_time) {
    out += ",\"acquireTime\":" + json_string(format_micro_time(*change.acquire_time));
  }
  if (change.transitions) out += ",\"leaseTransitions\":" + std::to_string(*change.transitions);
  return out + "}";
}

}  // namespace

Outcome<Lease> decode_lease(const Document& document) {
  const Outcome<RawObject> object = document.object();
  if (!object) return tl::unexpected(object.error());
  const Outcome<Meta> meta = read_meta(*object);
  if (!meta) return within("lease", meta.error());
  Lease out;
  out.resource_version = meta->resource_version;
  const Outcome<void> outer =
      each_member(object->bytes, [&](std::string_view key, std::string_view spec) {
        if (key != "spec") return true;
        (void)each_member(spec, [&](std::string_view name, std::string_view value) {
          if (name == "holderIdentity") out.holder = string_value(value).value_or("");
          if (name == "leaseDurationSeconds") {
            out.duration = Duration::seconds(integer_value(value).value_or(0));
          }
          if (name == "leaseTransitions") out.transitions = integer_value(value).value_or(0);
          return true;
        });
        return false;
      });
  if (!outer) return within("lease", outer.error());
  return out;
}

std::string new_lease(const ObjectKey& key, const LeaseChange& change) {
  return R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"namespace":)" +
         json_string(key.ns) + ",\"name\":" + json_string(key.name) +
         "},\"spec\":" + spec_of(change) + "}";
}

std::string lease_patch(const LeaseChange& change, std::string_view resource_version) {
  return "{\"metadata\":{\"resourceVersion\":" + json_string(resource_version) +
         "},\"spec\":" + spec_of(change) + "}";
}

}  // namespace quorate::kube
