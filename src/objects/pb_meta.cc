#include "src/objects/pb_fields.h"
#include "src/objects/pb_read.h"
#include "src/objects/read.h"

namespace quorate::objects {
namespace {

using namespace pb;  // NOLINT: the spelling of fields

void read_owner(std::string_view message, OwnerReference& owner) {
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(1):
        owner.kind = text(from);
        break;
      case bytes(3):
        owner.name = text(from);
        break;
      case bytes(4):
        owner.uid = text(from);
        break;
      case bytes(5):
        owner.api_version = text(from);
        break;
      case varint(6):
        owner.controller = boolean(from);
        break;
      case varint(7):
        owner.block_owner_deletion = boolean(from);
        break;
      default:
        from.skip();
    }
  }
}

}  // namespace

std::optional<Time> pb_time(std::string_view message) {
  if (message.empty()) return std::nullopt;  // the zero time
  std::int64_t seconds = 0;
  pbf_reader from = reader(message);
  while (from.next()) {
    if (from.tag_and_type() == varint(1)) {
      seconds = from.get_int64();
    } else {
      from.skip();  // nanoseconds: Time has whole seconds
    }
  }
  constexpr std::int64_t kLimit = 9'223'372'036;  // what int64 nanoseconds hold
  if (seconds > kLimit || seconds < -kLimit) throw PbFault{"", "time out of range"};
  return Time::from_seconds(seconds);
}

void pb_read_pair(std::string_view entry, Labels& map) {
  std::string key, value;
  pbf_reader from = reader(entry);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(1):
        key = text(from);
        break;
      case bytes(2):
        value = text(from);
        break;
      default:
        from.skip();
    }
  }
  map[std::move(key)] = std::move(value);
}

void pb_read_amount(std::string_view entry, ResourceList& map) {
  std::string key;
  std::string_view amount;
  pbf_reader from = reader(entry);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(1):
        key = text(from);
        break;
      case bytes(2): {
        pbf_reader quantity = reader(view(from));
        while (quantity.next(1, protozero::pbf_wire_type::length_delimited))
          amount = view(quantity);
        break;
      }
      default:
        from.skip();
    }
  }
  const Outcome<Quantity> parsed = amount.empty() ? Quantity{} : parse_quantity(key, amount);
  if (!parsed) {
    const bool plain = key.find_first_of("./") == std::string::npos;
    throw PbFault{plain ? key : "[" + key + "]",
                  "Invalid value: \"" + std::string(amount) + "\": " + parsed.error().message};
  }
  map[std::move(key)] = *parsed;
}

std::optional<std::int64_t> pb_grace_period(std::string_view meta) {
  std::optional<std::int64_t> grace;
  pbf_reader from = reader(meta);
  while (from.next(10, protozero::pbf_wire_type::varint)) grace = from.get_int64();
  return grace;
}

void pb_read(std::string_view message, ObjectMeta& meta) {
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(1):
        meta.key.name = text(from);
        break;
      case bytes(2):
        meta.generate_name = text(from);
        break;
      case bytes(3):
        meta.key.ns = text(from);
        break;
      case bytes(5):
        meta.uid = text(from);
        break;
      case bytes(6):
        meta.resource_version = text(from);
        break;
      case varint(7):
        meta.generation = from.get_int64();
        break;
      case bytes(8):
        meta.created = pb_time(view(from)).value_or(Time{});
        break;
      case bytes(9):
        meta.deleted = pb_time(view(from));
        break;
      case bytes(11):
        pb_read_pair(view(from), meta.labels);
        break;
      case bytes(12):
        pb_read_pair(view(from), meta.annotations);
        break;
      case bytes(13):
        read_owner(view(from), meta.owners.emplace_back());
        break;
      case bytes(14):
        meta.finalizers.push_back(text(from));
        break;
      default:
        from.skip();
    }
  }
  std::erase_if(meta.annotations, [](const auto& entry) { return !keep_annotation(entry.first); });
}

}  // namespace quorate::objects
