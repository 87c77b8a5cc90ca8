// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cstring>
#include <vector>

#include "opcodes.hpp"
#include "operations.hpp"
#include "tessera/vm/nem_timing.hpp"
#include "vm/meter.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

namespace {

[[nodiscard]] verdict move(const call& c) noexcept {
  const tensor &from = c.inputs[0], &to = c.outputs[0];
  const auto bytes = static_cast<std::size_t>(std::min(from.extent, to.extent));
  if (c.is_memmove)
    std::memmove(to.data, from.data, bytes);
  else
    std::memcpy(to.data, from.data, bytes);
  return {};
}

[[nodiscard]] std::uint64_t volume_of(shape_view shape) noexcept {
  std::uint64_t n = 1;
  for (const std::int64_t d : shape)
    if (__builtin_mul_overflow(n, static_cast<std::uint64_t>(d), &n)) return UINT64_MAX;
  return n;
}
[[nodiscard]] std::uint64_t times(std::uint64_t a, std::uint64_t b) noexcept {
  return product_of_steps(a, b);
}

/// Steps of an element of an operand or a result: looking it up among those that were written,
/// converting it to or from binary64, and the operation. Measured as the time of the slowest type
/// and layout.
[[nodiscard]] std::uint64_t element_steps(model::opcode_category category) noexcept {
  switch (category) {
    case model::opcode_category::data_movement: return 0;  // bytes
    case model::opcode_category::linear_algebra:
    case model::opcode_category::convolution:
    case model::opcode_category::layout:
    case model::opcode_category::reduction: return 4;
    case model::opcode_category::pooling:
    case model::opcode_category::normalization:
    case model::opcode_category::softmax: return 16;
    case model::opcode_category::elementwise_unary:
    case model::opcode_category::elementwise_binary:
    case model::opcode_category::elementwise_other:
    case model::opcode_category::type_conversion:
    case model::opcode_category::generic: break;
  }
  return 8;
}
/// Whether kernels multiply: not in a given order, wide integers, or groups with scales of their own.
[[nodiscard]] bool has_kernel(const call& c) noexcept {
  if (c.is_deterministic) return false;
  return std::ranges::all_of(c.inputs.first(2), [](const tensor& x) {
    const bool is_wide = x.is_integer() && model::bitwidth(x.element) > 8;
    return !is_wide && (x.quant == nullptr || x.quant->form != model::quantization::per_group);
  });
}
/// Steps of matrix products, and of convolutions as products with the elements under the kernel.
[[nodiscard]] std::uint64_t steps_of_products(const call& c, std::uint64_t macs) noexcept {
  if (macs == 0 || c.inputs.size() < 2) return 0;
  constexpr std::uint64_t a_step = 16, without_kernel = 4;
  if (!has_kernel(c)) return times(macs, without_kernel);
  const shape_view y = c.outputs[0].shape;
  const std::uint64_t all = std::max<std::uint64_t>(volume_of(y), 1);
  const auto n = static_cast<std::uint64_t>(y.back());
  if (model::row(c.opcode).category == model::opcode_category::convolution)
    return product_steps(all / n, n, macs / all, a_step);
  const std::uint64_t m = y.size() < 2 ? 1 : static_cast<std::uint64_t>(y[y.size() - 2]);
  return times(all / times(m, n), product_steps(m, n, macs / all, a_step));
}

[[nodiscard]] bool overlap(const tensor& a, const tensor& b) noexcept {
  const auto begin = [](const tensor& t) { return reinterpret_cast<std::uintptr_t>(t.data); };
  const auto end = [&](const tensor& t) { return begin(t) + static_cast<std::size_t>(t.extent); };
  return begin(a) < end(b) && begin(b) < end(a);
}
/// Whether the output may be in the place of an input: each element is read before the one in
/// its place is written.
[[nodiscard]] bool is_in_place(opcode op, const tensor& x, const tensor& y) noexcept {
  if (x.data != y.data || x.element != y.element) return false;
  switch (model::row(op).category) {
    case model::opcode_category::elementwise_unary:
    case model::opcode_category::elementwise_binary:
    case model::opcode_category::elementwise_other:
    case model::opcode_category::normalization:
    case model::opcode_category::softmax:
      return std::ranges::equal(x.shape, y.shape) && std::ranges::equal(x.strides, y.strides);
    case model::opcode_category::data_movement:
    case model::opcode_category::linear_algebra:
    case model::opcode_category::convolution:
    case model::opcode_category::pooling:
    case model::opcode_category::layout:
    case model::opcode_category::reduction:
    case model::opcode_category::type_conversion:
    case model::opcode_category::generic: break;
  }
  return op == opcode::reshape && x.is_dense() && y.is_dense();
}
/// A task reads all that it reads before it writes. Verification knows an input that it overwrites as
/// HAZ-004, but has not seen every iteration of a long loop.
[[nodiscard]] bool is_overwritten(const call& c, const tensor& x) noexcept {
  // Only split has many outputs, only concat many inputs: this is linear in the operands.
  return std::ranges::any_of(
      c.outputs, [&](const tensor& y) { return overlap(x, y) && !is_in_place(c.opcode, x, y); });
}
/// Bytes of a copy, so that the next one is aligned too.
[[nodiscard]] std::size_t room_of(const tensor& x) noexcept {
  return (static_cast<std::size_t>(x.extent) + 15) / 16 * 16;
}

[[nodiscard]] verdict convert(const call& c, workspace& scratch) {
  switch (as<conversion_opcode>(c.opcode)) {
    case conversion_opcode::cast: return cast(c, scratch);
    case conversion_opcode::quantize: return quantize(c, scratch);
    case conversion_opcode::dequantize: break;
  }
  return dequantize(c, scratch);
}
[[nodiscard]] verdict compute(const call& c, workspace& scratch) {
  const verdict unsupported = {.code = errc::nem_rt_unsupported};
  if (c.opcode == opcode::unknown) return unsupported;
  switch (model::row(c.opcode).category) {
    case model::opcode_category::data_movement: return unsupported;  // copies.hpp moves data
    case model::opcode_category::linear_algebra: return multiply(c, scratch);
    case model::opcode_category::convolution: return convolve(c, scratch);
    case model::opcode_category::elementwise_unary: return apply_unary(c, scratch);
    case model::opcode_category::elementwise_binary: return apply_binary(c, scratch);
    case model::opcode_category::elementwise_other: return clamp(c, scratch);
    case model::opcode_category::pooling: return pool(c, scratch);
    case model::opcode_category::layout: return change_layout(c, scratch);
    case model::opcode_category::reduction: return reduce(c, scratch);
    case model::opcode_category::normalization: return normalize(c, scratch);
    case model::opcode_category::softmax: return softmax(c, scratch);
    case model::opcode_category::type_conversion: return convert(c, scratch);
    case model::opcode_category::generic: break;
  }
  return unsupported;
}
static_assert(opcodes_in(model::opcode_category::elementwise_other) == 1,
              "clamp, and nothing else");

}  // namespace

