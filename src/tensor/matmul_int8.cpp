// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Which loop multiplies bytes: by instruction set and by method.

#include "matmul_int8.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <utility>

#include "tensor/parts.hpp"

namespace tessera::inline TESSERA_ABI {
namespace tensors {

namespace {

/// Element (i, p) of A is a[i * a_row + p * a_k]; one of the two steps of each factor is 1.
struct problem {
  std::size_t m, n, k;
  const std::uint8_t* a;  ///< the bits, signed or not
  bool a_signed;
  std::size_t a_row, a_k;
  const std::uint8_t* b;  ///< the bits of signed ones
  std::size_t b_k, b_column;
  std::int32_t* c;
  std::size_t c_row;
  bool accumulate;
};

using multiply_function = void (*)(const problem&, void* scratch);

#define TESSERA_TARGET
#define TESSERA_VECTOR_BYTES 16
#define TESSERA_TILE_ROWS 6
namespace baseline {
#include "matmul_int8_loop.hpp"
}  // namespace baseline
#undef TESSERA_TARGET
#undef TESSERA_VECTOR_BYTES

#if defined(__x86_64__) && defined(__GNUC__)
#define TESSERA_TARGET [[gnu::target("avx2")]]
#define TESSERA_VECTOR_BYTES 32
#define TESSERA_FEW_ROWS
namespace avx2 {
#include "matmul_int8_loop.hpp"
}  // namespace avx2
#undef TESSERA_FEW_ROWS
#undef TESSERA_TARGET
#undef TESSERA_VECTOR_BYTES
#undef TESSERA_TILE_ROWS

// Tiles as VNNI has them, without its instruction: slow, and there for the sake of tests.
#define TESSERA_TARGET [[gnu::target("avx2")]]
#define TESSERA_VECTOR_BYTES 64
#define TESSERA_TILE_ROWS 12
namespace emulated {
#include "matmul_int8_loop.hpp"
}  // namespace emulated
#undef TESSERA_TARGET

#define TESSERA_TARGET [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]]
#define TESSERA_VNNI
namespace vnni {
#include "matmul_int8_loop.hpp"
}  // namespace vnni
#undef TESSERA_VNNI
#undef TESSERA_TARGET
#undef TESSERA_VECTOR_BYTES

/// AVX-512 without VNNI has no loops of its own, and neither have few rows, which wait for memory.
multiply_function function_of(std::size_t rows, level l, int8_method method) noexcept {
  static const bool has_vnni =
      best_level() == level::avx512 && __builtin_cpu_supports("avx512vnni") != 0;
  l = std::min(l, best_level());
  if (rows <= std::size(avx2::few) && l >= level::avx2 && method != int8_method::quads)
    return avx2::few[rows - 1];
  if (l == level::avx512 && has_vnni && method != int8_method::pairs)
    return vnni::multiply_blocked<vnni::quads>;
  if (method == int8_method::quads)
    return l == level::baseline ? baseline::multiply_blocked<baseline::quads>
                                : emulated::multiply_blocked<emulated::quads>;
  return l == level::baseline ? baseline::multiply_blocked<baseline::pairs>
                              : avx2::multiply_blocked<avx2::pairs>;
}
#else
multiply_function function_of(std::size_t, level, int8_method method) noexcept {
  return method == int8_method::quads ? baseline::multiply_blocked<baseline::quads>
                                      : baseline::multiply_blocked<baseline::pairs>;
}
#endif
#undef TESSERA_TILE_ROWS

const std::uint8_t* bits_of(const std::int8_t* bytes) noexcept {
  return static_cast<const std::uint8_t*>(static_cast<const void*>(bytes));
}

void multiply(const problem& p, matmul_int8_workspace& scratch, level at_most,
              int8_method method) noexcept {
  if (p.m == 0 || p.n == 0) return;
  if (p.k != 0) return function_of(p.m, at_most, method)(p, scratch.data());
  if (!p.accumulate)
    for (std::size_t i = 0; i < p.m; ++i) std::fill_n(p.c + i * p.c_row, p.n, 0);
}

template <class Byte>
problem make_problem(std::size_t m, std::size_t n, std::size_t k, const matrix_of<Byte>& a,
                     const std::uint8_t* a_bits, const matrix_of<std::int8_t>& b,
                     const int32_product& c) noexcept {
  return {.m = m,
          .n = n,
          .k = k,
          .a = a_bits,
          .a_signed = Byte(-1) < Byte(0),
          .a_row = a.transposed ? 1 : a.stride,
          .a_k = a.transposed ? a.stride : 1,
          .b = bits_of(b.data),
          .b_k = b.transposed ? 1 : b.stride,
          .b_column = b.transposed ? b.stride : 1,
          .c = c.data,
          .c_row = c.stride,
          .accumulate = c.accumulate};
}

}  // namespace

void matmul_int8(std::size_t m, std::size_t n, std::size_t k, const matrix_of<std::int8_t>& a,
                 const matrix_of<std::int8_t>& b, const int32_product& c,
                 matmul_int8_workspace& scratch, level at_most, int8_method method) noexcept {
  multiply(make_problem(m, n, k, a, bits_of(a.data), b, c), scratch, at_most, method);
}
void matmul_int8(std::size_t m, std::size_t n, std::size_t k, const matrix_of<std::uint8_t>& a,
                 const matrix_of<std::int8_t>& b, const int32_product& c,
                 matmul_int8_workspace& scratch, level at_most, int8_method method) noexcept {
  multiply(make_problem(m, n, k, a, a.data, b, c), scratch, at_most, method);
}

}  // namespace tensors
}  // namespace tessera::inline TESSERA_ABI
