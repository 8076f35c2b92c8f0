#include "src/kube/reflector.h"

#include <algorithm>
#include <utility>

#include "src/kube/reflector_impl.h"
#include "src/kube/status.h"

namespace quorate::kube {

RawReflector::Impl::Impl(Client& c, Resource r, ReflectorOptions o, RawSink& s)
    : client(c),
      loop(c.loop()),
      resource(std::move(r)),
      options(std::move(o)),
      sink(s),
      gate(loop),
      mirror(s),
      random(options.seed),
      try_watch_list(options.watch_list) {}

void RawReflector::Impl::start() {
  if (std::exchange(running, true)) return;
  begin();
}

void RawReflector::Impl::stop() {
  gate.close();
  running = false;
  ++attempt;
  mirror.stop();
  cancel();
}

void RawReflector::Impl::trouble(const Error& error) { sink.on_trouble(error); }

void RawReflector::Impl::forget_position() {
  resume_from.clear();
  continue_token.clear();
}

// Doubles from base to max, and of that a random half to whole.
Duration RawReflector::Impl::next_backoff() {
  Duration delay = options.backoff_base;
  for (std::uint32_t i = 0; i < failures && delay < options.backoff_max; ++i) delay = delay * 2;
  delay = std::min(delay, options.backoff_max);
  ++failures;
  const auto half = static_cast<std::uint64_t>(delay.nanos / 2);
  return Duration{static_cast<std::int64_t>(half + (half > 0 ? random() % half : 0))};
}

void RawReflector::Impl::again(Duration delay) {
  if (!running) return;
  const std::uint64_t mine = ++attempt;
  loop.after(delay, [weak = weak_from_this(), mine] {
    const auto self = weak.lock();
    if (!self || !self->running || self->attempt != mine) return;
    if (self->resume_from.empty()) return self->begin();
    self->watch(false);
  });
}

void RawReflector::Impl::begin() {
  forget_position();
  if (try_watch_list) return watch(true);
  lists.fetch_add(1, std::memory_order_relaxed);
  mirror.begin_list();
  next_page();
}

void RawReflector::Impl::next_page() {
  const std::uint64_t mine = ++attempt;
  const ListOptions page{.ns = options.ns,
                         .label_selector = options.label_selector,
                         .field_selector = options.field_selector,
                         .accept = options.format,
                         .limit = options.page_size,
                         .continue_token = continue_token};
  client.submit(list_page(resource, page),
                [weak = weak_from_this(), mine](const Outcome<Document>& answer) {
                  const auto self = weak.lock();
                  if (self && self->running && self->attempt == mine) self->listed(answer);
                });
}

Outcome<ListMeta> RawReflector::Impl::take_page(const Document& page) {
  std::optional<Error> broken;
  Outcome<ListMeta> meta = read_list(page, [&](const RawObject& item) {
    if (broken || !running) return;
    if (const Outcome<Meta> about = read_meta(item)) {
      mirror.upsert(*about, item);
    } else {
      broken = about.error();
    }
  });
  if (broken) return within("list " + resource.plural, *broken);
  if (!meta) return within("list " + resource.plural, meta.error());
  return meta;
}

void RawReflector::Impl::listed(const Outcome<Document>& page) {
  if (!page) {
    // An expired continue token: the list begins again, without a pause the first time.
    const bool expired = page.error().code == Errc::Gone && !continue_token.empty();
    trouble(page.error());
    const Duration pause = next_backoff();
    return again(expired && failures == 1 ? Duration{} : pause);
  }
  const Outcome<ListMeta> meta = take_page(*page);
  if (!running) return;
  if (!meta) {
    trouble(meta.error());
    return again(next_backoff());
  }
  objects.store(mirror.size(), std::memory_order_relaxed);
  if (!meta->continue_token.empty()) {
    continue_token = meta->continue_token;
    return next_page();
  }
  list_complete(meta->resource_version);
  if (running) watch(false);
}

void RawReflector::Impl::list_complete(const std::string& version) {
  mirror.end_list();
  objects.store(mirror.size(), std::memory_order_relaxed);
  resume_from = version;
  if (running && !is_synced.exchange(true)) sink.on_synced();
}

RawReflector::RawReflector(Client& client, Resource resource, ReflectorOptions options,
                           RawSink& sink)
    : impl_(std::make_shared<Impl>(client, std::move(resource), std::move(options), sink)) {}

RawReflector::~RawReflector() { stop(); }

void RawReflector::start() {
  impl_->gate.post([impl = impl_] { impl->start(); });
}

void RawReflector::stop() {
  impl_->loop.run_and_wait([this] { impl_->stop(); });
}

bool RawReflector::synced() const { return impl_->is_synced; }

ReflectorStats RawReflector::stats() const {
  return {.lists = impl_->lists,
          .watches = impl_->watches,
          .events = impl_->events,
          .objects = impl_->objects};
}

}  // namespace quorate::kube
