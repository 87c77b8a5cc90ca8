// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The loops of a file that multiplies in tiles, for each instruction set, in namespaces baseline, avx2
// and avx512; included once, inside of a namespace.
//
//   #define TESSERA_LOOP "matmul_loop.hpp"
//   #include "tile_levels.hpp"
//   engine = l == level::avx512 ? avx512::functions : …
//
//   baseline   vectors of 16 bytes     tiles of 6 rows
//   avx2       32                      6
//   avx512     64                      14
//
// Where the processor has no such sets, all three are the baseline's.
//
// Lifetime:   nothing is kept.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#define TESSERA_TARGET
#define TESSERA_VECTOR_BYTES 16
#define TESSERA_TILE_ROWS 6
namespace baseline {
#include "tile_loop.hpp"
//
#include TESSERA_LOOP
}  // namespace baseline
#undef TESSERA_TARGET
#undef TESSERA_VECTOR_BYTES

#if defined(__x86_64__) && defined(__GNUC__)
#define TESSERA_TARGET [[gnu::target("avx2,fma")]]
#define TESSERA_VECTOR_BYTES 32
namespace avx2 {
#include "tile_loop.hpp"
//
#include TESSERA_LOOP
}  // namespace avx2
#undef TESSERA_TARGET
#undef TESSERA_VECTOR_BYTES
#undef TESSERA_TILE_ROWS

#define TESSERA_TARGET [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,fma")]]
#define TESSERA_VECTOR_BYTES 64
#define TESSERA_TILE_ROWS 14
namespace avx512 {
#include "tile_loop.hpp"
//
#include TESSERA_LOOP
}  // namespace avx512
#undef TESSERA_TARGET
#undef TESSERA_VECTOR_BYTES
#else
namespace avx2 = baseline;
namespace avx512 = baseline;
#endif
#undef TESSERA_TILE_ROWS
#undef TESSERA_LOOP
