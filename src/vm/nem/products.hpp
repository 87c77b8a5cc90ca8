// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Shared by matrix products and convolutions: rows of results, each a sum over k.
//
//   product p{.n = n, .k = k, .y = &y, …};
//   results to(p, scratch, v);
//   multiply_floats(p, rows, {a, k}, {b, n}, to);     // each row: the sums, C, rounding
//   multiply_bytes(p, rows, {a, k}, {b, n}, to);
//
//   multiply_floats     tensors::matmul
//   multiply_in_order   ascending k, each product and each sum rounded: @deterministic
//   multiply_bytes      tensors::matmul_int8, zero points by sums of rows and columns
//   multiply_wide       any integers, one row of A at a time
//
// Scales that vary along k split it into runs, whose sums are added in binary64.
//
// Lifetime:   borrows.
// Errors:     verdict::has_wrapped; std::bad_alloc.
// Limits:     multiply_bytes: zero points of A from -128 to 127, of B from -255 to 255.
// Allocation: the workspace: a block of results, and the needs of its parts.

#ifndef TESSERA_VM_NEM_PRODUCTS_HPP
#define TESSERA_VM_NEM_PRODUCTS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "elements.hpp"
#include "operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

/// Slots of the workspace, by user.
struct slots {
  enum : std::size_t { a, b, block, sums, bias, row, scale, factor };
};

/// The descriptor of an operand, or scale 1 and zero point 0.
[[nodiscard]] const descriptor& descriptor_of(const tensor& x) noexcept;

/// One row of results: the indices of its first elements of Y and C, and the descriptors of A, Y
/// and C for all of it.
struct product_row {
  std::int64_t y = 0, c = 0;
  std::size_t a_pair = 0, y_pair = 0, c_pair = 0;
};

/// Shared by all rows.
struct product {
  std::size_t n = 0, k = 0;
  const tensor *y = nullptr, *c = nullptr;  ///< c: nullable
  std::int64_t y_step = 1, c_step = 0;      ///< from one column to the next
  std::size_t first_column = 0;             ///< of all that descriptors count
  bool y_by_column = false, c_by_column = false;
  // Of integers:
  const descriptor *a_quant = nullptr, *b_quant = nullptr;
  bool b_by_column = false;
  std::size_t b_pair = 0;  ///< where it isn't by column
  int b_bits = 8;
  std::span<const double> k_scales;  ///< for each k, of A, B or both; empty where they don't vary
  bool scales_of_a_in_k = false, scales_of_b_in_k = false;
  std::span<const std::int64_t> a_k_zeros, b_k_zeros;
};

/// A factor as the kernels take it.
template <class T>
using factor = std::conditional_t<std::is_same_v<T, float>, tensors::matrix, tensors::matrix_of<T>>;
using float_rows = factor<float>;
using byte_rows = factor<std::int8_t>;

/// Finishes the rows of a product: adds C, rounds or quantizes, writes Y.
class results {
 public:
  results(const product& p, workspace& scratch, verdict& found)
      : p_(p), scratch_(scratch), found_(found) {}

  /// Sums of floats, which are changed. They may be the row of Y itself.
  void finish(const product_row& row, float* sums);
  /// Exact sums, in units of sA * sB; they are changed.
  void finish(const product_row& row, std::int32_t* sums);
  /// Sums without the correction for zero points of A: `columns` times `a_zero`, the same
  /// columns for all rows. Only where fits() holds, which says that no sum of up to `max_sum`
  /// leaves 32 bits with C.
  void finish(const product_row& row, std::int32_t* sums, const std::int32_t* columns,
              std::int64_t a_zero);
  [[nodiscard]] bool fits(const product_row& row, std::int64_t max_sum);
  /// Sums modulo 2^64, exact where `about` is below 2^62; without it all are.
  void finish(const product_row& row, const std::uint64_t* sums, const double* about);
  /// Sums in real units; they are changed.
  void finish(const product_row& row, double* sums);
  /// A sum in 32 bits; remembers when it doesn't fit.
  [[nodiscard]] std::int32_t wrapped(std::uint64_t sum, double about = 0) noexcept;

  [[nodiscard]] nem::workspace& scratch() const noexcept { return scratch_; }

