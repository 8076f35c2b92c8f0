#include "src/http/fault_transport.h"

#include <utility>

namespace quorate::http {
namespace {

constexpr std::string_view kExpired = "too old resource version (injected)";

// One length-delimited protobuf field; all our lengths are below 2^14.
std::string field(int number, std::string_view value) {
  std::string out(1, static_cast<char>(number << 3 | 2));
  if (value.size() < 0x80) {
    out += static_cast<char>(value.size());
  } else {
    out += static_cast<char>((value.size() & 0x7f) | 0x80);
    out += static_cast<char>(value.size() >> 7);
  }
  return out.append(value);
}

// A watch's ERROR event with code 410, in the form the watch was asked for.
std::string gone_event(bool protobuf) {
  if (!protobuf) {
    return R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},)"
           R"("status":"Failure","message":")" +
           std::string(kExpired) + R"(","reason":"Expired","code":410}})" + "\n";
  }
  const std::string code = {'\x30', '\x9a', '\x03'};  // field 6, varint 410
  const std::string status = field(2, "Failure") + field(3, kExpired) + field(4, "Expired") + code;
  const std::string envelope =
      std::string("k8s\0", 4) + field(1, field(1, "v1") + field(2, "Status")) + field(2, status);
  const std::string event = field(1, "ERROR") + field(2, field(1, envelope));
  std::string frame = {'\0', '\0', static_cast<char>(event.size() >> 8),
                       static_cast<char>(event.size() & 0xff)};
  return frame + event;
}

Response refusal(const Fault& fault) {
  Response response;
  response.status = fault.status;
  response.headers.set("Content-Type", "application/json");
  if (fault.retry_after_seconds > 0) {
    response.headers.set("Retry-After", std::to_string(fault.retry_after_seconds));
  }
  response.body = R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
                  R"("message":"injected fault","code":)" +
                  std::to_string(fault.status) + "}";
  return response;
}

Error lost(std::string_view what) {
  return Error{Errc::Unavailable, std::string(what) + " (injected)"};
}

// Follows a watch's bytes to know where an event ends.
class EventBoundary {
 public:
  explicit EventBoundary(bool protobuf) : protobuf_(protobuf) {}

  void feed(std::string_view bytes) {
    if (bytes.empty()) return;
    if (!protobuf_) {
      at_boundary_ = bytes.back() == '\n';
      return;
    }
    for (const char c : bytes) {
      if (left_ > 0) {
        --left_;
        continue;
      }
      length_ = length_ << 8 | static_cast<unsigned char>(c);
      if (++header_bytes_ == 4) {
        left_ = length_;
        header_bytes_ = 0;
        length_ = 0;
      }
    }
    at_boundary_ = left_ == 0 && header_bytes_ == 0;
  }
  bool at_boundary() const { return at_boundary_; }

 private:
  const bool protobuf_;
  bool at_boundary_ = true;
  std::uint32_t left_ = 0;
  std::uint32_t length_ = 0;
  int header_bytes_ = 0;
};

// One unary request; lives on the loop.
struct Unary {
  HttpTransport::Completion done;
  Cancel inner;
  Loop::TimerId timer = 0;

  void finish(Outcome<Response> result) {
    if (auto completion = std::exchange(done, nullptr)) completion(std::move(result));
  }
};

// One stream; lives on the loop.
struct Stream {
  Stream(StreamHandler h, Fault f, bool protobuf)
      : handler(std::move(h)), fault(f), boundary(protobuf), is_protobuf(protobuf) {}

  StreamHandler handler;
  Fault fault;
  EventBoundary boundary;
  bool is_protobuf;
  Cancel inner;
  Loop::TimerId timer = 0;
  std::size_t passed = 0;
  bool status_told = false;
  bool ended = false;

  void end(std::optional<Error> why) {
    if (std::exchange(ended, true)) return;
    inner();
    handler.on_end(std::move(why));
  }

  void status(int code, const Headers& headers) {
    if (ended) return;
    status_told = true;
    handler.on_status(code, headers);
    if (code == 200) bytes({});
  }

  void bytes(std::string_view chunk) {
    if (ended) return;
    const bool limited = fault.kind == Fault::Kind::CutStream;
    const std::string_view part =
        limited ? chunk.substr(0, fault.after_bytes - std::min(passed, fault.after_bytes)) : chunk;
    passed += part.size();
    boundary.feed(part);
    if (!part.empty() && !handler.on_bytes(part)) return end(Error{Errc::Unavailable, "stopped"});
    if (passed < fault.after_bytes) return;
    if (limited) return end(lost("stream broken"));
    if (fault.kind == Fault::Kind::GoneInWatch && boundary.at_boundary()) {
      handler.on_bytes(gone_event(is_protobuf));
      end(std::nullopt);
    }
  }
};

