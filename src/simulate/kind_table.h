#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/base/object_key.h"
#include "src/objects/json.h"
#include "src/simulate/objects_in.h"

namespace quorate::simulate {

// A kind of object that an input may hold.
struct Kind {
  std::string_view group;
  std::vector<std::string_view> versions;
  std::string_view kind;
  bool namespaced = true;
  // Reads the object and keeps it under its key (an object that is there already is replaced).
  // Faults are recorded in the document. False: it was there already.
  bool (*read)(objects::Json, std::string_view api_version, const ObjectKey&, Objects&) = nullptr;
  // The rules of the API beyond its types, as texts that begin with a field path.
  std::vector<std::string> (*faults)(const Objects&, const ObjectKey&) = nullptr;
  // False: it is not there.
  bool (*remove)(Objects&, const ObjectKey&) = nullptr;
};

// nullptr: no such kind. An empty api_version finds any (for deletions).
const Kind* find_kind(std::string_view api_version, std::string_view kind);
// What to say of a kind that is not known: "unknown kind ...", or which versions there are.
std::string unknown_kind(std::string_view api_version, std::string_view kind);

// Which object a document is, its namespace filled in: cluster-scoped kinds have none, others
// "default".
ObjectKey key_of(objects::Json object, const Kind& kind);

}  // namespace quorate::simulate
