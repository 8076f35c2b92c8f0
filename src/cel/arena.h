#pragma once

#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace quorate::cel {

// Thrown by an arena that would grow beyond its limit.
struct ArenaFull {};

// Memory that one evaluation (or one input object) allocates from and gives back at once. What is
// made in it is never destroyed one by one, so it holds only things that need no destructor.
// What would make it hold more than its limit throws ArenaFull.
// reset() keeps the first block: an evaluation that fits in it asks the heap for nothing.
class Arena {
 public:
  explicit Arena(std::size_t limit = std::numeric_limits<std::size_t>::max()) : limit_(limit) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  Arena(Arena&&) = default;
  Arena& operator=(Arena&&) = default;

  void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
    std::size_t start = (used_ + alignment - 1) & ~(alignment - 1);
    if (blocks_.empty() || start + bytes > blocks_.back().size) {
      grow(bytes);
      start = 0;
    }
    used_ = start + bytes;
    return blocks_.back().memory.get() + start;
  }

  template <class T, class... Args>
  T* make(Args&&... args) {
    return ::new (allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
  }

  template <class T>
  std::span<T> make_array(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    T* first = static_cast<T*>(allocate(sizeof(T) * count, alignof(T)));
    for (std::size_t i = 0; i < count; ++i) ::new (first + i) T{};
    return {first, count};
  }

  std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    char* bytes = static_cast<char*>(allocate(text.size(), 1));
    std::memcpy(bytes, text.data(), text.size());
    return {bytes, text.size()};
  }

  void reset() {
    if (blocks_.size() > 1) blocks_.resize(1);
    total_ = blocks_.empty() ? 0 : blocks_[0].size;
    used_ = 0;
  }

 private:
  struct Block {
    std::unique_ptr<std::byte[]> memory;
    std::size_t size = 0;
  };
  static constexpr std::size_t kFirstBlock = 4096;
  static constexpr std::size_t kLargestStep = std::size_t{1} << 20;

  void grow(std::size_t bytes) {
    std::size_t size = blocks_.empty() ? kFirstBlock : blocks_.back().size * 2;
    if (size > kLargestStep) size = kLargestStep;
    if (size < bytes) size = bytes;
    if (size > limit_ - total_) throw ArenaFull{};
    total_ += size;
    blocks_.push_back(Block{std::make_unique<std::byte[]>(size), size});
  }

  std::vector<Block> blocks_;
  std::size_t used_ = 0;   // of the last block
  std::size_t total_ = 0;  // in all blocks
  std::size_t limit_;
};

}  // namespace quorate::cel
