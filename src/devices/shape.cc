#include "src/devices/shape.h"

#include <algorithm>

namespace quorate::devices {
namespace {

// Texts and numbers in a row, each with its length, so that different specs differ.
class Key {
 public:
  Key& add(std::string_view text) {
    out_ += std::to_string(text.size());
    out_ += ':';
    out_ += text;
    return *this;
  }
  Key& add(std::int64_t number) {
    out_ += '#';
    out_ += std::to_string(number);
    return *this;
  }
  Key& add(const std::vector<std::string>& texts) {
    add(static_cast<std::int64_t>(texts.size()));
    for (const std::string& text : texts) add(text);
    return *this;
  }
  Key& add(ExactQuantity amount) {
    return add(static_cast<std::int64_t>(amount.billionths() >> 64))
        .add(static_cast<std::int64_t>(static_cast<std::uint64_t>(amount.billionths())));
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

void add(Key& key, const dra::Alternative& way) {
  key.add(way.name).add(way.device_class).add(way.selectors).add(way.mode).add(way.count);
  key.add(way.admin_access ? 1 : 0).add(way.derived_attributes ? 1 : 0);
  key.add(static_cast<std::int64_t>(way.tolerations.size()));
  for (const Toleration& each : way.tolerations) {
    key.add(each.key).add(each.op).add(each.value).add(each.effect);
    key.add(each.toleration_seconds.value_or(-1));
  }
  key.add(static_cast<std::int64_t>(way.capacity.size()));
  for (const auto& [name, amount] : way.capacity) key.add(name).add(amount);
}

std::string key_of(const dra::ClaimSpec& spec) {
  Key key;
  for (const dra::Request& request : spec.requests) {
    key.add(request.name).add(request.first_available ? 1 : 0);
    key.add(static_cast<std::int64_t>(request.alternatives.size()));
    for (const dra::Alternative& way : request.alternatives) add(key, way);
  }
  key.add("constraints");
  for (const dra::Constraint& each : spec.constraints) {
    key.add(each.requests).add(each.match_attribute).add(each.distinct_attribute);
  }
  key.add("config");
  for (const dra::ClaimConfig& each : spec.config) {
    key.add(each.requests).add(each.opaque.driver).add(each.opaque.parameters);
  }
  return key.take();
}

bool covers(const dra::Constraint& constraint, const std::string& request,
            const std::string& full) {
  return constraint.requests.empty() ||
         std::ranges::find(constraint.requests, request) != constraint.requests.end() ||
         std::ranges::find(constraint.requests, full) != constraint.requests.end();
}

// What no device can mend; "" if nothing.
std::string fault_of(const dra::ClaimSpec& spec) {
  for (const dra::Request& request : spec.requests) {
    const std::string where = "request " + request.name + ": ";
    if (request.alternatives.empty()) return where + "asks for nothing";
    for (const dra::Alternative& way : request.alternatives) {
      if (way.mode != "ExactCount" && way.mode != "All") {
        return where + "unsupported count mode " + way.mode;
      }
      if (way.mode == "ExactCount" && way.count < 1) {
        return where + "invalid count " + std::to_string(way.count);
      }
      if (way.derived_attributes) return where + "derived attributes are not supported";
    }
  }
  for (const dra::Constraint& each : spec.constraints) {
    if (each.match_attribute.empty() && each.distinct_attribute.empty()) {
      return "unsupported constraint: neither matchAttribute nor distinctAttribute";
    }
  }
  return "";
}

constexpr std::int64_t kLimit = dra::kMostResults;

std::string too_many(const std::string& request, std::int64_t adding, std::int64_t before) {
  return "request " + request + ": adding " + std::to_string(adding) +
         " devices exceeds the claim limit of " + std::to_string(kLimit) + ", with " +
         std::to_string(before) + " already accounted for";
}

}  // namespace

std::string TableKey::text() const { return Key().add(device_class).add(selectors).take(); }

Shapes::Shapes(Texts& texts, const Shapes& other)
    : texts_(&texts),
      shapes_(other.shapes_),
      sweep_at_(other.sweep_at_),
      next_serial_(other.next_serial_),
      tables_(other.tables_),
      table_ids_(other.table_ids_) {}

std::uint32_t Shapes::table(const dra::Alternative& alternative) {
  TableKey key{alternative.device_class, alternative.selectors};
  const auto [found, added] =
      table_ids_.try_emplace(key.text(), static_cast<std::uint32_t>(tables_.size()));
  if (added) tables_.push_back(std::move(key));
  return found->second;
}

std::shared_ptr<const Shape> Shapes::intern(const dra::ClaimSpec& spec) {
  if (shapes_.size() > sweep_at_) {
    std::erase_if(shapes_, [](const auto& each) { return each.second.expired(); });
    sweep_at_ = 2 * shapes_.size() + 1024;
  }
  std::weak_ptr<const Shape>& known = shapes_[key_of(spec)];
  if (std::shared_ptr<const Shape> shape = known.lock()) return shape;
  auto shape = std::make_shared<Shape>();
  shape->serial = next_serial_++;
  shape->spec = spec;
  shape->fault = fault_of(spec);
  for (const dra::Constraint& each : shape->spec.constraints) {
    // Both set: the stock allocator looks at matchAttribute only.
    const bool distinct = each.match_attribute.empty();
    shape->constraints.push_back(
        {texts_->intern(distinct ? each.distinct_attribute : each.match_attribute).slot, distinct});
  }
  for (const dra::Request& request : shape->spec.requests) {
    std::vector<CompiledAlternative>& ways = shape->requests.emplace_back();
    std::int64_t least = kLimit + 1;
    std::int64_t smallest = 0;
    for (const dra::Alternative& way : request.alternatives) {
      CompiledAlternative& compiled = ways.emplace_back();
      compiled.spec = &way;
      compiled.request = request.first_available ? request.name + "/" + way.name : request.name;
      compiled.table = table(way);
      for (std::uint32_t i = 0; i < shape->spec.constraints.size(); ++i) {
        if (covers(shape->spec.constraints[i], request.name, compiled.request)) {
          compiled.constraints.push_back(i);
        }
      }
      for (const auto& [name, amount] : way.capacity) {
        compiled.capacity.emplace_back(texts_->intern(name).slot, amount);
      }
      const std::int64_t count = way.mode == "All" ? 1 : way.count;
      if (smallest == 0 || count < smallest) smallest = count;
      least = std::min(least, count);
    }
    if (shape->fault.empty() && shape->least + smallest > kLimit) {
      shape->fault = too_many(request.name, smallest, shape->least);
    }
    shape->least += std::min(least, kLimit);
  }
  known = shape;
  return shape;
}

}  // namespace quorate::devices
