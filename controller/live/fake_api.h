#pragma once

// An API server for tests of the hosts: a handler over a ManualLoop that records what it is asked
// and answers what the test says.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "src/http/fault_transport.h"
#include "src/http/handler_transport.h"
#include "src/http/manual_loop.h"
#include "src/kube/client.h"

namespace quorate::controller::testing {

class FakeApi {
 public:
  using Answer = std::function<http::Response(const http::Request&)>;

  FakeApi()
      : transport_(http::make_fault_transport(
            http::make_handler_transport(
                [this](const http::Request& request) {
                  asked.push_back(std::string(http::method_name(request.method)) + " " +
                                  std::string(request.path()));
                  bodies.push_back(request.body);
                  return answer(request);
                },
                loop),
            loop, faults.plan())),
        client(transport_, loop, {.max_retries = 0}) {}

  static http::Response json(std::string body, int status = 200) {
    http::Response response;
    response.status = status;
    response.headers.set("Content-Type", "application/json");
    response.body = std::move(body);
    return response;
  }
  static http::Response refusal(int status, const std::string& reason, const std::string& message) {
    return json(R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":")" + reason +
                    R"(","message":")" + message + R"(","code":)" + std::to_string(status) + "}",
                status);
  }

  http::ManualLoop loop;
  http::ScriptedFaults faults;
  std::vector<std::string> asked;
  std::vector<std::string> bodies;
  Answer answer = [](const http::Request&) { return json("{}"); };

 private:
  std::shared_ptr<http::HttpTransport> transport_;

 public:
  kube::Client client;
};

}  // namespace quorate::controller::testing
