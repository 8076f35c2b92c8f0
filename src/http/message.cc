#include "src/http/message.h"

#include <strings.h>

#include <algorithm>
#include <cctype>

namespace quorate::http {
namespace {

bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string_view method_name(Method method) {
  switch (method) {
    case Method::Get:
      return "GET";
    case Method::Head:
      return "HEAD";
    case Method::Post:
      return "POST";
    case Method::Put:
      return "PUT";
    case Method::Patch:
      return "PATCH";
    case Method::Delete:
      return "DELETE";
  }
  return "";
}

void Headers::set(std::string_view name, std::string value) {
  for (auto& field : fields_) {
    if (same_name(field.first, name)) {
      field.second = std::move(value);
      return;
    }
  }
  fields_.emplace_back(name, std::move(value));
}

void Headers::add(std::string_view name, std::string value) {
  fields_.emplace_back(name, std::move(value));
}

std::string_view Headers::get(std::string_view name) const {
  for (const auto& field : fields_) {
    if (same_name(field.first, name)) return field.second;
  }
  return {};
}

std::string_view Request::path() const {
  return std::string_view(target).substr(0, target.find('?'));
}

std::string Request::query(std::string_view name) const {
  const std::size_t mark = target.find('?');
  if (mark == std::string::npos) return {};
  std::string_view rest = std::string_view(target).substr(mark + 1);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view field = rest.substr(0, end);
    const std::size_t equals = std::min(field.find('='), field.size());
    if (percent_decode(field.substr(0, equals), true) == name) {
      return percent_decode(field.substr(std::min(equals + 1, field.size())), true);
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

std::string percent_encode(std::string_view text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x80 && std::isalnum(byte) != 0) || c == '-' || c == '.' || c == '_' || c == '~') {
      out += c;
    } else {
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  return out;
}

std::string percent_decode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 &&
        hex_value(text[i + 2]) >= 0) {
      out += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      out += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

}  // namespace quorate::http
