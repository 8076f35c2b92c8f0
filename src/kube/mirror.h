#pragma once

#include <cstdint>
#include <unordered_map>

#include "src/kube/reflector.h"

namespace quorate::kube {

// What a sink has been told: turns lists and events, with repetitions and gaps, into each change
// once. Belongs to one thread.
class Mirror {
 public:
  explicit Mirror(RawSink& sink) : sink_(&sink) {}

  // An object as it is now, of a list or an event.
  void upsert(const Meta& meta, const RawObject& object);
  // A deletion event; one of an object that is not known tells nothing.
  void remove(const Meta& meta, const RawObject& last);

  // Between these, upsert() tells all there is; what was not among it by end_list() is gone.
  // begin_list() forgets about a list that was begun and not ended.
  void begin_list() { ++list_; }
  void end_list();

  void stop() { sink_ = nullptr; }  // tells nothing from here on; also from inside the sink
  std::size_t size() const { return known_.size(); }

 private:
  struct Known {
    std::uint64_t uid = 0;  // hashes: only compared
    std::uint64_t version = 0;
    std::uint32_t list = 0;  // the newest list it was in, or event it came by
  };

  RawSink* sink_;
  std::unordered_map<ObjectKey, Known> known_;
  std::uint32_t list_ = 0;
};

}  // namespace quorate::kube
