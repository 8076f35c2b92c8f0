#pragma once

#include <string>
#include <utility>

#include "src/translate/translate.h"

namespace quorate::translate {

inline void report(Defects* defects, std::string path, std::string why) {
  if (defects != nullptr) defects->push_back({std::move(path), std::move(why)});
}

// "spec.podSets[2]"
inline std::string item(const std::string& list, std::size_t index) {
  return list + "[" + std::to_string(index) + "]";
}

// Two enums with the same enumerators in the same order; the callers assert that they are.
template <class To, class From>
To same(From from) {
  return static_cast<To>(static_cast<int>(from));
}

template <class A, class B>
constexpr bool alike(A a, B b) {
  return static_cast<int>(a) == static_cast<int>(b);
}

}  // namespace quorate::translate
