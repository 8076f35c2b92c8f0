#include "src/kube/client.h"

#include <chrono>
#include <cstdlib>
#include <future>
#include <utility>

#include "src/base/check.h"
#include "src/kube/client_impl.h"
#include "src/kube/json_scan.h"

namespace quorate::kube {
namespace {

constexpr int kMaxRelists = 5;

ApiRequest read(std::string what, std::string path) {
  ApiRequest out;
  out.what = std::move(what);
  out.path = std::move(path);
  out.idempotent = true;
  return out;
}

}  // namespace

Client::Client(std::shared_ptr<http::HttpTransport> transport, http::Loop& loop,
               ClientOptions options, std::shared_ptr<Credentials> credentials)
    : impl_(std::make_shared<Impl>(std::move(transport), loop, std::move(options),
                                   std::move(credentials))) {}

Client::~Client() {
  impl_->loop.run_and_wait([this] { impl_->close(); });
}

void Client::set_fence(std::shared_ptr<const Fence> fence) {
  MutexLock lock(impl_->mutex);
  impl_->fence = std::move(fence);
}

http::Loop& Client::loop() const { return impl_->loop; }

void Client::submit(ApiRequest request, Completion done) {
  impl_->submit(std::move(request), std::move(done));
}

Outcome<Document> Client::call(ApiRequest request) {
  check(!impl_->loop.on_loop(), "Client::call on the loop");
  auto promise = std::make_shared<std::promise<Outcome<Document>>>();
  std::future<Outcome<Document>> answer = promise->get_future();
  submit(std::move(request),
         [promise](Outcome<Document> document) { promise->set_value(std::move(document)); });
  return answer.get();
}

bool Client::drain(Duration limit) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(limit.nanos);
  MutexLock lock(impl_->mutex);
  while (impl_->outstanding > 0) {
    if (!impl_->answered_all.wait_until(impl_->mutex, end)) return impl_->outstanding == 0;
  }
  return true;
}

http::Cancel Client::stream(ApiRequest request, http::StreamHandler handler) {
  return impl_->stream(std::move(request), std::move(handler));
}

Outcome<ListMeta> Client::list(const Resource& resource, ListOptions options,
                               const std::function<void(const RawObject& item)>& item) {
  for (int relists = 0;;) {
    const Outcome<Document> page = call(list_page(resource, options));
    if (!page) {
      const bool expired = page.error().code == Errc::Gone && !options.continue_token.empty();
      if (!expired || ++relists > kMaxRelists) return tl::unexpected(page.error());
      options.continue_token.clear();
      continue;
    }
    const Outcome<ListMeta> meta = read_list(*page, item);
    if (!meta) return within("list " + resource.plural, meta.error());
    if (meta->continue_token.empty()) return meta;
    options.continue_token = meta->continue_token;
  }
}

Outcome<std::vector<std::string>> Client::served_plurals(std::string_view group,
                                                         std::string_view version) {
  const Resource kind{std::string(group), std::string(version), "", "", false};
  const Outcome<Document> answer = call(read("discover " + kind.api_version(), kind.group_path()));
  std::vector<std::string> out;
  if (!answer) {
    if (answer.error().code == Errc::NotFound) return out;
    return tl::unexpected(answer.error());
  }
  Outcome<void> inner;
  const Outcome<void> outer =
      each_member(answer->body, [&](std::string_view key, std::string_view value) {
        if (key != "resources") return true;
        inner = each_element(value, [&](std::string_view element) {
          (void)each_member(element, [&](std::string_view name, std::string_view field) {
            if (name != "name") return true;
            std::string plural = string_value(field).value_or("");
            if (plural.find('/') == std::string::npos) out.push_back(std::move(plural));
            return false;
          });
          return true;
        });
        return false;
      });
  if (!outer) return within("discover " + kind.api_version(), outer.error());
  if (!inner) return within("discover " + kind.api_version(), inner.error());
  return out;
}

Outcome<bool> Client::served(std::string_view group, std::string_view version,
                             std::string_view plural) {
  const Outcome<std::vector<std::string>> all = served_plurals(group, version);
  if (!all) return tl::unexpected(all.error());
  for (const std::string& name : *all) {
    if (name == plural) return true;
  }
  return false;
}

Outcome<ServerVersion> Client::server_version() {
  const Outcome<Document> answer = call(read("server version", "/version"));
  if (!answer) return tl::unexpected(answer.error());
  ServerVersion out;
  const Outcome<void> parsed =
      each_member(answer->body, [&](std::string_view key, std::string_view value) {
        const std::string text = string_value(value).value_or("");
        if (key == "gitVersion") out.git_version = text;
        if (key == "major") out.major = std::atoi(text.c_str());
        if (key == "minor") out.minor = std::atoi(text.c_str());  // "37+" on managed clusters
        return true;
      });
  if (!parsed) return within("server version", parsed.error());
  return out;
}

}  // namespace quorate::kube
