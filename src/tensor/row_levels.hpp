// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The loops of a file that goes over rows, `functions`, for each instruction set, in namespaces
// baseline and avx2, and engine_of(level), which chooses; included once, inside of a namespace.
//
//   #define TESSERA_LOOP "rows_loop.hpp"
//   #define TESSERA_AVX2 "avx2,fma"      // with what goes with it
//   #include "row_levels.hpp"
//
// Lifetime:   nothing is kept.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#define TESSERA_TARGET
#define TESSERA_VECTOR_BYTES 16
namespace baseline {
#include TESSERA_LOOP
}  // namespace baseline
#undef TESSERA_TARGET
#undef TESSERA_VECTOR_BYTES

#if defined(__x86_64__) && defined(__GNUC__)
#define TESSERA_TARGET [[gnu::target(TESSERA_AVX2)]]
#define TESSERA_VECTOR_BYTES 32
namespace avx2 {
#include TESSERA_LOOP
}  // namespace avx2
#undef TESSERA_TARGET
#undef TESSERA_VECTOR_BYTES

inline const engine& engine_of(level l) noexcept {
  return std::min(l, best_level()) >= level::avx2 ? avx2::functions : baseline::functions;
}
#else
inline const engine& engine_of(level) noexcept { return baseline::functions; }
#endif
#undef TESSERA_AVX2
#undef TESSERA_LOOP
