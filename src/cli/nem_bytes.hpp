// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bytes of its buffers that a NEM program reads before it writes them, and the bytes that it
// writes; both with their element types.
//
//   const nem_bytes bytes(program);
//   bytes.needed(b).each([&](std::int64_t first, std::int64_t last, const byte_use& use) { … });
//
// Tasks are in the order of the text. Bytes that transfers and stores copy have the type of their
// source or destination, through any number of copies.
//
// Lifetime:   values.
// Errors:     none.
// Limits:     `max` operands of tasks; those that follow are ignored.
// Allocation: 40 bytes per operand, and 88 per range.

#ifndef TESSERA_CLI_NEM_BYTES_HPP
#define TESSERA_CLI_NEM_BYTES_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "tessera/nem.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

/// How bytes are read or written.
struct byte_use {
  nem::element element = nem::element::none;  ///< none: unknown
  /// The valid integers of an operand, such as indices; all if low > high.
  std::int64_t low = 0, high = -1;
  friend bool operator==(const byte_use&, const byte_use&) = default;
};

/// The element types of a range of bytes.
struct element_types {
  std::vector<nem::element> known;  ///< each once, in the order of the bytes
  bool is_aligned = true;           ///< whether each of its ranges begins and ends between elements
  /// The type of all elements; none if there are several, or if they aren't aligned.
  [[nodiscard]] nem::element only() const noexcept {
    return known.size() == 1 && is_aligned ? known[0] : nem::element::none;
  }
};

/// Ranges of the bytes of a buffer, each with its use.
class byte_ranges {
 public:
  void set(std::int64_t first, std::int64_t last, const byte_use& use);
  void erase(std::int64_t first, std::int64_t last);
  /// Calls f(first, last, use) for each range, clipped to [first, last).
  template <class F>
  void each(F&& f, std::int64_t first = 0, std::int64_t last = INT64_MAX) const {
    auto i = ranges_.upper_bound(first);
    if (i != ranges_.begin() && std::prev(i)->second.last > first) --i;
    for (; i != ranges_.end() && i->first < last; ++i)
      f(i->first < first ? first : i->first, i->second.last < last ? i->second.last : last,
        i->second.use);
  }
  [[nodiscard]] bool empty() const noexcept { return ranges_.empty(); }
  /// The element type of all bytes of a buffer of that size; none if they differ, are unknown or
  /// aren't whole elements.
  [[nodiscard]] nem::element only_element(std::uint64_t size) const;
  /// The element types of the bytes in [first, last), without those that are unknown.
  [[nodiscard]] element_types types(std::int64_t first, std::int64_t last) const;

 private:
  struct range {
    std::int64_t last;
    byte_use use;
  };
  std::map<std::int64_t, range> ranges_;  ///< by their first byte
};

class nem_bytes {
 public:
  explicit nem_bytes(const nem::program& p, std::size_t max = std::size_t{1} << 21);

  /// Of a buffer, by its index in values::buffers.
  [[nodiscard]] const byte_ranges& needed(std::uint32_t buffer) const {
    return buffer < needed_.size() ? needed_[buffer] : none_;
  }
  [[nodiscard]] const byte_ranges& written(std::uint32_t buffer) const {
    return buffer < written_.size() ? written_[buffer] : none_;
  }
  /// Whether all tasks were examined.
  [[nodiscard]] bool is_whole() const noexcept { return is_whole_; }

 private:
  byte_ranges none_;
  std::vector<byte_ranges> needed_, written_;
  bool is_whole_ = true;
};

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_NEM_BYTES_HPP
