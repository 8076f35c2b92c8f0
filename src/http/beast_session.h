#pragma once

#include <utility>
// <utility> first: this Boost's awaitable.hpp needs it.
#include <array>
#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <chrono>
#include <memory>
#include <optional>

#include "src/http/beast_sessions.h"
#include "src/http/server.h"

// For beast_server.cc only: heavy.
namespace quorate::http::beast_server {

namespace beast = boost::beast;
namespace bhttp = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

inline std::chrono::nanoseconds chrono_of(Duration d) { return std::chrono::nanoseconds(d.nanos); }

inline std::optional<Method> method_of(bhttp::verb verb) {
  switch (verb) {
    case bhttp::verb::get:
      return Method::Get;
    case bhttp::verb::head:
      return Method::Head;
    case bhttp::verb::post:
      return Method::Post;
    case bhttp::verb::put:
      return Method::Put;
    case bhttp::verb::patch:
      return Method::Patch;
    case bhttp::verb::delete_:
      return Method::Delete;
    default:
      return std::nullopt;
  }
}

inline Response plain(int status, std::string text) {
  Response response;
  response.status = status;
  response.headers.set("Content-Type", "text/plain; charset=utf-8");
  response.body = std::move(text);
  return response;
}

// One connection: read a request, answer it on a worker, write, again. Everything but the handler
// runs on the connection's strand.
template <class Socket>
class Session final : public SessionBase, public std::enable_shared_from_this<Session<Socket>> {
 public:
  template <class... Args>
  explicit Session(std::shared_ptr<Shared> shared, Args&&... args)
      : shared_(std::move(shared)), socket_(std::forward<Args>(args)...) {
    shared_->opened();
  }
  ~Session() override {
    if (body_) body_->reader_gone();
    shared_->closed();
  }

  void start() {
    asio::dispatch(socket_.get_executor(), [self = this->shared_from_this()] {
      if constexpr (kTls) {
        self->expires(self->shared_->options.handshake_timeout);
        self->socket_.async_handshake(asio::ssl::stream_base::server, [self](error_code ec) {
          if (!ec) self->read_header();
        });
      } else {
        self->read_header();
      }
    });
  }

  void begin_stop() override {
    asio::post(socket_.get_executor(), [self = this->shared_from_this()] {
      if (self->idle_) self->close();
    });
  }
  void cut() override {
    asio::post(socket_.get_executor(), [self = this->shared_from_this()] { self->close(); });
  }

 private:
  static constexpr bool kTls = !std::is_same_v<Socket, beast::tcp_stream>;
  using Parser = bhttp::request_parser<bhttp::string_body>;

  void expires(Duration limit) { beast::get_lowest_layer(socket_).expires_after(chrono_of(limit)); }
  void close() {
    beast::get_lowest_layer(socket_).close();
    if (body_) body_->reader_gone();
  }

  // Between requests the idle timeout runs until the first byte, then the header timeout.
  void read_header() {
    if (shared_->stopping) return close();
    parser_.emplace();
    parser_->header_limit(shared_->options.max_header_bytes);
    parser_->body_limit(shared_->options.max_body_bytes);
    if (buffer_.size() == 0) {
      idle_ = true;
      expires(first_ ? shared_->options.header_timeout : shared_->options.idle_timeout);
      // Reads some bytes into buffer_; the parser takes them from there.
      socket_.async_read_some(buffer_.prepare(4096),
                              [self = this->shared_from_this()](error_code ec, std::size_t n) {
                                self->idle_ = false;
                                self->first_ = false;
                                if (ec) return self->close();
                                self->buffer_.commit(n);
                                self->read_rest_of_header();
                              });
      return;
    }
    read_rest_of_header();
  }

  void read_rest_of_header() {
    expires(shared_->options.header_timeout);
    bhttp::async_read_header(socket_, buffer_, *parser_,
                             [self = this->shared_from_this()](error_code ec, std::size_t) {
                               if (ec) return self->refuse(ec);
                               self->read_body();
                             });
  }

