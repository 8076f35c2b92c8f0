#pragma once

#include <istream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/objects/json.h"
#include "src/simulate/documents.h"
#include "src/simulate/kind_table.h"
#include "src/simulate/objects_in.h"
#include "src/simulate/problem.h"
#include "src/simulate/scenario.h"

namespace quorate::simulate {

// Reads the objects and the scenario of a run from any number of streams.
//
// Nothing stops at the first fault: problems are collected, and an input with any is unusable.
// Objects may come in any order, one by one, as Lists, in YAML and JSON.
class Loader {
 public:
  explicit Loader(InputLimits limits = {}) : limits_(limits) {}

  void read(std::istream& in, const std::string& file);
  // Reads a file.
  void read_file(const std::string& path);

  bool full() const { return problems.size() >= limits_.problems; }

  Objects objects;
  std::optional<Scenario> scenario;
  // Objects that are annotated `quorate.dev/delete: "true"`: what a change takes away.
  std::vector<Deletion> deletions;
  // AdmissionReviews, as JSON texts.
  struct Text {
    std::string object;  // "ClusterQueue left"
    std::string json;
  };
  std::vector<Text> reviews;
  // With keep_texts: every object as it was written.
  bool keep_texts = false;
  // Whether objects that break a rule of their kind are problems.
  bool apply_rules = true;
  std::vector<Text> texts;
  Problems problems;
  Problems warnings;  // what an API server would refuse in objects that are used all the same

 private:
  struct Source {
    const std::string& file;
    const RawDocument& document;
  };
  using Place = std::pair<std::string, int>;

  void read_document(const Source& source);
  void read_list(const Source& source, objects::Json list, std::string_view version,
                 std::string_view kind);
  void read_object(const Source& source, objects::JsonDocument& document, objects::Json object,
                   std::string_view list_version, std::string_view list_kind,
                   const std::string& inside);
  std::string generated_name(std::string prefix, objects::Json object);
  void report(const Source& source, const std::string& object, const std::string& inside,
              const std::string& message);

  InputLimits limits_;
  std::size_t total_ = 0;
  std::size_t count_ = 0;
  std::map<std::pair<std::string, ObjectKey>, Place> places_;
  std::map<std::string, std::int64_t> generated_;  // texts of objects without a name
};

}  // namespace quorate::simulate
