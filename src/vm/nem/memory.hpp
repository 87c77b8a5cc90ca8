// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The memory of a buffer, and which of its bytes are written or bound.
//
//   zero_pages bytes(size);                       // zero, not yet touched
//   if (bytes.data() == nullptr) …                // out of memory
//   marked_bytes written(size);
//   written.mark(0, 64);
//   const byte_range lacks = written.missing(32, 96);       // 64 to 96
//
// Bytes are marked by pages, and in partly marked pages by bits: large ranges cost next to nothing,
// and any number of separate ones no more than their bytes.
//
// Lifetime:   owns its memory.
// Errors:     data() is null; a marked_bytes without memory treats all bytes as marked.
// Limits:     none.
// Allocation: the size, from the system, as far as it is touched; of marks an eighth of the pages that
//             are marked in part, and 2 bytes for each page.

#ifndef TESSERA_VM_NEM_MEMORY_HPP
#define TESSERA_VM_NEM_MEMORY_HPP

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

/// Bytes that are zero, aligned to 64.
class zero_pages {
 public:
  zero_pages() noexcept = default;
  explicit zero_pages(std::uint64_t bytes) noexcept;
  [[nodiscard]] std::byte* data() const noexcept { return data_; }

 private:
  struct release {
    void operator()(void* p) const noexcept;
  };
  std::unique_ptr<void, release> owned_;
  std::byte* data_ = nullptr;
};

/// Bytes first to last, without the last one.
struct byte_range {
  std::uint64_t first = 0, last = 0;
  [[nodiscard]] bool empty() const noexcept { return first == last; }
};

/// Which bytes of a buffer are marked.
class marked_bytes {
 public:
  explicit marked_bytes(std::uint64_t size) noexcept;
  void mark(std::uint64_t first, std::uint64_t last) noexcept;
  /// The first bytes of a range that aren't marked.
  [[nodiscard]] byte_range missing(std::uint64_t first, std::uint64_t last) const noexcept;

 private:
  static constexpr std::uint64_t page = 4096, words = page / 64;

  /// The first byte from `first` on that is marked, or isn't; `last` where there is none.
  [[nodiscard]] std::uint64_t find(std::uint64_t first, std::uint64_t last,
                                   bool is_marked) const noexcept;

  zero_pages counts_, bits_;
  std::uint16_t* count_ = nullptr;  ///< of the marked bytes of each page
  std::uint64_t* bit_ = nullptr;    ///< of each byte; not kept for fully marked pages
};

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NEM_MEMORY_HPP
