#include "controller/webhook/job_webhook_server.h"

#include <charconv>
#include <random>
#include <utility>

#include "controller/live/reconcile_host.h"
#include "src/jobs/workload_name.h"
#include "src/objects/names.h"

namespace quorate::controller {
namespace {

// Five characters for the group of a Job that has no name yet.
std::string drawn_suffix() {
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  static thread_local std::mt19937_64 generator{std::random_device{}()};
  std::uniform_int_distribution<std::size_t> pick(0, kAlphabet.size() - 1);
  std::string suffix;
  for (int i = 0; i < 5; ++i) suffix += kAlphabet[pick(generator)];
  return suffix;
}

}  // namespace

JobWebhooks::JobWebhooks(const Caches& caches, objects::JobWebhookSettings settings,
                         LabelSelector managed_namespaces)
    : caches_(caches),
      settings_(std::move(settings)),
      managed_namespaces_(std::move(managed_namespaces)) {}

objects::JobWebhookView JobWebhooks::view() const {
  objects::JobWebhookView view;
  view.namespace_selected = [this](std::string_view ns) {
    return selects_namespace(managed_namespaces_, caches_.namespaces, std::string(ns));
  };
  view.has_default_queue = [this](std::string_view ns) {
    return caches_.local_queues.find({std::string(ns), "default"}) != nullptr;
  };
  view.has_default_priority_class = [this] {
    return caches_.workload_classes.find({"", "default"}) != nullptr;
  };
  view.owner_managed = [this](std::string_view ns, const objects::OwnerReference& owner) {
    if (owner.kind != "Job" || owner.api_version != "batch/v1") return false;
    const auto job = caches_.jobs.find({std::string(ns), owner.name});
    return job != nullptr && job->meta.uid == owner.uid &&
           !objects::value_of(job->meta.labels, objects::names::kQueueName).empty();
  };
  // Unlike the Workload's, this name is needed before the Job has a uid.
  view.group_name = [](std::string_view job) {
    constexpr std::size_t kLongest = 63;  // it may become a label's value
    std::string name(job);
    if (name.size() <= kLongest) return name;
    return name.substr(0, kLongest - 6) + "-" + jobs::short_hash(name, 5);
  };
  return view;
}

http::Response JobWebhooks::answer(const http::Request& request) const {
  http::Response response;
  response.headers.set("Content-Type", "application/json");
  const bool mutate = request.path() == "/mutate-batch-v1-job";
  const bool validate = request.path() == "/validate-batch-v1-job";
  if (!mutate && !validate) {
    response.status = 404;
    return response;
  }
  if (request.method != http::Method::Post) {
    response.status = 405;
    return response;
  }
  const Outcome<std::string> review =
      mutate ? objects::mutate_job(request.body, settings_, view(), drawn_suffix())
             : objects::validate_job(request.body, settings_, view());
  if (!review) {
    response.status = 400;
    response.headers.set("Content-Type", "text/plain");
    response.body = review.error().message;
    return response;
  }
  response.status = 200;
  response.body = *review;
  return response;
}

Outcome<BindAddress> parse_bind_address(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    return error(Errc::Invalid, "\"" + std::string(text) + "\": want host:port");
  }
  BindAddress address;
  address.host = text.substr(0, colon);
  if (address.host.starts_with("[") && address.host.ends_with("]")) {
    address.host = address.host.substr(1, address.host.size() - 2);
  }
  if (address.host.empty()) address.host = "0.0.0.0";
  const std::string_view port = text.substr(colon + 1);
  const auto [end, failed] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (port.empty() || failed != std::errc{} || end != port.data() + port.size()) {
    return error(Errc::Invalid, "\"" + std::string(text) + "\": the port is not 0..65535");
  }
  return address;
}

}  // namespace quorate::controller
