#include "src/simulate/load.h"

#include <fstream>

#include "src/base/digest.h"
#include "src/objects/yaml.h"
#include "src/simulate/locate.h"
#include "src/simulate/read_scenario.h"

namespace quorate::simulate {
namespace {

using objects::Json;
using objects::JsonDocument;

constexpr std::string_view kDelete = "quorate.dev/delete";
constexpr std::size_t kStreamedList = std::size_t{4} << 20;

bool is_list(std::string_view kind, Json object) {
  return kind.ends_with("List") && object["items"].is_array();
}

// The first line of a document that says something; what stands before it is blank or a comment.
int first_line(const RawDocument& document) {
  const std::string_view text = document.text;
  int line = document.line;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(" \t\r", at)) != std::string_view::npos) {
    if (text[at] == '#') at = text.find('\n', at);
    if (at == std::string_view::npos || text[at] != '\n') break;
    ++line;
    ++at;
  }
  return line;
}

std::string name_of(std::string_view kind, const ObjectKey& key) {
  return std::string(kind) + " " + key.text();
}

}  // namespace

// The name that stands for one a server would draw: from what the object says, so that it does not
// depend on the order of the input. Equal objects get names of their own by their number.
std::string Loader::generated_name(std::string prefix, Json object) {
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  const std::string text = object.canonical();
  Digest digest;
  digest.text(text).number(++generated_[text]);
  std::uint64_t rest = digest.value();
  for (int i = 0; i < 5; ++i, rest /= kAlphabet.size())
    prefix += kAlphabet[rest % kAlphabet.size()];
  return prefix;
}

void Loader::report(const Source& source, const std::string& object, const std::string& inside,
                    const std::string& message) {
  if (full()) return;
  const int line = source.document.text.size() > limits_.yaml
                       ? 1
                       : line_of_path(source.document.text, inside + message);
  problems.push_back({source.file, source.document.line + line - 1, object, inside + message});
}

void Loader::read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    problems.push_back({path, 0, "", "cannot be opened"});
    return;
  }
  read(in, path);
}

void Loader::read(std::istream& in, const std::string& file) {
  DocumentReader reader(in, limits_, total_);
  while (!full()) {
    const int line = reader.line();
    const Outcome<std::optional<RawDocument>> document = reader.next();
    if (!document) {
      problems.push_back({file, line, "", document.error().message});
      return;
    }
    if (!*document) return;
    read_document({file, **document});
  }
}

void Loader::read_document(const Source& source) {
  JsonDocument json;
  const std::string& text = source.document.text;
  if (source.document.json && text.size() > kStreamedList) {
    // Item by item, so that a long list costs no more than its text.
    JsonDocument head;
    std::size_t index = 0;
    const Outcome<void> listed = objects::parse_list(text, head, [&](JsonDocument& item) {
      if (full()) return;
      read_object(source, item, item.root(), head.root()["apiVersion"].text(),
                  head.root()["kind"].text(), "items[" + std::to_string(index++) + "].");
    });
    if (listed) return;
    if (index > 0) return report(source, "", "", listed.error().message);
  }
  if (source.document.json && text.size() > limits_.yaml) {
    if (const Outcome<void> parsed = json.parse(text); !parsed) {
      return report(source, "", "", parsed.error().message);
    }
  } else {
    const Outcome<std::vector<std::string>> converted = objects::yaml_to_json(text);
    if (!converted) return report(source, "", "", converted.error().message);
    if (converted->empty()) return;
    if (const Outcome<void> parsed = json.parse(converted->front()); !parsed) {
      return report(source, "", "", parsed.error().message);
    }
  }
  const Json root = json.root();
  if (!root.is_object()) return report(source, "", "", "must be an object");
  read_object(source, json, root, "", "", "");
}

void Loader::read_object(const Source& source, JsonDocument& document, Json object,
                         std::string_view list_version, std::string_view list_kind,
                         const std::string& inside) {
  if (!object.is_object()) return report(source, "", inside, "must be an object");
  std::string version = object["apiVersion"].text();
  std::string kind_name = object["kind"].text();
  // An item of a typed list carries neither.
  if (version.empty()) version = list_version;
  if (kind_name.empty() && list_kind.size() > 4)
    kind_name = list_kind.substr(0, list_kind.size() - 4);
  if (is_list(kind_name, object)) {
    std::size_t index = 0;
    object["items"].each([&](Json item) {
      if (full()) return;
      read_object(source, document, item, version, kind_name,
                  inside + "items[" + std::to_string(index++) + "].");
    });
    return;
  }
  // A path that the document gives is one from its root.
  const auto fault = [&](const std::string& name) {
    if (!document.fault()) return false;
    const std::string message = *document.fault();
    document.clear_fault();
    report(source, name, message.starts_with(inside) ? "" : inside, message);
    return true;
  };
  if (fault("")) return;
  if (kind_name.empty()) return report(source, "", inside, "kind: Required value");
  if (version.empty()) return report(source, kind_name, inside, "apiVersion: Required value");
  if (++count_ > limits_.objects) {
    return report(source, "", inside, "more than " + std::to_string(limits_.objects) + " objects");
  }
  if (version == kScenarioVersion && kind_name == "Scenario") {
    if (scenario) return report(source, "Scenario", inside, "a second Scenario");
    scenario = read_scenario(object);
    fault("Scenario " + object["metadata"]["name"].text());
    return;
  }
  if (version == "admission.k8s.io/v1" && kind_name == "AdmissionReview") {
    reviews.push_back({"", object.canonical()});
    return;
  }
  const Kind* kind = find_kind(version, kind_name);
  if (kind == nullptr) {
    const std::string name = object["metadata"]["name"].text();
    document.clear_fault();
    return report(source, name.empty() ? "" : kind_name + " " + name, inside,
                  "kind: " + unknown_kind(version, kind_name));
  }
  const Json metadata = object["metadata"];
  ObjectKey key = key_of(object, *kind);
  if (key.name.empty() && metadata["generateName"].is_text()) {
    key.name = generated_name(metadata["generateName"].text(), object);
  }
  const std::string name = name_of(kind->kind, key);
  if (fault(std::string(kind->kind))) return;

  const auto [place, fresh] =
      places_.emplace(std::pair{std::string(kind->group) + "/" + std::string(kind->kind), key},
                      Place{source.file, first_line(source.document)});
  if (!fresh) {
    return report(source, name, inside,
                  "the object was given before: " + place->second.first + ":" +
                      std::to_string(place->second.second));
  }
  if (keep_texts) texts.push_back({name, object.canonical()});
  if (object["metadata"]["annotations"][kDelete].is_text() &&
      object["metadata"]["annotations"][kDelete].text() == "true") {
    deletions.push_back({kind, key});
    return;
  }
  kind->read(object, version, key, objects);
  if (fault(name)) {
    kind->remove(objects, key);
    return;
  }
  if (kind->faults == nullptr || !apply_rules) return;
  for (const std::string& text : kind->faults(objects, key)) {
    // A cluster may hold a Workload that today's rules refuse; what it holds then is what counts.
    if (kind->kind == "Workload") {
      warnings.push_back({source.file, first_line(source.document), name, text});
    } else {
      report(source, name, inside, text);
    }
  }
}

}  // namespace quorate::simulate
