#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "controller/live/log.h"
#include "controller/live/store.h"
#include "src/kube/reflector.h"
#include "src/objects/codec.h"
#include "src/objects/core_kinds.h"
#include "src/objects/kinds.h"
#include "src/objects/node.h"
#include "src/objects/pod.h"
#include "src/objects/resource_claim.h"
#include "src/objects/resource_slice.h"

namespace quorate::controller {

template <class T>
inline constexpr bool kReadsProtobuf =
    std::is_same_v<T, objects::Pod> || std::is_same_v<T, objects::Node> ||
    std::is_same_v<T, objects::Namespace> || std::is_same_v<T, objects::PriorityClass> ||
    std::is_same_v<T, objects::ResourceSlice> || std::is_same_v<T, objects::ResourceClaim>;

// Puts a protobuf message back into the envelope that names its kind.
std::string in_envelope(const objects::KindInfo& kind, std::string_view message);

// Reads an object as it came over the wire; protobuf is understood where the kind is given.
template <class T>
Outcome<T> decode(const kube::RawObject& raw, const objects::KindInfo* kind = nullptr) {
  if (raw.format == kube::Format::Json) return objects::decode_json<T>(raw.bytes);
  if constexpr (kReadsProtobuf<T>) {
    if (kind != nullptr) return objects::decode_protobuf<T>(in_envelope(*kind, raw.bytes));
  }
  return error(Errc::Invalid, "protobuf is not read for this kind");
}

// What happens to one kind's objects, as listeners hear it; all on the client's loop.
template <class T>
struct Listener {
  std::function<void(const std::shared_ptr<const T>& now, const std::shared_ptr<const T>& before)>
      on_put;
  std::function<void(const std::shared_ptr<const T>& last)> on_gone;
  // The object of this key cannot be understood; whatever it was before counts no more.
  std::function<void(const kube::Meta& meta, const Error& why)> on_invalid;
};

// A kind that is watched for the whole process.
class AnyFeed {
 public:
  virtual ~AnyFeed() = default;
  // Lists and watches; again after a call before: from a fresh list, dropping what it lacks.
  virtual void start() = 0;
  virtual void stop() = 0;
  virtual bool synced() const = 0;
  virtual const std::string& name() const = 0;
  virtual std::optional<std::string> trouble() const = 0;  // of the last failed list or watch
};

// Keeps a store in step with the API server and tells the listener what changed.
template <class T>
class Feed final : public AnyFeed, private kube::Sink<T> {
 public:
  // With a `filter`, other objects are as if they did not exist.
  Feed(kube::Client& client, kube::Resource resource, kube::ReflectorOptions options,
       kube::Decoder<T> decoder, Store<T>& store, Listener<T> listener,
       std::function<bool(const T&)> filter = {}, std::function<void()> on_synced_now = {})
      : client_(client),
        resource_(std::move(resource)),
        options_(std::move(options)),
        decoder_(std::move(decoder)),
        store_(store),
        listener_(std::move(listener)),
        filter_(std::move(filter)),
        on_synced_now_(std::move(on_synced_now)),
        name_(resource_.plural + "." + resource_.group) {}

  void start() override {
    stop();
    store_.begin_relist();
    {
      MutexLock lock(mutex_);
      synced_ = false;
    }
    reflector_ = std::make_unique<kube::Reflector<T>>(client_, resource_, options_, decoder_,
                                                      static_cast<kube::Sink<T>&>(*this));
    reflector_->start();
  }
  void stop() override {
    if (reflector_ != nullptr) reflector_->stop();
    reflector_.reset();
  }
  bool synced() const override {
    MutexLock lock(mutex_);
    return synced_;
  }
  const std::string& name() const override { return name_; }
  std::optional<std::string> trouble() const override {
    MutexLock lock(mutex_);
    return trouble_;
  }

 private:
  void on_upsert(const kube::Meta& meta, T object) override {
    if (filter_ && !filter_(object)) {
      drop(meta.key, meta.uid);
      return;
    }
    const auto put = store_.watched(std::move(object));
    if (put.news && listener_.on_put) listener_.on_put(put.now, put.before);
  }
  void on_delete(const kube::Meta& meta, std::optional<T>) override { drop(meta.key, meta.uid); }
  void on_invalid(const kube::Meta& meta, const Error& why) override {
    log_warn("object cannot be understood",
             {{"kind", resource_.kind}, {"object", meta.key.text()}, {"reason", why.message}});
    drop(meta.key, meta.uid);
    if (listener_.on_invalid) listener_.on_invalid(meta, why);
  }
  void on_synced() override {
    for (const auto& value : store_.sweep()) {
      if (listener_.on_gone) listener_.on_gone(value);
    }
    {
      MutexLock lock(mutex_);
      synced_ = true;
      trouble_.reset();
    }
    if (on_synced_now_) on_synced_now_();
  }
  void on_trouble(const Error& why) override {
    bool fresh = false;
    {
      MutexLock lock(mutex_);
      fresh = trouble_ != why.message;
      trouble_ = why.message;
    }
    if (fresh) log_warn("watch failed", {{"kind", resource_.kind}, {"reason", why.message}});
  }

  void drop(const ObjectKey& key, const std::string& uid) {
    const auto last = store_.gone(key, uid);
    if (last != nullptr && listener_.on_gone) listener_.on_gone(last);
  }

  kube::Client& client_;
  const kube::Resource resource_;
  const kube::ReflectorOptions options_;
  const kube::Decoder<T> decoder_;
  Store<T>& store_;
  const Listener<T> listener_;
  const std::function<bool(const T&)> filter_;
  const std::function<void()> on_synced_now_;
  const std::string name_;
  std::unique_ptr<kube::Reflector<T>> reflector_;
  mutable Mutex mutex_;
  bool synced_ GUARDED_BY(mutex_) = false;
  std::optional<std::string> trouble_ GUARDED_BY(mutex_);
};

}  // namespace quorate::controller
