#include "src/objects/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <sstream>

#include "src/objects/json.h"
#include "src/objects/json_writer.h"
#include "src/objects/numbers.h"

namespace quorate::objects {
namespace {

struct Fault {
  YAML::Mark mark;
  std::string what;
};

bool one_of(std::string_view text, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (name == text) return true;
  }
  return false;
}

// A whole number as decimal digits: 12, -3, 0x1f, 0o17, 0b101, 017, 1_000.
std::optional<std::string> integer(std::string_view written) {
  std::string text;
  for (const char c : written) {
    if (c != '_') text += c;
  }
  std::string_view digits = text;
  bool negative = false;
  if (!digits.empty() && (digits.front() == '-' || digits.front() == '+')) {
    negative = digits.front() == '-';
    digits.remove_prefix(1);
  }
  int base = 10;
  if (digits.size() > 1 && digits.front() == '0') {
    const char mark = digits[1];
    base = mark == 'x' || mark == 'X' ? 16 : mark == 'b' || mark == 'B' ? 2 : 8;
    digits.remove_prefix(mark >= '0' && mark <= '9' ? 1 : 2);
    if (base == 8 && mark != 'o' && mark != 'O' && (mark < '0' || mark > '9')) return std::nullopt;
  }
  std::uint64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, fault] = std::from_chars(digits.data(), end, value, base);
  if (digits.empty() || stop != end || fault != std::errc{}) return std::nullopt;
  if (negative && value > std::uint64_t{1} << 63) return std::nullopt;
  return (negative && value != 0 ? "-" : "") + std::to_string(value);
}

// A number with a point or an exponent, or a whole one too long for 64 bits.
std::optional<std::string> real(std::string_view text) {
  std::string_view digits = text;
  if (!digits.empty() && (digits.front() == '-' || digits.front() == '+')) digits.remove_prefix(1);
  const bool number = !digits.empty() && (digits.front() == '.' ? digits.size() > 1 : true) &&
                      digits.find_first_not_of("0123456789.eE+-") == std::string_view::npos &&
                      digits.find_first_of("0123456789") <= 1;
  if (!number) return std::nullopt;
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const std::optional<double> value = to_double(text);
  if (!value) return std::nullopt;
  char buffer[32];
  const auto [end, fault] = std::to_chars(buffer, buffer + sizeof buffer, *value);
  return fault == std::errc{} ? std::optional(std::string(buffer, end)) : std::nullopt;
}

