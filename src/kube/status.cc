#include "src/kube/status.h"

#include <charconv>

#include "src/kube/client.h"
#include "src/kube/json_meta.h"

namespace quorate::kube {
namespace {

constexpr std::size_t kMaxPlainText = 300;

Errc code_of(const Status& status) {
  switch (status.code) {
    case 400:
    case 405:
    case 406:
    case 413:
    case 415:
    case 422:
      return Errc::Invalid;
    case 401:
    case 403:
      return Errc::Forbidden;
    case 404:
      return Errc::NotFound;
    case 409:
      return status.reason == "AlreadyExists" ? Errc::AlreadyExists : Errc::Conflict;
    case 410:
      return Errc::Gone;
    default:
      if (status.reason == "Expired" || status.reason == "Gone") return Errc::Gone;
      return Errc::Unavailable;
  }
}

std::string first_line(std::string_view text) {
  const std::size_t end = std::min(text.find_first_of("\r\n"), kMaxPlainText);
  return std::string(text.substr(0, end));
}

}  // namespace

Error error_of(const Status& status, std::string_view what) {
  std::string message(what);
  message += ": ";
  message += status.message.empty() ? "refused by the server" : status.message;
  message += " (" + std::to_string(status.code);
  if (!status.reason.empty()) message += " " + status.reason;
  message += ")";
  return Error{code_of(status), std::move(message)};
}

std::optional<Format> format_of(const http::Response& response) {
  const std::string_view type = response.headers.get("Content-Type");
  if (type.starts_with("application/json")) return Format::Json;
  if (type.starts_with("application/vnd.kubernetes.protobuf")) return Format::Protobuf;
  return std::nullopt;
}

Status status_of(const http::Response& response) {
  Status out;
  if (const std::optional<Format> format = format_of(response)) {
    const Document document{*format, response.body};
    if (const Outcome<RawObject> object = document.object()) {
      const Outcome<Status> read = object->format == Format::Json
                                       ? read_json_status(object->bytes)
                                       : read_protobuf_status(object->bytes);
      if (read) out = *read;
    }
  }
  if (out.message.empty()) out.message = first_line(response.body);
  out.code = response.status;
  const std::string_view after = response.headers.get("Retry-After");
  int seconds = 0;
  if (std::from_chars(after.data(), after.data() + after.size(), seconds).ec == std::errc{}) {
    out.retry_after_seconds = seconds;
  }
  return out;
}

Error error_of(std::string_view what, const http::Response& response) {
  return error_of(status_of(response), what);
}

}  // namespace quorate::kube
