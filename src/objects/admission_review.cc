#include "src/objects/admission_review.h"

#include <algorithm>

#include "src/objects/json_writer.h"

namespace quorate::objects {
namespace {

std::string pointer(const std::vector<std::string_view>& path) {
  std::string out;
  for (const std::string_view key : path) {
    out += '/';
    for (const char c : key) {
      if (c == '~') {
        out += "~0";
      } else if (c == '/') {
        out += "~1";
      } else {
        out += c;
      }
    }
  }
  return out;
}

Json at_path(Json root, const std::vector<std::string_view>& path, std::size_t depth) {
  Json json = root;
  for (std::size_t i = 0; i < depth; ++i) json = json[path[i]];
  return json;
}

JsonWriter open_answer() {
  JsonWriter out;
  out.open().field("apiVersion", "admission.k8s.io/v1").field("kind", "AdmissionReview");
  out.key("response").open();
  return out;
}

}  // namespace

Outcome<ReviewRequest> read_review(std::string_view text, JsonDocument& document) {
  if (const Outcome<void> parsed = document.parse(text); !parsed) {
    return tl::unexpected(parsed.error());
  }
  const Json root = document.root();
  if (!root.is_object() || root["kind"].text() != "AdmissionReview" ||
      root["apiVersion"].text() != "admission.k8s.io/v1") {
    return error(Errc::Invalid, "no AdmissionReview of admission.k8s.io/v1");
  }
  const Json request = root["request"];
  ReviewRequest review{.uid = request["uid"].text(),
                       .operation = request["operation"].text(),
                       .ns = request["namespace"].text(),
                       .name = request["name"].text()};
  if (document.fault()) return error(Errc::Invalid, *document.fault());
  if (review.uid.empty()) return error(Errc::Invalid, "request.uid: Required value");
  return review;
}

Json review_object(const JsonDocument& document) { return document.root()["request"]["object"]; }
Json review_old_object(const JsonDocument& document) {
  return document.root()["request"]["oldObject"];
}

void JsonPatch::add(const std::vector<std::string_view>& path, std::string_view json_value) {
  JsonWriter out;
  out.open().field("op", "add").field("path", std::string_view(pointer(path)));
  out.key("value").raw(json_value).close();
  operations_ += (operations_.empty() ? "" : ",") + out.str();
}

void JsonPatch::remove(const std::vector<std::string_view>& path) {
  JsonWriter out;
  out.open().field("op", "remove").field("path", std::string_view(pointer(path))).close();
  operations_ += (operations_.empty() ? "" : ",") + out.str();
}

void JsonPatch::set_entry(Json root, const std::vector<std::string_view>& map, std::string_view key,
                          std::string_view text) {
  for (std::size_t depth = 1; depth <= map.size(); ++depth) {
    if (at_path(root, map, depth).is_object()) continue;
    const std::vector<std::string_view> path(map.begin(), map.begin() + static_cast<int>(depth));
    std::string name = pointer(path);
    if (std::ranges::find(made_, name) != made_.end()) continue;
    add(path, "{}");
    made_.push_back(std::move(name));
  }
  std::vector<std::string_view> path = map;
  path.push_back(key);
  JsonWriter value;
  add(path, value.text(text).str());
}

std::string answer_allowed(std::string_view uid, const JsonPatch& patch) {
  JsonWriter out = open_answer();
  out.field("allowed", true);
  if (!patch.empty()) {
    out.field("patch", std::string_view(base64(patch.text()))).field("patchType", "JSONPatch");
  }
  out.key("status").open().field("code", 200).close();
  return out.field("uid", uid).close().close().take();
}

std::string answer_refused(std::string_view uid, int code, std::string_view reason,
                           std::string_view message) {
  JsonWriter out = open_answer();
  out.field("allowed", false).key("status").open().field("code", code);
  out.field("message", message).field_unless_empty("reason", reason).close();
  return out.field("uid", uid).close().close().take();
}

std::string base64(std::string_view bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t size = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (j < size ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      out += j <= size ? kDigits[group >> (18 - 6 * j) & 63] : '=';
    }
  }
  return out;
}

}  // namespace quorate::objects