// What a plain scalar is, as JSON text.
std::optional<std::string> plain_value(std::string_view text) {
  if (one_of(text, {"", "~", "null", "Null", "NULL"})) return "null";
  if (one_of(text, {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON", "y", "Y"})) {
    return "true";
  }
  if (one_of(text, {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF", "n", "N"})) {
    return "false";
  }
  const char first = text.front();
  if ((first < '0' || first > '9') && first != '-' && first != '+' && first != '.') {
    return std::nullopt;
  }
  if (std::optional<std::string> whole = integer(text)) return whole;
  return real(text);
}

bool endless(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  return one_of(text, {".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"});
}

class Converter {
 public:
  Converter(const YamlLimits& limits, std::size_t input)
      : depth_(limits.depth), budget_((std::size_t{256} << 10) + limits.growth * input) {}

  std::string convert(const YAML::Node& root) {
    JsonWriter out;
    write(root, out, 0);
    written_ += out.str().size();
    return out.take();
  }

 private:
  void write(const YAML::Node& node, JsonWriter& out, int depth) {
    if (depth > depth_) throw Fault{node.Mark(), "nested too deep"};
    if (written_ + out.str().size() > budget_) {
      throw Fault{node.Mark(), "too long once its aliases are followed"};
    }
    switch (node.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null:
        out.null();
        return;
      case YAML::NodeType::Scalar:
        write_scalar(node, out);
        return;
      case YAML::NodeType::Sequence:
        out.open_list();
        for (const YAML::Node& each : node) write(each, out, depth + 1);
        out.close_list();
        return;
      case YAML::NodeType::Map:
        write_map(node, out, depth);
        return;
    }
  }

  static void write_scalar(const YAML::Node& node, JsonWriter& out) {
    const std::string& text = node.Scalar();
    const std::string& tag = node.Tag();
    // "!" marks a quoted scalar, "?" or nothing a plain one.
    if (tag == "!" || tag == "tag:yaml.org,2002:str") {
      out.text(text);
      return;
    }
    if (endless(text)) throw Fault{node.Mark(), text + " has no JSON form"};
    const std::optional<std::string> value = plain_value(text);
    if (value) {
      out.raw(*value);
    } else {
      out.text(text);
    }
  }

  static std::string key_of(const YAML::Node& key) {
    if (key.IsNull()) return "null";
    if (!key.IsScalar()) throw Fault{key.Mark(), "a key must be a scalar"};
    if (key.Tag() == "!" || key.Tag() == "tag:yaml.org,2002:str") return key.Scalar();
    if (endless(key.Scalar())) throw Fault{key.Mark(), key.Scalar() + " has no JSON form"};
    const std::optional<std::string> value = plain_value(key.Scalar());
    return value ? *value : key.Scalar();
  }

  void write_map(const YAML::Node& node, JsonWriter& out, int depth) {
    std::vector<std::pair<std::string, YAML::Node>> members;
    std::set<std::string> own;
    for (const auto& member : node) {
      const YAML::Node& key = member.first;
      const YAML::Node& value = member.second;
      if (key.IsScalar() && key.Scalar() == "<<" && key.Tag() != "!") continue;
      std::string name = key_of(key);
      if (!own.insert(name).second) throw Fault{key.Mark(), "duplicate key \"" + name + "\""};
      members.emplace_back(std::move(name), value);
    }
    for (const auto& member : node) {
      const YAML::Node& key = member.first;
      const YAML::Node& value = member.second;
      if (key.IsScalar() && key.Scalar() == "<<" && key.Tag() != "!") {
        merge(value, own, members, depth);
      }
    }
    out.open();
    for (const auto& [name, value] : members) {
      out.key(name);
      write(value, out, depth + 1);
    }
    out.close();
  }

  // Members of the merged maps that the map does not have itself; earlier maps win.
  void merge(const YAML::Node& from, std::set<std::string>& known,
             std::vector<std::pair<std::string, YAML::Node>>& members, int depth) {
    if (depth > depth_) throw Fault{from.Mark(), "nested too deep"};
    if (from.IsSequence()) {
      for (const YAML::Node& each : from) merge(each, known, members, depth + 1);
      return;
    }
    if (!from.IsMap()) throw Fault{from.Mark(), "only maps can be merged"};
    std::vector<YAML::Node> inner;
    for (const auto& member : from) {
      const YAML::Node& key = member.first;
      const YAML::Node& value = member.second;
      if (key.IsScalar() && key.Scalar() == "<<" && key.Tag() != "!") {
        inner.push_back(value);
      } else if (std::string name = key_of(key); known.insert(name).second) {
        members.emplace_back(std::move(name), value);
      }
    }
    for (const YAML::Node& each : inner) merge(each, known, members, depth + 1);
  }

  int depth_;
  std::size_t budget_;
  std::size_t written_ = 0;
};

Error fault_at(const YAML::Mark& mark, const std::string& what) {
  std::string where = "invalid YAML";
  if (!mark.is_null()) {
    where +=
        " at line " + std::to_string(mark.line + 1) + ", column " + std::to_string(mark.column + 1);
  }
  return {Errc::Invalid, where + ": " + what};
}

// JSON is YAML, and by far the faster to read.
std::optional<std::vector<std::string>> as_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || (text[first] != '{' && text[first] != '[')) {
    return std::nullopt;
  }
  JsonDocument document;
  if (!document.parse(text) || !document.duplicates().empty()) return std::nullopt;
  return std::vector<std::string>{std::string(text)};
}

Outcome<void> check_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t size = utf8_size(text.substr(i, 4));
    if (size == 0)
      return error(Errc::Invalid, "invalid YAML: no UTF-8 at byte " + std::to_string(i));
    i += size;
  }
  return {};
}

// The library takes text that begins no value, such as a comma, for one empty document after the
// other and never gets past it.
class Advance final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (mark.pos == last_) throw Fault{mark, "a value is expected"};
    last_ = mark.pos;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

 private:
  int last_ = -1;
};

void check_advance(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  Advance advance;
  while (parser.HandleNextDocument(advance)) {
  }
}

}  // namespace

Outcome<std::vector<std::string>> yaml_to_json(std::string_view text, const YamlLimits& limits) {
  if (auto json = as_json(text)) return *std::move(json);
  if (const Outcome<void> utf8 = check_utf8(text); !utf8) return tl::unexpected(utf8.error());
  try {
    Converter converter(limits, text.size());
    std::vector<std::string> documents;
    const std::string copy(text);
    check_advance(copy);
    for (const YAML::Node& root : YAML::LoadAll(copy)) {
      if (root.IsDefined() && !root.IsNull()) documents.push_back(converter.convert(root));
    }
    return documents;
  } catch (const Fault& fault) {
    return tl::unexpected(fault_at(fault.mark, fault.what));
  } catch (const YAML::Exception& fault) {
    return tl::unexpected(fault_at(fault.mark, fault.msg));
  }
}

}  // namespace quorate::objects
