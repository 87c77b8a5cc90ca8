// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Products of float matrices, on one thread: C[m,n] = A[m,k] B[k,n], or added to C.
//
//   matmul_workspace scratch;                                  // once
//   matmul(m, n, k, {a, k}, {b, n}, {c, n}, scratch);          // C = A B
//   matmul(m, n, k, {a, k}, {b, k, true}, {c, n, true}, scratch);    // C += A B', B is n rows of k
//
// Two forms:
//
//   matmul             FP32. Every element is a sum of sums: over at most 256 values of k each, in
//                      ascending order, with fused multiply-add where the processor has it; those
//                      are added up in FP32 too. With at most 8 rows or columns there are other
//                      sums: over all of k, or one for each lane of a vector. The error is below
//                      (k + 2) * 2^-24 * (|c| + sum |a b|). Bits differ between levels.
//   matmul_reference   Sums of FP64 in ascending order of k, C first where it is added to, rounded
//                      once at the end. The same bits at every level: a product of two floats is
//                      exact in FP64, so fusing it with the addition changes nothing. (Signs and
//                      payloads of NaNs may differ.)
//
// Lifetime:   nothing is kept. C must not overlap A or B.
// Errors:     none. Strides are at least as long as the rows, except for matrices of one row.
// Limits:     the last element's index fits in size_t.
// Allocation: only the workspace, on construction. It serves one call at a time.

#ifndef TESSERA_TENSOR_MATMUL_HPP
#define TESSERA_TENSOR_MATMUL_HPP

#include <cstddef>

#include "tensor/level.hpp"
#include "tensor/workspace.hpp"

namespace tessera::inline TESSERA_ABI {
namespace tensors {

/// A factor as it is in memory: rows, `stride` elements from one to the next. A transposed
/// one holds the columns of the factor as its rows.
struct matrix {
  const float* data = nullptr;
  std::size_t stride = 0;
  bool transposed = false;
};

/// Where the product goes.
struct product {
  float* data = nullptr;
  std::size_t stride = 0;
  bool accumulate = false;  ///< add to what is there
};

/// Room for the parts of A and B that are worked on, in the order in which they are read.
class matmul_workspace : public workspace<(256 * 2048 + 24 * 14 * 256) * sizeof(float)> {};

void matmul(std::size_t m, std::size_t n, std::size_t k, const matrix& a, const matrix& b,
            const product& c, matmul_workspace& scratch, level at_most = best_level()) noexcept;

void matmul_reference(std::size_t m, std::size_t n, std::size_t k, const matrix& a, const matrix& b,
                      const product& c, matmul_workspace& scratch,
                      level at_most = best_level()) noexcept;

}  // namespace tensors
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TENSOR_MATMUL_HPP
