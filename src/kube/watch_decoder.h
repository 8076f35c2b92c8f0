#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "src/base/outcome.h"
#include "src/kube/raw_object.h"

namespace quorate::kube {

struct WatchEvent {
  enum class Type { Added, Modified, Deleted, Bookmark, Error };

  Type type = Type::Added;
  RawObject object;                     // valid during the call
  Meta meta;                            // not for Error
  bool initial_events_end = false;      // a bookmark that closes the initial list of a watch-list
  std::optional<quorate::Error> error;  // Error only: Gone, or what the server said
};

// Cuts the bytes of a watch, however they are chunked, into events: JSON lines, or protobuf frames.
class WatchDecoder {
 public:
  explicit WatchDecoder(Format format, std::size_t max_event_bytes = std::size_t{16} << 20)
      : format_(format), max_event_bytes_(max_event_bytes) {}

  // Calls `event` for each event that is complete now; stops when it answers false.
  // Errors: Invalid - the stream is broken: end it and watch again. What stands in front of the
  // broken place has been delivered.
  Outcome<void> feed(std::string_view bytes, const std::function<bool(const WatchEvent&)>& event);
  bool in_mid_event() const { return !pending_.empty(); }

 private:
  Outcome<bool> one_frame(std::string_view frame,
                          const std::function<bool(const WatchEvent&)>& event);

  struct Cut {
    std::string_view bytes;
    std::size_t used;
  };
  Outcome<std::optional<Cut>> cut(std::string_view text);

  Format format_;
  std::size_t max_event_bytes_;
  std::string pending_;
  std::size_t searched_ = 0;  // of pending_, JSON: no line end before it
};

}  // namespace quorate::kube
