#include "src/http/cpprest_transport.h"

#include <csignal>
#include <cstdlib>
#include <utility>
// <utility> first: this Boost's awaitable.hpp needs it.
#include <cpprest/http_client.h>
#include <pplx/threadpool.h>
#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>

#include <algorithm>
#include <chrono>
#include <deque>

#include "src/http/push_streambuf.h"
#include "src/http/verify_failure.h"

namespace quorate::http {
namespace {

namespace asio = boost::asio;
using web::http::client::http_client;
using web::http::client::http_client_config;

asio::io_service& pool() { return crossplat::threadpool::shared_instance().service(); }

std::chrono::nanoseconds chrono_of(Duration d) { return std::chrono::nanoseconds(d.nanos); }

constexpr int kMaxAttempts = 4;
constexpr std::size_t kMaxEarlyBytes = std::size_t{1} << 20;

struct Failure {
  int code = 0;  // of several categories at once; only 110 and 125 mean the same in all
  std::string message;
};

// The one place where a task of the library ends: nothing else calls get() or wait(), or lets a
// task be dropped unobserved. `done(value)` or `failed(Failure)` runs on the pool thread.
template <class T, class Done, class Failed>
void finish(pplx::task<T> task, Done done, Failed failed) {
  task.then([done = std::move(done), failed = std::move(failed)](pplx::task<T> result) {
    try {
      done(result.get());
      return;
    } catch (const web::http::http_exception& e) {
      failed(Failure{e.error_code().value(), e.what()});
    } catch (const pplx::task_canceled&) {
      failed(Failure{ECANCELED, "cancelled"});
    } catch (const std::exception& e) {
      failed(Failure{0, e.what()});
    } catch (...) {
      failed(Failure{0, "unknown failure"});
    }
  });
}

web::http::http_request to_library(Request& request, const std::string& host) {
  web::http::http_request out{web::http::method(std::string(method_name(request.method)))};
  out.set_request_uri(web::uri(request.target));
  std::string content_type = "application/octet-stream";
  for (const auto& [name, value] : request.headers.fields()) {
    if (name == "Content-Type") {
      content_type = value;
    } else {
      out.headers().add(name, value);  // repeated ones are joined by a comma
    }
  }
  if (!host.empty()) out.headers().add("Host", host);
  if (!request.body.empty()) out.set_body(request.body, content_type);
  return out;
}

Headers from_library(const web::http::http_headers& headers) {
  Headers out;
  for (const auto& [name, value] : headers) out.set(name, value);
  return out;
}

// A kept-alive connection that the server had closed, or one that broke: worth another try at
// once. Not: nobody listens, no trust, no time, cancelled.
bool broken_connection(const Failure& failure) {
  switch (failure.code) {
    case 0:
    case ECANCELED:
    case ETIMEDOUT:
    case ECONNREFUSED:
    case EHOSTUNREACH:
    case ENETUNREACH:
      return false;
    default:
      return failure.message.find("SSL handshake") == std::string::npos &&
             failure.message.find("resolving") == std::string::npos &&
             failure.message.find("connect to any") == std::string::npos;
  }
}

// Everything below lives on the pool's one thread, so nothing needs a lock.
struct Unary {
  Request request;
  HttpTransport::Completion done;
  pplx::cancellation_token_source cancel;
  asio::steady_timer deadline{pool()};
  int attempts = 0;
  std::string body;
  bool too_large = false;

  bool finished() const { return !done; }
  void finish(Outcome<Response> result) {
    if (finished()) return;
    deadline.cancel();
    std::exchange(done, nullptr)(std::move(result));
  }
};

struct Stream {
  StreamHandler handler;
  pplx::cancellation_token_source cancel;
  asio::steady_timer deadline{pool()};  // until the status line
  std::string early;                    // bytes that overtook the status
  bool status_told = false;
  bool ended = false;

  void end(std::optional<Error> why) {
    if (std::exchange(ended, true)) return;
    deadline.cancel();
    cancel.cancel();
    handler.on_end(std::move(why));
  }
  void status(int code, const Headers& headers) {
    if (ended) return;
    deadline.cancel();
    handler.on_status(code, headers);
    status_told = true;
    const std::string bytes = std::exchange(early, {});
    if (!bytes.empty()) pass(bytes);
  }
  void pushed(std::string_view bytes) {
    if (ended) return;
    if (status_told) return pass(bytes);
    early.append(bytes);
    if (early.size() > kMaxEarlyBytes) end_later("answer without a status");
  }

