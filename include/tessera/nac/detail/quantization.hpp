// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nac/quantization.hpp.

#ifndef TESSERA_NAC_DETAIL_QUANTIZATION_HPP
#define TESSERA_NAC_DETAIL_QUANTIZATION_HPP

#include <bit>
#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "../../core/bytes.hpp"
#include "../../core/error.hpp"
#include "../format.hpp"
#include "../quantization.hpp"
#include "quantize_values.hpp"
#include "rules_data.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

TESSERA_INLINE float stored(float value) noexcept {
#if FLT_EVAL_METHOD != 0
  volatile float in_memory = value;
  return in_memory;
#else
  return value;
#endif
}

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE result<tensor_values> tensor_values::of(const tensor& t) noexcept {
  tensor_values v;
  v.tensor_ = t;
  if (const error e = detail::tensor_fault(t); e.code != errc::ok) return error{e.code, t.offset};
  (void)detail::count_elements(t.value_shape(), v.size_);  // which fits
  v.run_ = v.size_;
  if (t.quantization == quantization::int8_channel) {
    v.run_ = 1;
    for (std::uint32_t i = t.axis + 1u; i < t.shape.size() && v.size_ != 0; ++i)
      v.run_ *= t.shape[i];
  } else if (t.quantization == quantization::block_fp8) {
    v.run_ = t.block;
  }
  return v;
}

TESSERA_INLINE void tensor_values::read(std::uint64_t first, float* to,
                                        std::size_t count) const noexcept {
  const std::byte* const from = tensor_.data.data() + to_size(first * size_of(tensor_.type));
  if (tensor_.quantization >= quantization::int8_tensor) return scaled(first, from, to, count);
  switch (tensor_.type) {
    case data_type::float32: return detail::convert<float>(from, to, count);
    case data_type::float64: return detail::convert<double>(from, to, count);
    case data_type::float16:
      for (std::size_t i = 0; i < count; ++i)
        to[i] = float_from_half(load_le<std::uint16_t>(from + i * 2));
      return;
    case data_type::bfloat16:
      for (std::size_t i = 0; i < count; ++i)
        to[i] = float_from_bfloat16(load_le<std::uint16_t>(from + i * 2));
      return;
    case data_type::int32: return detail::convert<std::int32_t>(from, to, count);
    case data_type::int64: return detail::convert<std::int64_t>(from, to, count);
    case data_type::int16: return detail::convert<std::int16_t>(from, to, count);
    case data_type::int8: return detail::convert<std::int8_t>(from, to, count);
    case data_type::uint8: return detail::convert<std::uint8_t>(from, to, count);
    case data_type::boolean:
      for (std::size_t i = 0; i < count; ++i) to[i] = from[i] != std::byte{0} ? 1.0f : 0.0f;
      return;
  }
}

TESSERA_INLINE void tensor_values::scaled(std::uint64_t first, const std::byte* from, float* to,
                                          std::size_t count) const noexcept {
  if (count == 0) return;  // so there are elements, and runs aren't empty
  std::uint64_t left = run_ - first % run_, scale = first / run_ % tensor_.scales.size();
  while (count != 0) {
    const auto n = to_size(left < count ? left : count);
    const float factor = tensor_.scales[to_size(scale)];
    for (std::size_t i = 0; i < n; ++i)
      to[i] = detail::stored(static_cast<float>(load_le<std::int8_t>(from + i)) * factor);
    from += n;
    to += n;
    count -= n;
    left = run_;
    if (++scale == tensor_.scales.size()) scale = 0;
  }
}

TESSERA_INLINE result<pool<float>> dequantize(const tensor& t) {
  const result<tensor_values> values = tensor_values::of(t);
  if (!values) return values.error();
  pool<float> out;
  const auto count = to_size(values->size());
  values->read(0, out.prepare(count), count);
  out.advance(count);
  return out;
}

