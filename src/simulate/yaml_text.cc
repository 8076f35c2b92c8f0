#include "src/simulate/yaml_text.h"

#include "src/base/check.h"
#include "src/objects/json.h"
#include "src/objects/json_writer.h"

namespace quorate::simulate {
namespace {

using objects::Json;

// Plain only where nobody can read anything else in it: a word that begins with a letter or slash
// and is none of YAML's names of truth or nothing.
bool plain(std::string_view text) {
  if (text.empty() || text.size() > 128) return false;
  for (const std::string_view word :
       {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}) {
    if (text.size() != word.size()) continue;
    bool same = true;
    for (std::size_t i = 0; i < word.size(); ++i) same = same && (text[i] | 0x20) == word[i];
    if (same) return false;
  }
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (!letter(text.front())) return false;
  for (const char c : text) {
    const bool fine =
        letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '/';
    if (!fine) return false;
  }
  return true;
}

std::string scalar(std::string_view text) {
  if (plain(text)) return std::string(text);
  std::string out;
  objects::append_quoted(out, text);
  return out;
}

class Writer {
 public:
  std::string take(Json root) {
    value(root, 0, true);
    return std::move(out_);
  }

 private:
  void indent(int depth) { out_.append(static_cast<std::size_t>(depth) * 2, ' '); }

  // `inline_start`: the first line continues what stands there ("- " or the document's start).
  void value(Json json, int depth, bool inline_start) {
    if (json.is_object() && json.size() > 0) {
      bool first = inline_start;
      json.members([&](std::string_view key, Json member) {
        if (!first) indent(depth);
        first = false;
        out_ += scalar(key) + ":";
        nested(member, depth);
      });
    } else if (json.is_array() && json.size() > 0) {
      bool first = inline_start;
      json.each([&](Json item) {
        if (!first) indent(depth);
        first = false;
        out_ += "- ";
        if ((item.is_object() || item.is_array()) && item.size() > 0) {
          value(item, depth + 1, true);
        } else {
          out_ += leaf(item) + "\n";
        }
      });
    } else {
      out_ += leaf(json) + "\n";
    }
  }

  void nested(Json member, int depth) {
    if ((member.is_object() || member.is_array()) && member.size() > 0) {
      out_ += "\n";
      const int inner = member.is_array() ? depth : depth + 1;
      indent(inner);
      value(member, inner, true);
    } else {
      out_ += " " + leaf(member) + "\n";
    }
  }

  static std::string leaf(Json json) {
    if (json.is_text()) return scalar(json.text());
    if (json.is_object()) return "{}";
    if (json.is_array()) return "[]";
    return json.canonical();  // a number, true, false, null
  }

  std::string out_;
};

}  // namespace

std::string yaml_of_json(std::string_view json) {
  objects::JsonDocument document;
  check(document.parse(json).has_value(), "our own JSON is valid");
  return Writer().take(document.root());
}

}  // namespace quorate::simulate
