// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Random operands of products and convolutions, and what sums of integers become.

#ifndef TESSERA_TESTS_VM_NEM_PRODUCT_CASES_HPP
#define TESSERA_TESTS_VM_NEM_PRODUCT_CASES_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "vm/nem/tensors.hpp"

namespace test {

using nem::quantization;

using sizes = std::vector<std::int64_t>;
using random_bits = std::mt19937;

inline std::int64_t pick(random_bits& r, std::int64_t least, std::int64_t greatest) {
  return std::uniform_int_distribution<std::int64_t>(least, greatest)(r);
}

/// Strides that leave gaps, in another order of dimensions at times.
inline sizes strides_of(random_bits& r, const sizes& shape, bool is_dense) {
  sizes order(shape.size()), strides(shape.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  if (!is_dense && pick(r, 0, 1) == 1) std::shuffle(order.begin(), order.end(), r);
  std::int64_t n = 1;
  for (std::size_t i = shape.size(); i-- != 0;) {
    const auto d = static_cast<std::size_t>(order[i]);
    if (!is_dense && pick(r, 0, 2) == 0) n += pick(r, 0, 3) + (n == 1 ? 1 : 0);
    strides[d] = n;
    n *= shape[d];
  }
  return strides;
}
inline std::vector<double> numbers(random_bits& r, const sizes& shape, std::int64_t least,
                                   std::int64_t greatest, double unit = 1) {
  std::int64_t n = 1;
  for (const std::int64_t d : shape) n *= d;
  std::vector<double> x(static_cast<std::size_t>(n));
  for (double& v : x) v = static_cast<double>(pick(r, least, greatest)) * unit;
  return x;
}

/// Which dimension a descriptor is about: none, or one of the shape.
inline void quantize(random_bits& r, held& x, std::int64_t zero_least, std::int64_t zero_greatest,
                     int axis) {
  static constexpr float some[] = {0.5f, 0.25f, 0.1f, 0.75f};
  const auto scale = [&] { return some[pick(r, 0, 3)]; };
  std::int64_t count = 1, group = 1;
  quantization form = quantization::per_tensor;
  if (axis >= 0) {
    const std::int64_t size = x.shape[static_cast<std::size_t>(axis)];
    form = pick(r, 0, 1) == 0 ? quantization::per_channel : quantization::per_group;
    group = form == quantization::per_group ? pick(r, 1, size) : 1;
    count = (size + group - 1) / group;
  }
  std::vector<float> scales;
  std::vector<std::int64_t> zeros;
  for (std::int64_t i = 0; i < count; ++i) {
    scales.push_back(scale());
    zeros.push_back(pick(r, zero_least, zero_greatest));
  }
  x.quantize(scales, zeros, form, axis < 0 ? 0 : static_cast<std::size_t>(axis), group);
}
struct pair {
  double scale = 1;
  std::int64_t zero = 0;
};
/// What the element at an index has.
inline pair pair_of(const held& x, const sizes& index) {
  if (!x.is_quantized) return {};
  if (x.quant.form == quantization::per_tensor) return {double{x.scales[0]}, x.zero_points[0]};
  std::size_t at = 0;
  const auto i = static_cast<std::size_t>(index[x.quant.axis]);
  if (x.quant.form == quantization::per_channel) at = i;
  if (x.quant.form == quantization::per_group)
    at = i / static_cast<std::size_t>(x.quant.group_size);
  return {double{x.scales[at]}, x.zero_points[at]};
}
/// The element of dense values at an index.
inline double at(const std::vector<double>& values, const sizes& shape, const sizes& index) {
  std::int64_t i = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) i = i * shape[d] + index[d];
  return values[static_cast<std::size_t>(i)];
}

template <class F>
void each_index(const sizes& shape, F f) {
  sizes i(shape.size(), 0);
  for (;;) {
    f(i);
    std::size_t d = shape.size();
    while (d != 0 && ++i[d - 1] == shape[d - 1]) i[--d] = 0;
    if (d == 0) return;
  }
}

inline int random_axis(random_bits& r, const held& x) {
  return static_cast<int>(pick(r, -1, static_cast<std::int64_t>(x.shape.size()) - 1));
}

/// The sum of an element of Y: runs of one scale each.
struct run_sums {
  std::vector<std::pair<double, std::int64_t>> runs = {};  // scale, sum

  void add(double scale, std::int64_t term) {
    if (runs.empty() || runs.back().first != scale) runs.push_back({scale, 0});
    runs.back().second += term;
  }
  [[nodiscard]] static double in_32(std::int64_t x, bool& has_wrapped) {
    if (x < INT32_MIN || x > INT32_MAX) has_wrapped = true;
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::uint64_t>(x)));
  }
  /// The element; `bias` is C's, with the pair of its descriptor.
  [[nodiscard]] double result(const pair& y, element type, bool has_bias, std::int64_t bias,
                              const pair& of_bias, bool& has_wrapped) const {
    double x = 0;
    if (runs.size() == 1) {
      const double scale = runs[0].first / y.scale;
      x = in_32(runs[0].second + (has_bias ? bias : 0), has_wrapped) * scale;
    } else {
      for (const auto& [scale, sum] : runs) x += in_32(sum, has_wrapped) * scale;
      if (has_bias) x += of_bias.scale * static_cast<double>(bias - of_bias.zero);
      x /= y.scale;
    }
    const auto range = vm::nem::range_of(type);
    return std::clamp(std::nearbyint(x) + static_cast<double>(y.zero),
                      static_cast<double>(range.least), static_cast<double>(range.greatest));
  }
};

}  // namespace test

#endif  // TESSERA_TESTS_VM_NEM_PRODUCT_CASES_HPP
