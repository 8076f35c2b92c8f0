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

void read_slice_spec(std::string_view message, ResourceSlice& slice) {
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(1):
        slice.driver = text(from);
        break;
      case bytes(2): {
        pbf_reader pool = reader(view(from));
        while (pool.next()) {
          switch (pool.tag_and_type()) {
            case bytes(1):
              slice.pool = text(pool);
              break;
            case varint(2):
              slice.pool_generation = pool.get_int64();
              break;
            case varint(3):
              slice.pool_slice_count = pool.get_int64();
              break;
            default:
              pool.skip();
          }
        }
        break;
      }
      case bytes(3):
        slice.node_name = text(from);
        break;
      case varint(5):
        slice.all_nodes = boolean(from);
        break;
      case bytes(6): {
        std::string& device = slice.devices.emplace_back();
        pbf_reader name = reader(view(from));
        while (name.next(1, protozero::pbf_wire_type::length_delimited)) device = text(name);
        break;
      }
      default:
        from.skip();
    }
  }
}

void read_allocated_device(std::string_view message, AllocatedDevice& device) {
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(1):
        device.request = text(from);
        break;
      case bytes(2):
        device.driver = text(from);
        break;
      case bytes(3):
        device.pool = text(from);
        break;
      case bytes(4):
        device.device = text(from);
        break;
      case varint(5):
        device.admin_access = boolean(from);
        break;
      default:
        from.skip();
    }
  }
}

void read_consumer(std::string_view message, ClaimConsumer& consumer) {
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(1):
        consumer.api_group = text(from);
        break;
      case bytes(3):
        consumer.resource = text(from);
        break;
      case bytes(4):
        consumer.name = text(from);
        break;
      case bytes(5):
        consumer.uid = text(from);
        break;
      default:
        from.skip();
    }
  }
}

void read_claim_status(std::string_view message, ResourceClaim& claim) {
  constexpr auto kBytes = protozero::pbf_wire_type::length_delimited;
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(1): {
        claim.allocated = true;
        pbf_reader allocation = reader(view(from));
        while (allocation.next(1, kBytes)) {
          pbf_reader devices = reader(view(allocation));
          while (devices.next(1, kBytes)) {
            read_allocated_device(view(devices), claim.devices.emplace_back());
          }
        }
        break;
      }
      case bytes(2):
        read_consumer(view(from), claim.reserved_for.emplace_back());
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

void pb_read(std::string_view message, ResourceSlice& slice) {
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(1):
        pb_at("metadata", [&] { pb_read(view(from), slice.meta); });
        break;
      case bytes(2):
        read_slice_spec(view(from), slice);
        break;
      default:
        from.skip();
    }
  }
}

void pb_read(std::string_view message, ResourceClaim& claim) {
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(1):
        pb_at("metadata", [&] { pb_read(view(from), claim.meta); });
        break;
      case bytes(3):
        read_claim_status(view(from), claim);
        break;
      default:
        from.skip();
    }
  }
}

}  // namespace quorate::objects
