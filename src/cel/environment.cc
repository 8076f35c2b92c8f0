#include "src/cel/environment.h"

#include <array>
#include <cctype>
#include <utility>

#include "src/base/check.h"
#include "src/cel/libraries.h"

namespace quorate::cel {
namespace {

struct Named {
  std::string_view name;
  const Type* type;
};
constexpr std::array<Named, 20> kNames = {{
    {"int", &types::kInt},
    {"uint", &types::kUint},
    {"bool", &types::kBool},
    {"double", &types::kDouble},
    {"string", &types::kString},
    {"bytes", &types::kBytes},
    {"null_type", &types::kNull},
    {"dyn", &types::kDyn},
    {"duration", &types::kDuration},
    {"timestamp", &types::kTimestamp},
    {"quantity", &types::kQuantity},
    {"semver", &types::kSemver},
    {"ip", &types::kIp},
    {"cidr", &types::kCidr},
    {"url", &types::kUrl},
    {"format", &types::kFormat},
    {"list", nullptr},
    {"map", nullptr},
    {"optional", nullptr},
    {"type", nullptr},
}};

bool take(std::string_view& text, std::string_view expected) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

}  // namespace

// The types of the Kubernetes libraries have no names that expressions may use.
Environment::Environment() {
  for (const Type* type :
       {&cel::types::kBool, &cel::types::kInt, &cel::types::kUint, &cel::types::kDouble,
        &cel::types::kString, &cel::types::kBytes, &cel::types::kNull, &cel::types::kDuration,
        &cel::types::kTimestamp, &cel::types::kType, &cel::types::kListOfDyn,
        &cel::types::kMapOfDyn, &cel::types::kOptionalOfDyn}) {
    add_type_name(runtime_name(*type), type);
  }
}

const Type* Environment::parse_type(std::string_view& text, bool& generic) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  std::size_t length = 0;
  while (length < text.size() &&
         (std::isalpha(static_cast<unsigned char>(text[length])) != 0 || text[length] == '_')) {
    ++length;
  }
  const std::string_view name = text.substr(0, length);
  text.remove_prefix(length);
  if (name.size() == 1 && name[0] >= 'A' && name[0] <= 'Z') {
    generic = true;
    return types_.parameter(name);
  }
  std::vector<const Type*> parameters;
  if (take(text, "(")) {
    do parameters.push_back(parse_type(text, generic));
    while (take(text, ","));
    check(take(text, ")"), "a type in a signature is closed");
  }
  if (name == "list") return types_.list(parameters.at(0));
  if (name == "map") return types_.map(parameters.at(0), parameters.at(1));
  if (name == "optional") return types_.optional(parameters.at(0));
  if (name == "type") return types_.type_of(parameters.at(0));
  for (const Named& named : kNames) {
    if (named.name == name && named.type != nullptr) return named.type;
  }
  check(false, "a type in a signature is known");
  return nullptr;
}

void Environment::add_library(std::span<const Declaration> library) {
  for (const Declaration& declaration : library) {
    Overload overload;
    overload.function = declaration.function;
    overload.id = declaration.id;
    overload.implementation = declaration.implementation;
    overload.cost = declaration.cost;
    std::string_view text = declaration.signature;
    if (!text.starts_with('(')) {
      overload.is_member = true;
      overload.args.push_back(parse_type(text, overload.is_generic));
      check(take(text, "."), "a receiver in a signature ends with a dot");
    }
    check(take(text, "("), "a signature has arguments");
    if (!take(text, ")")) {
      do overload.args.push_back(parse_type(text, overload.is_generic));
      while (take(text, ","));
      check(take(text, ")"), "the arguments of a signature end");
    }
    overload.result = parse_type(text, overload.is_generic);
    functions_[std::string(declaration.function)].push_back(std::move(overload));
  }
}

void Environment::add_variable(std::string_view name, const Type* type) {
  add_type_name(name, nullptr);  // keeps the name
  const auto kept = type_names_.find(name);
  variables_.push_back({kept->first, type});
}

void Environment::add_type_name(std::string_view name, const Type* type) {
  type_names_.insert_or_assign(std::string(name), type);
}

void Environment::add_field(std::string_view object, std::string_view field, const Type* type) {
  fields_[std::string(object)].insert_or_assign(std::string(field), type);
}

int Environment::find_variable(std::string_view name) const {
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    if (variables_[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

std::span<const Overload> Environment::find_function(std::string_view name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? std::span<const Overload>() : found->second;
}

const Type* Environment::find_type_name(std::string_view name) const {
  const auto found = type_names_.find(name);
  return found == type_names_.end() ? nullptr : found->second;
}

const Type* Environment::find_field(std::string_view object, std::string_view field) const {
  const auto fields = fields_.find(object);
  if (fields == fields_.end()) return nullptr;
  const auto found = fields->second.find(field);
  return found == fields->second.end() ? nullptr : found->second;
}

void add_kubernetes_libraries(Environment& environment) {
  for (const std::span<const Declaration> library :
       {operator_library(), conversion_library(), collection_library(), text_library(),
        string_library(), string_format_library(), regex_library(), time_library(),
        optional_library(), list_library(), set_library(), quantity_library(), semver_library(),
        network_library(), url_library(), format_library()}) {
    environment.add_library(library);
  }
}

}  // namespace quorate::cel
