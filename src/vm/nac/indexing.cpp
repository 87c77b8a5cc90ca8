// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Operations that take elements out of tensors by their indices, and put others there.

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "indexing.hpp"
#include "operations.hpp"
#include "strided.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {
namespace {

/// The elements of a slice along an axis of some size.
struct range {
  std::int64_t start, count, step;
};

[[nodiscard]] std::int64_t clamped(std::int64_t i, std::int64_t size) noexcept {
  return std::clamp(i < 0 ? i + size : i, std::int64_t{0}, size);
}

/// The arguments start, end and step, the first of which is that letter.
[[nodiscard]] range range_of(call& c, std::size_t letter, std::int64_t size) {
  const std::int64_t step = c.whole_or(letter + 2, 1);
  if (step <= 0) fail(errc::nac_run_argument, "step is ", step, "; expected at least 1");
  const std::int64_t start = clamped(c.whole_or(letter, 0), size);
  const std::int64_t end = clamped(c.whole_or(letter + 1, INT64_MAX), size);
  if (end <= start) return {start, 0, step};
  return {start, step == 1 ? end - start : (end - start - 1) / step + 1, step};
}

/// Blocks of elements, taken from `from` at offsets in bytes.
void take_blocks(std::byte* to, const std::byte* from, std::span<const std::int64_t> offsets,
                 std::size_t bytes) noexcept {
  if (bytes <= 8 && std::has_single_bit(bytes))
    return tensors::with_word(bytes, [&]<class T>(of<T>) {
      for (const std::int64_t o : offsets) {
        std::memcpy(to, from + o, sizeof(T));
        to += sizeof(T);
      }
    });
  for (const std::int64_t o : offsets) {
    std::memcpy(to, from + o, bytes);
    to += bytes;
  }
}

/// Where rows start whose indices these are; `bytes` apart. Throws nac_run_index for others than `first`
/// to size - 1, of which those below 0 count from the end.
[[nodiscard]] tensor offsets_of(memory& arena, const tensor& indices, std::int64_t size,
                                std::int64_t bytes, std::int64_t first = 0) {
  const tensor given = indices_of(arena, indices);
  tensor out = make_tensor(arena, data_type::int64, given.dims);
  std::int64_t* to = out.as<std::int64_t>();
  for (const std::int64_t i : given.elements<std::int64_t>()) {
    if (i < first || i >= size) refuse_index(i, size);
    *to++ = (i < 0 ? i + size : i) * bytes;
  }
  return out;
}

// ---- index

/// An index of `index`: of one axis, or every index of it where there is none.
struct subscript {
  bool given = false;
  tensor indices = {};  ///< int64
};

/// Appends the indices of the true elements, one subscript for each axis of the mask.
void add_mask(memory& arena, const tensor& mask, subscript* all, std::size_t& count) {
  const auto truths = mask.elements<std::uint8_t>();  // bool is one byte, 0 or 1
  const auto found = static_cast<std::int64_t>(
      truths.size() -
      static_cast<std::size_t>(std::count(truths.begin(), truths.end(), std::uint8_t{0})));
  std::int64_t* to[max_rank];
  for (std::size_t i = 0; i < mask.rank(); ++i) {
    subscript& s = all[count++];
    s = {true, make_tensor(arena, data_type::int64, {found})};
    to[i] = s.indices.as<std::int64_t>();
  }
  std::int64_t at[max_rank] = {};
  for (const std::uint8_t truth : truths) {
    if (truth != 0)
      for (std::size_t i = 0; i < mask.rank(); ++i) *to[i]++ = at[i];
    for (std::size_t i = mask.rank(); i-- != 0;) {
      if (++at[i] != mask.dim(i)) break;
      at[i] = 0;
    }
  }
}

/// Adds index * stride to the offsets, the indices broadcast to their shape.
void add_offsets(const tensor& offsets, const tensor& indices, std::int64_t size,
                 std::int64_t stride) {
  for (const std::int64_t i : indices.elements<std::int64_t>())
    if (i < -size || i >= size) refuse_index(i, size);
  const std::span<std::int64_t> to = offsets.elements<std::int64_t>();
  if (to.empty()) return;
  const std::int64_t* const all = indices.as<std::int64_t>();
  std::int64_t* at = to.data();
  const auto rows = broadcast_rows<1>(offsets.dims, {&indices.dims});
  rows.each([&, step = rows.steps()[0]](const auto& first, std::int64_t n) {
    const std::int64_t* const from = all + first[0];
    for (std::int64_t k = 0; k < n; ++k) {
      const std::int64_t i = from[k * step];
      *at++ += (i < 0 ? i + size : i) * stride;
    }
  });
}

}  // namespace

