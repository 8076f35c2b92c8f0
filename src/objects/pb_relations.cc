// The protobuf side of read_relations.cc.

#include "src/objects/pb_fields.h"
#include "src/objects/pb_read.h"
#include "src/objects/read.h"

namespace quorate::objects {
namespace {

using namespace pb;  // NOLINT: the spelling of fields
using Kind = PodVolume::Kind;

void read_selector(std::string_view message, std::optional<LabelSelector>& selector) {
  Labels labels;
  std::vector<Requirement> expressions;
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(1):
        pb_read_pair(view(from), labels);
        break;
      case bytes(2):
        pb_at("matchExpressions", expressions.size(),
              [&] { pb_read_requirement(view(from), expressions.emplace_back()); });
        break;
      default:
        from.skip();
    }
  }
  if (!selector) selector.emplace();
  for (auto& [key, value] : labels) {
    selector->requirements.push_back({key, Requirement::Op::In, {value}});
  }
  for (Requirement& one : expressions) selector->requirements.push_back(std::move(one));
}

void read_term(std::string_view message, PodAffinityTerm& term) {
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(1):
        pb_at("labelSelector", [&] { read_selector(view(from), term.selector); });
        break;
      case bytes(2):
        term.namespaces.push_back(text(from));
        break;
      case bytes(3):
        term.topology_key = text(from);
        break;
      case bytes(4):
        pb_at("namespaceSelector", [&] { read_selector(view(from), term.namespace_selector); });
        break;
      case bytes(5):
        term.match_label_keys.push_back(text(from));
        break;
      case bytes(6):
        term.mismatch_label_keys.push_back(text(from));
        break;
      default:
        from.skip();
    }
  }
}

void read_preferred(std::string_view message, std::pair<std::int32_t, PodAffinityTerm>& into) {
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case varint(1):
        into.first = int32(from);
        break;
      case bytes(2):
        pb_at("podAffinityTerm", [&] { read_term(view(from), into.second); });
        break;
      default:
        from.skip();
    }
  }
}

// {name/id = field 1 or 2, readOnly at its own number} of the volume sources that are read.
void read_source(std::string_view message, std::uint32_t id_field, std::uint32_t read_only_field,
                 PodVolume& volume) {
  pbf_reader from = reader(message);
  while (from.next()) {
    const std::uint32_t field = from.tag_and_type();
    if (id_field != 0 && field == bytes(id_field)) {
      volume.id = text(from);
    } else if (field == varint(read_only_field)) {
      volume.read_only = boolean(from);
    } else {
      from.skip();
    }
  }
}

void read_rbd(std::string_view message, PodVolume& volume) {
  std::string pool, image;
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(1):
        volume.monitors.push_back(text(from));
        break;
      case bytes(2):
        image = text(from);
        break;
      case bytes(4):
        pool = text(from);
        break;
      case varint(8):
        volume.read_only = boolean(from);
        break;
      default:
        from.skip();
    }
  }
  volume.id = rbd_id(pool, image);
}

// True if the volume has a say in where the pod may run.
bool read_volume_source(std::string_view message, PodVolume& volume, std::string& image) {
  bool matters = false;
  const auto source = [&](Kind kind, std::string_view bytes_of, std::uint32_t id,
                          std::uint32_t read_only) {
    matters = true;
    volume.kind = kind;
    read_source(bytes_of, id, read_only, volume);
  };
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(3):
        source(Kind::GceDisk, view(from), 1, 4);
        break;
      case bytes(4):
        source(Kind::AwsDisk, view(from), 1, 4);
        break;
      case bytes(8):
        source(Kind::Iscsi, view(from), 2, 6);
        break;
      case bytes(10):
        source(Kind::Claim, view(from), 1, 2);
        break;
      case bytes(11):
        matters = true;
        volume.kind = Kind::Rbd;
        read_rbd(view(from), volume);
        break;
      case bytes(29):
        matters = true;
        volume.kind = Kind::Ephemeral;
        from.skip();
        break;
      case bytes(30): {
        pbf_reader reference = reader(view(from));
        while (reference.next(1, protozero::pbf_wire_type::length_delimited)) {
          image = text(reference);
        }
        break;
      }
      default:
        from.skip();
    }
  }
  return matters;
}

}  // namespace

void pb_read_pod_affinity(std::string_view message, PodAffinity& affinity) {
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(1):
        pb_at("requiredDuringSchedulingIgnoredDuringExecution", affinity.required.size(),
              [&] { read_term(view(from), affinity.required.emplace_back()); });
        break;
      case bytes(2):
        pb_at("preferredDuringSchedulingIgnoredDuringExecution", affinity.preferred.size(),
              [&] { read_preferred(view(from), affinity.preferred.emplace_back()); });
        break;
      default:
        from.skip();
    }
  }
}

void pb_read_spread(std::string_view message, SpreadConstraint& spread) {
  spread.max_skew = 0;
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case varint(1):
        spread.max_skew = int32(from);
        break;
      case bytes(2):
        spread.topology_key = text(from);
        break;
      case bytes(3):
        spread.hard = view(from) != "ScheduleAnyway";
        break;
      case bytes(4):
        pb_at("labelSelector", [&] { read_selector(view(from), spread.selector); });
        break;
      case varint(5):
        spread.min_domains = int32(from);
        break;
      case bytes(6):
        spread.honor_affinity = view(from) != "Ignore";
        break;
      case bytes(7):
        spread.honor_taints = view(from) == "Honor";
        break;
      case bytes(8):
        spread.match_label_keys.push_back(text(from));
        break;
      default:
        from.skip();
    }
  }
}

void pb_read_volume(std::string_view message, std::vector<PodVolume>& volumes,
                    std::vector<std::string>& images) {
  PodVolume volume;
  std::string image;
  bool matters = false;
  pbf_reader from = reader(message);
  while (from.next()) {
    switch (from.tag_and_type()) {
      case bytes(1):
        volume.name = text(from);
        break;
      case bytes(2):
        matters = read_volume_source(view(from), volume, image) || matters;
        break;
      default:
        from.skip();
    }
  }
  if (matters) volumes.push_back(std::move(volume));
  if (!image.empty()) images.push_back(std::move(image));
}

}  // namespace quorate::objects