bool is_quantized(const call& c) noexcept {
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    if (i == 1 && c.opcode == opcode::gather) continue;           // indices
    if (i == 2 && c.inputs[i].element == element::i32) continue;  // a bias, in units of the sums
    if (c.inputs[i].quant == nullptr) return false;
  }
  for (const tensor& y : c.outputs)
    if (y.quant == nullptr) return false;
  return true;
}

work work_of(const call& c) noexcept {
  work w;
  if (c.inputs.empty() || c.outputs.empty()) return w;
  const tensor &x = c.inputs[0], &y = c.outputs[0];
  switch (model::row(c.opcode).category) {
    case model::opcode_category::data_movement:
      w.bytes = static_cast<std::uint64_t>(x.extent);
      break;
    case model::opcode_category::linear_algebra: {
      const std::size_t inner = x.rank() - (x.is_transposed ? 2 : 1);
      w.macs = times(volume_of(y.shape), static_cast<std::uint64_t>(x.shape[inner]));
      w.elements = std::max(volume_of(x.shape), volume_of(y.shape));
      break;
    }
    case model::opcode_category::convolution: {
      const shape_view weights = c.inputs[1].shape;
      w.macs = times(volume_of(y.shape), volume_of(weights.first(weights.size() - 1)));
      w.elements = std::max(volume_of(x.shape), volume_of(y.shape));
      break;
    }
    case model::opcode_category::elementwise_unary:
    case model::opcode_category::elementwise_binary:
    case model::opcode_category::elementwise_other:
    case model::opcode_category::pooling:
    case model::opcode_category::layout:
    case model::opcode_category::reduction:
    case model::opcode_category::normalization:
    case model::opcode_category::softmax:
    case model::opcode_category::type_conversion:
    case model::opcode_category::generic:
      w.elements = std::max(volume_of(x.shape), volume_of(y.shape));
      break;
  }
  return w;
}

std::uint64_t steps_of(const call& c) noexcept {
  const model::opcode_category category = model::row(c.opcode).category;
  const work w = work_of(c);
  std::uint64_t elements = 0;
  for (const auto& operands : {c.inputs, c.outputs})
    for (const tensor& x : operands) elements = sum_of_steps(elements, volume_of(x.shape));
  std::uint64_t all = times(elements, element_steps(category));
  all = sum_of_steps(all, sum_of_steps(steps_of_products(c, w.macs), w.bytes / 8));
  if (category == model::opcode_category::pooling && !c.outputs.empty()) {
    const std::uint64_t windows =
        times(volume_of(c.outputs[0].shape), volume_of(c.attributes.kernel_shape));
    all = sum_of_steps(all, times(windows, element_steps(category)));
  }
  return all;
}

verdict execute(const call& c, workspace& scratch) {
  if (c.opcode == opcode::transfer || c.opcode == opcode::store) return move(c);
  std::size_t bytes = 0;
  for (const tensor& x : c.inputs)
    if (is_overwritten(c, x)) bytes += room_of(x);
  if (bytes == 0) return compute(c, scratch);
  std::vector<tensor> inputs(c.inputs.begin(), c.inputs.end());
  std::byte* room = scratch.copies(bytes).data();
  for (tensor& x : inputs) {
    if (!is_overwritten(c, x)) continue;
    std::memcpy(room, x.data, static_cast<std::size_t>(x.extent));
    x.data = room;
    room += room_of(x);
  }
  call apart = c;
  apart.inputs = inputs;
  return compute(apart, scratch);
}

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI
