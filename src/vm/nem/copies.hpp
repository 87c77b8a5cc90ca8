// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Copies elements between tensors of one type, as they are.
//
//   copy(shape, {&x, first, strides}, {&y, first, strides});     // y[i, j, …] = x[i, j, …]
//   fill(shape, {&y, first, strides}, 0);                        // y[i, j, …] = a pattern
//
//   const copying part(shape, x, strides, y, strides);           // many times the same shape
//   for (…) part.run(first_of_x, first_of_y);
//
// As tensor/strided.hpp does it. Rows of i4 that are dense in both are moved as bytes where both begin
// in the same half of one, others in blocks.
//
// Nothing but the addressed elements is written: an i4 keeps its neighbour.
//
// Lifetime:   nothing is kept.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_VM_NEM_COPIES_HPP
#define TESSERA_VM_NEM_COPIES_HPP

#include <cstdint>

#include "tensor.hpp"
#include "tensor/strided.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

/// Elements of a tensor: from number `first` on, by strides that may be negative.
struct raw_elements {
  const tensor* of = nullptr;
  std::int64_t first = 0;
  shape_view strides;
};

class copying {
 public:
  copying(shape_view shape, const tensor& from, shape_view from_strides, const tensor& to,
          shape_view to_strides) noexcept;

  void run(std::int64_t from_first, std::int64_t to_first) const;

 private:
  tensors::walk walk_;
  rows<2> rows_;  ///< of nibbles
  const tensor &from_, &to_;
  unsigned bits_;
};

inline void copy(shape_view shape, const raw_elements& from, const raw_elements& to) {
  copying(shape, *from.of, from.strides, *to.of, to.strides).run(from.first, to.first);
}
void fill(shape_view shape, const raw_elements& to, std::uint32_t bits);

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NEM_COPIES_HPP
