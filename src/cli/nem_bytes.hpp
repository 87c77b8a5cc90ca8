// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Which bytes of a NEM program's buffers it reads before it writes them, and which ones it leaves
// written; both with the types of elements that they are read or written as.
//
//   const nem_bytes bytes(program);
//   bytes.needed(b).each([&](std::int64_t first, std::int64_t last, const byte_use& use) { … });
//
// Tasks are taken in the order of the text. What transfers and stores copy has the type of what it
// is copied to or from, however often it is copied.
//
// Lifetime:   owns what it knows.
// Errors:     none.
// Limits:     `most` operands of tasks; what is behind them isn't known.
// Allocation: 40 bytes for each of those, and 88 for each range.

#ifndef TESSERA_CLI_NEM_BYTES_HPP
#define TESSERA_CLI_NEM_BYTES_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "tessera/nem.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

/// What bytes are read or written as.
struct byte_use {
  nem::element element = nem::element::none;  ///< none: not known
  /// Integers that an operand takes alone, as indices; all when low > high.
  std::int64_t low = 0, high = -1;
  friend bool operator==(const byte_use&, const byte_use&) = default;
};

/// Ranges of the bytes of a buffer, each with its use.
class byte_ranges {
 public:
  void set(std::int64_t first, std::int64_t last, const byte_use& use);
  void erase(std::int64_t first, std::int64_t last);
  /// Calls f(first, last, use) for each range, or what of it lies in [first, last).
  template <class F>
  void each(F&& f, std::int64_t first = 0, std::int64_t last = INT64_MAX) const {
    auto i = ranges_.upper_bound(first);
    if (i != ranges_.begin() && std::prev(i)->second.last > first) --i;
    for (; i != ranges_.end() && i->first < last; ++i)
      f(i->first < first ? first : i->first, i->second.last < last ? i->second.last : last,
        i->second.use);
  }
  [[nodiscard]] bool empty() const noexcept { return ranges_.empty(); }
  /// The element type of all bytes of a buffer of that size; none where they differ, aren't known
  /// or aren't whole elements.
  [[nodiscard]] nem::element only_element(std::uint64_t size) const;

 private:
  struct range {
    std::int64_t last;
    byte_use use;
  };
  std::map<std::int64_t, range> ranges_;  ///< by their first byte
};

class nem_bytes {
 public:
  explicit nem_bytes(const nem::program& p, std::size_t most = std::size_t{1} << 21);

  /// Of a buffer, counted as values::buffers counts them.
  [[nodiscard]] const byte_ranges& needed(std::uint32_t buffer) const {
    return buffer < needed_.size() ? needed_[buffer] : none_;
  }
  [[nodiscard]] const byte_ranges& written(std::uint32_t buffer) const {
    return buffer < written_.size() ? written_[buffer] : none_;
  }
  /// Whether all tasks were looked at.
  [[nodiscard]] bool is_whole() const noexcept { return is_whole_; }

 private:
  byte_ranges none_;
  std::vector<byte_ranges> needed_, written_;
  bool is_whole_ = true;
};

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_NEM_BYTES_HPP
