#include "src/objects/pb_fields.h"
#include "src/objects/pb_read.h"
#include "src/objects/read.h"

namespace quorate::objects {
namespace {

using namespace pb;  // NOLINT: the spelling of fields

// The three kinds of conditions number their fields differently.
struct ConditionFields {
  std::uint32_t last_transition, reason, message, observed_generation;
};
constexpr ConditionFields kPodCondition{bytes(4), bytes(5), bytes(6), varint(7)};
constexpr ConditionFields kNodeCondition{bytes(4), bytes(5), bytes(6), 0};

void read_condition(std::string_view message, const ConditionFields& fields, Condition& condition) {
  pbf_reader from = reader(message);
  while (from.next()) {
    const std::uint32_t field = from.tag_and_type();
    if (field == bytes(1)) {
      condition.type = text(from);
    } else if (field == bytes(2)) {
      condition.status = condition_status(view(from));
    } else if (field == fields.last_transition) {
      condition.last_transition = pb_time(view(from)).value_or(Time{});
    } else if (field == fields.reason) {
      condition.reason = text(from);
    } else if (field == fields.message) {
      condition.message = text(from);
    } else if (field == fields.observed_generation) {
      condition.observed_generation = from.get_int64();
    } else {
      from.skip();
    }
  }
}

std::int32_t restart_count(std::string_view container_status) {
  std::int32_t count = 0;
  pbf_reader from = reader(container_status);
  while (from.next(5, protozero::pbf_wire_type::varint)) count = int32(from);
  return count;
}

// PodResourceClaimStatus: entry and claim.
void read_claim_name(std::string_view message, std::map<std::string, std::string>& names) {
  std::string entry, claim;
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(1):
        entry = text(from);
        break;
      case bytes(2):
        claim = text(from);
        break;
      default:
        from.skip();
    }
  }
  names[entry] = claim;
}

void read_pod_status(std::string_view message, Pod& pod) {
  std::int64_t restarts = pod.restarts;
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(1):
        pod.phase = pod_phase(view(from));
        break;
      case bytes(2):
        pb_at("conditions", pod.conditions.size(),
              [&] { read_condition(view(from), kPodCondition, pod.conditions.emplace_back()); });
        break;
      case bytes(3):
        pod.status_message = text(from);
        break;
      case bytes(4):
        pod.status_reason = text(from);
        break;
      case bytes(7):
        pb_at("startTime", [&] { pod.started = pb_time(view(from)); });
        break;
      case bytes(8):
      case bytes(10):
        restarts += restart_count(view(from));
        break;
      case bytes(11):
        pod.nominated_node = text(from);
        break;
      case bytes(15):
        read_claim_name(view(from), pod.claim_names);
        break;
      case bytes(18): {
        pbf_reader extended = reader(view(from));
        while (extended.next(2, protozero::pbf_wire_type::length_delimited)) {
          pod.extended_claim = text(extended);
        }
        break;
      }
      default:
        from.skip();
    }
  }
  pod.restarts = clamp_restarts(restarts);
}

void read_taint(std::string_view message, Taint& taint) {
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(1):
        taint.key = text(from);
        break;
      case bytes(2):
        taint.value = text(from);
        break;
      case bytes(3):
        taint.effect = text(from);
        break;
      default:
        from.skip();
    }
  }
}

}  // namespace

void pb_read(std::string_view message, Pod& pod) {
  PodTemplate spec;
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(1): {
        const std::string_view meta = view(from);
        pb_at("metadata", [&] { pb_read(meta, pod.meta); });
        pod.grace_period_seconds = pb_grace_period(meta);
        break;
      }
      case bytes(2):
        pb_at("spec", [&] { pb_read_pod_spec(view(from), spec, pod.node_name); });
        break;
      case bytes(3):
        pb_at("status", [&] { read_pod_status(view(from), pod); });
        break;
      default:
        from.skip();
    }
  }
  pod.spec = std::make_shared<const PodTemplate>(std::move(spec));
}

void pb_read(std::string_view message, Node& node) {
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(1):
        pb_at("metadata", [&] { pb_read(view(from), node.meta); });
        break;
      case bytes(2): {
        pbf_reader spec = reader(view(from));
        while (spec.next()) {
          switch (spec.tag_and_type()) {
            case varint(4):
              node.unschedulable = boolean(spec);
              break;
            case bytes(5):
              read_taint(view(spec), node.taints.emplace_back());
              break;
            default:
              spec.skip();
          }
        }
        break;
      }
      case bytes(3): {
        pbf_reader status = reader(view(from));
        while (status.next()) {
          switch (status.tag_and_type()) {
            case bytes(1):
              pb_at("status.capacity", [&] { pb_read_amount(view(status), node.capacity); });
              break;
            case bytes(2):
              pb_at("status.allocatable", [&] { pb_read_amount(view(status), node.allocatable); });
              break;
            case bytes(4):
              pb_at("status.conditions", node.conditions.size(), [&] {
                read_condition(view(status), kNodeCondition, node.conditions.emplace_back());
              });
              break;
            default:
              status.skip();
          }
        }
        break;
      }
      default:
        from.skip();
    }
  }
}

void pb_read(std::string_view message, Namespace& ns) {
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(1):
        pb_at("metadata", [&] { pb_read(view(from), ns.meta); });
        break;
      case bytes(3): {
        pbf_reader status = reader(view(from));
        while (status.next(1, protozero::pbf_wire_type::length_delimited)) {
          ns.terminating = view(status) == "Terminating";
        }
        break;
      }
      default:
        from.skip();
    }
  }
}

void pb_read(std::string_view message, PriorityClass& priority_class) {
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(1):
        pb_at("metadata", [&] { pb_read(view(from), priority_class.meta); });
        break;
      case varint(2):
        priority_class.value = int32(from);
        break;
      case varint(3):
        priority_class.global_default = boolean(from);
        break;
      case bytes(5):
        priority_class.preemption_policy = text(from);
        break;
      default:
        from.skip();
    }
  }
}

}  // namespace quorate::objects