 private:
  void pass(std::string_view bytes) {
    if (!handler.on_bytes(bytes)) end_later("stopped by the reader");
  }
  // The library is inside a write to our sink: not the moment to close its socket.
  void end_later(std::string why) {
    ended = true;
    deadline.cancel();
    pool().post([on_end = handler.on_end, source = cancel, why = std::move(why)] {
      source.cancel();
      on_end(Error{Errc::Unavailable, why});
    });
  }
};

class CpprestTransport final : public HttpTransport,
                               public std::enable_shared_from_this<CpprestTransport> {
 public:
  explicit CpprestTransport(TransportOptions options)
      : options_(std::move(options)),
        tls_error_(std::make_shared<std::string>()),
        unary_(options_.base_url, config(Duration::seconds(120))),
        streams_(options_.base_url, config(options_.stream_idle_timeout)) {}

  Cancel send(Request request, Completion done) override {
    auto call = std::make_shared<Unary>();
    call->request = std::move(request);
    call->done = std::move(done);
    pool().post([self = shared_from_this(), call] { self->enqueue(call); });
    return Cancel([call] {
      pool().post([call] {
        call->finish(error(Errc::Unavailable, "cancelled"));
        call->cancel.cancel();
      });
    });
  }

  Cancel stream(Request request, StreamHandler handler) override {
    auto call = std::make_shared<Stream>();
    call->handler = std::move(handler);
    pool().post([self = shared_from_this(), call, request = std::move(request)]() mutable {
      self->start(call, std::move(request));
    });
    return Cancel([call] {
      pool().post([call] { call->end(Error{Errc::Unavailable, "cancelled"}); });
    });
  }

 private:
  http_client_config config(Duration idle_timeout) const {
    http_client_config out;
    out.set_timeout(std::chrono::duration_cast<utility::seconds>(chrono_of(idle_timeout)));
    out.set_validate_certificates(!options_.insecure_skip_verify);
    out.set_ssl_context_callback(
        [tls = options_.tls, failed = tls_error_](asio::ssl::context& context) {
          failed->clear();
          tell_verify_failures(context.native_handle(), failed);
          if (tls) set_material(context, tls(), *failed);
        });
    return out;
  }

  // Must not throw into the library. What fails here makes the handshake fail.
  static void set_material(asio::ssl::context& context, const Outcome<TlsMaterial>& material,
                           std::string& failed) {
    if (!material) {
      failed = material.error().message;
      return;
    }
    boost::system::error_code ec;
    const auto buffer = [](const std::string& text) {
      return asio::buffer(text.data(), text.size());
    };
    context.set_options(asio::ssl::context::no_sslv3 | asio::ssl::context::no_tlsv1 |
                            asio::ssl::context::no_tlsv1_1,
                        ec);
    if (!material->ca_pem.empty()) {
      context.add_certificate_authority(buffer(material->ca_pem), ec);
      if (ec) failed = "certificate authority: " + ec.message();
    }
    if (material->identity.certificate_pem.empty()) return;
    context.use_certificate_chain(buffer(material->identity.certificate_pem), ec);
    if (ec) failed = "client certificate: " + ec.message();
    context.use_private_key(buffer(material->identity.key_pem), asio::ssl::context::pem, ec);
    if (ec) failed = "client key: " + ec.message();
  }

  Error error_of(const Failure& failure) const {
    std::string message = options_.base_url + ": " + failure.message;
    if (!tls_error_->empty()) message += " (" + *tls_error_ + ")";
    return Error{Errc::Unavailable, std::move(message)};
  }

  void enqueue(const std::shared_ptr<Unary>& call) {
    if (call->finished()) return;
    call->deadline.expires_after(chrono_of(call->request.timeout));
    call->deadline.async_wait([self = shared_from_this(), call](boost::system::error_code ec) {
      if (ec || call->finished()) return;
      call->finish(tl::unexpected(self->error_of({ETIMEDOUT, "timed out"})));
      call->cancel.cancel();
    });
    if (in_flight_ >= options_.max_in_flight) {
      waiting_.push_back(call);
      return;
    }
    ++in_flight_;
    launch(call);
  }

  void next() {
    --in_flight_;
    while (!waiting_.empty() && in_flight_ < options_.max_in_flight) {
      const std::shared_ptr<Unary> call = std::move(waiting_.front());
      waiting_.pop_front();
      if (call->finished()) continue;
      ++in_flight_;
      launch(call);
    }
  }

  void launch(const std::shared_ptr<Unary>& call) {
    ++call->attempts;
    call->body.clear();
    const auto failed = [self = shared_from_this(), call](const Failure& failure) {
      if (!call->finished() && call->request.idempotent && call->attempts < kMaxAttempts &&
          broken_connection(failure)) {
        return self->launch(call);
      }
      call->finish(tl::unexpected(self->error_of(failure)));
      self->next();
    };
    try {
      web::http::http_request request = to_library(call->request, options_.server_name);
      request.set_response_stream(concurrency::streams::ostream(PushStreambuf(
          [call, limit = options_.max_body_bytes](const char* bytes, std::size_t size) {
            if (call->body.size() + size > limit) call->too_large = true;
            if (!call->too_large) call->body.append(bytes, size);
          })));
      auto task =
          unary_.request(request, call->cancel.get_token()).then([](web::http::http_response r) {
            return r.content_ready();
          });
      finish(
          std::move(task),
          [self = shared_from_this(), call](const web::http::http_response& response) {
            self->complete(call, response);
          },
          failed);
    } catch (const std::exception& e) {
      failed(Failure{0, e.what()});
    }
  }

  void complete(const std::shared_ptr<Unary>& call, const web::http::http_response& response) {
    if (call->too_large) {
      call->finish(tl::unexpected(error_of({0, "answer larger than the limit"})));
    } else if (!call->finished()) {
      Response out;
      out.status = response.status_code();
      out.headers = from_library(response.headers());
      out.body = std::move(call->body);
      call->finish(std::move(out));
    }
    next();
  }

  void start(const std::shared_ptr<Stream>& call, Request request) {
    if (call->ended) return;
    call->deadline.expires_after(chrono_of(request.timeout));
    call->deadline.async_wait([self = shared_from_this(), call](boost::system::error_code ec) {
      if (!ec && !call->status_told) call->end(self->error_of({ETIMEDOUT, "timed out"}));
    });
    const auto failed = [self = shared_from_this(), call](const Failure& failure) {
      call->end(self->error_of(failure));
    };
    try {
      web::http::http_request out = to_library(request, options_.server_name);
      out.set_response_stream(
          concurrency::streams::ostream(PushStreambuf([call](const char* bytes, std::size_t size) {
            call->pushed(std::string_view(bytes, size));
          })));
      auto task = streams_.request(out, call->cancel.get_token())
                      .then([call](web::http::http_response response) {
                        call->status(response.status_code(), from_library(response.headers()));
                        return response.content_ready();
                      });
      finish(
          std::move(task), [call](const web::http::http_response&) { call->end(std::nullopt); },
          failed);
    } catch (const std::exception& e) {
      failed(Failure{0, e.what()});
    }
  }

  const TransportOptions options_;
  std::shared_ptr<std::string> tls_error_;  // of the newest connection
  http_client unary_;
  http_client streams_;
  int in_flight_ = 0;
  std::deque<std::shared_ptr<Unary>> waiting_;
};

}  // namespace

void init_process() {
  std::signal(SIGPIPE, SIG_IGN);
  // The library loads the system's CA bundle for every connection: 9 times the cost of one.
  ::setenv("SSL_CERT_FILE", "/dev/null", 1);
  ::setenv("SSL_CERT_DIR", "/nonexistent", 1);
  // With more threads it races between a timeout and the TLS engine, and crashes.
  crossplat::threadpool::initialize_with_threads(1);
}

Outcome<std::shared_ptr<HttpTransport>> make_transport(TransportOptions options) {
  const web::uri uri = [&] {
    try {
      return web::uri(options.base_url);
    } catch (const web::uri_exception&) {
      return web::uri();
    }
  }();
  if (uri.host().find(':') != std::string::npos) {  // the library hands "[::1]" to the resolver
    return error(Errc::Invalid,
                 "server URL '" + options.base_url + "': use a name instead of an IPv6 address");
  }
  const bool usable = (uri.scheme() == "https" || uri.scheme() == "http") && !uri.host().empty() &&
                      uri.host().front() != '[';
  if (!usable || (!uri.path().empty() && uri.path() != "/") || !uri.query().empty()) {
    return error(Errc::Invalid,
                 "server URL '" + options.base_url + "' is not of the form https://host:port");
  }
  return std::make_shared<CpprestTransport>(std::move(options));
}

}  // namespace quorate::http