 private:
  void set(const product_row& row);
  void put_sums(const product_row& row, const std::int32_t* sums,
                std::span<const std::int32_t> offsets);
  [[nodiscard]] std::span<const std::int32_t> none();
  void put_reals(const product_row& row, double* reals);
  [[nodiscard]] bool has_integer_bias() const noexcept {
    return p_.c != nullptr && p_.c->is_integer();
  }
  [[nodiscard]] std::span<const std::int64_t> integers_of_c(const product_row& row);

  const product& p_;
  nem::workspace& scratch_;
  verdict& found_;
  // What belongs to the pairs of a row:
  bool is_set_ = false, is_plain_ = false;  ///< plain: factors small, zero points of 32 bits
  std::size_t a_pair_ = 0, y_pair_ = 0;
  std::span<double> factors_, backs_;
  std::span<std::int32_t> none_;  ///< offsets that are 0
  // The row of C:
  bool has_c_ = false;
  std::int64_t c_first_ = 0;
  std::int64_t max_c_ = 0;  ///< the largest magnitude
  std::span<std::int64_t> c_;
  std::span<float> c_floats_;
  // C less what zero points of A add:
  bool has_offsets_ = false;
  std::int64_t offsets_c_ = 0, offsets_zero_ = 0;
  std::span<std::int32_t> offsets_;
};

/// The number of rows of n results in a block.
[[nodiscard]] std::size_t rows_of_block(std::size_t n) noexcept;
/// Copies a descriptor that varies along k to p.k_scales; returns its zero points, in `slot`.
/// pair(k) is the index of its pair for element k.
template <class Pair>
[[nodiscard]] std::span<const std::int64_t> vary_along_k(product& p, const descriptor& d,
                                                         std::size_t slot, workspace& scratch,
                                                         Pair&& pair) {
  const std::span<double> scales = scratch.doubles(slots::b, p.k);
  if (p.k_scales.empty()) std::fill(scales.begin(), scales.end(), 1.0);
  const std::span<std::int64_t> zeros = scratch.wide_integers(slot, p.k);
  for (std::size_t k = 0; k < p.k; ++k) {
    const std::size_t i = pair(static_cast<std::int64_t>(k));
    scales[k] *= d.scale(i);
    zeros[k] = d.zero_point(i);
  }
  p.k_scales = scales;
  return zeros;
}
/// sA * sB of each column at k, in binary64: exact.
void scales_of(const product& p, const product_row& row, std::size_t k, std::span<double> to);

void multiply_floats(const product& p, std::span<const product_row> rows, const float_rows& a,
                     const float_rows& b, results& to);

/// For each `part` of k of each row, skips those for which `is_there` is 0; null: none.
void multiply_in_order(const product& p, std::span<const product_row> rows, const float_rows& a,
                       const float_rows& b, std::size_t part, const std::int8_t* is_there,
                       results& to);

void multiply_bytes(const product& p, std::span<const product_row> rows, const byte_rows& a,
                    const byte_rows& b, results& to);

/// One row. k steps through dimensions of B, the last one fastest; columns are `column_step` apart.
struct wide_factor {
  const tensor* of = nullptr;
  std::int64_t first = 0;
  shape_view strides, shape;  ///< of k
  std::int64_t column_step = 0;

  [[nodiscard]] std::int64_t index(std::int64_t k) const noexcept {
    std::int64_t i = first;
    for (std::size_t d = shape.size(); d-- != 0; k /= shape[d]) i += k % shape[d] * strides[d];
    return i;
  }
};
void multiply_wide(const product& p, const product_row& row, const std::int64_t* a,
                   const wide_factor& b, results& to);

/// The elements of an operand as floats or bytes: where they are, or a dense copy.
template <class T>
struct elements {
  const T* data = nullptr;
  std::array<std::int64_t, model::max_rank> strides = {};
};
/// Whether an operand has far more elements than bytes, due to steps of 0: it isn't copied.
[[nodiscard]] bool is_out_of_proportion(const tensor& x) noexcept;
/// Whether elements can be read in place: a T, in the order of the machine's bytes, aligned.
template <class T>
[[nodiscard]] bool is_in_place(const tensor& x) noexcept;
/// The copy, or the elements in place where `may_be` holds.
template <class T>
[[nodiscard]] elements<T> elements_of(const tensor& x, bool may_be, std::size_t slot,
                                      workspace& scratch);

/// Whether bytes can hold an operand, and multiply_bytes supports its zero points.
[[nodiscard]] bool are_bytes(const tensor& x, std::int64_t least, std::int64_t greatest) noexcept;

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NEM_PRODUCTS_HPP
