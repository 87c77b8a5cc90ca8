// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <algorithm>
#include <array>
#include <cmath>

#include "opcodes.hpp"
#include "operations.hpp"
#include "reals.hpp"
#include "tensor/softmax.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

namespace {

[[nodiscard]] std::size_t axis_of(const call& c) noexcept {
  return axis_from(c.attributes.axis, c.inputs[0].rank());
}
/// Whether a slice is as long as elements that have room in the output, where i4 are two to a byte:
/// only one that writes over itself has longer ones.
[[nodiscard]] bool has_room(const call& c) noexcept {
  return c.outputs[0].shape[axis_of(c)] / 2 <= c.outputs[0].extent;
}

/// Calls f with each slice of the input along the attribute's axis, as numbers that it changes into
/// those of the output. The input may be the output.
template <class F>
void each_slice(const call& c, const tensor& input, integers as, workspace& scratch, F&& f) {
  reals x(input, as), y(c.outputs[0], as);
  const std::size_t axis = axis_of(c);
  const std::int64_t size = input.shape[axis];
  const std::span<double> slice = scratch.doubles(0, static_cast<std::size_t>(size));

  std::array<std::int64_t, model::max_rank> others = {};
  std::copy(input.shape.begin(), input.shape.end(), others.begin());
  others[axis] = 1;
  const rows<4> r({others.data(), input.rank()},
                  {x.strides(), y.strides(), x.indices(), y.indices()});
  const auto step = r.steps();
  r.each([&](const auto& first, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) {
      x.load({first[0] + i * step[0], x.strides()[axis], first[2] + i * step[2], x.indices()[axis]},
             slice.data(), slice.size());
      f(slice);
      y.store(
          {first[1] + i * step[1], y.strides()[axis], first[3] + i * step[3], y.indices()[axis]},
          slice.data(), slice.size());
    }
  });
}

/// A scale or a bias, whole.
[[nodiscard]] std::span<const double> vector_of(std::span<const tensor> inputs, std::size_t i,
                                                integers as, workspace& scratch) {
  if (i >= inputs.size()) return {};
  reals x(inputs[i], as);
  const std::span<double> to = scratch.doubles(i, static_cast<std::size_t>(x.shape()[0]));
  x.load({0, x.strides()[0], 0, x.indices()[0]}, to.data(), to.size());
  return to;
}

[[nodiscard]] integers meaning(const call& c) noexcept {
  return is_quantized(c) ? integers::quantized : integers::plain;
}

}  // namespace

verdict normalize(const call& c, workspace& scratch) {
  if (!has_room(c)) return {.code = errc::nem_rt_mem};
  const integers as = meaning(c);
  const std::span<const double> scale = vector_of(c.inputs, 1, as, scratch),
                                bias = vector_of(c.inputs, 2, as, scratch);
  const bool has_mean = nem::as<normalization_opcode>(c.opcode) == normalization_opcode::layer;
  const double epsilon = c.attributes.epsilon;
  each_slice(c, c.inputs[0], as, scratch, [&](std::span<double> x) {
    const auto size = static_cast<double>(x.size());
    double mean = 0, squares = 0;
    if (has_mean) {
      for (const double v : x) mean += v;
      mean /= size;
    }
    for (double& v : x) {
      v -= mean;
      squares += v * v;
    }
    const double deviation = std::sqrt(squares / size + epsilon);
    for (double& v : x) v /= deviation;
    for (std::size_t i = 0; i < scale.size(); ++i) x[i] *= scale[i];
    for (std::size_t i = 0; i < bias.size(); ++i) x[i] += bias[i];
    if (has_mean && bias.empty())
      for (double& v : x) v += 0.0;  // a missing bias is +0: no -0 remains
  });
  return {};
}

verdict softmax(const call& c, workspace& scratch) {
  if (!has_room(c)) return {.code = errc::nem_rt_mem};
  const bool is_log = nem::as<softmax_opcode>(c.opcode) == softmax_opcode::logarithm;
  each_slice(c, c.inputs[0], meaning(c), scratch,
             [&](std::span<double> x) { tensors::softmax(x.data(), x.size(), 1, is_log); });
  return {};
}

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI
