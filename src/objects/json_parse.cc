#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include "src/objects/json_tape.h"

namespace quorate::objects {
namespace {

// Iterative: the recursive parser overflows the stack on deep nesting. Numbers as texts: quantities
// keep every digit.
constexpr unsigned kFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag |
                            rapidjson::kParseNumbersAsStringsFlag;
constexpr std::string_view kTooDeep = "nested too deep";

template <class Handler>
Outcome<void> run(std::string_view text, Handler& handler) {
  if (text.size() >= 0xf0000000u) return error(Errc::Invalid, "JSON text of 4 GiB or more");
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::Reader reader;
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, handler);
  if (!result.IsError()) return {};
  const std::string at = " at byte " + std::to_string(result.Offset());
  if (result.Code() == rapidjson::kParseErrorTermination) {
    return error(Errc::Invalid, "invalid JSON" + at + ": " + std::string(handler.complaint));
  }
  return error(Errc::Invalid,
               "invalid JSON" + at + ": " + rapidjson::GetParseError_En(result.Code()));
}

// Everything into one document.
struct WholeHandler : rapidjson::BaseReaderHandler<rapidjson::UTF8<>, WholeHandler> {
  explicit WholeHandler(JsonDocument& document) { tape.start(document); }
  bool Null() { return tape.null(); }
  bool Bool(bool value) { return tape.boolean(value); }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) {
    return tape.number({text, size});
  }
  bool String(const char* text, rapidjson::SizeType size, bool) { return tape.text({text, size}); }
  bool Key(const char* text, rapidjson::SizeType size, bool) { return tape.key({text, size}); }
  bool StartObject() { return tape.open(true); }
  bool EndObject(rapidjson::SizeType) { return close(); }
  bool StartArray() { return tape.open(false); }
  bool EndArray(rapidjson::SizeType) { return close(); }
  bool close() {
    tape.close();
    return true;
  }

  JsonTape tape;
  std::string_view complaint = kTooDeep;
};

// Elements of the top level's "items" one by one, the rest into the head.
struct ListHandler : rapidjson::BaseReaderHandler<rapidjson::UTF8<>, ListHandler> {
  ListHandler(JsonDocument& head_document, const std::function<void(JsonDocument&)>& item_sink)
      : sink(item_sink) {
    head.start(head_document);
  }

  JsonTape& tape() { return in_items ? item_tape : head; }
  bool after(bool fine) {
    if (fine && in_items && item_tape.complete()) {
      sink(item);
      item_tape.start(item);
    }
    return fine;
  }
  bool Null() {
    if (!in_items && items_next) {  // "items": null is an empty list
      items_next = false;
      seen_items = true;
    }
    return after(tape().null());
  }
  bool Bool(bool value) { return after(other() && tape().boolean(value)); }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) {
    return after(other() && tape().number({text, size}));
  }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    return after(other() && tape().text({text, size}));
  }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    const std::string_view key(text, size);
    if (!in_items && head.depth() == 1) items_next = key == "items";
    return tape().key(key);
  }
  bool StartObject() { return other() && tape().open(true); }
  bool EndObject(rapidjson::SizeType) { return close(); }
  bool StartArray() {
    if (!in_items && items_next) {
      if (seen_items) {
        complaint = "a second list of items";
        return false;
      }
      items_next = false;
      in_items = seen_items = true;
      item_tape.start(item);
      return head.null();  // the head shows no items
    }
    return tape().open(false);
  }
  bool EndArray(rapidjson::SizeType) {
    if (in_items && item_tape.depth() == 0) {
      in_items = false;
      return true;
    }
    return close();
  }
  bool close() {
    tape().close();
    return after(true);
  }
  // Something else than an array where the items should be?
  bool other() {
    if (in_items || !items_next) return true;
    complaint = "items is not a list";
    return false;
  }

  const std::function<void(JsonDocument&)>& sink;
  JsonTape head, item_tape;
  JsonDocument item;
  bool items_next = false, in_items = false, seen_items = false;
  std::string_view complaint = kTooDeep;
};

}  // namespace

void JsonTape::start(JsonDocument& document) {
  document.clear();
  document_ = &document;
  open_.clear();
  key_at_ = JsonDocument::kNoKey;
}

JsonDocument::Node& JsonTape::append(JsonDocument::Type type) {
  if (!open_.empty()) ++document_->nodes_[open_.back()].size;
  JsonDocument::Node& node = document_->nodes_.emplace_back();
  node.type = type;
  node.key_at = key_at_;
  node.key_size = key_size_;
  key_at_ = JsonDocument::kNoKey;
  key_size_ = 0;
  return node;
}

bool JsonTape::scalar(JsonDocument::Type type, std::string_view text) {
  JsonDocument::Node& node = append(type);
  node.at = static_cast<std::uint32_t>(document_->texts_.size());
  node.size = static_cast<std::uint32_t>(text.size());
  document_->texts_.append(text);
  node.end = static_cast<std::uint32_t>(document_->nodes_.size());
  return true;
}

bool JsonTape::key(std::string_view key) {
  key_at_ = static_cast<std::uint32_t>(document_->texts_.size());
  key_size_ = static_cast<std::uint32_t>(key.size());
  document_->texts_.append(key);
  return true;
}

bool JsonTape::open(bool object) {
  if (open_.size() >= JsonDocument::kMaxDepth) return false;
  append(object ? JsonDocument::Type::Object : JsonDocument::Type::Array);
  open_.push_back(static_cast<std::uint32_t>(document_->nodes_.size() - 1));
  return true;
}

void JsonTape::close() {
  document_->nodes_[open_.back()].end = static_cast<std::uint32_t>(document_->nodes_.size());
  open_.pop_back();
}

Outcome<void> JsonDocument::parse(std::string_view text) {
  WholeHandler handler(*this);
  Outcome<void> done = run(text, handler);
  if (!done) {
    WholeHandler(*this).tape.null();  // root() stays usable
  }
  return done;
}

Outcome<void> parse_list(std::string_view text, JsonDocument& head,
                         const std::function<void(JsonDocument&)>& sink) {
  ListHandler handler(head, sink);
  if (Outcome<void> done = run(text, handler); !done) {
    head = {};
    return done;
  }
  if (!handler.seen_items) return error(Errc::Invalid, "items: Required value");
  return {};
}

}  // namespace quorate::objects