  void read_body() {
    const auto& head = parser_->get();
    if (const auto expect = head.find(bhttp::field::expect);
        expect != head.end() && beast::iequals(expect->value(), "100-continue")) {
      continue_.emplace(bhttp::status::continue_, head.version());
      expires(shared_->options.write_timeout);
      bhttp::async_write(socket_, *continue_,
                         [self = this->shared_from_this()](error_code ec, std::size_t) {
                           if (ec) return self->close();
                           self->read_body_bytes();
                         });
      return;
    }
    read_body_bytes();
  }

  void read_body_bytes() {
    expires(shared_->options.body_timeout);
    bhttp::async_read(socket_, buffer_, *parser_,
                      [self = this->shared_from_this()](error_code ec, std::size_t) {
                        if (ec) return self->refuse(ec);
                        self->answer();
                      });
  }

  // A request that does not parse gets an answer, if it can, and the connection ends.
  void refuse(error_code ec) {
    int status = 0;
    if (ec == bhttp::error::header_limit) status = 431;
    if (ec == bhttp::error::body_limit) status = 413;
    if (status == 0 && ec != bhttp::error::end_of_stream && ec != bhttp::error::partial_message &&
        ec.category() == bhttp::make_error_code(bhttp::error::bad_method).category()) {
      status = 400;
    }
    if (status == 0) return close();
    keep_alive_ = false;
    version_ = 11;
    write(plain(status, ec.message() + "\n"));
  }

  void answer() {
    auto message = parser_->release();
    keep_alive_ = message.keep_alive() && !shared_->stopping;
    version_ = message.version();
    const std::optional<Method> method = method_of(message.method());
    if (!method) return write(plain(405, "method not allowed\n"));
    head_only_ = *method == Method::Head;
    if (!authorized(message)) return write(plain(401, "unauthorized\n"));

    Request request;
    request.method = *method;
    request.target = std::string(message.target());
    for (const auto& field : message) {
      request.headers.set({field.name_string().data(), field.name_string().size()},
                          std::string(field.value()));
    }
    request.body = std::move(message.body());
    // The handler's time is its own business; a peer that leaves is noticed when we write.
    beast::get_lowest_layer(socket_).expires_never();
    asio::post(*shared_->workers, [self = this->shared_from_this(), request = std::move(request)] {
      Response response = self->handle(request);
      asio::post(self->socket_.get_executor(), [self, response = std::move(response)]() mutable {
        self->write(std::move(response));
      });
    });
  }

  template <class Message>
  bool authorized(const Message& message) const {
    if (!shared_->options.authorize) return true;
    const auto field = message.find(bhttp::field::authorization);
    if (field == message.end()) return shared_->options.authorize("");
    const std::string_view value(field->value().data(), field->value().size());
    constexpr std::string_view kBearer = "Bearer ";
    if (!value.starts_with(kBearer)) return shared_->options.authorize("");
    return shared_->options.authorize(value.substr(kBearer.size()));
  }

  Response handle(const Request& request) const {
    try {
      return shared_->handler(request);
    } catch (const std::exception& e) {
      return plain(500, std::string("internal error: ") + e.what() + "\n");
    } catch (...) {
      return plain(500, "internal error\n");
    }
  }

  template <class Message>
  void fill(Message& message, const Response& response) const {
    message.result(static_cast<unsigned>(response.status));
    message.version(version_);
    for (const auto& [name, value] : response.headers.fields()) message.set(name, value);
    message.keep_alive(keep_alive_);
  }

  void write(Response response) {
    if (shared_->stopping || response.headers.get("Connection") == "close") {
      keep_alive_ = false;
    }
    if (response.stream && !head_only_) return write_stream(std::move(response));
    response_.emplace();
    response_->body() = std::move(response.body);
    fill(*response_, response);
    response_->prepare_payload();
    if (head_only_) response_->body().clear();
    expires(shared_->options.write_timeout);
    const auto written = [self = this->shared_from_this()](error_code ec, std::size_t) {
      self->after_write(ec);
    };
    if (head_only_) {
      head_serializer_.emplace(*response_);
      bhttp::async_write_header(socket_, *head_serializer_, written);
      return;
    }
    bhttp::async_write(socket_, *response_, written);
  }

