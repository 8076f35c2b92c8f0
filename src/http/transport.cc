#include "src/http/transport.h"

#include <future>
#include <memory>

namespace quorate::http {

Outcome<Response> HttpTransport::call(Request request) {
  auto promise = std::make_shared<std::promise<Outcome<Response>>>();
  std::future<Outcome<Response>> answer = promise->get_future();
  send(std::move(request),
       [promise](Outcome<Response> response) { promise->set_value(std::move(response)); });
  return answer.get();
}

}  // namespace quorate::http
