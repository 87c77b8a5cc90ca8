// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Arrays of 16-bit floats to and from float, bit for bit as tessera/core/float16.hpp does it.
//
//   floats_from_halves(halves, floats, n);
//   bfloat16s_from_floats(floats, patterns, n);    // rounded to nearest, ties to even
//
// Lifetime:   nothing is kept. Arrays don't overlap.
// Errors:     none: every bit pattern converts.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_TENSOR_CONVERT_HPP
#define TESSERA_TENSOR_CONVERT_HPP

#include <cstddef>
#include <cstdint>

#include "tensor/level.hpp"

namespace tessera::inline TESSERA_ABI {
namespace tensors {

void floats_from_halves(const std::uint16_t* from, float* to, std::size_t n,
                        level at_most = best_level()) noexcept;
void floats_from_bfloat16s(const std::uint16_t* from, float* to, std::size_t n,
                           level at_most = best_level()) noexcept;
void halves_from_floats(const float* from, std::uint16_t* to, std::size_t n,
                        level at_most = best_level()) noexcept;
void bfloat16s_from_floats(const float* from, std::uint16_t* to, std::size_t n,
                           level at_most = best_level()) noexcept;

}  // namespace tensors
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TENSOR_CONVERT_HPP
