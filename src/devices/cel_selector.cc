#include "src/devices/cel_selector.h"

#include "src/cel/selector.h"

namespace quorate::devices {
namespace {

using Type = dra::Attribute::Type;

std::vector<cel::Version> versions(const std::vector<std::string>& texts) {
  std::vector<cel::Version> out;
  for (const std::string& text : texts) out.push_back({text});
  return out;
}

cel::AttributeValue value_of(const dra::Attribute& attribute) {
  switch (attribute.type) {
    case Type::Int:
      if (attribute.list) return attribute.numbers;
      return attribute.numbers.at(0);
    case Type::Bool:
      if (attribute.list) {
        return std::vector<bool>(attribute.numbers.begin(), attribute.numbers.end());
      }
      return attribute.numbers.at(0) != 0;
    case Type::Text:
      if (attribute.list) return attribute.texts;
      return attribute.texts.at(0);
    case Type::Version:
      if (attribute.list) return versions(attribute.texts);
      return cel::Version{attribute.texts.at(0)};
  }
  return std::int64_t{0};
}

class CelSelector final : public Selector {
 public:
  explicit CelSelector(cel::Selector compiled) : compiled_(std::move(compiled)) {}

  Outcome<bool> matches(std::string_view driver, const dra::Device& device) const override {
    cel::Device view(driver, device.allow_multiple);
    for (const auto& [name, attribute] : device.attributes) {
      if (attribute.numbers.empty() && attribute.texts.empty()) continue;
      if (Outcome<void> added = view.add_attribute(name, value_of(attribute)); !added) {
        return tl::unexpected(added.error());
      }
    }
    for (const auto& [name, capacity] : device.capacity) view.add_capacity(name, capacity.value);
    cel::Scratch scratch;
    Outcome<bool> holds = compiled_.matches(view, scratch);
    if (holds) return *holds;
    return error(Errc::Invalid, "CEL runtime error: " + cel::with_hint(holds.error().message));
  }

 private:
  cel::Selector compiled_;
};

}  // namespace

Outcome<std::shared_ptr<const Selector>> compile_cel(std::string_view expression) {
  Outcome<cel::Selector> compiled = cel::Selector::compile(expression);
  if (!compiled) return tl::unexpected(compiled.error());
  return std::make_shared<const CelSelector>(std::move(*compiled));
}

}  // namespace quorate::devices
