// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Instruction sets that the kernels are compiled for. Which one runs is decided when the program
// runs; every kernel takes a level, so that tests can run all of them.
//
//   for (level l : {level::baseline, level::avx2, level::avx512})
//     if (l <= best_level()) check(l);
//
// Lifetime:   nothing is kept.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_TENSOR_LEVEL_HPP
#define TESSERA_TENSOR_LEVEL_HPP

#include <cstdint>

#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace tensors {

enum class level : std::uint8_t {
  baseline,  ///< what every processor of the architecture has; SSE2 on x86-64
  avx2,      ///< AVX2, FMA and F16C
  avx512     ///< those and AVX-512 F, BW, DQ and VL
};

/// The best one that this processor has. A kernel that is asked for more takes this one.
[[nodiscard]] level best_level() noexcept;

}  // namespace tensors
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TENSOR_LEVEL_HPP
