#include "src/objects/encode.h"
#include "src/objects/write.h"

namespace quorate::objects {
namespace {

enum class Borrowed { Left, Written };

void write_usage(JsonWriter& out, std::string_view name, const std::vector<FlavorUsage>& usage,
                 Borrowed borrowed) {
  out.key(name).open_list();
  for (const FlavorUsage& flavor : usage) {
    out.open().field("name", std::string_view(flavor.name)).key("resources").open_list();
    for (const ResourceUsage& each : flavor.resources) {
      out.open();
      if (borrowed == Borrowed::Written) {
        out.field("borrowed", std::string_view(format_quantity(each.name, each.borrowed)));
      }
      out.field("name", std::string_view(each.name));
      out.field("total", std::string_view(format_quantity(each.name, each.total))).close();
    }
    out.close_list().close();
  }
  out.close_list();
}

void write_consumed(JsonWriter& out, const ConsumedUsage& consumed) {
  out.key("admissionFairSharingStatus").open().key("consumedResources").open();
  for (const auto& [resource, amount] : consumed.resources) {
    out.field(resource, std::string_view(format_exact_quantity(resource, amount)));
  }
  out.close();
  out.field("lastUpdate", std::string_view(format_time(consumed.updated))).close();
}

std::string status_patch(std::string_view resource_version, const QueueStatus& status,
                         Borrowed borrowed) {
  JsonWriter out = open_patch(resource_version);
  out.key("status").open().field("admittedWorkloads", status.admitted);
  // Lists are always there, also when empty: the patch says the whole of them.
  out.key("conditions").open_list();
  for (const Condition& condition : status.conditions) write_condition(out, condition);
  out.close_list();
  if (status.weighted_share || status.consumed) {
    out.key("fairSharing").open();
    if (status.consumed) write_consumed(out, *status.consumed);
    out.field("weightedShare", status.weighted_share.value_or(0)).close();
  } else {
    out.key("fairSharing").null();
  }
  write_usage(out, "flavorsReservation", status.reservation, borrowed);
  write_usage(out, "flavorsUsage", status.usage, borrowed);
  out.field("pendingWorkloads", status.pending);
  out.field("reservingWorkloads", status.reserving);
  return out.close().close().take();
}

}  // namespace

std::string cluster_queue_status_patch(std::string_view resource_version,
                                       const QueueStatus& status) {
  return status_patch(resource_version, status, Borrowed::Written);
}

std::string local_queue_status_patch(std::string_view resource_version, const QueueStatus& status) {
  return status_patch(resource_version, status, Borrowed::Left);
}

std::string cohort_status_patch(std::string_view resource_version,
                                std::optional<std::int64_t> weighted_share) {
  JsonWriter out = open_patch(resource_version);
  out.key("status").open().key("fairSharing");
  if (weighted_share) {
    out.open().field("weightedShare", *weighted_share).close();
  } else {
    out.null();
  }
  return out.close().close().take();
}

}  // namespace quorate::objects
