#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "src/base/outcome.h"
#include "src/http/loop.h"
#include "src/kube/client.h"
#include "src/kube/raw_object.h"
#include "src/kube/resource.h"

namespace quorate::kube {

struct ReflectorOptions {
  std::string ns;  // "": all namespaces
  std::string label_selector;
  std::string field_selector;
  Format format = Format::Json;  // Protobuf is asked for, JSON understood
  bool watch_list = true;        // try sendInitialEvents first
  int page_size = 500;
  std::uint64_t seed = 1;  // of the backoff's jitter
  Duration backoff_base = Duration::millis(200);
  Duration backoff_max = Duration::seconds(30);
  Duration watch_timeout = Duration::seconds(300);  // asked of the server, up to twice that
};

// What a mirror of the cluster's objects is told, without decoding. All calls on the client's loop.
class RawSink {
 public:
  virtual ~RawSink() = default;
  virtual void on_upsert(const Meta& meta, const RawObject& object) = 0;
  // `last`: the final state, when the server told it (not after a relist; then meta.uid is empty).
  virtual void on_delete(const Meta& meta, const RawObject* last) = 0;
  virtual void on_synced() = 0;
  virtual void on_trouble(const Error& error) = 0;
};

struct ReflectorStats {
  std::uint64_t lists = 0;
  std::uint64_t watches = 0;
  std::uint64_t events = 0;
  std::uint64_t objects = 0;  // known now
};

// Keeps a sink in step with one kind of object: lists, then watches, for ever.
//
// The sink sees each state once and in order: an object whose resourceVersion it has is not told
// again after a relist, one that vanished meanwhile is deleted, and one that was deleted and made
// again (other uid) is deleted first. Of objects it keeps key, uid and version (as hashes) only.
class RawReflector {
 public:
  // `client` and `sink` outlive the reflector.
  RawReflector(Client& client, Resource resource, ReflectorOptions options, RawSink& sink);
  ~RawReflector();  // stop()
  RawReflector(const RawReflector&) = delete;
  RawReflector& operator=(const RawReflector&) = delete;

  void start();
  // After it returns the sink is not called any more. Also from the loop.
  void stop();
  bool synced() const;  // a complete list has been delivered; any thread
  ReflectorStats stats() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

// The typed sink. All calls on the client's loop, one at a time: hand over, do not block.
template <class T>
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void on_upsert(const Meta& meta, T object) = 0;
  virtual void on_delete(const Meta& meta, std::optional<T> last) = 0;
  // An object that does not decode: what was known of it before counts no more.
  virtual void on_invalid(const Meta& meta, const Error& error) = 0;
  // The first complete list has been told. Once.
  virtual void on_synced() {}
  // List or watch failed (it is tried again): for logs.
  virtual void on_trouble(const Error&) {}
};

template <class T>
using Decoder = std::function<Outcome<T>(const RawObject& object)>;

// A RawReflector that hands over decoded values.
template <class T>
class Reflector {
 public:
  Reflector(Client& client, Resource resource, ReflectorOptions options, Decoder<T> decode,
            Sink<T>& sink)
      : adapter_(std::move(decode), sink),
        raw_(client, std::move(resource), std::move(options), adapter_) {}

  void start() { raw_.start(); }
  void stop() { raw_.stop(); }
  bool synced() const { return raw_.synced(); }
  ReflectorStats stats() const { return raw_.stats(); }

 private:
  class Adapter final : public RawSink {
   public:
    Adapter(Decoder<T> decode, Sink<T>& sink) : decode_(std::move(decode)), sink_(sink) {}
    void on_upsert(const Meta& meta, const RawObject& object) override {
      if (Outcome<T> value = decode_(object)) {
        sink_.on_upsert(meta, std::move(*value));
      } else {
        sink_.on_invalid(meta, value.error());
      }
    }
    void on_delete(const Meta& meta, const RawObject* last) override {
      std::optional<T> state;
      if (last != nullptr) {
        if (Outcome<T> value = decode_(*last)) state = std::move(*value);
      }
      sink_.on_delete(meta, std::move(state));
    }
    void on_synced() override { sink_.on_synced(); }
    void on_trouble(const Error& error) override { sink_.on_trouble(error); }

   private:
    Decoder<T> decode_;
    Sink<T>& sink_;
  };

  Adapter adapter_;
  RawReflector raw_;
};

}  // namespace quorate::kube
