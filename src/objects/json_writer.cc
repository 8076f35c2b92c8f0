#include "src/objects/json_writer.h"

#include "src/objects/numbers.h"

namespace quorate::objects {

void append_quoted(std::string& out, std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    if (c >= 0x80) {
      const std::size_t size = utf8_size(text.substr(i));
      if (size == 0) {
        out += "\xef\xbf\xbd";
        ++i;
      } else {
        out.append(text, i, size);
        i += size;
      }
      continue;
    }
    ++i;
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (c < 0x20) {
          out += "\\u00";
          out += kHex[c >> 4];
          out += kHex[c & 15];
        } else {
          out += static_cast<char>(c);
        }
    }
  }
  out += '"';
}

void JsonWriter::value() {
  if (comma_) out_ += ',';
  comma_ = true;
}

JsonWriter& JsonWriter::open() {
  value();
  out_ += '{';
  comma_ = false;
  return *this;
}
JsonWriter& JsonWriter::close() {
  out_ += '}';
  comma_ = true;
  return *this;
}
JsonWriter& JsonWriter::open_list() {
  value();
  out_ += '[';
  comma_ = false;
  return *this;
}
JsonWriter& JsonWriter::close_list() {
  out_ += ']';
  comma_ = true;
  return *this;
}
JsonWriter& JsonWriter::key(std::string_view name) {
  value();
  append_quoted(out_, name);
  out_ += ':';
  comma_ = false;
  return *this;
}
JsonWriter& JsonWriter::text(std::string_view text) {
  value();
  append_quoted(out_, text);
  return *this;
}
JsonWriter& JsonWriter::number(std::int64_t number) {
  value();
  out_ += std::to_string(number);
  return *this;
}
JsonWriter& JsonWriter::boolean(bool flag) {
  value();
  out_ += flag ? "true" : "false";
  return *this;
}
JsonWriter& JsonWriter::null() { return raw("null"); }
JsonWriter& JsonWriter::raw(std::string_view json) {
  value();
  out_ += json;
  return *this;
}

JsonWriter& JsonWriter::field_unless_empty(std::string_view name, std::string_view text) {
  return text.empty() ? *this : field(name, text);
}

JsonWriter& JsonWriter::texts(std::string_view name, const std::vector<std::string>& values) {
  if (values.empty()) return *this;
  key(name).open_list();
  for (const std::string& each : values) text(each);
  return close_list();
}

JsonWriter& JsonWriter::map(std::string_view name, const Labels& values) {
  if (values.empty()) return *this;
  key(name).open();
  for (const auto& [label, each] : values) field(label, std::string_view(each));
  return close();
}

JsonWriter& JsonWriter::resources(std::string_view name, const ResourceList& values) {
  if (values.empty()) return *this;
  key(name).open();
  for (const auto& [resource, amount] : values) {
    field(resource, std::string_view(format_quantity(resource, amount)));
  }
  return close();
}

}  // namespace quorate::objects
