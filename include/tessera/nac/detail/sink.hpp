// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nac/write.hpp.

#ifndef TESSERA_NAC_DETAIL_SINK_HPP
#define TESSERA_NAC_DETAIL_SINK_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../../core/bytes.hpp"
#include "../../core/pool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

/// Gathers small fields and hands them to a sink; payloads go past the buffer.
class part_stream {
 public:
  explicit part_stream(const sink& to) noexcept : to_(to) {}
  template <class T>
  void put(T value) {
    if (sizeof buffer_ - used_ < sizeof(T)) flush();
    store_le(buffer_ + used_, value);
    used_ += sizeof(T);
  }
  void put_text(std::string_view s) { put_bytes(as_bytes(s)); }
  /// A payload: `b`, or what its source makes.
  void put_payload(bytes b, const payload& p) {
    if (p.source == nullptr) return put_bytes(b);
    flush();
    for (std::uint64_t first = 0; first < p.size && !stopped_; first += used_) {
      const std::uint64_t left = p.size - first;
      used_ = left < sizeof buffer_ ? static_cast<std::size_t>(left) : sizeof buffer_;
      stopped_ = !p.source->read(p.source->context, p.first, first, buffer_, used_);
      hand_over({buffer_, used_});
    }
    used_ = 0;
  }
  void put_bytes(bytes b) {
    if (b.size() > sizeof buffer_ - used_) {
      flush();
      if (b.size() > sizeof buffer_) return hand_over(b);
    }
    if (!b.empty()) std::memcpy(buffer_ + used_, b.data(), b.size());
    used_ += b.size();
  }
  void flush() {
    hand_over({buffer_, used_});
    used_ = 0;
  }
  [[nodiscard]] bool stopped() const noexcept { return stopped_; }

 private:
  void hand_over(bytes b) {
    if (!stopped_ && !b.empty()) stopped_ = !to_.put(to_.context, b);
  }
  sink to_;
  bool stopped_ = false;
  std::size_t used_ = 0;
  std::byte buffer_[4096];
};

/// Appends what it takes.
[[nodiscard]] inline sink sink_into(pool<std::byte>& to) noexcept {
  return {&to, [](void* pool_of, bytes piece) {
            static_cast<pool<std::byte>*>(pool_of)->append(piece.data(), piece.size());
            return true;
          }};
}

}  // namespace nac::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_SINK_HPP
