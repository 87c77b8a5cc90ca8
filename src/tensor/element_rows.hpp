// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Rows of elements of any type, as numbers.
//
//   load_row(element_type::f16, data, first, step, row, n);               // float row[n]
//   store_row<round_and_saturate>(element_type::i8, data, first, step, row, n);
//
//   load      to float and double: any element; to int64 and uint32: integers, by their low bits
//   store     from float and double as `Rules` say; from int64 and uint32 the low bits
//
// `first` and `step` are elements: those of i4 are nibbles, and storing one keeps its neighbour.
// Data may be aligned for nothing; `order` is that of its bytes.
//
// Lifetime:   nothing is kept. Rows don't overlap the elements.
// Errors:     none. Loading floats as integers changes nothing.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_TENSOR_ELEMENT_ROWS_HPP
#define TESSERA_TENSOR_ELEMENT_ROWS_HPP

#include <bit>
#include <cstddef>
#include <cstdint>

#include "tensor/convert.hpp"
#include "tensor/element_type.hpp"

namespace tessera::inline TESSERA_ABI {
namespace tensors {

/// Defined for float, double, std::int64_t and std::uint32_t.
template <class To>
void load_row(element_type type, const std::byte* data, std::int64_t first, std::int64_t step,
              To* to, std::size_t n, std::endian order = std::endian::native) noexcept;
/// The same; the rules of floats are any, those of int64 all but cut_and_saturate, of uint32
/// round_and_saturate.
template <class Rules, class From>
void store_row(element_type type, std::byte* data, std::int64_t first, std::int64_t step,
               const From* from, std::size_t n, std::endian order = std::endian::native) noexcept;

/// Patterns of 16-bit floats to and from float.
inline void widen(of<half>, const std::uint16_t* from, float* to, std::size_t n) noexcept {
  floats_from_halves(from, to, n);
}
inline void widen(of<bfloat16>, const std::uint16_t* from, float* to, std::size_t n) noexcept {
  floats_from_bfloat16s(from, to, n);
}
inline void narrow(of<half>, const float* from, std::uint16_t* to, std::size_t n) noexcept {
  halves_from_floats(from, to, n);
}
inline void narrow(of<bfloat16>, const float* from, std::uint16_t* to, std::size_t n) noexcept {
  bfloat16s_from_floats(from, to, n);
}

}  // namespace tensors
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TENSOR_ELEMENT_ROWS_HPP
