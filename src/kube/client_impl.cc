#include "src/kube/client_impl.h"

#include <algorithm>
#include <utility>

#include "src/kube/status.h"

namespace quorate::kube {
namespace {

constexpr char kProtobufAccept[] = "application/vnd.kubernetes.protobuf,application/json";
constexpr Duration kFirstRetry = Duration::millis(200);

Error about(const ApiRequest& request, Error inner) {
  inner.message.insert(0, request.what + ": ");
  return inner;
}

}  // namespace

std::shared_ptr<const Fence> Client::Impl::current_fence() {
  MutexLock lock(mutex);
  return fence;
}

void Client::Impl::submit(ApiRequest request, Completion done) {
  {
    MutexLock lock(mutex);
    ++outstanding;
  }
  auto call = std::make_shared<Call>(Call{std::move(request), std::move(done)});
  gate.post([self = shared_from_this(), call] {
    self->waiting.push_back(call);
    if (self->closed) return self->close();
    self->pump();
  });
}

void Client::Impl::pump() {
  while (!closed && !waiting.empty() &&
         static_cast<int>(in_flight.size()) < options.max_in_flight && !pump_due) {
    if (const Duration wait = bucket.take(loop.now()); wait > Duration{}) {
      pump_due = true;
      loop.after(wait, [self = shared_from_this()] {
        self->pump_due = false;
        self->pump();
      });
      return;
    }
    const std::shared_ptr<Call> call = std::move(waiting.front());
    waiting.pop_front();
    in_flight.insert(call);
    authorize(call);
  }
}

void Client::Impl::authorize(const std::shared_ptr<Call>& call) {
  if (!call->done) return;
  if (!credentials) return launch(call, std::string());
  credentials->with_token([self = shared_from_this(), call](Outcome<std::string> token) {
    self->gate.run([self, call, token = std::move(token)] { self->launch(call, token); });
  });
}

http::Request Client::Impl::to_http(const ApiRequest& request, const std::string& token) const {
  http::Request out;
  out.method = request.method;
  out.target = options.base_path + full_path(request);
  out.headers = options.headers;
  out.headers.set("Accept",
                  request.accept == Format::Protobuf ? kProtobufAccept : "application/json");
  out.headers.set("User-Agent", options.user_agent);
  if (!token.empty()) out.headers.set("Authorization", "Bearer " + token);
  if (!request.content_type.empty()) out.headers.set("Content-Type", request.content_type);
  out.body = request.body;
  out.timeout = request.timeout;
  out.idempotent = request.idempotent;
  return out;
}

void Client::Impl::launch(const std::shared_ptr<Call>& call, const Outcome<std::string>& token) {
  if (!call->done) return;
  if (!token) return finish(call, tl::unexpected(about(call->request, token.error())));
  http::Request request = to_http(call->request, *token);
  if (const auto guard = call->request.mutating ? current_fence() : nullptr) {
    const std::optional<Duration> left = guard->remaining();
    if (!left) {
      return finish(
          call, tl::unexpected(about(call->request, {Errc::Fenced, "not the leader any more"})));
    }
    request.timeout = std::min(request.timeout, *left);
  }
  transport->send(std::move(request),
                  [self = shared_from_this(), call](Outcome<http::Response> answer) {
                    self->gate.run([self, call, answer = std::move(answer)]() mutable {
                      self->answered(call, std::move(answer));
                    });
                  });
}

// True when the call goes again later.
bool Client::Impl::retries(const std::shared_ptr<Call>& call, const http::Response& response) {
  if (response.status == 401 && credentials && !call->reauthorized) {
    call->reauthorized = true;
    credentials->rejected();
    authorize(call);
    return true;
  }
  const int seconds = status_of(response).retry_after_seconds;
  const bool refused = response.status == 429 || (response.status == 503 && seconds > 0);
  if (!refused || !call->request.retry_refused || call->retries >= options.max_retries) {
    return false;
  }
  Duration delay = Duration::seconds(seconds);
  if (seconds <= 0) delay = kFirstRetry * (std::int64_t{1} << std::min(call->retries, 10));
  ++call->retries;
  // It keeps its place in flight: a server that is overloaded gets less.
  loop.after(std::min(delay, options.max_retry_after),
             [self = shared_from_this(), call] { self->authorize(call); });
  return true;
}

void Client::Impl::answered(const std::shared_ptr<Call>& call, Outcome<http::Response> answer) {
  if (!call->done) return;
  if (!answer) return finish(call, tl::unexpected(about(call->request, answer.error())));
  if (answer->status >= 400) {
    if (retries(call, *answer)) return;
    return finish(call, tl::unexpected(error_of(call->request.what, *answer)));
  }
  const Format format = format_of(*answer).value_or(Format::Json);
  finish(call, Document{format, std::move(answer->body)});
}

void Client::Impl::finish(const std::shared_ptr<Call>& call, Outcome<Document> result) {
  in_flight.erase(call);
  std::exchange(call->done, nullptr)(std::move(result));
  {
    MutexLock lock(mutex);
    if (--outstanding == 0) answered_all.notify_all();
  }
  pump();
}

void Client::Impl::close() {
  closed = true;
  gate.close();
  std::deque<std::shared_ptr<Call>> rest = std::exchange(waiting, {});
  rest.insert(rest.begin(), in_flight.begin(), in_flight.end());
  for (const std::shared_ptr<Call>& call : rest) {
    finish(call, tl::unexpected(about(call->request, {Errc::Unavailable, "the client is closed"})));
  }
}

http::Cancel Client::Impl::stream(ApiRequest request, http::StreamHandler handler) {
  struct Started {
    Mutex mutex;
    bool cancelled GUARDED_BY(mutex) = false;
    http::Cancel inner GUARDED_BY(mutex);
  };
  auto started = std::make_shared<Started>();
  const auto with_token = [self = shared_from_this(), request = std::move(request), started,
                           handler = std::move(handler)](const Outcome<std::string>& token) {
    if (!token) return handler.on_end(about(request, token.error()));
    http::StreamHandler watched = handler;
    watched.on_status = [self, on_status = handler.on_status](int status,
                                                              const http::Headers& headers) {
      if (status == 401 && self->credentials) self->credentials->rejected();
      on_status(status, headers);
    };
    const http::Cancel inner =
        self->transport->stream(self->to_http(request, *token), std::move(watched));
    bool cancelled = false;
    {
      MutexLock lock(started->mutex);
      started->inner = inner;
      cancelled = started->cancelled;
    }
    if (cancelled) inner();
  };
  if (credentials) {
    credentials->with_token(with_token);
  } else {
    with_token(std::string());
  }
  return http::Cancel([started] {
    http::Cancel inner;
    {
      MutexLock lock(started->mutex);
      started->cancelled = true;
      inner = started->inner;
    }
    inner();
  });
}

}  // namespace quorate::kube
