#include "src/http/handler_transport.h"

#include <utility>

namespace quorate::http {
namespace {

struct Stream {
  StreamHandler handler;
  std::shared_ptr<BodyStream> body;
  bool ended = false;

  void end(std::optional<Error> why) {
    if (std::exchange(ended, true)) return;
    if (body) body->reader_gone();
    handler.on_end(std::move(why));
  }
  void drain() {
    std::shared_ptr<const std::string> chunk;
    while (!ended) {
      switch (body->take(chunk)) {
        case BodyStream::Taken::Nothing:
          return;
        case BodyStream::Taken::Chunk:
          if (!handler.on_bytes(*chunk)) end(Error{Errc::Unavailable, "stopped by the reader"});
          break;
        case BodyStream::Taken::Finished:
          return end(std::nullopt);
        case BodyStream::Taken::Aborted:
          return end(Error{Errc::Unavailable, "connection broken"});
      }
    }
  }
};

class HandlerTransport final : public HttpTransport {
 public:
  HandlerTransport(Handler handler, Loop& loop)
      : handler_(std::make_shared<Handler>(std::move(handler))), loop_(loop) {}

  // A streamed body is not for unary requests.
  Cancel send(Request request, Completion done) override {
    auto call = std::make_shared<Completion>(std::move(done));
    loop_.post([handler = handler_, call, request = std::move(request)] {
      if (!*call) return;
      Response response = (*handler)(request);
      if (auto completion = std::exchange(*call, nullptr)) completion(std::move(response));
    });
    return Cancel([&loop = loop_, call] {
      loop.post([call] {
        if (auto completion = std::exchange(*call, nullptr)) {
          completion(error(Errc::Unavailable, "cancelled"));
        }
      });
    });
  }

  Cancel stream(Request request, StreamHandler stream_handler) override {
    auto call = std::make_shared<Stream>();
    call->handler = std::move(stream_handler);
    loop_.post([handler = handler_, call, &loop = loop_, request = std::move(request)] {
      if (call->ended) return;
      Response response = (*handler)(request);
      call->body = response.stream;
      call->handler.on_status(response.status, response.headers);
      if (!response.body.empty()) call->handler.on_bytes(response.body);
      if (!call->body) return call->end(std::nullopt);
      call->body->attach([call, &loop] { loop.post([call] { call->drain(); }); });
    });
    return Cancel([&loop = loop_, call] {
      loop.post([call] { call->end(Error{Errc::Unavailable, "cancelled"}); });
    });
  }

 private:
  std::shared_ptr<Handler> handler_;
  Loop& loop_;
};

}  // namespace

std::shared_ptr<HttpTransport> make_handler_transport(Handler handler, Loop& loop) {
  return std::make_shared<HandlerTransport>(std::move(handler), loop);
}

}  // namespace quorate::http
