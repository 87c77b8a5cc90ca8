// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "copies.hpp"
#include "elements.hpp"
#include "operations.hpp"
#include "separate.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

namespace {

using sizes = std::array<std::int64_t, model::max_rank>;

[[nodiscard]] std::size_t axis_from(std::int64_t axis, std::size_t rank) noexcept {
  return static_cast<std::size_t>(axis) + (axis < 0 ? rank : std::size_t{0});
}
[[nodiscard]] sizes copy_of(shape_view s) noexcept {
  sizes to = {};
  std::copy(s.begin(), s.end(), to.begin());
  return to;
}
/// The strides of a shape whose elements follow one another.
[[nodiscard]] sizes dense(shape_view shape) noexcept {
  sizes to = {};
  std::int64_t n = 1;
  for (std::size_t d = shape.size(); d-- != 0; n *= shape[d]) to[d] = n;
  return to;
}

void transpose(const model::attributes& a, const tensor& x, const tensor& y) {
  sizes strides = {};
  for (std::size_t d = 0; d < y.rank(); ++d)
    strides[d] = x.strides[static_cast<std::size_t>(a.perm[d])];
  copy(y.shape, {&x, 0, {strides.data(), y.rank()}}, {&y, 0, y.strides});
}

/// A tensor without gaps is one of the other's shape. Where both have gaps, one without lies between.
void reshape(const tensor& x, const tensor& y, workspace& scratch) {
  if (x.is_dense()) {
    const sizes strides = dense(y.shape);
    return copy(y.shape, {&x, 0, {strides.data(), y.rank()}}, {&y, 0, y.strides});
  }
  const sizes strides = dense(x.shape);
  const shape_view view(strides.data(), x.rank());
  if (y.is_dense()) return copy(x.shape, {&x, 0, x.strides}, {&y, 0, view});
  tensor between = x;
  const auto bits = model::element_table[static_cast<std::size_t>(x.element)].bits;
  between.extent = (x.count() * static_cast<std::int64_t>(bits) + 7) / 8;
  between.strides = view;
  between.data = reinterpret_cast<std::byte*>(
      scratch.bytes(1, static_cast<std::size_t>(between.extent)).data());
  copy(x.shape, {&x, 0, x.strides}, {&between, 0, view});
  reshape(between, y, scratch);
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

/// What a number is as an element, as cast converts it.
[[nodiscard]] std::uint32_t pattern_of(double value, element e) {
  std::array<std::byte, 8> memory = {};
  const tensor one{memory.data(), 8, e, {}, {}, nullptr, false};
  if (one.is_integer()) value = std::trunc(value);
  store(one, 0, 1, &value, 1);
  std::uint32_t bits = 0;
  load_bits(one, 0, 1, &bits, 1);
  return bits;
}

/// The element of an axis that stands at `i` elements behind its first, which may be outside.
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
    default: return std::clamp<std::int64_t>(i, 0, size - 1);
  }
}

/// The input stands in the output first. Then each axis, from the last on, is padded with slices of
/// the output itself, which are as large as the axes before it were in the input.
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

[[nodiscard]] verdict gather(const model::attributes& a, const tensor& x, const tensor& indices,
                             const tensor& y) {
  const std::size_t axis = axis_from(a.axis, x.rank()), many = indices.rank();
  const std::int64_t size = x.shape[axis], stride = x.strides[axis];
  // All of x but the axis, in x and in y; and the dimensions of the indices, in y.
  sizes shape = {}, from = {}, to = {};
  std::uint64_t behind = 1;  // elements of the output for one index
  std::size_t rank = 0;
  for (std::size_t d = 0; d < x.rank(); ++d) {
    if (d == axis) continue;
    shape[rank] = x.shape[d];
    from[rank] = x.strides[d];
    to[rank] = y.strides[d < axis ? d : d + many - 1];
    if (d > axis) behind *= static_cast<std::uint64_t>(x.shape[d]);
    ++rank;
  }
  const shape_view part(shape.data(), rank), x_strides(from.data(), rank),
      y_strides(to.data(), rank);

  verdict found;
  std::uint64_t at = 0;  // of the indices
  const rows<2> r(indices.shape, {indices.strides, y.strides.subspan(axis, many)});
  r.each([&](const auto& first, std::int64_t n) {
    std::array<std::int64_t, 256> row;
    constexpr auto block = static_cast<std::int64_t>(row.size());
    for (std::int64_t i = 0; i < n; ++i, ++at) {
      if (i % block == 0)
        load(indices, first[0] + i * r.steps()[0], r.steps()[0], row.data(),
             static_cast<std::size_t>(std::min(block, n - i)));
      const std::int64_t index = row[static_cast<std::size_t>(i % block)];
      const elements_of made{&y, first[1] + i * r.steps()[1], y_strides};
      if (index >= -size && index < size) {
        copy(part, {&x, (index + (index < 0 ? size : 0)) * stride, x_strides}, made);
        continue;
      }
      if (found)
        found = {.code = errc::nem_rt_index,
                 .element = static_cast<std::int64_t>(at * behind),
                 .index = index,
                 .size = size};
      fill(part, made, 0);
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
  const tensor& y = c.outputs[0];
  // Of operations on a dense tensor where it is, reshape alone has nothing to do.
  const bool is_unchanged = c.opcode == opcode::reshape && c.inputs[0].data == y.data &&
                            c.inputs[0].is_dense() && y.is_dense();
  if (is_unchanged) return {};
  const separate apart(c, scratch);
  const tensor& x = apart.inputs()[0];
  switch (c.opcode) {
    case opcode::transpose: transpose(c.attributes, x, y); break;
    case opcode::reshape: reshape(x, y, scratch); break;
    case opcode::slice: slice(c.attributes, x, y); break;
    case opcode::concat: concat(c.attributes, apart.inputs(), y); break;
    case opcode::split: split(c.attributes, x, c.outputs); break;
    case opcode::pad: pad(c.attributes, x, y); break;
    default: return gather(c.attributes, x, apart.inputs()[1], y);
  }
  return {};
}

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI
