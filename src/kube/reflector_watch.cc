#include <utility>

#include "src/kube/reflector_impl.h"
#include "src/kube/status.h"

namespace quorate::kube {
namespace {

constexpr std::size_t kMaxErrorBody = std::size_t{64} << 10;
// Bytes of one watch that wait for the loop. Beyond it the watch is cut and resumed.
constexpr std::size_t kMaxQueued = std::size_t{64} << 20;
constexpr Duration kLongWatch = Duration::seconds(10);
constexpr std::uint32_t kMaxBrokenEvents = 3;

}  // namespace

ApiRequest RawReflector::Impl::watch_request(bool with_list) {
  ApiRequest out;
  out.what = "watch " + resource.plural + (resource.group.empty() ? "" : "." + resource.group);
  out.path = resource.collection_path(options.ns);
  out.accept = options.format;
  const auto add = [&out](const char* name, std::string value) {
    if (!value.empty()) out.query.emplace_back(name, std::move(value));
  };
  add("watch", "true");
  add("allowWatchBookmarks", "true");
  add("labelSelector", options.label_selector);
  add("fieldSelector", options.field_selector);
  add("resourceVersion", resume_from);
  if (with_list) {
    add("sendInitialEvents", "true");
    add("resourceVersionMatch", "NotOlderThan");
  }
  // Spread, so that the watches of a process do not all end together.
  const auto seconds = static_cast<std::uint64_t>(options.watch_timeout.nanos / 1'000'000'000);
  if (seconds > 0) add("timeoutSeconds", std::to_string(seconds + random() % seconds));
  return out;
}

// The stream's calls come on the transport's thread and pass to the loop.
http::StreamHandler RawReflector::Impl::watch_handler() {
  const std::uint64_t mine = attempt;
  const auto queued = std::make_shared<std::atomic<std::size_t>>(0);
  const std::weak_ptr<Impl> weak = weak_from_this();
  const auto pass = [weak, mine](auto act) {
    const std::shared_ptr<Impl> self = weak.lock();
    if (!self) return false;
    self->gate.post([self, mine, act = std::move(act)] {
      if (self->running && self->attempt == mine) act(*self);
    });
    return true;
  };
  http::StreamHandler handler;
  handler.on_status = [pass](int code, const http::Headers& headers) {
    pass([code, headers](Impl& self) { self.watch_status(code, headers); });
  };
  handler.on_bytes = [pass, queued](std::string_view bytes) {
    if (queued->fetch_add(bytes.size()) + bytes.size() > kMaxQueued) return false;
    return pass([queued, copy = std::string(bytes)](Impl& self) {
      queued->fetch_sub(copy.size());
      self.watch_bytes(copy);
    });
  };
  handler.on_end = [pass](std::optional<Error> why) {
    pass([why = std::move(why)](Impl& self) { self.watch_ended(why); });
  };
  return handler;
}

void RawReflector::Impl::watch(bool with_list) {
  ++attempt;
  watches.fetch_add(1, std::memory_order_relaxed);
  in_list = with_list;
  if (with_list) {
    lists.fetch_add(1, std::memory_order_relaxed);
    mirror.begin_list();
  }
  status = 0;
  refusal = {};
  decoder.reset();
  event_error.reset();
  watch_began = loop.now();
  watch_progressed = false;
  cancel = client.stream(watch_request(with_list), watch_handler());
}

void RawReflector::Impl::watch_status(int code, const http::Headers& headers) {
  status = code;
  refusal.status = code;
  refusal.headers = headers;
  if (code == 200) decoder.emplace(format_of(refusal).value_or(Format::Json));
}

void RawReflector::Impl::watch_bytes(std::string_view bytes) {
  if (event_error) return;
  if (!decoder) {
    if (refusal.body.size() < kMaxErrorBody) refusal.body.append(bytes);
    return;
  }
  const Outcome<void> fed =
      decoder->feed(bytes, [this](const WatchEvent& event) { return watch_event(event); });
  if (!running) return;
  objects.store(mirror.size(), std::memory_order_relaxed);
  if (!fed) {
    ++broken_events;
    event_error = fed.error();
  }
  if (event_error) cancel();  // watch_ended() follows
}

bool RawReflector::Impl::watch_event(const WatchEvent& event) {
  events.fetch_add(1, std::memory_order_relaxed);
  switch (event.type) {
    case WatchEvent::Type::Added:
    case WatchEvent::Type::Modified:
      mirror.upsert(event.meta, event.object);
      break;
    case WatchEvent::Type::Deleted:
      mirror.remove(event.meta, event.object);
      break;
    case WatchEvent::Type::Bookmark:
      break;
    case WatchEvent::Type::Error:
      event_error = event.error;
      return false;
  }
  if (!running) return false;
  watch_progressed = true;
  if (!in_list) {
    resume_from = event.meta.resource_version;
  } else if (event.initial_events_end) {
    // Only now: the versions before came in the order of keys and mean nothing to resume from.
    in_list = false;
    list_complete(event.meta.resource_version);
  }
  return running;
}

void RawReflector::Impl::watch_ended(const std::optional<Error>& why) {
  cancel = {};
  if (status != 0 && status != 200) return watch_refused();

  const bool good = watch_progressed || loop.now() - watch_began >= kLongWatch;
  if (good) failures = 0;
  if (!event_error && good) broken_events = 0;
  if (event_error) {
    trouble(*event_error);
    // An event that never decodes is stepped over by listing what there is.
    const bool lost = event_error->code == Errc::Gone || broken_events >= kMaxBrokenEvents;
    if (lost) forget_position();
    if (lost && broken_events >= kMaxBrokenEvents) broken_events = 0;
    return again(event_error->code == Errc::Gone && good ? Duration{} : next_backoff());
  }
  if (why) trouble(within("watch " + resource.plural, *why).value());
  // The server ends each watch after a while; that is no failure.
  again(good && !in_list ? Duration{} : next_backoff());
}

void RawReflector::Impl::watch_refused() {
  const Error refused = error_of("watch " + resource.plural, refusal);
  if (in_list && refused.code == Errc::Invalid) {
    try_watch_list = false;  // an older server, or the feature is off
    return again(Duration{});
  }
  trouble(refused);
  const bool expired = refused.code == Errc::Gone;
  if (expired) forget_position();
  const Duration pause = next_backoff();
  again(expired && failures == 1 ? Duration{} : pause);
}

}  // namespace quorate::kube
