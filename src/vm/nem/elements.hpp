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
//   wrap       int64 to an integer's low bits; uint32: patterns of elements that are only moved
//   load_bits  these patterns
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

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "tensor.hpp"
#include "tensor/element_rows.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

/// The type of a tensor's elements, and the integers that have as many bits.
[[nodiscard]] inline tensors::element_type type_of(const tensor& x) noexcept {
  using enum tensors::element_type;
  // In the order of `element`, with those of its extensions and of `none`.
  constexpr tensors::element_type types[] = {i4,  i8,   i16, i32, u8,  u16, u32,
                                             f16, bf16, f32, f32, f64, u8,  u8};
  static_assert(std::size(types) == model::element_count + 1);
  return types[static_cast<std::size_t>(x.element)];
}
[[nodiscard]] inline tensors::element_type bits_of(const tensor& x) noexcept {
  const std::uint32_t bits = model::bitwidth(x.element);
  if (bits == 4) return tensors::element_type::i4;
  if (bits == 8) return tensors::element_type::u8;
  return bits == 16 ? tensors::element_type::u16 : tensors::element_type::u32;
}
/// Clears the nibble after the last of an odd number of elements of i4, once that is written.
void end_nibbles(const tensor& y, std::int64_t last) noexcept;

template <class To>
void load(const tensor& x, std::int64_t first, std::int64_t step, To* to, std::size_t n) noexcept {
  tensors::load_row(type_of(x), x.data, first, step, to, n, std::endian::little);
}
template <class From>
void store(const tensor& y, std::int64_t first, std::int64_t step, const From* from,
           std::size_t n) noexcept {
  static_assert(std::is_floating_point_v<From>);
  tensors::store_row<tensors::nem_semantics>(type_of(y), y.data, first, step, from, n,
                                             std::endian::little);
  if (y.element == element::i4 && n != 0)
    end_nibbles(y, first + (static_cast<std::int64_t>(n) - 1) * step);
}
/// The low bits, whatever they are.
template <class From>
void wrap(const tensor& y, std::int64_t first, std::int64_t step, const From* from,
          std::size_t n) noexcept {
  static_assert(std::is_integral_v<From>);
  tensors::store_row<tensors::nem_semantics>(bits_of(y), y.data, first, step, from, n,
                                             std::endian::little);
  if (y.element == element::i4 && n != 0)
    end_nibbles(y, first + (static_cast<std::int64_t>(n) - 1) * step);
}
void load_bits(const tensor& x, std::int64_t first, std::int64_t step, std::uint32_t* to,
               std::size_t n) noexcept;

/// The least and the largest value of an integer type.
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
