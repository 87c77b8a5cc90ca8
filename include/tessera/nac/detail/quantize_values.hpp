// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Both passes over values that are quantized, for any owner of values.

#ifndef TESSERA_NAC_DETAIL_QUANTIZE_VALUES_HPP
#define TESSERA_NAC_DETAIL_QUANTIZE_VALUES_HPP

#include <bit>
#include <cstddef>
#include <cstdint>

#include "../../core/float16.hpp"
#include "../../core/load_store.hpp"
#include "../../core/number.hpp"
#include "../../version.hpp"
#include "../quantization.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {
namespace detail {

/// A float as memory holds it: hosts that compute with more precision round it there.
[[nodiscard]] float stored(float value) noexcept;

template <class T>
inline void convert(const std::byte* from, float* to, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i)
    to[i] = stored(static_cast<float>(load_le<T>(from + i * sizeof(T))));
}

inline constexpr std::size_t chunk = 512;  // values that are looked at together, on the stack

/// Calls `each(value, index)` for all values, until it returns false.
template <class Values, class Each>
inline bool each_value(const Values& values, Each each) {
  float some[chunk];
  for (std::uint64_t first = 0; first < values.size(); first += chunk) {
    const std::uint64_t left = values.size() - first;
    const std::size_t n = left < chunk ? static_cast<std::size_t>(left) : chunk;
    values.read(first, some, n);
    for (std::size_t i = 0; i < n; ++i)
      if (!each(some[i], first + i)) return false;
  }
  return true;
}

[[nodiscard]] float scale_of(float largest, quantization method) noexcept;

/// x / scale to the nearest integer, ties to even, not beyond `low` and 127.
[[nodiscard]] std::int8_t quantized(float x, float scale, float low) noexcept;
[[nodiscard]] constexpr float lowest(quantization method) noexcept {
  return method == quantization::block_fp8 ? -128.0f : -127.0f;
}

constexpr std::uint32_t not_finite = 0x7f800000;  // and above, without the sign
/// The largest magnitude, as bits; those of numbers are in their order.
[[nodiscard]] std::uint32_t largest_of(const float* values, std::size_t count) noexcept;

}  // namespace detail

template <class Values>
error measure(const Values& values, view<std::uint32_t> shape, quantization method,
              std::uint16_t block, quantized_form& form, pool<float>& scales) {
  std::uint64_t count = 0;
  if (method == quantization::none || shape.empty()) return {errc::nac_quantize_method, 0};
  if (block == 0) return {errc::nac_quantize_block, 0};
  if (!detail::count_elements(shape, count) || count != values.size())
    return {errc::nac_quantize_shape, 0};
  form = {data_type::int8, method, 0, count, count, count};
  std::uint64_t wrong = 0;
  if (method == quantization::fp16) {
    form.type = data_type::float16;
    form.quantization = quantization::none;
    if (!detail::each_value(values, [&](float x, std::uint64_t i) {
          wrong = i;
          return !((x >= 65520.0f || x <= -65520.0f) && x - x == 0);  // 65520 would round to 2^16
        }))
      return {errc::nac_quantize_float16, wrong};
    return {};
  }
  std::uint64_t runs = 1;
  if (method == quantization::int8_channel && (shape.size() == 1 || count == 0)) {
    form.quantization = method = quantization::int8_tensor;
  } else if (method == quantization::int8_channel) {
    runs = shape[0];
    form.run = count / runs;
  } else if (method == quantization::block_fp8) {
    runs = count / block + (count % block != 0 ? 1 : 0);
    if (!checked_mul(runs, std::uint64_t{block}, form.elements))
      return {errc::nac_quantize_shape, 0};
    form.run = form.block = block;
  }
  std::uint32_t largest = 0;
  std::uint64_t left = form.run;  // of the run
  const auto end_run = [&] {
    scales.push_back(detail::scale_of(std::bit_cast<float>(largest), method));
    largest = 0;
    left = form.run;
    --runs;
  };
  float some[detail::chunk];
  for (std::uint64_t first = 0; first < count;) {
    std::uint64_t n = count - first < detail::chunk ? count - first : detail::chunk;
    n = n < left ? n : left;
    values.read(first, some, to_size(n));
    const std::uint32_t here = detail::largest_of(some, to_size(n));
    if (here >= detail::not_finite) {
      std::size_t i = 0;
      while (detail::largest_of(some + i, 1) < detail::not_finite) ++i;
      return {errc::nac_quantize_finite, first + i};
    }
    largest = here > largest ? here : largest;
    first += n;
    left -= n;
    if (left == 0) end_run();
  }
  while (runs != 0) end_run();  // the block that isn't full, or the run without values
  return {};
}

template <class Values>
void quantize_elements(const Values& values, const quantized_form& form, const float* scales,
                       std::uint64_t first, std::byte* to, std::size_t count) noexcept {
  float some[detail::chunk];
  const float low = detail::lowest(form.quantization);
  while (count != 0) {
    const std::size_t n = count < detail::chunk ? count : detail::chunk;
    const std::uint64_t left = first < form.values ? form.values - first : 0;
    const std::size_t here = left < n ? static_cast<std::size_t>(left) : n;
    values.read(first, some, here);
    for (std::size_t i = here; i < n; ++i) some[i] = 0;
    if (form.type == data_type::float16) {
      for (std::size_t i = 0; i < n; ++i) store_le(to + i * 2, half_from_float(some[i]));
      to += n * 2;
    } else {
      std::size_t done = 0;
      while (done != n) {  // run by run
        const std::uint64_t at = first + done, rest = form.run - at % form.run;
        const std::size_t end = rest < n - done ? done + static_cast<std::size_t>(rest) : n;
        const float scale = scales[to_size(at / form.run)];
        for (; done != end; ++done) store_le(to + done, detail::quantized(some[done], scale, low));
      }
      to += n;
    }
    first += n;
    count -= n;
  }
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_QUANTIZE_VALUES_HPP
