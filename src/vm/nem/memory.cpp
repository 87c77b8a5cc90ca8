// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "memory.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

zero_pages::zero_pages(std::uint64_t bytes) noexcept {
  // From calloc, which gets large blocks from the system without touching them.
  constexpr std::size_t cache_line = 64;
  if (bytes > static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max()) - cache_line)
    return;
  const auto size = static_cast<std::size_t>(bytes);
  owned_.reset(std::calloc(size + cache_line, 1));
  if (owned_ == nullptr) return;
  void* aligned = owned_.get();
  std::size_t room = size + cache_line;
  data_ = static_cast<std::byte*>(std::align(cache_line, size, aligned, room));
}
void zero_pages::release::operator()(void* p) const noexcept { std::free(p); }

namespace {

/// Bits first to last of a word, without the last one.
[[nodiscard]] std::uint64_t mask(std::uint64_t first, std::uint64_t last) noexcept {
  return (last == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << last) - 1) &
         ~((std::uint64_t{1} << first) - 1);
}

}  // namespace

marked_bytes::marked_bytes(std::uint64_t size) noexcept
    : counts_((size / page + 1) * sizeof(std::uint16_t)), bits_((size / page + 1) * (page / 8)) {
  if (counts_.data() == nullptr || bits_.data() == nullptr) return;
  count_ = reinterpret_cast<std::uint16_t*>(counts_.data());
  bit_ = reinterpret_cast<std::uint64_t*>(bits_.data());
}

void marked_bytes::mark(std::uint64_t first, std::uint64_t last) noexcept {
  if (count_ == nullptr) return;
  while (first < last) {
    const std::uint64_t p = first / page, end = std::min(last, (p + 1) * page);
    std::uint16_t& count = count_[p];
    if (end - first == page) {
      count = page;
    } else if (count != page) {
      for (std::uint64_t at = first; at < end;) {
        const std::uint64_t next = std::min(end, (at / 64 + 1) * 64);
        const std::uint64_t added = mask(at % 64, next - at / 64 * 64) & ~bit_[at / 64];
        if (added != 0) {
          bit_[at / 64] |= added;
          count = static_cast<std::uint16_t>(count + std::popcount(added));
        }
        at = next;
      }
    }
    first = end;
  }
}

std::uint64_t marked_bytes::find(std::uint64_t first, std::uint64_t last,
                                 bool is_marked) const noexcept {
  while (first < last) {
    const std::uint64_t p = first / page, end = std::min(last, (p + 1) * page);
    if (count_[p] == page || count_[p] == 0) {
      if ((count_[p] == page) == is_marked) return first;
      first = end;
      continue;
    }
    while (first < end) {
      const std::uint64_t next = std::min(end, (first / 64 + 1) * 64);
      const std::uint64_t word = is_marked ? bit_[first / 64] : ~bit_[first / 64];
      const std::uint64_t found = word & mask(first % 64, next - first / 64 * 64);
      if (found != 0) return first / 64 * 64 + static_cast<std::uint64_t>(std::countr_zero(found));
      first = next;
    }
  }
  return last;
}
byte_range marked_bytes::missing(std::uint64_t first, std::uint64_t last) const noexcept {
  if (count_ == nullptr) return {last, last};
  const std::uint64_t from = find(first, last, false);
  return {from, find(from, last, true)};
}

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI
