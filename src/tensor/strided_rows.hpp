// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The rows that make up a shape, for `count` tensors that have it, each with strides of its own.
// Dimensions that are contiguous in all strides are merged, so that dense tensors have one row. A
// stride of 0 repeats an element: tensors that broadcast have it.
//
//   const rows<2, 8> r(shape, {x_strides, y_strides});
//   r.each([&](const auto& first, std::int64_t n) {
//     for (std::int64_t i = 0; i < n; ++i)
//       y[first[1] + i * r.steps()[1]] = x[first[0] + i * r.steps()[0]];
//   });
//
// Lifetime:   nothing is borrowed once it is made.
// Errors:     none; the shape has elements. Sums and products of strides that overflow are refused
//             before.
// Limits:     max_rank dimensions.
// Allocation: none.

#ifndef TESSERA_TENSOR_STRIDED_ROWS_HPP
#define TESSERA_TENSOR_STRIDED_ROWS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace tensors {

template <std::size_t count, std::size_t max_rank>
class rows {
 public:
  using indices = std::array<std::int64_t, count>;
  using dimensions = std::span<const std::int64_t>;

  rows(dimensions shape, const std::array<dimensions, count>& strides) noexcept {
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] == 1) continue;
      bool follows = rank_ != 0;
      for (std::size_t k = 0; k < count && follows; ++k)
        follows = strides_[rank_ - 1][k] == strides[k][d] * shape[d];
      std::int64_t joined = 0;  // more than 64 bits count, where strides are 0
      follows = follows && !__builtin_mul_overflow(shape_[rank_ - 1], shape[d], &joined);
      if (!follows) ++rank_;
      shape_[rank_ - 1] = follows ? joined : shape[d];
      for (std::size_t k = 0; k < count; ++k) strides_[rank_ - 1][k] = strides[k][d];
    }
    if (rank_ == 0) {
      rank_ = 1;
      shape_[0] = 1;
      strides_[0] = {};
    }
  }
  /// From one element of a row to the next, by the k-th strides.
  [[nodiscard]] const indices& steps() const noexcept { return strides_[rank_ - 1]; }
  [[nodiscard]] std::int64_t length() const noexcept { return shape_[rank_ - 1]; }
  /// Whether there is only one row.
  [[nodiscard]] bool is_one() const noexcept { return rank_ == 1; }

  /// Calls f(first, n): `first[k]` is the index of a row's first element by the k-th strides, n is
  /// its length.
  template <class F>
  void each(F&& f) const {
    indices first = {};
    std::array<std::int64_t, max_rank> at = {};
    const std::size_t outer = rank_ - 1;
    for (;;) {
      f(static_cast<const indices&>(first), shape_[outer]);
      std::size_t d = outer;
      for (; d != 0; --d) {
        for (std::size_t k = 0; k < count; ++k) first[k] += strides_[d - 1][k];
        if (++at[d - 1] != shape_[d - 1]) break;
        for (std::size_t k = 0; k < count; ++k) first[k] -= strides_[d - 1][k] * shape_[d - 1];
        at[d - 1] = 0;
      }
      if (d == 0) return;
    }
  }

  /// Calls f(at) for each element: `at[k]` is its index by the k-th strides.
  template <class F>
  void each_element(F&& f) const {
    each([&](indices at, std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) {
        f(static_cast<const indices&>(at));
        for (std::size_t k = 0; k < count; ++k) at[k] += steps()[k];
      }
    });
  }

 private:
  std::size_t rank_ = 0;
  std::array<std::int64_t, max_rank + 1> shape_ = {};
  std::array<indices, max_rank + 1> strides_ = {};
};

}  // namespace tensors
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TENSOR_STRIDED_ROWS_HPP
