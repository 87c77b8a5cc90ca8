// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Products of matrices of bytes with sums of 32 bits, on one thread: C[m,n] = A[m,k] B[k,n], or added
// to C.
//
//   matmul_int8_workspace scratch;                                   // once
//   const std::int8_t* a; const std::uint8_t* u; const std::int8_t* b;
//   matmul_int8(m, n, k, {a, k}, {b, n}, {c, n}, scratch);           // C = A B
//   matmul_int8(m, n, k, {u, k}, {b, k, true}, {c, n}, scratch);     // C = U B', B is n rows of k
//
// Sums are exact modulo 2^32, so they have the same bits at every level and with every method.
//
// Lifetime:   nothing is kept. C must not overlap A or B.
// Errors:     none. Strides are at least as long as the rows, except for matrices of one row.
// Limits:     the last element's index fits in size_t.
// Allocation: only the workspace, on construction. It serves one call at a time.

#ifndef TESSERA_TENSOR_MATMUL_INT8_HPP
#define TESSERA_TENSOR_MATMUL_INT8_HPP

#include <cstddef>
#include <cstdint>

#include "tensor/level.hpp"
#include "tensor/workspace.hpp"

namespace tessera::inline TESSERA_ABI {
namespace tensors {

/// A factor as it is in memory: rows, `stride` elements from one to the next. A transposed
/// one holds the columns of the factor as its rows.
template <class Byte>
struct matrix_of {
  const Byte* data = nullptr;
  std::size_t stride = 0;
  bool transposed = false;
};

/// Where the product goes.
struct int32_product {
  std::int32_t* data = nullptr;
  std::size_t stride = 0;
  bool accumulate = false;  ///< add to what is there
};

/// How sums are made.
enum class int8_method : std::uint8_t {
  best,   ///< quads where the processor has an instruction for them and the level is avx512
  pairs,  ///< of two products of 16 bits at a time
  quads   ///< of four products of bytes at a time: AVX512-VNNI, or plain code in its place
};

/// Room for the parts of A and B that are worked on, in the order in which they are read.
class matmul_int8_workspace : public workspace<(256 * 2048 + 24 * 12 * 256 + 2048) * 4> {};

void matmul_int8(std::size_t m, std::size_t n, std::size_t k, const matrix_of<std::int8_t>& a,
                 const matrix_of<std::int8_t>& b, const int32_product& c,
                 matmul_int8_workspace& scratch, level at_most = best_level(),
                 int8_method method = int8_method::best) noexcept;
void matmul_int8(std::size_t m, std::size_t n, std::size_t k, const matrix_of<std::uint8_t>& a,
                 const matrix_of<std::int8_t>& b, const int32_product& c,
                 matmul_int8_workspace& scratch, level at_most = best_level(),
                 int8_method method = int8_method::best) noexcept;

}  // namespace tensors
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TENSOR_MATMUL_INT8_HPP
