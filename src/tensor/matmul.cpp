// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Which loop multiplies: by instruction set and by shape.

#include "matmul.hpp"

#include <algorithm>
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
  const float* a;
  std::size_t a_row, a_k;
  const float* b;
  std::size_t b_k, b_column;
  float* c;
  std::size_t c_row, c_column;
  bool accumulate;
};

using multiply_function = void (*)(const problem&, void* scratch);

/// The loops of one instruction set.
struct engine {
  multiply_function blocked;  ///< FP32, any shape; c_column is 1
  multiply_function few[4];   ///< FP32, 1 to 4 rows of A, nothing packed
  multiply_function reference;
};
/// Packing a row of B costs as much as multiplying it with some rows of A, so up to these many go
/// without it, in two passes where they are more than four.
constexpr std::size_t few_rows = 8;
/// Elements of the factors of a product that needs no packing, with what is between rows of B.
constexpr std::size_t max_small_a = 65536, max_small_b = 12288;

#define TESSERA_LOOP "matmul_loop.hpp"
#include "tile_levels.hpp"

const engine& engine_of(level l) noexcept {
  l = std::min(l, best_level());
  return l == level::avx512 ? avx512::functions
         : l == level::avx2 ? avx2::functions
                            : baseline::functions;
}

problem make_problem(std::size_t m, std::size_t n, std::size_t k, const matrix& a, const matrix& b,
                     const product& c) noexcept {
  return {.m = m,
          .n = n,
          .k = k,
          .a = a.data,
          .a_row = a.transposed ? 1 : a.stride,
          .a_k = a.transposed ? a.stride : 1,
          .b = b.data,
          .b_k = b.transposed ? 1 : b.stride,
          .b_column = b.transposed ? b.stride : 1,
          .c = c.data,
          .c_row = c.stride,
          .c_column = 1,
          .accumulate = c.accumulate};
}

/// C' = B' A': the same product by columns.
void transpose(problem& p) noexcept {
  std::swap(p.m, p.n);
  std::swap(p.a, p.b);
  std::swap(p.a_row, p.b_column);
  std::swap(p.a_k, p.b_k);
  std::swap(p.c_row, p.c_column);
}

/// Sums of nothing; true where that is all there is to do.
bool is_empty(const problem& p) noexcept {
  if (p.m == 0 || p.n == 0) return true;
  if (p.k != 0) return false;
  if (!p.accumulate)
    for (std::size_t i = 0; i < p.m; ++i) std::fill_n(p.c + i * p.c_row, p.n, 0.0f);
  return true;
}

}  // namespace

void matmul(std::size_t m, std::size_t n, std::size_t k, const matrix& a, const matrix& b,
            const product& c, matmul_workspace& scratch, level at_most) noexcept {
  problem p = make_problem(m, n, k, a, b, c);
  if (is_empty(p)) return;
  const engine& e = engine_of(at_most);
  if (m > few_rows && n > few_rows) return e.blocked(p, scratch.data());
  if (m > n) transpose(p);
  const std::size_t all = p.m, once = all <= 4 ? all : (all + 1) / 2;
  for (std::size_t row = 0; row < all; row += once) {
    p.m = std::min(once, all - row);
    e.few[p.m - 1](p, scratch.data());
    p.a += p.m * p.a_row;
    p.c += p.m * p.c_row;
  }
}

void matmul_reference(std::size_t m, std::size_t n, std::size_t k, const matrix& a, const matrix& b,
                      const product& c, matmul_workspace& scratch, level at_most) noexcept {
  const problem p = make_problem(m, n, k, a, b, c);
  if (is_empty(p)) return;
  engine_of(at_most).reference(p, scratch.data());
}

}  // namespace tensors
}  // namespace tessera::inline TESSERA_ABI