TESSERA_INLINE error dequantize(const tensor& t, std::uint64_t first, float* to,
                                std::size_t count) {
  const result<tensor_values> values = tensor_values::of(t);
  if (!values) return values.error();
  if (first > values->size() || count > values->size() - first)
    return {errc::nac_tensor_range, t.offset};
  values->read(first, to, count);
  return {};
}

}  // namespace nac
namespace nac::detail {

TESSERA_INLINE float scale_of(float largest, quantization method) noexcept {
  const float scale = stored(largest / 127.0f);
  if (scale != 0) return scale;
  return method == quantization::block_fp8 ? 1.0f : 1e-9f;
}

TESSERA_INLINE std::int8_t quantized(float x, float scale, float low) noexcept {
  float q = stored(x / scale);
  q = q < low ? low : q;
  q = q > 127.0f ? 127.0f : q;
  // Of floats from 2^23 to 2^24 the last bit is 1, so that adding rounds; what was added is gone
  // when bits are subtracted.
  constexpr float large = 0x1.8p23f;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(stored(q + large));
  return static_cast<std::int8_t>(bits - std::bit_cast<std::uint32_t>(large));
}

TESSERA_INLINE std::uint32_t largest_of(const float* values, std::size_t count) noexcept {
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(values[i]) & 0x7fffffffu;
    largest = bits > largest ? bits : largest;
  }
  return largest;
}

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE result<quantized_values> quantize(view<float> values, view<std::uint32_t> shape,
                                                 quantization method, std::uint16_t block) {
  quantized_values out;
  const float_values from(values);
  if (const error e = measure(from, shape, method, block, out.form, out.scales); e.code != errc::ok)
    return e;
  const auto count = to_size(out.form.elements);
  const std::size_t size = count * size_of(out.form.type);
  quantize_elements(from, out.form, out.scales.data(), 0, out.data.prepare(size), count);
  out.data.advance(size);
  return out;
}

TESSERA_INLINE void quantization_error::add(float x, float y) noexcept {
  const double d = static_cast<double>(x) - static_cast<double>(y);
  const double size = d < 0 ? -d : d;
  if (!(size <= largest)) largest = size;
  signal += static_cast<double>(x) * static_cast<double>(x);
  noise += d * d;
  ++values;
}

TESSERA_INLINE void quantization_error::add(const quantization_error& other) noexcept {
  values += other.values;
  if (!(other.largest <= largest)) largest = other.largest;
  signal += other.signal;
  noise += other.noise;
}

TESSERA_INLINE double quantization_error::snr_db() const noexcept {
  return noise == 0 ? std::numeric_limits<double>::infinity()
                    : 10 * __builtin_log10(signal / noise);
}

TESSERA_INLINE result<quantization_error> error_between(const tensor& original,
                                                        const tensor& stored) {
  const result<tensor_values> x = tensor_values::of(original), y = tensor_values::of(stored);
  if (!x) return x.error();
  if (!y) return y.error();
  if (x->size() != y->size()) return error{errc::nac_tensor_shapes, stored.offset};
  quantization_error out;
  float some[detail::chunk];
  (void)detail::each_value(*x, [&](float value, std::uint64_t i) {
    if (i % detail::chunk == 0) {
      const std::uint64_t left = y->size() - i;
      y->read(i, some, left < detail::chunk ? static_cast<std::size_t>(left) : detail::chunk);
    }
    out.add(value, some[i % detail::chunk]);
    return true;
  });
  return out;
}

TESSERA_INLINE result<quantization_error> requantization_error(const tensor& t, quantization method,
                                                               std::uint16_t block) {
  const result<tensor_values> values = tensor_values::of(t);
  if (!values) return values.error();
  pool<std::uint32_t> shape;
  const packed<std::uint32_t> of = t.value_shape();
  for (std::uint32_t i = 0; i < of.size(); ++i) shape.push_back(of[i]);
  quantized_form form;
  pool<float> scales;
  if (const error e = measure(*values, shape, method, block, form, scales); e.code != errc::ok)
    return error{e.code, t.offset};
  quantization_error out;
  (void)detail::each_value(*values, [&](float x, std::uint64_t i) {
    if (form.type == data_type::float16) {
      out.add(x, float_from_half(half_from_float(x)));
    } else {
      const float scale = scales[to_size(i / form.run)];
      const float low = detail::lowest(form.quantization);
      out.add(x, detail::stored(static_cast<float>(detail::quantized(x, scale, low)) * scale));
    }
    return true;
  });
  return out;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_QUANTIZATION_HPP
