// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The values of tensors as floats, and how floats are stored as smaller ones.
//
//   auto values = nac::dequantize(tensor);                      // all, or some: tensor_values
//   auto small = nac::quantize(*values, shape, nac::quantization::int8_tensor);
//   auto lost = nac::requantization_error(tensor, nac::quantization::block_fp8);
//   std::cout << lost->rms() << ' ' << lost->snr_db() << '\n';
//
//   method        stored   scale                                       range        applies to
//   fp16          f16      none                                        all of f16   rank >= 1
//   int8_tensor   i8       max|x| / 127 of all; 1e-9 where that is 0   -127 … 127   rank >= 1
//   int8_channel  i8       the same for each index of axis 0           -127 … 127   rank >= 2 (*)
//   block_fp8     i8       max|x| / 127 of each block; 1 where it's 0  -128 … 127   rank >= 1
//     (*) int8_tensor for rank 1, and for shapes without elements
//
// A value is x / scale, rounded to nearest with ties to even; it's read back as the product with
// the scale. All of it in float32: float64 is narrowed before. Blocks are of 64 consecutive
// elements, and the last is padded with zeros. Tensors of rank 0 and those that hold integers stay
// as they are.
//
// Lifetime:   tensor_values borrow the tensor's bytes.
// Errors:     nac_tensor_*: the offset is that of the tensor's record. nac_quantize_*: the offset
//             is the index of the value.
// Limits:     none of their own.
// Allocation: what is returned; tensor_values and the error figures: none but 4 bytes per scale.

#ifndef TESSERA_NAC_QUANTIZATION_HPP
#define TESSERA_NAC_QUANTIZATION_HPP

#include <cstddef>
#include <cstdint>

#include "../core/error.hpp"
#include "../core/float16.hpp"
#include "../core/pool.hpp"
#include "../core/result.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

inline constexpr std::uint16_t default_block = 64;  ///< elements of one scale of block_fp8

/// The values of a tensor as float32: products of elements and scales, wider floats rounded, other
/// types converted; a boolean is 0 or 1. Only `of` makes one that isn't empty.
class tensor_values {
 public:
  /// Checks that elements, shape and scales agree.
  [[nodiscard]] static result<tensor_values> of(const tensor& t) noexcept;

  /// How many values there are.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// Values `first` to `first + count` - 1, which must exist.
  void read(std::uint64_t first, float* to, std::size_t count) const noexcept;

 private:
  void scaled(std::uint64_t first, const std::byte* from, float* to,
              std::size_t count) const noexcept;

  tensor tensor_;
  std::uint64_t size_ = 0;
  std::uint64_t run_ = 1;  // consecutive elements of one scale
};

/// All values of a tensor: 4 bytes for each.
[[nodiscard]] result<pool<float>> dequantize(const tensor& t);
/// Values `first` to `first + count` - 1 of a tensor, into `to`: for tensors that are too large for
/// memory. nac_tensor_range where it doesn't have all of them.
[[nodiscard]] error dequantize(const tensor& t, std::uint64_t first, float* to, std::size_t count);

/// Floats in memory, read like tensor_values. Lifetime: borrows them.
class float_values {
 public:
  /// Reads from `values`.
  explicit float_values(view<float> values) noexcept : values_(values) {}
  /// How many values there are.
  [[nodiscard]] std::uint64_t size() const noexcept { return values_.size(); }
  /// Copies values `first` to `first + count` - 1, which must exist, to `to`.
  void read(std::uint64_t first, float* to, std::size_t count) const noexcept {
    for (std::size_t i = 0; i < count; ++i) to[i] = values_[to_size(first) + i];
  }

 private:
  view<float> values_;
};

/// How values are stored by a method: all but the elements.
struct quantized_form {
  data_type type = data_type::int8;  ///< of the elements: int8, or float16 for fp16
  nac::quantization quantization = nac::quantization::int8_tensor;  ///< none for fp16
  std::uint16_t block = 0;     ///< elements of one scale of block_fp8, else 0
  std::uint64_t values = 0;    ///< that are stored
  std::uint64_t elements = 0;  ///< more than the values where blocks are padded
  std::uint64_t run = 1;       ///< consecutive elements of one scale
};

/// The first pass: finds the form that `values` of a shape of rank 1 or more take, and appends
/// their scales to `scales`. Errors: nac_quantize_method for `none` and rank 0, nac_quantize_block
/// for a block of 0, nac_quantize_shape for another number of values; at the index of a value,
/// nac_quantize_finite for one that isn't finite, nac_quantize_float16 for one that f16 would make
/// infinite.
template <class Values>
[[nodiscard]] error measure(const Values& values, view<std::uint32_t> shape, quantization method,
                            std::uint16_t block, quantized_form& form, pool<float>& scales);

/// The second pass: elements `first` to `first + count` - 1 of a form that `measure` found, with
/// the scales that it appended.
template <class Values>
void quantize_elements(const Values& values, const quantized_form& form, const float* scales,
                       std::uint64_t first, std::byte* to, std::size_t count) noexcept;

/// Values and how they are stored.
struct quantized_values {
  quantized_form form;   ///< all but the elements and the scales
  pool<float> scales;    ///< one for each run of `form.run` elements; none for fp16
  pool<std::byte> data;  ///< the elements, little-endian
};

/// Stores float values of a shape by a method.
[[nodiscard]] result<quantized_values> quantize(view<float> values, view<std::uint32_t> shape,
                                                quantization method,
                                                std::uint16_t block = default_block);

/// How far values are from others, in sums that figures are made of.
struct quantization_error {
  std::uint64_t values = 0;  ///< how many pairs were added
  double largest = 0;        ///< of |x - y|
  double signal = 0;         ///< sum of x²
  double noise = 0;          ///< sum of (x - y)²

  /// Adds a pair: the value x, and the value y that it became.
  void add(float x, float y) noexcept;
  /// Adds the sums of other pairs.
  void add(const quantization_error& other) noexcept;
  /// The root of the mean square of x - y; 0 for no values.
  [[nodiscard]] double rms() const noexcept {
    return values == 0 ? 0 : __builtin_sqrt(noise / static_cast<double>(values));
  }
  /// The ratio of signal and noise in decibels; infinite without noise.
  [[nodiscard]] double snr_db() const noexcept;
};

/// How far the values of `stored` are from those of `original`. nac_tensor_shapes, at `stored`, for
/// another number of values.
[[nodiscard]] result<quantization_error> error_between(const tensor& original,
                                                       const tensor& stored);

/// How far a tensor's values would be from themselves when stored by a method. What `measure`
/// refuses, at the tensor's record.
[[nodiscard]] result<quantization_error> requantization_error(const tensor& t, quantization method,
                                                              std::uint16_t block = default_block);

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#include "detail/quantize_values.hpp"  // the templates

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/quantization.hpp"
#endif

#endif  // TESSERA_NAC_QUANTIZATION_HPP
