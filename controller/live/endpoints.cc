#include "controller/live/endpoints.h"

#include <utility>

#include "controller/live/log.h"
#include "controller/webhook/job_webhook_server.h"

namespace quorate::controller {

Outcome<std::unique_ptr<http::Server>> serve(const std::string& address, const std::string& kind,
                                             http::Handler handler) {
  if (address.empty() || address == "0") return std::unique_ptr<http::Server>();
  const Outcome<BindAddress> where = parse_bind_address(address);
  if (!where) return within(kind + " address", where.error());
  Outcome<std::unique_ptr<http::Server>> server =
      http::Server::start({.address = where->host, .port = where->port}, std::move(handler));
  if (!server) return within(kind + " address " + address, server.error());
  log_info("listening",
           {{"address", where->host + ":" + std::to_string((*server)->port())}, {"kind", kind}});
  return server;
}

http::Handler health_handler(std::function<std::string()> not_ready, std::string liveness,
                             std::string readiness) {
  return [not_ready = std::move(not_ready), liveness = "/" + liveness,
          readiness = "/" + readiness](const http::Request& request) {
    http::Response response;
    response.headers.set("Content-Type", "text/plain");
    if (request.path() == liveness) {
      response.status = 200;
      response.body = "ok";
    } else if (request.path() == readiness) {
      const std::string why = not_ready();
      response.status = why.empty() ? 200 : 503;
      response.body = why.empty() ? "ok" : why;
    } else {
      response.status = 404;
    }
    return response;
  };
}

http::Handler metrics_handler(const MetricRegistry& metrics) {
  return [&metrics](const http::Request& request) {
    http::Response response;
    if (request.path() != "/metrics") {
      response.status = 404;
      return response;
    }
    response.status = 200;
    response.headers.set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
    response.body = metrics.expose();
    return response;
  };
}

}  // namespace quorate::controller
