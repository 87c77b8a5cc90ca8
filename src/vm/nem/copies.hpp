// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Copies elements between tensors of one type, as they are.
//
//   copy(shape, {&x, first, strides}, {&y, first, strides});     // y[i, j, …] = x[i, j, …]
//   fill(shape, {&y, first, strides}, 0);                        // y[i, j, …] = a pattern
//
//   rows that are dense in both     memmove; of i4 where both begin in the same half of a byte
//   other rows                      element by element
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

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

/// Elements of a tensor: from number `first` on, by strides that may be negative.
struct elements_of {
  const tensor* of = nullptr;
  std::int64_t first = 0;
  shape_view strides;
};

void copy(shape_view shape, const elements_of& from, const elements_of& to);
void fill(shape_view shape, const elements_of& to, std::uint32_t bits);

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NEM_COPIES_HPP