void refuse_index(std::int64_t i, std::int64_t size) {
  fail(errc::nac_run_index, size == 0
                                ? "index is " + std::to_string(i) + "; the axis is empty"
                                : "index is " + std::to_string(i) + "; expected " +
                                      std::to_string(-size) + " to " + std::to_string(size - 1));
}

tensor indices_of(memory& arena, const tensor& t) {
  if (t.type != data_type::int64 && t.type != data_type::int32)
    fail(errc::nac_run_type, "indices are ", t.type, "; expected i32 or i64");
  return cast(arena, t, data_type::int64);
}

tensor source_of(call& c, const shape& dims, const char* what) {
  const tensor& source = c.tensor_at(1);
  if (!(source.dims == dims))
    fail(errc::nac_run_shape, "src has shape ", source.dims, "; expected ", dims, ", that of the ",
         what);
  return cast(c.arena, source, c.tensor_at(0).type);
}

value slice(call& c) {
  const tensor& x = c.tensor_at(0);
  const std::size_t axis = axis_in(x, c.whole_or(1, 0));
  const range r = range_of(c, 2, x.dim(axis));
  if (r.step == 1 || r.count <= 1) return narrowed(c.arena, x, axis, r.start, r.count);
  tensor_part p(x.dims);
  p.cut(axis, r.start, r.count, r.step);
  return taken(c.arena, x, p);
}

value select(call& c) {
  const tensor& x = c.tensor_at(0);
  const std::size_t axis = axis_in(x, c.whole(1));
  const std::int64_t size = x.dim(axis), i = c.whole(2);
  if (i < -size || i >= size) refuse_index(i, size);
  tensor out = narrowed(c.arena, x, axis, i < 0 ? i + size : i, 1);
  out.dims.erase(axis);
  return out;
}

value slice_scatter(call& c) {
  const tensor& x = c.tensor_at(0);
  const std::size_t axis = axis_in(x, c.whole_or(2, 0));
  const range r = range_of(c, 3, x.dim(axis));
  tensor_part p(x.dims);
  p.cut(axis, r.start, r.count, r.step);
  const tensor source = source_of(c, p.dims, "slice");
  return r.count == x.dim(axis) ? source : replaced(c.arena, x, p, source);
}

namespace {

/// The subscripts of the axes of `x`: masks are given as the indices of what they let through.
[[nodiscard]] std::size_t read_subscripts(call& c, const tensor& x, std::size_t given_count,
                                          subscript (&all)[max_rank]) {
  std::size_t count = 0;  // axes of x that have one
  const auto need_axes = [&](std::size_t more) {
    if (more > x.rank() - count)
      fail(errc::nac_run_index, "the indices take more dimensions than shape ", x.dims,
           " has; expected at most ", x.rank());
  };
  for (std::size_t k = 0; k < given_count; ++k) {
    if (!c.has(1, k)) {
      need_axes(1);
      all[count++] = {};
      continue;
    }
    const tensor& t = c.tensor_at(1, k);
    if (t.type == data_type::boolean || t.type == data_type::uint8) {
      if (t.rank() == 0) fail(errc::nac_run_index, "a mask of rank 0; expected at least 1");
      need_axes(t.rank());
      for (std::size_t i = 0; i < t.rank(); ++i)
        if (t.dim(i) != x.dim(count + i))
          fail(errc::nac_run_index, "a mask of shape ", t.dims, "; expected the sizes of ", x.dims,
               " from axis ", count, " on");
      add_mask(c.arena, t, all, count);
    } else {
      need_axes(1);
      all[count++] = {true, indices_of(c.arena, t)};
    }
  }
  return count;
}

/// At each of the offsets, all of the axes without a subscript.
void take_rest(const tensor& out, const tensor& x, std::span<const subscript> all,
               std::span<const std::int64_t> offsets) {
  const auto is_given = [&](std::size_t i) { return i < all.size() && all[i].given; };
  const strides from(x.dims);
  const std::size_t element = model::size_of(x.type);
  walk w;
  std::int64_t rest = 1;
  for (std::size_t i = x.rank(); i-- != 0;)
    if (!is_given(i)) rest *= x.dim(i);
  const std::int64_t block = rest * static_cast<std::int64_t>(element);
  for (std::size_t i = 0; i < x.rank(); ++i) {
    if (is_given(i)) continue;
    rest /= x.dim(i);
    w.add(x.dim(i), from[i], rest);
  }
  std::byte* to = out.data;
  for (const std::int64_t o : offsets) {
    w.copy(to, x.data + o, element);
    to += block;
  }
}

}  // namespace

