// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "copies.hpp"
#include "elements.hpp"
#include "opcodes.hpp"
#include "operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

namespace {

using sizes = std::array<std::int64_t, model::max_rank>;

[[nodiscard]] sizes copy_of(shape_view s) noexcept {
  sizes to = {};
  std::copy(s.begin(), s.end(), to.begin());
  return to;
}

void transpose(const model::attributes& a, const tensor& x, const tensor& y) {
  sizes strides = {};
  for (std::size_t d = 0; d < y.rank(); ++d)
    strides[d] = x.strides[static_cast<std::size_t>(a.perm[d])];
  copy(y.shape, {&x, 0, {strides.data(), y.rank()}}, {&y, 0, y.strides});
}

/// A tensor without gaps is one of the other's shape. Where both have gaps, one without lies between.
[[nodiscard]] verdict reshape(const tensor& x, const tensor& y, workspace& scratch) {
  if (x.is_dense()) {
    const sizes strides = dense_strides(y.shape);
    copy(y.shape, {&x, 0, {strides.data(), y.rank()}}, {&y, 0, y.strides});
    return {};
  }
  const sizes strides = dense_strides(x.shape);
  const shape_view view(strides.data(), x.rank());
  if (y.is_dense()) {
    copy(x.shape, {&x, 0, x.strides}, {&y, 0, view});
    return {};
  }
  // An output that doesn't write over itself has room for all elements; of i4, two in a byte.
  const std::int64_t count = x.count();
  if (count / 2 > y.extent) return {.code = errc::nem_rt_mem};
  const std::int64_t bytes = (count * model::bitwidth(x.element) + 7) / 8;
  tensor between = x;
  between.extent = bytes;
  between.strides = view;
  between.data =
      reinterpret_cast<std::byte*>(scratch.bytes(0, static_cast<std::size_t>(bytes)).data());
  copy(x.shape, {&x, 0, x.strides}, {&between, 0, view});
  return reshape(between, y, scratch);
}

void slice(const model::attributes& a, const tensor& x, const tensor& y) {
  sizes strides = copy_of(x.strides);
  std::int64_t first = 0;
  for (std::size_t i = 0; i < a.axes.size(); ++i) {
    const std::size_t d = axis_from(a.axes[i], x.rank());
    const std::int64_t size = x.shape[d];
    std::int64_t start = a.starts[i] + (a.starts[i] < 0 ? size : 0);
    start = std::clamp<std::int64_t>(start, 0, size - 1);
    first += start * x.strides[d];
    // Of one element, the step leads nowhere.
    strides[d] = y.shape[d] == 1 ? 0 : x.strides[d] * a.steps[i];
  }
  copy(y.shape, {&x, first, {strides.data(), x.rank()}}, {&y, 0, y.strides});
}

void concat(const model::attributes& a, std::span<const tensor> parts, const tensor& y) {
  const std::size_t axis = axis_from(a.axis, y.rank());
  std::int64_t first = 0;
  for (const tensor& x : parts) {
    copy(x.shape, {&x, 0, x.strides}, {&y, first, y.strides});
    first += x.shape[axis] * y.strides[axis];
  }
}
void split(const model::attributes& a, const tensor& x, std::span<const tensor> parts) {
  const std::size_t axis = axis_from(a.axis, x.rank());
  std::int64_t first = 0;
  for (const tensor& y : parts) {
    copy(y.shape, {&x, first, x.strides}, {&y, 0, y.strides});
    first += y.shape[axis] * x.strides[axis];
  }
}

/// A number as an element, as cast converts it.
[[nodiscard]] std::uint32_t pattern_of(double value, element e) {
  std::array<std::byte, 8> memory = {};
  const tensor one{memory.data(), 8, e, {}, {}, nullptr, false};
  if (one.is_integer()) value = std::trunc(value);
  store(one, 0, 1, &value, 1);
  std::uint32_t bits = 0;
  load_bits(one, 0, 1, &bits, 1);
  return bits;
}

/// The element of an axis at distance `i` from its first; the result may be outside.
[[nodiscard]] std::int64_t source_of(model::pad_mode mode, std::int64_t i,
                                     std::int64_t size) noexcept {
  const auto modulo = [](std::int64_t a, std::int64_t m) { return (a % m + m) % m; };
  switch (mode) {
    case model::pad_mode::reflect: {
      if (size == 1) return 0;
      const std::int64_t m = modulo(i, 2 * (size - 1));
      return m < size ? m : 2 * (size - 1) - m;
    }
    case model::pad_mode::wrap: return modulo(i, size);
    case model::pad_mode::edge:
    case model::pad_mode::constant:
    case model::pad_mode::unknown: break;  // constants are no elements of it
  }
  return std::clamp<std::int64_t>(i, 0, size - 1);
}

/// The input is copied into the output first. Then each axis, from the last on, is padded with
/// slices of the output itself, which are as large as the axes before it were in the input.
void pad(const model::attributes& a, const tensor& x, const tensor& y) {
  const std::size_t rank = x.rank();
  sizes shape = copy_of(x.shape);
  std::int64_t inner = 0;  // where the input begins
  for (std::size_t d = 0; d < rank; ++d) inner += a.pads[d] * y.strides[d];
  copy(x.shape, {&x, 0, x.strides}, {&y, inner, y.strides});
  const std::uint32_t bits =
      a.mode == model::pad_mode::constant ? pattern_of(a.constant_value, x.element) : 0;
  for (std::size_t d = rank; d-- != 0;) {
    const std::int64_t before = a.pads[d], size = x.shape[d], stride = y.strides[d];
    inner -= before * stride;
    const auto put = [&](std::int64_t first, std::int64_t last) {
      if (first == last) return;
      if (a.mode == model::pad_mode::constant) {
        shape[d] = last - first;
        return fill({shape.data(), rank}, {&y, inner + first * stride, y.strides}, bits);
      }
      shape[d] = 1;
      for (std::int64_t i = first; i < last; ++i) {
        const std::int64_t from = before + source_of(a.mode, i - before, size);
        copy({shape.data(), rank}, {&y, inner + from * stride, y.strides},
             {&y, inner + i * stride, y.strides});
      }
    };
    put(0, before);
    put(before + size, y.shape[d]);
    shape[d] = y.shape[d];
  }
}

/// Handles a block of indices at a time, for each element before the axis: their elements are close
/// to each other.
[[nodiscard]] verdict gather(const model::attributes& a, const tensor& x, const tensor& indices,
                             const tensor& y) {
  const std::size_t axis = axis_from(a.axis, x.rank()), many = indices.rank();
  const std::int64_t size = x.shape[axis], stride = x.strides[axis];
  const rows<2> before(x.shape.first(axis), {x.strides.first(axis), y.strides.first(axis)});
  const shape_view inner = x.shape.subspan(axis + 1),
                   inner_strides = y.strides.subspan(axis + many);
  const copying slice(inner, x, x.strides.subspan(axis + 1), y, inner_strides);
  std::uint64_t count = 1;  // elements of the output for one index
  for (const std::int64_t d : inner) count *= static_cast<std::uint64_t>(d);

  verdict found;
  std::uint64_t done = 0;  // indices
  const rows<2> r(indices.shape, {indices.strides, y.strides.subspan(axis, many)});
  const auto step = r.steps();
  std::array<std::int64_t, 256> row;
  constexpr auto block = static_cast<std::int64_t>(row.size());
  const auto copy_block = [&](std::int64_t first, std::int64_t n) {
    const auto outer = before.steps();
    before.each([&](const auto& at, std::int64_t length) {
      for (std::int64_t k = 0; k < length; ++k)
        for (std::int64_t i = 0; i < n; ++i) {
          const std::int64_t to = at[1] + k * outer[1] + first + i * step[1];
          const std::int64_t index = row[static_cast<std::size_t>(i)];
          if (index >= 0)
            slice.run(at[0] + k * outer[0] + index * stride, to);
          else
            fill(inner, {&y, to, inner_strides}, 0);
        }
    });
  };
  r.each([&](const auto& first, std::int64_t length) {
    for (std::int64_t from = 0; from < length; from += block) {
      const std::int64_t n = std::min(block, length - from);
      load(indices, first[0] + from * step[0], step[0], row.data(), static_cast<std::size_t>(n));
      for (std::int64_t i = 0; i < n; ++i, ++done) {
        std::int64_t& index = row[static_cast<std::size_t>(i)];
        if (index >= -size && index < size) {
          index += index < 0 ? size : 0;
          continue;
        }
        if (found)
          found = {.code = errc::nem_rt_index,
                   .element = static_cast<std::int64_t>(done * count),
                   .index = index,
                   .size = size};
        index = -1;
      }
      copy_block(first[1] + from * step[1], n);
    }
  });
  return found;
}

}  // namespace

