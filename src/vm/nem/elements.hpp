// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Elements of tensors as numbers, row by row.
//
//   load(x, first, step, row, n);        // n elements as double, float or int64
//   store(y, first, step, row, n);       // rounded and saturated
//
//   load       double: any element. float: i32 and u32 are rounded. int64: integers
//   store      double, float: to nearest, ties to even; integers saturate, a NaN is 0 there; floats
//              overflow to infinity, NaNs have one pattern (7E00, 7FC0, 7FC00000)
//   wrap       int64 to an integer's low bits
//   bits       patterns, for elements that are only moved
//
// Index and step are elements: those of i4 are nibbles, and writing one keeps its neighbour. The
// last element of a dense tensor of them may have none: then the unused upper nibble becomes 0.
//
// Lifetime:   nothing is kept.
// Errors:     none.
// Limits:     the ten types of the format; i4 and u4 patterns are the low bits of a pattern.
// Allocation: none.

#ifndef TESSERA_VM_NEM_ELEMENTS_HPP
#define TESSERA_VM_NEM_ELEMENTS_HPP

#include <cstddef>
#include <cstdint>

#include "tensor.hpp"
#include "tensor/element_type.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

void load(const tensor& x, std::int64_t first, std::int64_t step, double* to, std::size_t n);
void load(const tensor& x, std::int64_t first, std::int64_t step, float* to, std::size_t n);
void load(const tensor& x, std::int64_t first, std::int64_t step, std::int64_t* to, std::size_t n);

void store(const tensor& y, std::int64_t first, std::int64_t step, const double* from,
           std::size_t n);
void store(const tensor& y, std::int64_t first, std::int64_t step, const float* from,
           std::size_t n);
void wrap(const tensor& y, std::int64_t first, std::int64_t step, const std::int64_t* from,
          std::size_t n);

void load_bits(const tensor& x, std::int64_t first, std::int64_t step, std::uint32_t* to,
               std::size_t n);
void store_bits(const tensor& y, std::int64_t first, std::int64_t step, const std::uint32_t* from,
                std::size_t n);

/// The least and the greatest value of an integer type.
struct integer_range {
  std::int64_t least = 0, greatest = 0;
};
[[nodiscard]] integer_range range_of(element e) noexcept;

using tensors::rounded;

/// To the nearest integer, ties to even; saturated to the range. NaN is 0.
[[nodiscard]] inline std::int64_t saturate(double x, const integer_range& r) noexcept {
  if (!(x > static_cast<double>(r.least))) return x == x ? r.least : 0;
  if (x >= static_cast<double>(r.greatest)) return r.greatest;
  return static_cast<std::int64_t>(rounded(x));
}

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NEM_ELEMENTS_HPP
