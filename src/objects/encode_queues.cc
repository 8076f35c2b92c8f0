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

std::string status_patch(std::string_view resource_version, const QueueStatus& status,
                         Borrowed borrowed) {
  JsonWriter out = open_patch(resource_version);
  out.key("status").open().field("admittedWorkloads", status.admitted);
  // Lists are always there, also when empty: the patch says the whole of them.
  out.key("conditions").open_list();
  for (const Condition& condition : status.conditions) write_condition(out, condition);
  out.close_list();
  if (borrowed == Borrowed::Written || status.weighted_share) {
    out.key("fairSharing");
    if (status.weighted_share) {
      out.open().field("weightedShare", *status.weighted_share).close();
    } else {
      out.null();
    }
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

}  // namespace quorate::objects