verdict change_layout(const call& c, workspace& scratch) {
  const auto is_like_first = [&](const tensor& t) { return t.element == c.inputs[0].element; };
  const std::size_t copied = c.opcode == opcode::gather ? 1 : c.inputs.size();
  // Type families that a program brings along may allow what can't be a copy.
  if (!std::ranges::all_of(c.inputs.first(copied), is_like_first) ||
      !std::ranges::all_of(c.outputs, is_like_first) || model::is_extension(c.inputs[0].element))
    return {.code = errc::nem_rt_unsupported};
  const tensor &x = c.inputs[0], &y = c.outputs[0];
  // Of operations on a dense tensor in place, only reshape has nothing to do.
  if (c.opcode == opcode::reshape && x.data == y.data && x.is_dense() && y.is_dense()) return {};
  switch (as<layout_opcode>(c.opcode)) {
    case layout_opcode::transpose: transpose(c.attributes, x, y); break;
    case layout_opcode::reshape: return reshape(x, y, scratch);
    case layout_opcode::slice: slice(c.attributes, x, y); break;
    case layout_opcode::concat: concat(c.attributes, c.inputs, y); break;
    case layout_opcode::split: split(c.attributes, x, c.outputs); break;
    case layout_opcode::pad: pad(c.attributes, x, y); break;
    case layout_opcode::gather: return gather(c.attributes, x, c.inputs[1], y);
  }
  return {};
}

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI
