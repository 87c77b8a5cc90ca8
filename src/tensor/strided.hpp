// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Copies of elements that lie in memory in any regular order, to any other.
//
//   walk w;                                  // the transpose of a matrix [rows, columns]
//   w.add(columns, 1, rows);                 // so many steps: of 1 element there, of `rows` here
//   w.add(rows, columns, 1);
//   w.copy(to.data, from.data, sizeof(float));
//
//   runs of elements that lie side by side on both sides      memmove
//   one side runs along one axis, the other along another     4 x 4 blocks (of 4-byte elements: in
//                                                             registers), in tiles of 32 x 32; of
//                                                             bytes 16 x 16
//   others                                                    one element after another
//
// Lifetime:   nothing is kept.
// Errors:     none; steps must stay inside of both tensors, which don't overlap.
// Limits:     elements of 1, 2, 4 or 8 bytes.
// Allocation: none.

#ifndef TESSERA_TENSOR_STRIDED_HPP
#define TESSERA_TENSOR_STRIDED_HPP

#include <cstddef>
#include <cstdint>

#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace tensors {

class walk {
 public:
  static constexpr std::size_t max_axes = 32;

  /// One more axis, inside of those before: strides in elements, negative or 0 too (0 only where
  /// is read).
  void add(std::int64_t size, std::int64_t from, std::int64_t to) noexcept;
  /// Copies as many elements as there are steps; `from` and `to` are those of the first step.
  void copy(std::byte* to, const std::byte* from, std::size_t element_size) const noexcept;

 private:
  struct axis {
    std::int64_t size, from, to;
  };
  axis axes_[max_axes];
  std::size_t count_ = 0;
  bool empty_ = false;
};

}  // namespace tensors
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TENSOR_STRIDED_HPP
