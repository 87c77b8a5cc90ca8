// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Elements as the real numbers that they stand for, where a task's integers are quantized values.
//
//   const reals x(c.inputs[0], is_quantized(c) ? integers::quantized : integers::plain);
//   const rows<2> r(x.shape(), {x.strides(), x.indices()});
//   r.each([&](const auto& first, std::int64_t n) {
//     x.load({first[0], r.steps()[0], first[1], r.steps()[1]}, row, n);   // scale * (q - zero point)
//   });
//
//   integers     load                        store
//   plain        q                           to nearest, saturated
//   shifted      q - zero point              to nearest, plus the zero point, saturated
//   quantized    scale * (q - zero point)    of x / scale as above
//
// Floats are what they are. A descriptor by channel or group needs the index of an element along its
// axis: indices() are strides that count it, so that rows<> yields it beside the element's own.
//
// Lifetime:   borrows the tensor's parts; indices() lasts as long as the object.
// Errors:     none.
// Limits:     those of the elements.
// Allocation: none.

#ifndef TESSERA_VM_NEM_REALS_HPP
#define TESSERA_VM_NEM_REALS_HPP

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "elements.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

/// What integers stand for.
enum class integers : std::uint8_t { plain, shifted, quantized };

/// Where a row of elements is: its first element, and the index of that along the descriptor's axis.
struct row_place {
  std::int64_t first = 0, step = 0, index = 0, index_step = 0;
};

class reals {
 public:
  reals(const tensor& x, integers as) noexcept : x_(x), as_(as) {
    if (x.quant == nullptr || !x.is_integer()) as_ = integers::plain;
    if (as_ == integers::plain || x.quant->form == model::quantization::per_tensor) return;
    if (x.quant->axis < x.rank()) indices_[x.quant->axis] = 1;
  }

  [[nodiscard]] shape_view shape() const noexcept { return x_.shape; }
  [[nodiscard]] shape_view strides() const noexcept { return x_.strides; }
  [[nodiscard]] shape_view indices() const noexcept { return {indices_.data(), x_.rank()}; }

  void load(const row_place& at, double* to, std::int64_t n) const {
    nem::load(x_, at.first, at.step, to, static_cast<std::size_t>(n));
    if (as_ == integers::plain) return;
    each_pair(at, n, [&](std::int64_t i, double scale, double zero_point) {
      to[i] = scale * (to[i] - zero_point);
    });
  }
  /// Leaves the row changed.
  void store(const row_place& at, double* from, std::int64_t n) const {
    if (as_ != integers::plain)
      each_pair(at, n, [&](std::int64_t i, double scale, double zero_point) {
        const double q = std::nearbyint(from[i] / scale);
        from[i] = q == q ? q + zero_point : zero_point;
      });
    nem::store(x_, at.first, at.step, from, static_cast<std::size_t>(n));
  }

 private:
  template <class F>
  void each_pair(const row_place& at, std::int64_t n, F&& f) const {
    const descriptor& d = *x_.quant;
    const bool has_scale = as_ == integers::quantized;
    double scale = 1, zero_point = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      if (i == 0 || at.index_step != 0) {
        const std::size_t pair = d.pair(at.index + i * at.index_step);
        if (has_scale) scale = d.scale(pair);
        zero_point = static_cast<double>(d.zero_point(pair));
      }
      f(i, scale, zero_point);
    }
  }

  tensor x_;
  integers as_;
  std::array<std::int64_t, model::max_rank> indices_ = {};
};

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NEM_REALS_HPP