// Every callback runs on the loop, which is what keeps them in order.
class FaultTransport final : public HttpTransport,
                             public std::enable_shared_from_this<FaultTransport> {
 public:
  FaultTransport(std::shared_ptr<HttpTransport> inner, Loop& loop, FaultPlan plan)
      : inner_(std::move(inner)), loop_(loop), plan_(std::move(plan)) {}

  Cancel send(Request request, Completion done) override {
    const Fault fault = plan_(request, false);
    auto call = std::make_shared<Unary>();
    call->done = std::move(done);
    loop_.post([self = shared_from_this(), call, fault, request = std::move(request)]() mutable {
      self->start(call, fault, std::move(request));
    });
    return Cancel([&loop = loop_, call] {
      loop.post([&loop, call] {
        loop.cancel(call->timer);
        call->inner();
        call->finish(tl::unexpected(Error{Errc::Unavailable, "cancelled"}));
      });
    });
  }

  Cancel stream(Request request, StreamHandler handler) override {
    const Fault fault = plan_(request, true);
    const bool protobuf = request.headers.get("Accept").find("protobuf") != std::string_view::npos;
    auto call = std::make_shared<Stream>(std::move(handler), fault, protobuf);
    loop_.post([self = shared_from_this(), call, request = std::move(request)]() mutable {
      self->start(call, std::move(request));
    });
    return Cancel([&loop = loop_, call] {
      loop.post([&loop, call] {
        loop.cancel(call->timer);
        call->end(Error{Errc::Unavailable, "cancelled"});
      });
    });
  }

 private:
  void start(const std::shared_ptr<Unary>& call, const Fault& fault, Request request) {
    if (!call->done) return;
    switch (fault.kind) {
      case Fault::Kind::DisconnectBeforeSend:
        return call->finish(tl::unexpected(lost("connection reset")));
      case Fault::Kind::Status:
        return call->finish(refusal(fault));
      case Fault::Kind::HalfOpen:
        call->timer = loop_.after(request.timeout,
                                  [call] { call->finish(tl::unexpected(lost("timed out"))); });
        return;
      case Fault::Kind::Slow:
        call->timer = loop_.after(fault.delay,
                                  [self = shared_from_this(), call, request = std::move(request)] {
                                    self->forward(call, request, false);
                                  });
        return;
      case Fault::Kind::None:
      case Fault::Kind::LostAnswer:
      case Fault::Kind::GoneInWatch:
      case Fault::Kind::CutStream:
        return forward(call, std::move(request), fault.kind != Fault::Kind::None);
    }
  }

  void forward(const std::shared_ptr<Unary>& call, Request request, bool lose_answer) {
    call->inner = inner_->send(std::move(request),
                               [&loop = loop_, call, lose_answer](Outcome<Response> response) {
                                 if (lose_answer) response = tl::unexpected(lost("answer lost"));
                                 loop.post([call, response = std::move(response)]() mutable {
                                   call->finish(std::move(response));
                                 });
                               });
  }

  void start(const std::shared_ptr<Stream>& call, Request request) {
    if (call->ended) return;
    const Fault& fault = call->fault;
    switch (fault.kind) {
      case Fault::Kind::DisconnectBeforeSend:
        return call->end(lost("connection reset"));
      case Fault::Kind::Status: {
        const Response response = refusal(fault);
        call->handler.on_status(response.status, response.headers);
        call->handler.on_bytes(response.body);
        return call->end(std::nullopt);
      }
      case Fault::Kind::HalfOpen:
        call->timer = loop_.after(fault.delay, [call] { call->end(lost("timed out")); });
        return;
      case Fault::Kind::Slow:
        call->timer = loop_.after(fault.delay,
                                  [self = shared_from_this(), call, request = std::move(request)] {
                                    self->forward(call, request);
                                  });
        return;
      case Fault::Kind::None:
      case Fault::Kind::LostAnswer:
      case Fault::Kind::GoneInWatch:
      case Fault::Kind::CutStream:
        return forward(call, std::move(request));
    }
  }

  void forward(const std::shared_ptr<Stream>& call, Request request) {
    StreamHandler handler;
    handler.on_status = [&loop = loop_, call](int status, const Headers& headers) {
      loop.post([call, status, headers] { call->status(status, headers); });
    };
    handler.on_bytes = [&loop = loop_, call](std::string_view bytes) {
      loop.post([call, copy = std::string(bytes)] { call->bytes(copy); });
      return true;
    };
    handler.on_end = [&loop = loop_, call](std::optional<Error> why) {
      loop.post([call, why = std::move(why)] { call->end(why); });
    };
    call->inner = inner_->stream(std::move(request), std::move(handler));
  }

  std::shared_ptr<HttpTransport> inner_;
  Loop& loop_;
  FaultPlan plan_;
};

}  // namespace

std::shared_ptr<HttpTransport> make_fault_transport(std::shared_ptr<HttpTransport> inner,
                                                    Loop& loop, FaultPlan plan) {
  return std::make_shared<FaultTransport>(std::move(inner), loop, std::move(plan));
}

}  // namespace quorate::http
