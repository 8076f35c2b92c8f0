#pragma once

#include <deque>
#include <memory>
#include <string>
#include <unordered_set>

#include "src/base/thread_annotations.h"
#include "src/kube/client.h"
#include "src/kube/loop_gate.h"
#include "src/kube/token_bucket.h"

namespace quorate::kube {

// For client*.cc only. Everything not guarded by the mutex belongs to the loop.
struct Client::Impl : std::enable_shared_from_this<Client::Impl> {
  struct Call {
    ApiRequest request;
    Completion done;
    int retries = 0;
    bool reauthorized = false;
  };

  Impl(std::shared_ptr<http::HttpTransport> t, http::Loop& l, ClientOptions o,
       std::shared_ptr<Credentials> c)
      : transport(std::move(t)),
        loop(l),
        options(std::move(o)),
        credentials(std::move(c)),
        gate(l),
        bucket(options.qps, options.burst) {}

  void submit(ApiRequest request, Completion done);
  void close();
  http::Cancel stream(ApiRequest request, http::StreamHandler handler);

  void pump();
  void authorize(const std::shared_ptr<Call>& call);
  void launch(const std::shared_ptr<Call>& call, const Outcome<std::string>& token);
  void answered(const std::shared_ptr<Call>& call, Outcome<http::Response> answer);
  bool retries(const std::shared_ptr<Call>& call, const http::Response& response);
  void finish(const std::shared_ptr<Call>& call, Outcome<Document> result);
  http::Request to_http(const ApiRequest& request, const std::string& token) const;
  std::shared_ptr<const Fence> current_fence() EXCLUDES(mutex);

  const std::shared_ptr<http::HttpTransport> transport;
  http::Loop& loop;
  const ClientOptions options;
  const std::shared_ptr<Credentials> credentials;
  LoopGate gate;

  TokenBucket bucket;
  std::deque<std::shared_ptr<Call>> waiting;
  std::unordered_set<std::shared_ptr<Call>> in_flight;
  bool closed = false;
  bool pump_due = false;  // a timer of the rate limit is running

  Mutex mutex;
  CondVar answered_all;
  std::shared_ptr<const Fence> fence GUARDED_BY(mutex);
  std::size_t outstanding GUARDED_BY(mutex) = 0;
};

}  // namespace quorate::kube
