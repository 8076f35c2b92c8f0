#include "src/http/server.h"

#include <openssl/ssl.h>

#include <future>
#include <thread>
#include <utility>
#include <vector>

#include "src/base/thread_annotations.h"
#include "src/http/beast_session.h"

namespace quorate::http {
namespace {

using namespace beast_server;
using TlsContext = std::shared_ptr<asio::ssl::context>;

Outcome<TlsContext> make_context(const KeyPair& pair) {
  if (const Outcome<void> sound = check_key_pair(pair); !sound) {
    return within("serving certificate", sound.error());
  }
  try {
    auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
    SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
    SSL_CTX_set_mode(context->native_handle(), SSL_MODE_RELEASE_BUFFERS);
    context->use_certificate_chain(
        asio::buffer(pair.certificate_pem.data(), pair.certificate_pem.size()));
    context->use_private_key(asio::buffer(pair.key_pem.data(), pair.key_pem.size()),
                             asio::ssl::context::pem);
    return context;
  } catch (const boost::system::system_error& e) {
    return error(Errc::Invalid, std::string("serving certificate: ") + e.what());
  }
}

class BeastServer final : public Server {
 public:
  BeastServer(ServerOptions options, Handler handler, TlsContext context) NO_THREAD_SAFETY_ANALYSIS
      : shared_(std::make_shared<Shared>(std::move(options), std::move(handler))),
        acceptor_(asio::make_strand(shared_->io)),
        retry_(acceptor_.get_executor()),
        workers_(static_cast<std::size_t>(std::max(1, shared_->options.worker_threads))) {
    context_ = std::move(context);
    shared_->workers = &workers_;
  }

  ~BeastServer() override { stop(Duration{}); }

  Outcome<void> listen() {
    error_code ec;
    const auto address = asio::ip::make_address(shared_->options.address, ec);
    if (ec) {
      return error(Errc::Invalid,
                   "listen address '" + shared_->options.address + "' is not an IP address");
    }
    const tcp::endpoint endpoint(address, shared_->options.port);
    acceptor_.open(endpoint.protocol(), ec);
    if (!ec) acceptor_.set_option(asio::socket_base::reuse_address(true), ec);
    if (!ec) acceptor_.bind(endpoint, ec);
    if (!ec) acceptor_.listen(asio::socket_base::max_listen_connections, ec);
    if (!ec) port_ = acceptor_.local_endpoint(ec).port();
    if (ec) {
      return error(Errc::Unavailable, "listen on " + shared_->options.address + ":" +
                                          std::to_string(shared_->options.port) + ": " +
                                          ec.message());
    }
    asio::post(acceptor_.get_executor(), [this] { accept(); });
    for (int i = 0; i < std::max(1, shared_->options.io_threads); ++i) {
      threads_.emplace_back([this] { shared_->io.run(); });
    }
    return {};
  }

  std::uint16_t port() const override { return port_; }

  Outcome<void> set_certificate(const KeyPair& pair) override {
    Outcome<TlsContext> context = make_context(pair);
    if (!context) return tl::unexpected(context.error());
    MutexLock lock(context_mutex_);
    context_ = std::move(*context);
    return {};
  }

  void stop(Duration grace) override {
    if (std::exchange(stopped_, true)) return;
    shared_->stopping = true;
    if (!threads_.empty()) close_acceptor();
    sessions_.each([](SessionBase& session) { session.begin_stop(); });
    shared_->wait_for_none(std::chrono::steady_clock::now() + chrono_of(grace));
    sessions_.each([](SessionBase& session) { session.cut(); });
    workers_.join();  // handlers that still run finish here; their sessions are closed already
    idle_work_.reset();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  // Afterwards no new session begins.
  void close_acceptor() {
    std::promise<void> closed;
    asio::post(acceptor_.get_executor(), [&] {
      error_code ignored;
      acceptor_.close(ignored);
      retry_.cancel();
      closed.set_value();
    });
    closed.get_future().wait();
  }

  void accept() {
    acceptor_.async_accept(asio::make_strand(shared_->io),
                           [this](error_code ec, tcp::socket socket) {
                             if (shared_->stopping || ec == asio::error::operation_aborted) return;
                             if (ec) {  // out of file descriptors, usually: not a busy loop
                               retry_.expires_after(std::chrono::milliseconds(100));
                               retry_.async_wait([this](error_code timer) {
                                 if (!timer) accept();
                               });
                               return;
                             }
                             if (shared_->open() < shared_->options.max_connections)
                               serve(std::move(socket));
                             accept();
                           });
  }

  TlsContext current_context() EXCLUDES(context_mutex_) {
    MutexLock lock(context_mutex_);
    return context_;
  }

  void serve(tcp::socket socket) {
    error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    if (const TlsContext context = current_context()) {
      const auto session = std::make_shared<TlsSession>(shared_, std::move(socket), *context);
      sessions_.add(session);
      session->start();
    } else {
      const auto session = std::make_shared<PlainSession>(shared_, std::move(socket));
      sessions_.add(session);
      session->start();
    }
  }

  std::shared_ptr<Shared> shared_;
  asio::executor_work_guard<asio::io_context::executor_type> idle_work_{shared_->io.get_executor()};
  tcp::acceptor acceptor_;
  asio::steady_timer retry_;
  asio::thread_pool workers_;
  Mutex context_mutex_;
  TlsContext context_ GUARDED_BY(context_mutex_);  // an SSL object keeps its own reference
  Sessions sessions_;
  std::vector<std::thread> threads_;
  std::uint16_t port_ = 0;
  bool stopped_ = false;
};

}  // namespace

Outcome<std::unique_ptr<Server>> Server::start(ServerOptions options, Handler handler) {
  TlsContext context;
  if (options.tls) {
    Outcome<TlsContext> made = make_context(*options.tls);
    if (!made) return tl::unexpected(made.error());
    context = std::move(*made);
  }
  auto server =
      std::make_unique<BeastServer>(std::move(options), std::move(handler), std::move(context));
  if (const Outcome<void> listening = server->listen(); !listening) {
    return tl::unexpected(listening.error());
  }
  return server;
}

}  // namespace quorate::http
