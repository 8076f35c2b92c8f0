#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "src/kube/loop_gate.h"
#include "src/kube/mirror.h"
#include "src/kube/reflector.h"
#include "src/kube/watch_decoder.h"

namespace quorate::kube {

// For reflector*.cc only. Belongs to the client's loop, but for the atomics.
struct RawReflector::Impl : std::enable_shared_from_this<RawReflector::Impl> {
  Impl(Client& c, Resource r, ReflectorOptions o, RawSink& s);

  void start();
  void stop();

  // Lists: pages, or the beginning of a watch.
  void begin();
  void next_page();
  void listed(const Outcome<Document>& page);
  Outcome<ListMeta> take_page(const Document& page);
  void list_complete(const std::string& version);

  // Watching, from resume_from or with the whole list first.
  void watch(bool with_list);
  ApiRequest watch_request(bool with_list);
  http::StreamHandler watch_handler();
  void watch_status(int code, const http::Headers& headers);
  void watch_bytes(std::string_view bytes);
  bool watch_event(const WatchEvent& event);
  void watch_ended(const std::optional<Error>& why);
  void watch_refused();

  // Begins again after `delay`: from resume_from when there is one.
  void again(Duration delay);
  Duration next_backoff();
  void trouble(const Error& error);
  void forget_position();

  Client& client;
  http::Loop& loop;
  const Resource resource;
  const ReflectorOptions options;
  RawSink& sink;
  LoopGate gate;
  Mirror mirror;
  std::mt19937_64 random;

  bool running = false;
  bool try_watch_list;
  // Counts list pages, watches and pauses; whatever belongs to an earlier one is dropped.
  std::uint64_t attempt = 0;
  std::uint32_t failures = 0;       // since the last progress
  std::uint32_t broken_events = 0;  // since the last progress
  std::string resume_from;          // resourceVersion; "" when a list is needed
  std::string continue_token;

  // The watch that runs.
  http::Cancel cancel;
  bool in_list = false;  // of a watch-list, until its bookmark
  int status = 0;
  http::Response refusal;
  std::optional<WatchDecoder> decoder;
  std::optional<Error> event_error;
  http::Steady watch_began;
  bool watch_progressed = false;

  std::atomic<bool> is_synced{false};
  std::atomic<std::uint64_t> lists{0};
  std::atomic<std::uint64_t> watches{0};
  std::atomic<std::uint64_t> events{0};
  std::atomic<std::uint64_t> objects{0};
};

}  // namespace quorate::kube
