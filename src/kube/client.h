#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/outcome.h"
#include "src/http/loop.h"
#include "src/http/transport.h"
#include "src/kube/credentials.h"
#include "src/kube/fence.h"
#include "src/kube/raw_object.h"
#include "src/kube/request.h"
#include "src/kube/resource.h"

namespace quorate::kube {

struct ClientOptions {
  std::string base_path;  // before every path, for servers behind a proxy: "/k8s/c-1"
  std::string user_agent = "quorate";
  http::Headers headers;  // sent with every request (impersonation)
  double qps = -1;        // client-side rate limit; negative: off
  int burst = 10;
  int max_in_flight = 32;  // more wait in order; not above the transport's bound
  int max_retries = 5;     // of 429, and of 503 with Retry-After
  Duration max_retry_after = Duration::seconds(30);  // longer waits are cut to this
};

struct ServerVersion {
  std::string git_version;  // "v1.37.2"
  int major = 0;
  int minor = 0;
};

// Speaks to one API server. All functions may be called from any thread.
//
// Requests wait for their turn in order of submission: in-flight bound, rate limit, and for
// mutating ones the fence, which is asked last, right before the request leaves, also before each
// retry. Errors carry the server's own message:
//   Invalid 400 405 406 413 415 422; Forbidden 401 403; NotFound 404; AlreadyExists, Conflict 409
//   by reason; Gone 410; Unavailable everything else, and no answer (it may have been carried out);
//   Fenced nothing was sent.
class Client {
 public:
  using Completion = std::function<void(Outcome<Document>)>;

  // `loop` outlives the client. `credentials` may be null.
  Client(std::shared_ptr<http::HttpTransport> transport, http::Loop& loop, ClientOptions options,
         std::shared_ptr<Credentials> credentials = nullptr);
  ~Client();  // what has no answer yet gets an error, which does not mean that it was not sent
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Without a fence (or with nullptr) every write may leave.
  void set_fence(std::shared_ptr<const Fence> fence);

  // `done` comes once, on the loop.
  void submit(ApiRequest request, Completion done);
  // Waits. Never on the loop.
  Outcome<Document> call(ApiRequest request);
  // Waits until everything submitted so far has its answer, at most `limit`. True if so.
  bool drain(Duration limit);

  // All pages of a list, from the start again when the continue token has expired meanwhile; so
  // `item` may see an object twice: the later state counts.
  Outcome<ListMeta> list(const Resource& resource, ListOptions options,
                         const std::function<void(const RawObject& item)>& item);

  // Whether the server has this kind. Errors: as call(); an unknown group is just false.
  Outcome<bool> served(std::string_view group, std::string_view version, std::string_view plural);
  Outcome<std::vector<std::string>> served_plurals(std::string_view group,
                                                   std::string_view version);
  Outcome<ServerVersion> server_version();

  // A streaming GET (watch, log) with this client's credentials and headers; past the limits.
  http::Cancel stream(ApiRequest request, http::StreamHandler handler);

  http::Loop& loop() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

// The Error that an answer of status >= 400 means; `what` begins the message.
Error error_of(std::string_view what, const http::Response& response);

}  // namespace quorate::kube
