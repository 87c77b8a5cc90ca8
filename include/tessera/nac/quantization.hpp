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
// A value is x / scale, rounded to nearest with ties to even; it's read back as the product with the
// scale. All of it in float32: float64 is narrowed before. Blocks are of 64 consecutive elements,
// and the last is padded with zeros. Tensors of rank 0 and those that hold integers stay as they
// are.
//
// Lifetime:   tensor_values borrow the tensor's bytes.
// Errors:     nac_tensor_*: the offset is that of the tensor's record. nac_quantize_*: the offset is
//             the index of the value.
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
/// Values `first` to `first + count` - 1 of a tensor, for those that are too large for memory.
[[nodiscard]] error dequantize(const tensor& t, std::uint64_t first, float* to, std::size_t count);

/// Floats in memory, read like tensor_values.
class float_values {
 public:
  explicit float_values(view<float> values) noexcept : values_(values) {}
  [[nodiscard]] std::uint64_t size() const noexcept { return values_.size(); }
  void read(std::uint64_t first, float* to, std::size_t count) const noexcept {
    for (std::size_t i = 0; i < count; ++i) to[i] = values_[to_size(first) + i];
  }

 private:
  view<float> values_;
};

/// How values are stored by a method: all but the elements.
struct quantized_form {
  data_type type = data_type::int8;
  nac::quantization quantization = nac::quantization::int8_tensor;  ///< none for fp16
  std::uint16_t block = 0;
  std::uint64_t values = 0;    ///< that are stored
  std::uint64_t elements = 0;  ///< more than the values where blocks are padded
  std::uint64_t run = 1;       ///< consecutive elements of one scale
};

/// The first pass: what form `values` of a shape of rank 1 or more take, and their scales, which are
/// appended to `scales`. nac_quantize_method for `none`; values that aren't finite have no scale,
/// and those that f16 would make infinite no place in it.
template <class Values>
[[nodiscard]] error measure(const Values& values, view<std::uint32_t> shape, quantization method,
                            std::uint16_t block, quantized_form& form, pool<float>& scales);

/// The second pass: elements `first` to `first + count` - 1 of a form that `measure` found, with the
/// scales that it appended.
template <class Values>
void quantize_elements(const Values& values, const quantized_form& form, const float* scales,
                       std::uint64_t first, std::byte* to, std::size_t count) noexcept;

/// Values and how they are stored.
struct quantized_values {
  quantized_form form;
  pool<float> scales;
  pool<std::byte> data;
};

/// Stores float values of a shape by a method.
[[nodiscard]] result<quantized_values> quantize(view<float> values, view<std::uint32_t> shape,
                                                quantization method,
                                                std::uint16_t block = default_block);

/// How far values are from others, in sums that figures are made of.
struct quantization_error {
  std::uint64_t values = 0;
  double largest = 0;  ///< of |x - y|
  double signal = 0;   ///< sum of x²
  double noise = 0;    ///< sum of (x - y)²

  void add(float x, float y) noexcept;
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
