// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Which loop converts. Large arrays wait for memory, so there is none for AVX-512.

#include "convert.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "tessera/core/float16.hpp"

namespace tessera::inline TESSERA_ABI {
namespace tensors {

namespace {

/// The loops of one instruction set.
struct engine {
  void (*floats_from_halves)(const std::uint16_t*, float*, std::size_t);
  void (*floats_from_bfloat16s)(const std::uint16_t*, float*, std::size_t);
  void (*halves_from_floats)(const float*, std::uint16_t*, std::size_t);
  void (*bfloat16s_from_floats)(const float*, std::uint16_t*, std::size_t);
};

#define TESSERA_LOOP "convert_loop.hpp"
#define TESSERA_AVX2 "avx2,f16c"
#include "row_levels.hpp"

}  // namespace

void floats_from_halves(const std::uint16_t* from, float* to, std::size_t n,
                        level at_most) noexcept {
  engine_of(at_most).floats_from_halves(from, to, n);
}
void floats_from_bfloat16s(const std::uint16_t* from, float* to, std::size_t n,
                           level at_most) noexcept {
  engine_of(at_most).floats_from_bfloat16s(from, to, n);
}
void halves_from_floats(const float* from, std::uint16_t* to, std::size_t n,
                        level at_most) noexcept {
  engine_of(at_most).halves_from_floats(from, to, n);
}
void bfloat16s_from_floats(const float* from, std::uint16_t* to, std::size_t n,
                           level at_most) noexcept {
  engine_of(at_most).bfloat16s_from_floats(from, to, n);
}

}  // namespace tensors
}  // namespace tessera::inline TESSERA_ABI
