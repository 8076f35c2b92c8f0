#include "src/kube/mirror.h"

#include <algorithm>
#include <vector>

#include "src/base/digest.h"

namespace quorate::kube {
namespace {

std::uint64_t hash_of(const std::string& text) { return Digest().text(text).value(); }

}  // namespace

void Mirror::upsert(const Meta& meta, const RawObject& object) {
  const Known now{hash_of(meta.uid), hash_of(meta.resource_version), list_};
  const auto [found, fresh] = known_.try_emplace(meta.key, now);
  if (!fresh) {
    const Known before = std::exchange(found->second, now);
    if (before.uid == now.uid && before.version == now.version) return;
    if (before.uid != now.uid && sink_ != nullptr) {
      sink_->on_delete(Meta{.key = meta.key}, nullptr);
    }
  }
  if (sink_ != nullptr) sink_->on_upsert(meta, object);
}

void Mirror::remove(const Meta& meta, const RawObject& last) {
  const auto found = known_.find(meta.key);
  // A deletion of an earlier object of that name has been told with its successor.
  if (found == known_.end() || found->second.uid != hash_of(meta.uid)) return;
  known_.erase(found);
  if (sink_ != nullptr) sink_->on_delete(meta, &last);
}

void Mirror::end_list() {
  std::vector<ObjectKey> gone;
  for (const auto& [key, known] : known_) {
    if (known.list != list_) gone.push_back(key);
  }
  std::ranges::sort(gone);
  for (const ObjectKey& key : gone) {
    known_.erase(key);
    if (sink_ != nullptr) sink_->on_delete(Meta{.key = key}, nullptr);
  }
}

}  // namespace quorate::kube
