// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The places of windows over signals, images and volumes: depth, height and width, of which those
// that aren't there have size 1.
//
//   windows w;
//   w.in[2] = 28; w.out[2] = 14; w.kernel[2] = 2; w.stride[2] = 2;
//   w.each_tap({0, 0, 3}, [&](std::size_t tap, const triple& at) { … });   // without padding
//   w.each_column(x, 3, 0, 14, [&](std::int64_t column, const float* from, std::int64_t n) { … });
//
// Lifetime:   borrows nothing.
// Errors:     none.
// Limits:     positions and sizes fit 64 bits.
// Allocation: none.

#ifndef TESSERA_TENSOR_WINDOWS_HPP
#define TESSERA_TENSOR_WINDOWS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tensor/element_type.hpp"

namespace tessera::inline TESSERA_ABI {
namespace tensors {

using triple = std::array<std::int64_t, 3>;
inline constexpr triple ones = {1, 1, 1};

[[nodiscard]] constexpr std::int64_t volume(const triple& s) noexcept { return s[0] * s[1] * s[2]; }
[[nodiscard]] constexpr std::int64_t index_at(const triple& strides, const triple& at) noexcept {
  return at[0] * strides[0] + at[1] * strides[1] + at[2] * strides[2];
}

struct windows {
  triple in = ones, out = ones, kernel = ones, stride = ones, padding = {}, dilation = ones;

  /// Where a window begins, maybe in the padding.
  [[nodiscard]] triple start(const triple& at) const noexcept {
    triple first = {};
    for (std::size_t d = 0; d < 3; ++d) first[d] = at[d] * stride[d] - padding[d];
    return first;
  }
  /// Whether each output depends only on the inputs at its own position.
  [[nodiscard]] bool is_pointwise() const noexcept {
    return kernel == ones && stride == ones && padding == triple{} && in == out;
  }
  /// Whether some tap of some window is padding.
  [[nodiscard]] bool has_padding() const noexcept {
    for (std::size_t d = 0; d < 3; ++d)
      if (padding[d] != 0 ||
          (out[d] - 1) * stride[d] - padding[d] + (kernel[d] - 1) * dilation[d] >= in[d])
        return true;
    return false;
  }
  /// Whether a window has no padding.
  [[nodiscard]] bool is_inside(const triple& at) const noexcept {
    const triple first = start(at);
    for (std::size_t d = 0; d < 3; ++d)
      if (first[d] < 0 || first[d] + (kernel[d] - 1) * dilation[d] >= in[d]) return false;
    return true;
  }

  /// Calls f(tap, place) for the taps of a window inside the image, in ascending order.
  template <class F>
  void each_tap(const triple& window, F&& f) const {
    const triple from = start(window);
    const auto is_in = [&](std::size_t d, std::int64_t i) { return i >= 0 && i < in[d]; };
    std::size_t tap = 0;
    triple k = {}, at = {};
    for (k[0] = 0; k[0] < kernel[0]; ++k[0]) {
      at[0] = from[0] + k[0] * dilation[0];
      for (k[1] = 0; k[1] < kernel[1]; ++k[1]) {
        at[1] = from[1] + k[1] * dilation[1];
        const bool is_row = is_in(0, at[0]) && is_in(1, at[1]);
        for (k[2] = 0; k[2] < kernel[2]; ++k[2], ++tap) {
          at[2] = from[2] + k[2] * dilation[2];
          if (is_row && is_in(2, at[2])) f(tap, static_cast<const triple&>(at));
        }
      }
    }
  }

  /// The rows of a matrix [channels * kernel, count] that are the elements of an image under each
  /// element of the kernel, for the windows [first, first + count). f takes, for windows that lie side
  /// by side, the place of the first in the matrix, its element in the image or null for padding, and
  /// how many there are: their elements are stride[2] apart.
  template <class T, class F>
  void each_column(T* image, std::int64_t channels, std::int64_t first, std::int64_t count,
                   F&& f) const {
    std::int64_t row = 0;
    triple k = {};
    for (std::int64_t channel = 0; channel < channels; ++channel, image += volume(in))
      for (k[0] = 0; k[0] < kernel[0]; ++k[0])
        for (k[1] = 0; k[1] < kernel[1]; ++k[1])
          for (k[2] = 0; k[2] < kernel[2]; ++k[2], row += count)
            each_run(image, k, row, first, count, f);
  }

 private:
  /// One row of each_column(), which begins at the place `row`.
  template <class T, class F>
  void each_run(T* image, const triple& k, std::int64_t row, std::int64_t first, std::int64_t count,
                F&& f) const {
    const std::int64_t width = in[2], shift = k[2] * dilation[2] - padding[2];
    // Windows of a line for which the element lies in the image.
    const std::int64_t inside = shift < 0 ? (-shift + stride[2] - 1) / stride[2] : 0;
    const std::int64_t outside =
        shift >= width ? 0 : std::min(out[2], (width - 1 - shift) / stride[2] + 1);
    for (std::int64_t at = first; at < first + count;) {
      const std::int64_t line = at / out[2], begin = at % out[2];
      const std::int64_t end = std::min(out[2], begin + first + count - at);
      const std::int64_t h = line % out[1] * stride[1] + k[1] * dilation[1] - padding[1];
      const std::int64_t d = line / out[1] * stride[0] + k[0] * dilation[0] - padding[0];
      const bool is_padding = h < 0 || h >= in[1] || d < 0 || d >= in[0];
      const std::int64_t low = is_padding ? end : std::clamp(inside, begin, end);
      const std::int64_t high = is_padding ? end : std::clamp(outside, low, end);
      const std::int64_t place = row + at - first;
      if (low > begin) f(place, static_cast<T*>(nullptr), low - begin);
      if (high > low)
        f(place + low - begin, image + (d * in[1] + h) * width + low * stride[2] + shift,
          high - low);
      if (end > high) f(place + high - begin, static_cast<T*>(nullptr), end - high);
      at += end - begin;
    }
  }
};

/// The matrix of each_column(): elements of the image, and 0 for padding.
template <class T>
void gather_columns(const windows& w, const T* image, std::int64_t channels, std::int64_t first,
                    std::int64_t count, T* to) {
  w.each_column(image, channels, first, count,
                [&](std::int64_t place, const T* from, std::int64_t n) {
                  T* const row = to + place;
                  if (from == nullptr)
                    std::fill_n(row, n, T{});
                  else
                    for (std::int64_t i = 0; i < n; ++i)
                      std::memcpy(row + i, from + i * w.stride[2], sizeof(T));
                });
}
/// Adds the elements of such a matrix to those of the image; integers wrap.
template <class T>
void add_columns(const windows& w, T* image, std::int64_t channels, std::int64_t first,
                 std::int64_t count, const T* columns) {
  w.each_column(image, channels, first, count, [&](std::int64_t place, T* to, std::int64_t n) {
    const T* const from = columns + place;
    using U = wrapping<T>;
    for (std::int64_t i = 0; to != nullptr && i < n; ++i) {
      T& sum = to[i * w.stride[2]];
      sum = static_cast<T>(static_cast<U>(sum) + static_cast<U>(from[i]));
    }
  });
}

}  // namespace tensors
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TENSOR_WINDOWS_HPP
