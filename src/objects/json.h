#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/exact_quantity.h"
#include "src/base/labels.h"
#include "src/base/outcome.h"
#include "src/base/pod_template.h"
#include "src/base/quantity.h"
#include "src/base/time.h"

// JSON reading for the codecs of this folder.
namespace quorate::objects {

class JsonDocument;

// A view of one value of a JsonDocument, or of the place where one is missing; valid as long as the
// document is neither destroyed nor parsed again. null counts as missing.
//
// A getter that meets a value of the wrong type records a fault that names the field in the
// document and answers as if the value were missing: readers run straight through and ask the
// document at the end. Only the first fault is kept.
class Json {
 public:
  bool present() const;
  bool is_object() const;
  bool is_array() const;
  bool is_text() const;

  // Member of an object; of duplicates the last one.
  Json operator[](std::string_view key) const;
  std::size_t size() const;  // elements or members
  template <class Visit>
  void each(Visit visit) const;  // visit(Json)
  template <class Visit>
  void members(Visit visit) const;  // visit(std::string_view key, Json)

  std::string text(std::string_view absent = {}) const;
  std::optional<std::string> maybe_text() const;
  std::string required_text() const;  // a fault when missing or empty
  bool boolean(bool absent = false) const;
  std::optional<bool> maybe_boolean() const;
  std::int32_t int32(std::int32_t absent = 0) const { return maybe_int32().value_or(absent); }
  std::optional<std::int32_t> maybe_int32() const;
  std::int64_t int64(std::int64_t absent = 0) const { return maybe_int64().value_or(absent); }
  std::optional<std::int64_t> maybe_int64() const;
  std::optional<double> maybe_number() const;
  std::optional<Time> maybe_time() const;
  std::optional<Duration> maybe_duration() const;  // Go's text
  std::optional<Quantity> maybe_quantity(std::string_view resource) const;
  Quantity required_quantity(std::string_view resource) const;
  std::optional<std::int64_t> maybe_billionths() const;  // a quantity, exact to 1e-9
  std::optional<ExactQuantity> maybe_exact() const;      // the same, beyond 64 bits
  std::vector<std::string> texts() const;
  Labels labels() const;
  ResourceList resources() const;
  ExactAmounts exact_amounts() const;  // by resource, exact to a billionth

  template <class E, std::size_t N>
  std::optional<E> choice(const std::array<std::pair<std::string_view, E>, N>& names) const {
    const std::optional<std::string> chosen = maybe_text();
    if (!chosen) return std::nullopt;
    for (const auto& [name, value] : names) {
      if (name == *chosen) return value;
    }
    std::string supported;
    for (const auto& [name, value] : names) {
      supported += (supported.empty() ? "\"" : ", \"") + std::string(name) + "\"";
    }
    fail("Unsupported value: \"" + *chosen + "\": supported values: " + supported);
    return std::nullopt;
  }

  // This value as canonical text: keys sorted, nulls and duplicates dropped; "null" when missing.
  std::string canonical() const;
  std::string path() const;  // "spec.podSets[0].count"; "" for the whole document
  void fail(std::string_view what) const;
  void invalid(std::string_view why) const;  // "Invalid value: <value>: <why>"

 private:
  friend class JsonDocument;
  Json(const JsonDocument* document, std::uint32_t index) : document_(document), index_(index) {}
  Json(const JsonDocument* document, std::uint32_t parent, std::string_view key)
      : document_(document), index_(parent), missing_(true), key_(key) {}
  std::optional<std::string_view> number_text() const;
  void write_canonical(std::string& out) const;

  const JsonDocument* document_;
  std::uint32_t index_;  // of the parent, when missing
  bool missing_ = false;
  std::string_view key_;
};

// A parsed text as a flat tape of nodes. Parsing again reuses the memory.
class JsonDocument {
 public:
  static constexpr int kMaxDepth = 256;
  enum class Type : std::uint8_t { Null, False, True, Number, Text, Array, Object };

  // Errors: Invalid - malformed, invalid UTF-8, or nested deeper than kMaxDepth.
  Outcome<void> parse(std::string_view text);
  Json root() const { return Json(this, 0); }

  const std::optional<std::string>& fault() const { return fault_; }
  void clear_fault() { fault_.reset(); }
  // Paths of all members of objects that occur more than once.
  std::vector<std::string> duplicates() const;

 private:
  friend class Json;
  friend class JsonTape;
  static constexpr std::uint32_t kNoKey = 0xffffffffu;
  struct Node {
    Type type = Type::Null;
    std::uint32_t end = 0;  // index after the last node of this value
    std::uint32_t key_at = kNoKey, key_size = 0;
    std::uint32_t at = 0, size = 0;  // text of a number or string; size: of a collection's children
  };
  void clear() {
    nodes_.clear();
    texts_.clear();
    fault_.reset();
  }
  std::string_view key(const Node& node) const {
    return {texts_.data() + node.key_at, node.key_size};
  }
  std::string_view text(const Node& node) const { return {texts_.data() + node.at, node.size}; }
  // A collection that is still being read has no end yet.
  std::uint32_t end_of(std::uint32_t index) const {
    return nodes_[index].end != 0 ? nodes_[index].end : static_cast<std::uint32_t>(nodes_.size());
  }
  std::string path_of(std::uint32_t index) const;

  std::vector<Node> nodes_;
  std::string texts_;
  mutable std::optional<std::string> fault_;
};

template <class Visit>
void Json::each(Visit visit) const {
  if (!present()) return;
  if (!is_array()) return invalid("must be a list");
  const std::uint32_t end = document_->end_of(index_);
  for (std::uint32_t i = index_ + 1; i < end; i = document_->end_of(i)) visit(Json(document_, i));
}

template <class Visit>
void Json::members(Visit visit) const {
  if (!present()) return;
  if (!is_object()) return invalid("must be an object");
  const std::uint32_t end = document_->end_of(index_);
  for (std::uint32_t i = index_ + 1; i < end; i = document_->end_of(i)) {
    visit(document_->key(document_->nodes_[i]), Json(document_, i));
  }
}

// Reads a List document: each element of "items" is handed over alone and then forgotten; the other
// members are in `head`, which at the time of a call holds those that came before the items.
// Errors: as JsonDocument::parse; also when there is no array "items" (null is an empty one).
Outcome<void> parse_list(std::string_view text, JsonDocument& head,
                         const std::function<void(JsonDocument& item)>& sink);

}  // namespace quorate::objects
