// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Which bytes of a buffer a tensor touches, and whether two tensors touch the same.
//
//   ark::footprint a(layout_of(g, x), 4), b(layout_of(g, y), 4);
//   if (overlap(a, b)) …                  // e.g. two column stripes of one matrix: no
//
// A tensor is rows of bytes, nested: row after row of the last dimension, those after one another
// along the dimension before, and so on. Dimensions that lie without a gap are one.
//
// Lifetime:   values.
// Errors:     none; layouts keep the rules T.
// Limits:     rows of two tensors that lie in a different way are compared one by one, at most
//             `max_rows` of them; beyond that overlap() returns true.
// Allocation: none.

#ifndef TESSERA_ARK_DETAIL_OVERLAP_HPP
#define TESSERA_ARK_DETAIL_OVERLAP_HPP

#include <cstddef>
#include <cstdint>

#include "../../version.hpp"
#include "../model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

/// The bytes of a tensor's elements, without its padding.
class footprint {
 public:
  footprint() noexcept = default;
  footprint(const layout& l, std::uint64_t element_bytes) noexcept {
    const std::uint32_t rank = l.rank == 0 ? 1 : l.rank;
    run_ = element_bytes;
    std::uint64_t step = element_bytes;  // from one index of a dimension to the next
    for (std::uint32_t d = rank; d-- > 0;) {
      first_ += static_cast<std::uint64_t>(l.offsets[d]) * step;
      const auto size = static_cast<std::uint64_t>(l.shape[d]);
      if (levels_ == 0 && step == run_)
        run_ *= size;
      else if (size > 1)
        level_[levels_++] = {size, step};
      step *= static_cast<std::uint64_t>(l.strides[d]);
    }
    end_ = first_ + run_;
    rows_ = 1;
    for (std::size_t i = 0; i < levels_; ++i) {
      end_ += (level_[i].size - 1) * level_[i].step;
      rows_ *= level_[i].size;
    }
  }

  /// One past the last byte.
  [[nodiscard]] std::uint64_t end() const noexcept { return end_; }
  [[nodiscard]] std::uint64_t first() const noexcept { return first_; }
  /// Rows of bytes without a gap.
  [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }
  /// Whether it has no gaps at all.
  [[nodiscard]] bool contiguous() const noexcept { return rows_ == 1; }

  /// Whether any byte lies in [low, high).
  [[nodiscard]] bool touches(std::uint64_t low, std::uint64_t high) const noexcept {
    // Blocks along a dimension follow each other, so at each level either a whole block lies in the
    // interval or only those at its ends, at most two, have to be visited.
    struct block {
      std::uint64_t first;
      std::size_t level;  // how many levels it consists of
    };
    block todo[2 * max_rank + 2] = {{first_, levels_}};
    for (std::size_t count = 1; count > 0;) {
      const block b = todo[--count];
      const std::uint64_t end = b.first + extent(b.level);
      if (b.first >= high || end <= low) continue;
      if (b.level == 0 || (b.first >= low && b.first < high) || (end <= high && end > low))
        return true;  // the first or the last byte of a block is always one of the tensor's
      const dimension& d = level_[b.level - 1];
      const std::uint64_t inner = extent(b.level - 1);
      // The first block that ends after `low`, and the next one.
      std::uint64_t i = 0;
      if (low >= b.first + inner) i = (low - b.first - inner) / d.step + 1;
      for (std::uint64_t k = i; k < d.size && k < i + 2; ++k)
        todo[count++] = {b.first + k * d.step, b.level - 1};
    }
    return false;
  }

  /// Whether every byte of `inner` is one of this; false also where that is hard to decide.
  [[nodiscard]] bool covers(const footprint& inner) const noexcept {
    return contiguous() ? first_ <= inner.first_ && inner.end_ <= end_ : *this == inner;
  }

  /// Whether two share a byte.
  [[nodiscard]] friend bool overlap(const footprint& a, const footprint& b) noexcept {
    if (a.first_ >= b.end_ || b.first_ >= a.end_) return false;
    const footprint& few = a.rows_ <= b.rows_ ? a : b;
    const footprint& many = a.rows_ <= b.rows_ ? b : a;
    if (few.rows_ > max_rows) return true;
    std::uint64_t index[max_rank] = {};
    for (;;) {
      std::uint64_t at = few.first_;
      for (std::size_t i = 0; i < few.levels_; ++i) at += index[i] * few.level_[i].step;
      if (many.touches(at, at + few.run_)) return true;
      std::size_t i = 0;
      while (i < few.levels_ && ++index[i] == few.level_[i].size) index[i++] = 0;
      if (i == few.levels_) return false;
    }
  }
  friend bool operator==(const footprint& a, const footprint& b) noexcept {
    if (a.first_ != b.first_ || a.run_ != b.run_ || a.levels_ != b.levels_) return false;
    for (std::size_t i = 0; i < a.levels_; ++i)
      if (a.level_[i].size != b.level_[i].size || a.level_[i].step != b.level_[i].step)
        return false;
    return true;
  }

  static constexpr std::uint64_t max_rows = 1024;

 private:
  struct dimension {
    std::uint64_t size = 1, step = 0;
  };
  /// Bytes from the first to the last of `levels` inner levels.
  [[nodiscard]] std::uint64_t extent(std::size_t levels) const noexcept {
    std::uint64_t bytes = run_;
    for (std::size_t i = 0; i < levels; ++i) bytes += (level_[i].size - 1) * level_[i].step;
    return bytes;
  }

  std::uint64_t first_ = 0, end_ = 0, run_ = 0, rows_ = 0;
  dimension level_[max_rank];  // from the innermost
  std::size_t levels_ = 0;
};

/// Whether element-wise operations may read one and write the other: each element at one place.
[[nodiscard]] constexpr bool same_elements(const layout& a, const layout& b) noexcept {
  if (a.rank != b.rank) return false;
  for (std::size_t d = 0; d < max_rank; ++d)
    if (a.shape[d] != b.shape[d] || a.offsets[d] != b.offsets[d] || a.strides[d] != b.strides[d])
      return false;
  return true;
}
/// The same for two tensors of one rank and the same Strides and bytes: where their boxes meet.
[[nodiscard]] constexpr bool same_grid(const layout& a, const layout& b) noexcept {
  if (a.rank != b.rank) return false;
  for (std::size_t d = 0; d < max_rank; ++d)
    if (a.strides[d] != b.strides[d]) return false;
  return true;
}
[[nodiscard]] constexpr bool boxes_meet(const layout& a, const layout& b) noexcept {
  for (std::size_t d = 0; d < max_rank; ++d)
    if (a.offsets[d] >= b.offsets[d] + b.shape[d] || b.offsets[d] >= a.offsets[d] + a.shape[d])
      return false;
  return true;
}
/// How many rows overlap() may have to compare: its cost.
[[nodiscard]] inline std::uint64_t overlap_cost(const footprint& a, const footprint& b) noexcept {
  if (a.first() >= b.end() || b.first() >= a.end()) return 1;
  const std::uint64_t rows = a.rows() < b.rows() ? a.rows() : b.rows();
  return rows < footprint::max_rows ? rows : footprint::max_rows;
}
/// Whether two tensors of one buffer share a byte, whose elements take so many bytes.
[[nodiscard]] inline bool overlap(const layout& a, std::uint64_t bytes_a, const layout& b,
                                  std::uint64_t bytes_b) noexcept {
  if (bytes_a == bytes_b && same_grid(a, b)) return boxes_meet(a, b);
  return overlap(footprint(a, bytes_a), footprint(b, bytes_b));
}

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_OVERLAP_HPP
