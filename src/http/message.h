#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/time.h"

namespace quorate::http {

enum class Method { Get, Head, Post, Put, Patch, Delete };

std::string_view method_name(Method method);

// Header fields in the order they were written; names compare without case.
class Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<std::pair<std::string, std::string>> fields) : fields_(fields) {}

  void set(std::string_view name, std::string value);  // replaces an earlier field of that name
  void add(std::string_view name, std::string value);  // beside an earlier field of that name
  std::string_view get(std::string_view name) const;   // the first; "" when absent
  const std::vector<std::pair<std::string, std::string>>& fields() const { return fields_; }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

struct Request {
  Method method = Method::Get;
  std::string target;  // path and query, percent-encoded: "/api/v1/pods?limit=500"
  Headers headers;
  std::string body;
  // Unary: everything from send() to the whole answer. Streams: until the status line.
  Duration timeout = Duration::seconds(30);
  // Carrying it out twice does no harm: the transport may repeat it at once on a new connection
  // when a kept-alive one turns out to be dead.
  bool idempotent = false;

  std::string_view path() const;                   // target before '?'
  std::string query(std::string_view name) const;  // decoded; "" when absent
};

class BodyStream;

struct Response {
  int status = 0;
  Headers headers;
  std::string body;
  // Servers only: when set, the body is what is written to this stream, chunk by chunk.
  std::shared_ptr<BodyStream> stream;
};

// "/a b?c" -> "%2Fa%20b%3Fc": everything but unreserved characters.
std::string percent_encode(std::string_view text);
std::string percent_decode(std::string_view text, bool plus_is_space = false);

}  // namespace quorate::http
