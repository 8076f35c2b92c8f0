#pragma once

#include <memory>
#include <utility>

namespace quorate {

// A value that most owners leave as it is by default: then it costs one null pointer. Copies share
// it; it is immutable and compared by value.
template <class T>
class Boxed {
 public:
  Boxed() = default;
  Boxed(T value)  // NOLINT(google-explicit-constructor): stands for the value
      : value_(value == T{} ? nullptr : std::make_shared<const T>(std::move(value))) {}

  const T& operator*() const {
    static const T kDefault{};
    return value_ == nullptr ? kDefault : *value_;
  }
  const T* operator->() const { return &**this; }
  bool is_default() const { return value_ == nullptr; }

  friend bool operator==(const Boxed& a, const Boxed& b) {
    return a.value_ == b.value_ || *a == *b;
  }

 private:
  std::shared_ptr<const T> value_;
};

}  // namespace quorate
