#pragma once

#include "src/objects/json.h"

namespace quorate::objects {

// Builds a JsonDocument from the events of a parser, in the shape that RapidJSON calls handlers.
// An event answers false when the nesting is too deep.
class JsonTape {
 public:
  void start(JsonDocument& document);
  bool scalar(JsonDocument::Type type, std::string_view text = {});
  bool null() { return scalar(JsonDocument::Type::Null); }
  bool boolean(bool value) {
    return scalar(value ? JsonDocument::Type::True : JsonDocument::Type::False);
  }
  bool number(std::string_view text) { return scalar(JsonDocument::Type::Number, text); }
  bool text(std::string_view text) { return scalar(JsonDocument::Type::Text, text); }
  bool key(std::string_view key);
  bool open(bool object);
  void close();
  // All of the document's value is there.
  bool complete() const { return open_.empty() && !document_->nodes_.empty(); }
  std::size_t depth() const { return open_.size(); }

 private:
  JsonDocument::Node& append(JsonDocument::Type type);

  JsonDocument* document_ = nullptr;
  std::vector<std::uint32_t> open_;  // collections not closed yet
  std::uint32_t key_at_ = JsonDocument::kNoKey, key_size_ = 0;
};

}  // namespace quorate::objects
