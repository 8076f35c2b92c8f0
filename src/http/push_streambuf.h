#pragma once

#include <cpprest/astreambuf.h>

#include <functional>
#include <memory>
#include <utility>

// For cpprest_transport.cc only.
namespace quorate::http {

// A write-only stream buffer that passes each chunk on as it arrives.
class PushBuffer final : public concurrency::streams::details::streambuf_state_manager<uint8_t> {
 public:
  using Base = concurrency::streams::details::streambuf_state_manager<uint8_t>;
  using Pushed = std::function<void(const char* bytes, std::size_t size)>;

  explicit PushBuffer(Pushed pushed) : Base(std::ios_base::out), pushed_(std::move(pushed)) {}
  ~PushBuffer() override = default;

  bool can_seek() const override { return false; }
  bool has_size() const override { return false; }
  std::size_t buffer_size(std::ios_base::openmode) const override { return 0; }
  void set_buffer_size(std::size_t, std::ios_base::openmode) override {}
  std::size_t in_avail() const override { return 0; }
  pos_type getpos(std::ios_base::openmode) const override { return static_cast<pos_type>(-1); }
  pos_type seekpos(pos_type, std::ios_base::openmode) override { return static_cast<pos_type>(-1); }
  pos_type seekoff(off_type, std::ios_base::seekdir, std::ios_base::openmode) override {
    return static_cast<pos_type>(-1);
  }
  bool acquire(uint8_t*& ptr, std::size_t& count) override {
    ptr = nullptr;
    count = 0;
    return false;
  }
  void release(uint8_t*, std::size_t) override {}

 protected:
  pplx::task<int_type> _putc(uint8_t c) override {
    const char byte = static_cast<char>(c);
    pushed_(&byte, 1);
    return pplx::task_from_result<int_type>(c);
  }
  pplx::task<std::size_t> _putn(const uint8_t* bytes, std::size_t count) override {
    pushed_(reinterpret_cast<const char*>(bytes), count);
    return pplx::task_from_result<std::size_t>(count);
  }
  // The base's three-argument _putn (which copies) forwards to the one above.
  using Base::_putn;

  pplx::task<int_type> _bumpc() override { return eof(); }
  int_type _sbumpc() override { return traits::eof(); }
  pplx::task<int_type> _getc() override { return eof(); }
  int_type _sgetc() override { return traits::eof(); }
  pplx::task<int_type> _nextc() override { return eof(); }
  pplx::task<int_type> _ungetc() override { return eof(); }
  pplx::task<std::size_t> _getn(uint8_t*, std::size_t) override {
    return pplx::task_from_result<std::size_t>(0);
  }
  std::size_t _scopy(uint8_t*, std::size_t) override { return 0; }
  pplx::task<bool> _sync() override { return pplx::task_from_result(true); }
  uint8_t* _alloc(std::size_t) override { return nullptr; }
  void _commit(std::size_t) override {}

 private:
  static pplx::task<int_type> eof() { return pplx::task_from_result<int_type>(traits::eof()); }

  Pushed pushed_;
};

class PushStreambuf final : public concurrency::streams::streambuf<uint8_t> {
 public:
  explicit PushStreambuf(PushBuffer::Pushed pushed)
      : concurrency::streams::streambuf<uint8_t>(std::make_shared<PushBuffer>(std::move(pushed))) {}
};

}  // namespace quorate::http
