// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A task as its executing code sees it: operands in memory, with their types, and attributes.
//
//   verdict relu(const call& c) {
//     const tensor &x = c.inputs[0], &y = c.outputs[0];
//     const rows<2> r(x.shape, {x.strides, y.strides});
//     r.each([&](const auto& first, std::int64_t n) { load(x, first[0], r.steps()[0], row, n); … });
//   }
//
//   tensor        the elements of a region: its first byte, element type, shape, strides, descriptor
//   descriptor    real value = scale * (q - zero point), by tensor, channel or group
//   verdict       what executing a task found
//
// A region without a shape (of a transfer) has only bytes.
//
// Lifetime:   borrows for the execution of a task.
// Errors:     verdict.
// Limits:     nem::max_rank dimensions.
// Allocation: none.

#ifndef TESSERA_VM_NEM_TENSOR_HPP
#define TESSERA_VM_NEM_TENSOR_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "tessera/nem.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

namespace model = tessera::nem;
using model::element;
using model::opcode;

using shape_view = std::span<const std::int64_t>;

/// The dimension of an axis; negative ones count from the last.
[[nodiscard]] inline std::size_t axis_from(std::int64_t axis, std::size_t rank) noexcept {
  return static_cast<std::size_t>(axis) + (axis < 0 ? rank : std::size_t{0});
}
/// The strides of a dense shape. Where they don't fit 64 bits, they are meaningless.
[[nodiscard]] inline std::array<std::int64_t, model::max_rank> dense_strides(
    shape_view shape) noexcept {
  std::array<std::int64_t, model::max_rank> to = {};
  std::int64_t n = 1;
  for (std::size_t d = shape.size(); d-- != 0; (void)__builtin_mul_overflow(n, shape[d], &n))
    to[d] = n;
  return to;
}

/// The quantization of a tensor. Verified: as many scales and zero points as the form needs.
struct descriptor {
  model::quantization form = model::quantization::per_tensor;
  std::size_t axis = 0;                       ///< from 0, where the form has one
  std::int64_t group_size = 1;                ///< elements of the axis, of per_group
  std::span<const float> scales;              ///< rounded to binary32
  std::span<const std::int64_t> zero_points;  ///< as many as scales, or one

  /// Whether the pairs vary along that axis.
  [[nodiscard]] bool varies_along(std::size_t dimension) const noexcept {
    return form != model::quantization::per_tensor && axis == dimension;
  }
  /// The pair of an element, by its index along the axis.
  [[nodiscard]] std::size_t pair(std::int64_t index) const noexcept {
    switch (form) {
      case model::quantization::per_tensor: return 0;
      case model::quantization::per_channel: return static_cast<std::size_t>(index);
      default: return static_cast<std::size_t>(index / group_size);
    }
  }
  [[nodiscard]] double scale(std::size_t pair) const noexcept {
    return double{scales[scales.size() == 1 ? 0 : pair]};
  }
  [[nodiscard]] std::int64_t zero_point(std::size_t pair) const noexcept {
    return zero_points.empty() ? 0 : zero_points[zero_points.size() == 1 ? 0 : pair];
  }
};

/// The elements of a region. Element (i, j, …) is at index i * strides[0] + j * strides[1] + …; that
/// of i4 are nibbles, the lower one first.
struct tensor {
  std::byte* data = nullptr;  ///< of the region; outputs are written, inputs aren't
  std::int64_t extent = 0;    ///< bytes
  nem::element element = nem::element::none;
  /// In elements; the strides of a region without any are those of its shape.
  shape_view shape, strides;
  const descriptor* quant = nullptr;
  /// Whether the last two dimensions are swapped: layouts …KM of A, …NK of B.
  bool is_transposed = false;

  [[nodiscard]] std::size_t rank() const noexcept { return shape.size(); }
  /// The number of elements; at most 2^63 - 1, as strides of 0 allow more.
  [[nodiscard]] std::int64_t count() const noexcept {
    std::int64_t n = 1;
    for (const std::int64_t d : shape)
      if (__builtin_mul_overflow(n, d, &n)) return INT64_MAX;
    return n;
  }
  /// Whether elements follow each other in the order of the shape.
  [[nodiscard]] bool is_dense() const noexcept {
    std::int64_t n = 1;
    for (std::size_t i = shape.size(); i-- != 0; n *= shape[i])
      if (strides[i] != n && shape[i] != 1) return false;
    return true;
  }
  [[nodiscard]] bool is_integer() const noexcept {
    return model::element_table[static_cast<std::size_t>(element)].kind ==
           model::element_class::integer;
  }
};

/// One task.
struct call {
  nem::opcode opcode = nem::opcode::unknown;
  std::span<const tensor> inputs, outputs;
  model::attributes attributes;
  std::string_view op;            ///< of compute
  bool is_memmove = false;        ///< source and destination may overlap
  bool is_deterministic = false;  ///< sums in ascending order, one after another
};

/// What executing a task found. The whole output has been written: 0 where there is no value.
struct verdict {
  errc code = errc::ok;      ///< nem_rt_div0, nem_rt_index, nem_rt_unsupported, nem_rt_mem
  std::int64_t element = 0;  ///< of the output in the order of its shape, the first one
  std::int64_t index = 0;    ///< of nem_rt_index
  std::int64_t size = 0;     ///< nem_rt_index: of the axis, or the maximum of the type
  bool has_wrapped = false;  ///< a sum exceeded 32 bits: RT-ACC
  [[nodiscard]] explicit operator bool() const noexcept { return code == errc::ok; }
};

/// The rows that make up a shape, for `count` tensors that have it, each with strides of its own.
/// Dimensions that are contiguous in all strides are merged, so that dense tensors have one row.
template <std::size_t count>
class rows {
 public:
  using indices = std::array<std::int64_t, count>;

  rows(shape_view shape, const std::array<shape_view, count>& strides) noexcept {
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
    std::array<std::int64_t, model::max_rank> at = {};
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

 private:
  std::size_t rank_ = 0;
  std::array<std::int64_t, model::max_rank + 1> shape_ = {};
  std::array<indices, model::max_rank + 1> strides_ = {};
};

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NEM_TENSOR_HPP
