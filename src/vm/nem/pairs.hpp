// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Rows of tensors in parts that fit the stack, and what quantization does to their elements.
//
//   pairs of_x(x), of_y(y);
//   const rows<4> r(x.shape, {x.strides, y.strides, of_x.strides(), of_y.strides()});
//   each_part(r, [&](const auto& at, std::size_t n) {
//     of_x.find(at[2], r.steps()[2], n);            // the pairs of these n elements
//     load(x, at[0], r.steps()[0], numbers, n);
//     of_x.to_real(numbers, n);                     // scale * (q - zero point)
//   });
//
// The strides of pairs count along the axis of the descriptor and are 0 elsewhere, so that rows keeps
// dimensions apart where it matters. A tensor without a descriptor has scale 1 and zero point 0.
//
// Lifetime:   borrows the descriptor.
// Errors:     none: a scale that is 0 or infinite in binary32 gives what IEEE 754 says.
// Limits:     part_size elements at a time.
// Allocation: none.

#ifndef TESSERA_VM_NEM_PAIRS_HPP
#define TESSERA_VM_NEM_PAIRS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "elements.hpp"
#include "tensor.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

inline constexpr std::size_t part_size = 256;

/// Calls f(at, n) for at most part_size elements of a row after another: at[k] is the index of the
/// first by the k-th strides.
template <std::size_t count, class F>
void each_part(const rows<count>& r, F&& f) {
  r.each([&](const typename rows<count>::indices& first, std::int64_t length) {
    typename rows<count>::indices at = first;
    for (std::int64_t done = 0; done < length;) {
      const std::int64_t n = std::min<std::int64_t>(part_size, length - done);
      f(static_cast<const typename rows<count>::indices&>(at), static_cast<std::size_t>(n));
      for (std::size_t k = 0; k < count; ++k) at[k] += r.steps()[k] * n;
      done += n;
    }
  });
}

// Rows of a type of numbers: double and float are values, int64 integers that wrap, uint32 patterns.
template <class T>
void read_row(const tensor& x, std::int64_t first, std::int64_t step, T* row, std::size_t n) {
  if constexpr (std::is_same_v<T, std::uint32_t>)
    load_bits(x, first, step, row, n);
  else
    load(x, first, step, row, n);
}
template <class T>
void write_row(const tensor& y, std::int64_t first, std::int64_t step, const T* row,
               std::size_t n) {
  if constexpr (std::is_same_v<T, std::uint32_t>)
    wrap(y, first, step, row, n);
  else if constexpr (std::is_same_v<T, std::int64_t>)
    wrap(y, first, step, row, n);
  else
    store(y, first, step, row, n);
}

/// Reads, changes and writes rows: f(row, n).
template <class T, class F>
void each_row(const tensor& x, const tensor& y, F&& f) {
  T row[part_size];
  const rows<2> r(y.shape, {x.strides, y.strides});
  each_part(r, [&](const auto& at, std::size_t n) {
    read_row(x, at[0], r.steps()[0], row, n);
    f(static_cast<T*>(row), n);
    write_row(y, at[1], r.steps()[1], row, n);
  });
}

/// Scale and zero point of each element of a part.
class pairs {
 public:
  explicit pairs(const tensor& of) noexcept : of_(of.quant), rank_(of.rank()) {
    if (of_ != nullptr && of_->form != model::quantization::per_tensor) strides_[of_->axis] = 1;
  }
  pairs(const pairs&) = delete;
  pairs& operator=(const pairs&) = delete;

  [[nodiscard]] shape_view strides() const noexcept { return {strides_.data(), rank_}; }

  /// Looks up the pairs of n elements, the first of which has this index along the axis. The step is
  /// that of the rows, the same each time.
  void find(std::int64_t index, std::int64_t step, std::size_t n) noexcept {
    if (step == 0) {
      const std::size_t pair = of_ == nullptr ? 0 : of_->pair(index);
      if (pair == everywhere_) return;
      everywhere_ = pair;
      std::fill(scales_.begin(), scales_.end(), of_ == nullptr ? 1.0 : of_->scale(pair));
      std::fill(zeros_.begin(), zeros_.end(),
                of_ == nullptr ? 0.0 : static_cast<double>(of_->zero_point(pair)));
      return;
    }
    if (index == first_ && n <= found_) return;
    first_ = index;
    found_ = n;
    for (std::size_t i = 0; i < n; ++i, index += step) {
      const std::size_t pair = of_->pair(index);
      scales_[i] = of_->scale(pair);
      zeros_[i] = static_cast<double>(of_->zero_point(pair));
    }
  }
  [[nodiscard]] double scale(std::size_t i) const noexcept { return scales_[i]; }
  [[nodiscard]] double zero(std::size_t i) const noexcept { return zeros_[i]; }

  /// Real values of quantized ones.
  void to_real(double* x, std::size_t n) const noexcept {
    for (std::size_t i = 0; i < n; ++i) x[i] = scales_[i] * (x[i] - zeros_[i]);
  }
  /// Quantized values, integers that are still to be saturated. A NaN is the zero point.
  void from_real(double* x, std::size_t n) const noexcept {
    for (std::size_t i = 0; i < n; ++i) {
      const double q = rounded(x[i] / scales_[i]) + zeros_[i];
      x[i] = q == q ? q : zeros_[i];
    }
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};
  const descriptor* of_;
  std::size_t rank_, everywhere_ = none;  ///< the pair that all have
  std::int64_t first_ = 0;                ///< otherwise, those of this index
  std::size_t found_ = 0;                 ///< and of so many after it
  std::array<std::int64_t, model::max_rank> strides_ = {};
  std::array<double, part_size> scales_ = {}, zeros_ = {};
};

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NEM_PAIRS_HPP
