#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/base/pod_template.h"
#include "src/objects/field_error.h"
#include "src/objects/meta.h"

// The checks of a structural schema, as functions that append what is wrong.
namespace quorate::objects {

class SchemaRules {
 public:
  // A text of `least` to `most` bytes.
  void length(const std::string& path, std::string_view text, std::size_t least, std::size_t most);
  void subdomain(const std::string& path, std::string_view text, bool required = false);
  void label(const std::string& path, std::string_view text, bool required = false);
  void items(const std::string& path, std::size_t count, std::size_t least, std::size_t most);
  void at_least(const std::string& path, std::int64_t number, std::int64_t least);
  void one_of(const std::string& path, std::string_view text,
              const std::vector<std::string>& supported);
  // Of the keys of a map list or the items of a set.
  void unique(const std::string& path, const std::vector<std::string>& keys);
  // A CEL rule of the object there.
  void rule(bool holds, const std::string& path, std::string message);
  void name(const ObjectMeta& meta);
  void tolerations(const std::string& path, const std::vector<Toleration>& tolerations);

  FieldErrors errors;

 private:
  void matches(const std::string& path, std::string_view text, bool fits, std::string_view pattern);
};

}  // namespace quorate::objects