tensor indexed(call& c, const tensor& x, std::size_t given_count) {
  subscript all[max_rank];
  const std::size_t count = read_subscripts(c, x, given_count, all);
  // The shape of what the indices give together; where it goes.
  shape together;
  std::size_t given = 0, first = 0, last = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!all[i].given) continue;
    if (given++ == 0) first = i;
    last = i;
    together = broadcast(together, all[i].indices.dims);
  }
  if (given == 0) return x.with_shape(x.dims);
  const bool adjacent = last - first + 1 == given;
  const std::size_t place = adjacent ? first : 0;
  shape dims;
  for (std::size_t i = 0; i < x.rank(); ++i) {
    if (i == place)
      for (const std::int64_t d : together) dims.push_back(d);
    if (i >= count || !all[i].given) dims.push_back(x.dim(i));
  }
  tensor out = make_tensor(c.arena, x.type, dims);
  if (out.size() == 0) return out;

  const strides from(x.dims);
  const auto bytes = static_cast<std::int64_t>(model::size_of(x.type));
  const tensor offsets = make_tensor(c.arena, data_type::int64, together);
  const std::span<std::int64_t> of = offsets.elements<std::int64_t>();
  std::fill(of.begin(), of.end(), 0);
  for (std::size_t i = 0; i < count; ++i)
    if (all[i].given) add_offsets(offsets, all[i].indices, x.dim(i), from[i] * bytes);
  if (adjacent) {
    const std::int64_t outer = x.dims.product(0, first);
    const std::int64_t outer_bytes = x.dims.product(first, x.rank()) * bytes;
    const auto block = static_cast<std::size_t>(x.dims.product(last + 1, x.rank()) * bytes);
    for (std::int64_t o = 0; o < outer; ++o)
      take_blocks(out.data + static_cast<std::size_t>(o) * of.size() * block,
                  x.data + o * outer_bytes, of, block);
    return out;
  }
  take_rest(out, x, {all, count}, of);
  return out;
}

tensor nonzero_of(memory& arena, const tensor& x) {
  const tensor mask = cast(arena, x, data_type::boolean);
  subscript all[max_rank];
  std::size_t count = 0;
  if (x.rank() != 0) add_mask(arena, mask, all, count);
  const std::int64_t n = x.rank() != 0 ? all[0].indices.dim(0) : (*mask.as<bool>() ? 1 : 0);
  tensor out = make_tensor(arena, data_type::int64, {n, static_cast<std::int64_t>(count)});
  for (std::size_t a = 0; a < count; ++a) {
    const std::int64_t* const from = all[a].indices.as<std::int64_t>();
    std::int64_t* const to = out.as<std::int64_t>() + a;
    for (std::int64_t i = 0; i < n; ++i) to[i * static_cast<std::int64_t>(count)] = from[i];
  }
  return out;
}

value index(call& c) { return indexed(c, c.tensor_at(0), c.count(1)); }

tensor selected(memory& arena, const tensor& x, std::size_t axis, const tensor& index) {
  const auto count = static_cast<std::int64_t>(index.size());
  shape dims = x.dims;
  dims[axis] = count;
  const std::int64_t block =
      x.dims.product(axis + 1, x.rank()) * static_cast<std::int64_t>(model::size_of(x.type));
  const tensor offsets = offsets_of(arena, index, x.dim(axis), block);
  tensor out = make_tensor(arena, x.type, dims);
  if (out.size() == 0) return out;
  const std::int64_t outer = x.dims.product(0, axis);
  for (std::int64_t o = 0; o < outer; ++o)
    take_blocks(out.data + o * count * block, x.data + o * x.dim(axis) * block,
                offsets.elements<std::int64_t>(), static_cast<std::size_t>(block));
  return out;
}

value index_select(call& c) {
  const tensor& x = c.tensor_at(0);
  const tensor& given = c.tensor_at(2);
  if (given.rank() > 1)
    fail(errc::nac_run_shape, "index has shape ", given.dims, "; expected rank 0 or 1");
  const std::size_t axis = axis_of(c.whole(1), x.rank());
  if (x.rank() != 0) return selected(c.arena, x, axis, given);
  if (given.size() != 1)
    fail(errc::nac_run_shape, given.size(), " indices; expected 1 for a tensor of rank 0");
  (void)offsets_of(c.arena, given, 1, 1);
  return x.with_shape({});
}

value embedding(call& c) {
  const tensor& table = c.tensor_at(0);
  const tensor& given = c.tensor_at(1);
  if (table.rank() != 2)
    fail(errc::nac_run_shape, "weight has shape ", table.dims, "; expected rank 2");
  const std::int64_t rows = table.dim(0);
  const std::size_t row = static_cast<std::size_t>(table.dim(1)) * model::size_of(table.type);
  const tensor offsets = offsets_of(c.arena, given, rows, static_cast<std::int64_t>(row), -rows);
  shape dims = given.dims;
  dims.push_back(table.dim(1));
  tensor out = make_tensor(c.arena, table.type, dims);
  if (row != 0) take_blocks(out.data, table.data, offsets.elements<std::int64_t>(), row);
  return out;
}

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
