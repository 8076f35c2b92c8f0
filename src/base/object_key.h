#pragma once

#include <compare>
#include <functional>
#include <string>

namespace quorate {

// Names an object within its kind; `ns` is empty for cluster-scoped kinds. Orders by namespace,
// then name.
struct ObjectKey {
  std::string ns;
  std::string name;

  std::string text() const { return ns.empty() ? name : ns + "/" + name; }
  friend bool operator==(const ObjectKey&, const ObjectKey&) = default;
  friend auto operator<=>(const ObjectKey&, const ObjectKey&) = default;
};

}  // namespace quorate

template <>
struct std::hash<quorate::ObjectKey> {
  std::size_t operator()(const quorate::ObjectKey& key) const noexcept {
    return std::hash<std::string>{}(key.ns) * 1000003u ^ std::hash<std::string>{}(key.name);
  }
};
