#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/base/outcome.h"
#include "src/objects/json.h"

// admission.k8s.io/v1 AdmissionReview: the question's parts, and answers to it.
namespace quorate::objects {

struct ReviewRequest {
  std::string uid;
  std::string operation;  // CREATE, UPDATE, DELETE, CONNECT
  std::string ns;
  std::string name;  // "" while it is to be generated
};

// Parses the review into `document`; its objects are review_object(document) and
// review_old_object(document).
// Errors: Invalid - the text is no AdmissionReview with a uid, so there is nobody to answer.
Outcome<ReviewRequest> read_review(std::string_view text, JsonDocument& document);
Json review_object(const JsonDocument& document);
Json review_old_object(const JsonDocument& document);

// A JSON patch (RFC 6902) under construction.
class JsonPatch {
 public:
  // `path` is a list of unescaped keys from the root; "-" appends to a list.
  void add(const std::vector<std::string_view>& path, std::string_view json_value);
  // Sets an entry of the map at `map`, making the map and what lies above it where it is missing.
  void set_entry(Json root, const std::vector<std::string_view>& map, std::string_view key,
                 std::string_view text);
  void remove(const std::vector<std::string_view>& path);
  bool empty() const { return operations_.empty(); }
  std::string text() const { return "[" + operations_ + "]"; }

 private:
  std::string operations_;
  std::vector<std::string> made_;  // paths of maps that this patch has made
};

std::string answer_allowed(std::string_view uid, const JsonPatch& patch = {});
std::string answer_refused(std::string_view uid, int code, std::string_view reason,
                           std::string_view message);

std::string base64(std::string_view bytes);

}  // namespace quorate::objects
