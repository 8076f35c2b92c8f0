#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/labels.h"
#include "src/base/pod_template.h"

namespace quorate::objects {

// Appends `text` as a JSON string. Bytes that are no UTF-8 become U+FFFD.
void append_quoted(std::string& out, std::string_view text);

// Writes compact JSON, keys in the order of the calls.
class JsonWriter {
 public:
  JsonWriter& open();                      // {
  JsonWriter& close();                     // }
  JsonWriter& open_list();                 // [
  JsonWriter& close_list();                // ]
  JsonWriter& key(std::string_view name);  // of the next value
  JsonWriter& text(std::string_view value);
  JsonWriter& number(std::int64_t value);
  JsonWriter& boolean(bool value);
  JsonWriter& null();
  JsonWriter& raw(std::string_view json);  // a whole value as it is

  // Members, and members only if they say something.
  JsonWriter& field(std::string_view name, std::string_view value) { return key(name).text(value); }
  JsonWriter& field(std::string_view name, const char* value) { return key(name).text(value); }
  JsonWriter& field(std::string_view name, std::int64_t value) { return key(name).number(value); }
  JsonWriter& field(std::string_view name, std::int32_t value) { return key(name).number(value); }
  JsonWriter& field(std::string_view name, bool value) { return key(name).boolean(value); }
  JsonWriter& field_unless_empty(std::string_view name, std::string_view value);
  JsonWriter& texts(std::string_view name, const std::vector<std::string>& values);
  JsonWriter& map(std::string_view name, const Labels& values);
  JsonWriter& resources(std::string_view name, const ResourceList& values);
  template <class T>
  JsonWriter& maybe(std::string_view name, const T& optional) {
    return optional ? field(name, *optional) : *this;
  }

  const std::string& str() const { return out_; }
  std::string take() { return std::move(out_); }

 private:
  void value();

  std::string out_;
  bool comma_ = false;
};

}  // namespace quorate::objects