  void after_write(error_code ec) {
    response_.reset();
    if (ec) return close();
    if (keep_alive_) return read_header();
    shut_down();
  }

  void shut_down() {
    if constexpr (kTls) {
      expires(Duration::seconds(5));
      socket_.async_shutdown([self = this->shared_from_this()](error_code) { self->close(); });
    } else {
      error_code ignored;
      socket_.socket().shutdown(tcp::socket::shutdown_send, ignored);
      close();
    }
  }

  // Header, then one HTTP chunk per chunk of the stream. A read is pending meanwhile, to notice a
  // peer that goes away.
  void write_stream(Response response) {
    body_ = response.stream;
    keep_alive_ = false;
    stream_head_.emplace();
    fill(*stream_head_, response);
    stream_head_->chunked(true);
    stream_serializer_.emplace(*stream_head_);
    expires(shared_->options.write_timeout);
    bhttp::async_write_header(socket_, *stream_serializer_,
                              [self = this->shared_from_this()](error_code ec, std::size_t) {
                                if (ec) return self->close();
                                beast::get_lowest_layer(self->socket_).expires_never();
                                self->watch_peer();
                                self->body_->attach([weak = std::weak_ptr<Session>(self)] {
                                  const auto session = weak.lock();
                                  if (!session) return;
                                  asio::post(session->socket_.get_executor(),
                                             [session] { session->next_chunk(); });
                                });
                              });
  }

  void watch_peer() {
    socket_.async_read_some(asio::buffer(discard_),
                            [self = this->shared_from_this()](error_code ec, std::size_t) {
                              // No pipelining behind an endless answer: any byte ends it.
                              if (self->body_) self->body_->reader_gone();
                              if (ec || !self->body_done_) self->close();
                            });
  }

  void next_chunk() {
    if (writing_chunk_ || body_done_) return;
    beast::get_lowest_layer(socket_).expires_never();
    switch (body_->take(chunk_)) {
      case BodyStream::Taken::Nothing:
        return;
      case BodyStream::Taken::Aborted:
        body_done_ = true;
        return close();
      case BodyStream::Taken::Finished:
        body_done_ = true;
        expires(shared_->options.write_timeout);
        asio::async_write(
            socket_, bhttp::make_chunk_last(),
            [self = this->shared_from_this()](error_code, std::size_t) { self->close(); });
        return;
      case BodyStream::Taken::Chunk:
        writing_chunk_ = true;
        expires(shared_->options.write_timeout);
        asio::async_write(socket_, bhttp::make_chunk(asio::buffer(*chunk_)),
                          [self = this->shared_from_this()](error_code ec, std::size_t) {
                            self->writing_chunk_ = false;
                            if (ec) return self->close();
                            self->next_chunk();
                          });
        return;
    }
  }

  std::shared_ptr<Shared> shared_;
  Socket socket_;
  beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  std::optional<bhttp::response<bhttp::empty_body>> continue_;
  std::optional<bhttp::response<bhttp::string_body>> response_;
  std::optional<bhttp::response_serializer<bhttp::string_body>> head_serializer_;
  std::optional<bhttp::response<bhttp::empty_body>> stream_head_;
  std::optional<bhttp::response_serializer<bhttp::empty_body>> stream_serializer_;
  std::shared_ptr<BodyStream> body_;
  std::shared_ptr<const std::string> chunk_;
  std::array<char, 256> discard_{};
  unsigned version_ = 11;
  bool first_ = true;
  bool idle_ = false;
  bool keep_alive_ = false;
  bool head_only_ = false;
  bool writing_chunk_ = false;
  bool body_done_ = false;
};

using TlsSession = Session<beast::ssl_stream<beast::tcp_stream>>;
using PlainSession = Session<beast::tcp_stream>;

}  // namespace quorate::http::beast_server
