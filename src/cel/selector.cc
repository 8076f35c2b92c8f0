#include "src/cel/selector.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "src/cel/collections.h"
#include "src/cel/domain.h"
#include "src/cel/libraries.h"

namespace quorate::cel {
namespace {

constexpr std::uint64_t kDomainLength = 63, kIdLength = 32, kDriverLength = 63, kValueLength = 64,
                        kNamesPerDevice = 32, kListLength = 48;
constexpr std::string_view kDeviceType = "kubernetes.DRADevice";

std::unique_ptr<const Environment> make_environment(SelectorOptions options) {
  auto environment = std::make_unique<Environment>();
  Environment& e = *environment;
  e.cost_limit = kSelectorMaxCost;
  add_kubernetes_libraries(e);
  if (options.list_attributes) e.add_library(includes_library());

  TypePool& pool = e.types();
  const auto sized_map = [&](const Type* key, const Type* value) {
    return pool.with_most_elements(pool.map(key, value), kNamesPerDevice);
  };
  const Type* domain = pool.with_most_elements(&types::kString, kDomainLength);
  const Type* id = pool.with_most_elements(&types::kString, kIdLength);
  const Type* attribute =
      options.list_attributes
          ? pool.with_most_elements(&types::kDyn, std::max(kValueLength, kListLength))
          : pool.with_most_elements(&types::kAny, kValueLength);
  e.add_field(kDeviceType, "driver", pool.with_most_elements(&types::kString, kDriverLength));
  e.add_field(kDeviceType, "attributes", sized_map(domain, sized_map(id, attribute)));
  e.add_field(kDeviceType, "capacity", sized_map(domain, sized_map(id, &types::kQuantity)));
  if (options.allow_multiple) {
    e.add_field(kDeviceType, "allowMultipleAllocations", pool.with_most_elements(&types::kBool, 1));
  }
  const Type* device = pool.object(kDeviceType);
  e.add_variable("device", device);
  e.add_type_name(kDeviceType, device);
  return environment;
}

}  // namespace

const Environment& selector_environment(SelectorOptions options) {
  if (options.list_attributes) {
    static const auto both = make_environment({true, true});
    static const auto lists = make_environment({true, false});
    return options.allow_multiple ? *both : *lists;
  }
  static const auto multiple = make_environment({false, true});
  static const auto neither = make_environment({false, false});
  return options.allow_multiple ? *multiple : *neither;
}

namespace {

// The attributes or capacities of a device by domain. A domain that it does not have is an empty
// map, so that errors name the id.
class DomainMap final : public Map {
 public:
  explicit DomainMap(Arena& arena) : arena_(arena) {
    empty_ = Value::map(arena.make<ArrayMap>(arena));
  }
  std::size_t size() const override { return domains_.size(); }
  const Value* find(const Value& key) const override {
    const Domain* domain = find_domain(key);
    return domain == nullptr ? &empty_ : &domain->value;
  }
  bool contains(const Value& key) const override { return find_domain(key) != nullptr; }
  std::pair<Value, Value> entry(std::size_t index) const override {
    return {Value::string(domains_[index].name), domains_[index].value};
  }

  // Files a value under a name of the form "domain/id" or "id".
  void add(std::string_view name, std::string_view driver, const Value& value) {
    const std::size_t slash = name.find('/');
    const std::string_view domain =
        slash == std::string_view::npos ? driver : name.substr(0, slash);
    const std::string_view id = slash == std::string_view::npos ? name : name.substr(slash + 1);
    ids_of(domain).assign(make_string(arena_, id), value);
  }

 private:
  struct Domain {
    std::string_view name;
    ArrayMap* ids;
    Value value;
  };
  const Domain* find_domain(const Value& key) const {
    if (!key.is(Kind::String)) return nullptr;
    for (const Domain& domain : domains_) {
      if (domain.name == key.text()) return &domain;
    }
    return nullptr;
  }
  ArrayMap& ids_of(std::string_view name) {
    for (Domain& domain : domains_) {
      if (domain.name == name) return *domain.ids;
    }
    ArrayMap* ids = arena_.make<ArrayMap>(arena_);
    domains_.push_back({arena_.copy(name), ids, Value::map(ids)});
    return *ids;
  }

  Arena& arena_;
  Value empty_;
  std::deque<Domain> domains_;
};

}  // namespace

class Device::Object final : public Map {
 public:
  Object(std::string_view driver, bool allow_multiple)
      : attributes(arena),
        capacity(arena),
        fields_{Value::string(arena.copy(driver)), Value::map(&attributes), Value::map(&capacity),
                Value::boolean(allow_multiple)} {}

