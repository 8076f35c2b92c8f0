#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/base/device_types.h"
#include "src/objects/field_error.h"

// What the API server checks of the parts that resource.k8s.io kinds share, appended to a list of
// errors with the server's paths. Limits are those of the 1.37 API.
namespace quorate::objects {

class DeviceRules {
 public:
  void add(std::string path, FieldError::Kind kind, std::string value, std::string detail) {
    errors.push_back({std::move(path), kind, std::move(value), std::move(detail)});
  }
  void required(const std::string& path) { add(path, FieldError::Kind::Required, "", ""); }
  void invalid(const std::string& path, std::string_view value, std::string detail);
  void at_most(const std::string& path, std::size_t count, std::size_t most);
  void unsupported(const std::string& path, std::string_view value,
                   const std::vector<std::string>& supported);
  // Names of objects and parts.
  void label(const std::string& path, std::string_view text);
  void subdomain(const std::string& path, std::string_view text, std::size_t most = 253);
  void driver(const std::string& path, std::string_view text);
  void pool(const std::string& path, std::string_view text);
  // "<domain>/<C identifier>", the domain optional unless `full`.
  void qualified(const std::string& path, std::string_view text, bool full);
  void unique(const std::string& path, const std::vector<std::string>& names);

  void selectors(const std::string& path, const std::vector<std::string>& selectors);
  void opaque(const std::string& path, const dra::Opaque& opaque);
  void taint(const std::string& path, const dra::DeviceTaint& taint);
  void node_terms(const std::string& path, const dra::NodeTerms& terms, bool exactly_one);
  void claim_spec(const std::string& path, const dra::ClaimSpec& spec);

  FieldErrors errors;

 private:
  void alternative(const std::string& path, const dra::Alternative& way, bool named);
  void references(const std::string& path, const std::vector<std::string>& requests,
                  const dra::ClaimSpec& spec);
};

}  // namespace quorate::objects
