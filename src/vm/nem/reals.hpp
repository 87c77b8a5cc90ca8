// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Elements as the real numbers that they represent, where a task's integers are quantized values.
//
//   reals x(c.inputs[0], is_quantized(c) ? integers::quantized : integers::plain);
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

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "elements.hpp"
#include "pairs.hpp"
#include "tensor/fold.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

/// The real values of integers.
enum class integers : std::uint8_t { plain, shifted, quantized };

using tensors::row_place;

class reals {
 public:
  reals(const tensor& x, integers as) noexcept : x_(as_integers(x, as)), as_(as), pairs_(x_) {
    if (x_.quant == nullptr) as_ = integers::plain;
  }

  [[nodiscard]] shape_view shape() const noexcept { return x_.shape; }
  [[nodiscard]] shape_view strides() const noexcept { return x_.strides; }
  [[nodiscard]] shape_view indices() const noexcept { return pairs_.strides(); }

  void load(const row_place& at, double* to, std::size_t n) {
    nem::load(x_, at.first, at.step, to, n);
    each_part_of(at, to, n, [this](double* part, std::size_t size) {
      if (as_ == integers::quantized) return pairs_.to_real(part, size);
      for (std::size_t i = 0; i < size; ++i) part[i] -= pairs_.zero(i);
    });
  }
  /// Leaves the row changed.
  void store(const row_place& at, double* from, std::size_t n) {
    each_part_of(at, from, n, [this](double* part, std::size_t size) {
      if (as_ == integers::quantized) return pairs_.from_real(part, size);
      for (std::size_t i = 0; i < size; ++i) part[i] = rounded(part[i]) + pairs_.zero(i);
    });
    nem::store(x_, at.first, at.step, from, n);
  }

 private:
  /// The tensor without a descriptor that means nothing.
  [[nodiscard]] static tensor as_integers(tensor x, integers as) noexcept {
    if (as == integers::plain || !x.is_integer()) x.quant = nullptr;
    return x;
  }
  template <class F>
  void each_part_of(const row_place& at, double* row, std::size_t n, F&& f) {
    if (as_ == integers::plain) return;
    for (std::size_t i = 0; i < n; i += part_size) {
      const std::size_t size = std::min(part_size, n - i);
      pairs_.find(at.index + static_cast<std::int64_t>(i) * at.index_step, at.index_step, size);
      f(row + i, size);
    }
  }

  tensor x_;
  integers as_;
  pairs pairs_;
};

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NEM_REALS_HPP