  std::size_t size() const override { return std::size(kNames); }
  const Value* find(const Value& key) const override {
    if (!key.is(Kind::String)) return nullptr;
    for (std::size_t i = 0; i < std::size(kNames); ++i) {
      if (kNames[i] == key.text()) return &fields_[i];
    }
    return nullptr;
  }
  std::pair<Value, Value> entry(std::size_t index) const override {
    return {Value::string(kNames[index]), fields_[index]};
  }
  std::string_view driver() const { return fields_[0].text(); }

  Arena arena;
  DomainMap attributes;
  DomainMap capacity;

 private:
  static constexpr std::string_view kNames[] = {"driver", "attributes", "capacity",
                                                "allowMultipleAllocations"};
  Value fields_[4];
};

Device::Device(std::string_view driver, bool allow_multiple_allocations)
    : object_(std::make_unique<Object>(driver, allow_multiple_allocations)),
      value_(Value::map(object_.get())) {}
Device::Device(Device&&) noexcept = default;
Device& Device::operator=(Device&&) noexcept = default;
Device::~Device() = default;

namespace {

Outcome<Value> to_value(Arena& arena, const Version& version) {
  const Outcome<Semver> parsed = parse_semver(arena, version.text, false);
  if (!parsed) return within("parse semantic version", parsed.error());
  return Value::semver(arena.make<Semver>(*parsed));
}
Outcome<Value> to_value(Arena&, std::int64_t number) { return Value::integer(number); }
Outcome<Value> to_value(Arena&, bool truth) { return Value::boolean(truth); }
Outcome<Value> to_value(Arena& arena, const std::string& text) { return make_string(arena, text); }
template <class T>
Outcome<Value> to_value(Arena& arena, const std::vector<T>& list) {
  std::vector<Value> values;
  for (const auto& element : list) {
    const Outcome<Value> value = to_value(arena, static_cast<const T&>(element));
    if (!value) return value;
    values.push_back(*value);
  }
  return make_list(arena, values);
}

}  // namespace

Outcome<void> Device::add_attribute(std::string_view name, const AttributeValue& value) {
  const Outcome<Value> converted =
      std::visit([&](const auto& v) { return to_value(object_->arena, v); }, value);
  if (!converted) return within("attribute " + std::string(name), converted.error());
  object_->attributes.add(name, object_->driver(), *converted);
  return {};
}

void Device::add_capacity(std::string_view name, ExactQuantity value) {
  object_->capacity.add(name, object_->driver(),
                        Value::quantity(object_->arena.make<Quantity>(Quantity{value, 0, false})));
}

Outcome<Selector> Selector::compile(std::string_view expression, SelectorOptions options) {
  if (expression.size() > kSelectorMaxBytes) {
    return error(Errc::Invalid,
                 "too long: may not be more than " + std::to_string(kSelectorMaxBytes) + " bytes");
  }
  Outcome<Compiled> compiled = compile_and_estimate(selector_environment(options), expression);
  if (!compiled) {
    std::string text = std::move(compiled.error().message);
    const bool from_program = text.starts_with("program instantiation failed");
    return error(Errc::Invalid, from_program ? text : "compilation failed: " + text);
  }
  const Type& type = compiled->program.type();
  const TypeKind unknown = options.list_attributes ? TypeKind::Dyn : TypeKind::Any;
  if (type.kind != TypeKind::Bool && type.kind != unknown) {
    return error(Errc::Invalid,
                 "must evaluate to bool or the unknown type, not " + format_type(type));
  }
  return Selector(std::move(compiled->program), compiled->estimate.most);
}

Outcome<bool> Selector::matches(const Device& device, Scratch& scratch,
                                std::uint64_t cost_limit) const {
  const Value input = device.value();
  const Evaluated result = program_.evaluate({&input, 1}, scratch, cost_limit);
  if (result.value.is(Kind::Bool)) return result.value.as_bool();
  if (result.value.is_error()) return error(Errc::Invalid, std::string(result.value.text()));
  const std::string name(type_name(result.value));
  return error(Errc::Invalid, "CEL result of type " + name +
                                  " could not be converted to bool: type conversion error from '" +
                                  name + "' to 'bool'");
}

std::string with_hint(std::string message) {
  if (message.find("no such key:") == std::string::npos) return message;
  return message +
         ". consider using CEL optional chaining (.? followed by orValue()) or guarding the check "
         "with has() for optional fields";
}

}  // namespace quorate::cel
