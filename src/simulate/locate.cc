#include "src/simulate/locate.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <string>

namespace quorate::simulate {
namespace {

// The next step of a path: an index, or a key. A key may itself contain dots ("labels[a.b/c]" is
// written in brackets, "limits.cpu" is not), so the longest member that matches is taken.
YAML::Node descend(const YAML::Node& node, std::string_view& path) {
  if (path.starts_with('.')) path.remove_prefix(1);
  if (path.starts_with('[')) {
    const std::size_t end = path.find(']');
    const std::string_view inner = path.substr(1, end == std::string_view::npos ? end : end - 1);
    path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
    std::size_t index = 0;
    const auto [stop, fault] = std::from_chars(inner.data(), inner.data() + inner.size(), index);
    if (node.IsSequence() && fault == std::errc{} && stop == inner.data() + inner.size()) {
      return index < node.size() ? node[index] : YAML::Node(YAML::NodeType::Undefined);
    }
    return node.IsMap() ? node[std::string(inner)] : YAML::Node(YAML::NodeType::Undefined);
  }
  if (!node.IsMap()) return YAML::Node(YAML::NodeType::Undefined);
  YAML::Node best(YAML::NodeType::Undefined);
  std::size_t size = 0;
  for (const auto& member : node) {
    const YAML::Node& key = member.first;
    const YAML::Node& value = member.second;
    if (!key.IsScalar()) continue;
    const std::string& name = key.Scalar();
    if (name.size() <= size || !path.starts_with(name)) continue;
    const std::string_view rest = path.substr(name.size());
    if (!rest.empty() && rest.front() != '.' && rest.front() != '[') continue;
    best.reset(value);
    size = name.size();
  }
  path.remove_prefix(size);
  return best;
}

// Only a path at the head of a message: "spec.x[0].y: Invalid value: ...".
std::string_view path_of(std::string_view text) {
  std::size_t end = 0;
  int brackets = 0;
  for (; end < text.size(); ++end) {
    const char c = text[end];
    if (c == '[') ++brackets;
    if (c == ']') --brackets;
    if (brackets == 0 && (c == ':' || c == ' ')) break;
  }
  return text.substr(0, end);
}

}  // namespace

int line_of_path(std::string_view document, std::string_view path) {
  try {
    YAML::Node node = YAML::Load(std::string(document));
    std::string_view rest = path_of(path);
    int line = std::max(node.Mark().line, 0);  // of an empty text: none
    while (!rest.empty() && rest != ".") {
      const YAML::Node inner = descend(node, rest);
      if (!inner.IsDefined()) break;
      node.reset(inner);
      if (!inner.Mark().is_null()) line = inner.Mark().line;
    }
    return line + 1;
  } catch (const YAML::Exception&) {
    return 1;
  }
}

}  // namespace quorate::simulate
