// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Operations on shapes that are others of layout.cpp under another name, and what asks for shapes.

#include <algorithm>
#include <bit>
#include <cstring>

#include "elementwise.hpp"
#include "indexing.hpp"
#include "operations.hpp"
#include "strided.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {
namespace {

using int_list = std::span<const std::int64_t>;
using model::operation;

/// Of a diagonal; matrices of more elements fit into no memory.
constexpr std::int64_t max_offset = std::int64_t{1} << 40;

/// Axes `from` moved to the places `to`; the others keep their order.
[[nodiscard]] tensor moved(memory& arena, const tensor& x, int_list from, int_list to) {
  if (from.size() != to.size())
    fail(errc::nac_run_argument, "source has ", from.size(), " axes and destination ", to.size(),
         "; expected as many");
  const std::uint32_t sources = axes_of(from, x.rank()), places = axes_of(to, x.rank());
  std::size_t order[max_rank] = {}, next = 0;
  for (std::size_t i = 0; i < x.rank(); ++i) {
    if (names(places, i)) continue;
    while (names(sources, next)) ++next;
    order[i] = next++;
  }
  for (std::size_t k = 0; k < from.size(); ++k)
    order[axis_of(to[k], x.rank())] = axis_of(from[k], x.rank());
  return permuted(arena, x, order);
}

/// The elements of the diagonals of the matrices along two axes: without both, with the diagonal's as
/// the last one.
[[nodiscard]] tensor_part diagonals_of(const tensor& x, std::int64_t offset, std::int64_t axis1,
                                       std::int64_t axis2) {
  if (x.rank() < 2) fail(errc::nac_run_rank, "shape is ", x.dims, "; expected rank 2 or more");
  const std::size_t row = axis_of(axis1, x.rank()), column = axis_of(axis2, x.rank());
  if (row == column)
    fail(errc::nac_run_axis, "the diagonal's axes are ", axis1, " and ", axis2,
         ", which are the same; expected different ones");
  const std::int64_t rows = x.dim(row), columns = x.dim(column);
  offset = std::clamp(offset, -rows, columns);
  const std::int64_t first_row = offset < 0 ? -offset : 0, first_column = offset > 0 ? offset : 0;
  const strides step(x.dims);
  tensor_part p;
  p.first = first_row * step[row] + first_column * step[column];
  for (std::size_t i = 0; i < x.rank(); ++i)
    if (i != row && i != column) p.add(x.dim(i), step[i]);
  p.add(std::max(std::min(rows - first_row, columns - first_column), std::int64_t{0}),
        step[row] + step[column]);
  return p;
}

/// `count` parts of `x` along an axis; end_of(i) is where one ends.
template <class End>
[[nodiscard]] value parts_until(call& c, const tensor& x, std::size_t axis, std::uint64_t count,
                                End&& end_of) {
  if (count > INT64_MAX / sizeof(value)) fail(errc::budget_memory, "a list of ", count, " parts");
  storage counted = c.arena.take(count * sizeof(value));
  std::vector<value> list;
  const std::int64_t size = x.dim(axis);
  std::int64_t start = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::int64_t end = end_of(i);
    end = std::clamp(end < 0 ? end + size : end, std::int64_t{0}, size);
    list.emplace_back(
        narrowed(c.arena, x, axis, std::min(start, size), std::max(end - start, std::int64_t{0})));
    start = end;
  }
  return value(std::move(list), std::move(counted));
}

/// How often each index along an axis is repeated, as a list of the indices.
[[nodiscard]] tensor repeated_indices(memory& arena, const tensor& repeats, std::int64_t size) {
  const tensor given = indices_of(arena, repeats);
  const auto n = static_cast<std::int64_t>(given.size());
  if (given.rank() > 1 || (n != 1 && n != size))
    fail(errc::nac_run_shape, "repeats have shape ", given.dims, "; expected one number, or ", size,
         ", one per element");
  const std::int64_t* const of = given.as<std::int64_t>();
  std::int64_t all = 0;
  for (std::int64_t i = 0; i < size; ++i) {
    const std::int64_t k = of[n == 1 ? 0 : i];
    if (k < 0) fail(errc::nac_run_argument, "a repeat count is ", k, "; expected at least 0");
    if (__builtin_add_overflow(all, k, &all)) fail(errc::budget_memory);
  }
  tensor out = make_tensor(arena, data_type::int64, {all});
  std::int64_t* to = out.as<std::int64_t>();
  for (std::int64_t i = 0; i < size; ++i) to = std::fill_n(to, of[n == 1 ? 0 : i], i);
  return out;
}

/// With dimensions of 1 where there are too few: in front, and one more at the end for three.
[[nodiscard]] tensor at_least(const tensor& x, std::size_t rank) {
  shape dims = x.dims;
  if (dims.rank() == 0) dims.push_back(1);
  if (dims.rank() == 1 && rank > 1) dims.insert(0, 1);
  if (dims.rank() == 2 && rank > 2) dims.push_back(1);
  return x.with_shape(dims);
}

/// What `prepared` makes of all operands, along an axis.
template <class F>
[[nodiscard]] value joined(call& c, std::int64_t axis, F&& prepared) {
  std::vector<value> all;
  for (std::size_t k = 0; k < c.count(0); ++k) all.emplace_back(prepared(c.tensor_at(0, k)));
  return result_of(c, operation::cat, {value(std::move(all)), make_number(c.arena, axis)});
}

/// Matrices along two axes of the result, zero but for a diagonal: the last axis of `x`.
[[nodiscard]] tensor embedded(call& c, const tensor& x, std::int64_t offset, std::int64_t axis1,
                              std::int64_t axis2) {
  if (x.rank() == 0) fail(errc::nac_run_rank, "rank is 0; expected at least 1");
  const std::size_t rank = x.rank() + 1, row = axis_of(axis1, rank), column = axis_of(axis2, rank);
  if (row == column)
    fail(errc::nac_run_axis, "the diagonal's axes are ", axis1, " and ", axis2,
         ", which are the same; expected different ones");
  if (offset < -max_offset || offset > max_offset)
    fail(errc::budget_memory, "offset is ", offset, "; expected ", -max_offset, " to ", max_offset);
  const std::int64_t size = x.dim(x.rank() - 1) + (offset < 0 ? -offset : offset);
  shape dims;
  for (std::size_t i = 0, k = 0; i < rank; ++i)
    dims.push_back(i == row || i == column ? size : x.dim(k++));
  const tensor out = make_tensor(c.arena, x.type, dims);
  if (out.size() == 0) return out;
  std::memset(out.data, 0, out.bytes());
  if (x.size() != 0) copy(x, tensor_part(x.dims), out, diagonals_of(out, offset, axis1, axis2));
  return out;
}

/// Rows and columns of the elements of a triangle, in their order. Letters: row col offset type.
[[nodiscard]] tensor indices_of_triangle(call& c, bool upper) {
  const std::int64_t rows = c.whole(0), columns = c.whole(1);
  const data_type type = c.type_or(3, data_type::int64);
  if (type != data_type::int64 && type != data_type::int32)
    fail(errc::nac_run_type, "dtype is ", type, "; expected i32 or i64");
  if (rows < 0 || columns < 0)
    fail(errc::nac_run_shape, rows, " rows and ", columns, " columns; expected at least 0");
  (void)shape{rows, columns}.elements();
  const std::int64_t offset = std::clamp(c.whole_or(2, 0), -rows, columns);
  c.arena.charge(static_cast<std::uint64_t>(rows));
  // Where the triangle begins in a row, and where it ends.
  const auto first = [&](std::int64_t i) {
    return upper ? std::clamp(i + offset, std::int64_t{0}, columns) : std::int64_t{0};
  };
  const auto last = [&](std::int64_t i) {
    return upper ? columns : std::clamp(i + offset + 1, std::int64_t{0}, columns);
  };
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < rows; ++i) count += last(i) - first(i);
  const tensor out = make_tensor(c.arena, data_type::int64, {2, count});
  std::int64_t* row = out.as<std::int64_t>();
  std::int64_t* column = row + count;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = first(i); j < last(i); ++j) {
      *row++ = i;
      *column++ = j;
    }
  return cast(c.arena, out, type);
}

/// Parts of elements, or what they are parts of: the lowest part first, also where memory has it last.
[[nodiscard]] tensor in_order_of_files(call& c, const tensor& x, const shape& dims, data_type to) {
  const std::size_t from_size = model::size_of(x.type), to_size = model::size_of(to);
  const std::size_t part = std::min(from_size, to_size),
                    parts = std::max(from_size, to_size) / part;
  const tensor out = make_tensor(c.arena, to, dims);
  for (std::size_t i = 0; i * part < x.bytes(); ++i) {
    const std::size_t k = i % parts, other = i - k + (parts - 1 - k);
    std::memcpy(out.data + i * part, x.data + other * part, part);
  }
  return out;
}

}  // namespace

value flatten(call& c) {
  const tensor& x = c.tensor_at(0);
  if (x.rank() == 0) return x.with_shape({1});
  const std::size_t first = axis_of(c.whole_or(1, 0), x.rank());
  const std::size_t last = axis_of(c.whole_or(2, -1), x.rank());
  if (first > last) fail(errc::nac_run_axis, "start_dim ", first, " is after end_dim ", last);
  shape dims;
  for (std::size_t i = 0; i < first; ++i) dims.push_back(x.dim(i));
  dims.push_back(x.dims.product(first, last + 1));
  for (std::size_t i = last + 1; i < x.rank(); ++i) dims.push_back(x.dim(i));
  return x.with_shape(dims);
}

value unflatten(call& c) {
  const tensor& x = c.tensor_at(0);
  const std::size_t axis = axis_in(x, c.whole(1));
  const int_list sizes = c.int_list(2);
  std::int64_t known = 1, open = -1;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1 && open < 0)
      open = static_cast<std::int64_t>(i);
    else if (sizes[i] < 0 || __builtin_mul_overflow(known, sizes[i], &known))
      fail(errc::nac_run_shape, "the sizes have ", sizes[i],
           sizes[i] < 0 ? "; expected at least 0, and -1 at most once"
                        : ", which makes their product exceed 2^63 - 1");
  }
  const std::int64_t all = x.dim(axis);
  if (sizes.empty() || (open < 0 ? known != all : known == 0 || all % known != 0))
    fail(errc::nac_run_shape, sizes.empty()
                                  ? "no sizes; expected at least 1"
                                  : "the sizes multiply to " + std::to_string(known) +
                                        "; expected " + (open < 0 ? "" : "a divisor of ") +
                                        std::to_string(all) + ", the size of the axis");
  shape dims;
  for (std::size_t i = 0; i < axis; ++i) dims.push_back(x.dim(i));
  for (const std::int64_t s : sizes) dims.push_back(s == -1 ? all / known : s);
  for (std::size_t i = axis + 1; i < x.rank(); ++i) dims.push_back(x.dim(i));
  return x.with_shape(dims);
}

value movedim(call& c) {
  const tensor& x = c.tensor_at(0);
  return moved(c.arena, x, c.int_list(1), c.int_list(2));
}

value reverse_axes(call& c) {
  const tensor& x = c.tensor_at(0);
  std::size_t order[max_rank] = {};
  for (std::size_t i = 0; i < x.rank(); ++i) order[i] = x.rank() - 1 - i;
  return permuted(c.arena, x, order);
}

value narrow(call& c) {
  const tensor& x = c.tensor_at(0);
  const std::size_t axis = axis_in(x, c.whole(1));
  const std::int64_t size = x.dim(axis), length = c.whole(3);
  std::int64_t start = c.whole(2);
  if (start < -size || start > size) refuse_index(start, size);
  if (start < 0) start += size;
  if (length < 0 || length > size - start)
    fail(errc::nac_run_argument, "length is ", length, " from element ", start,
         " on; expected 0 to ", size - start);
  return narrowed(c.arena, x, axis, start, length);
}

value diagonal(call& c) {
  const tensor& x = c.tensor_at(0);
  return taken(c.arena, x, diagonals_of(x, c.whole_or(1, 0), c.whole_or(2, 0), c.whole_or(3, 1)));
}

value diagonal_scatter(call& c) {
  const tensor& x = c.tensor_at(0);
  const tensor_part p = diagonals_of(x, c.whole_or(2, 0), c.whole_or(3, 0), c.whole_or(4, 1));
  return replaced(c.arena, x, p, source_of(c, p.dims, "diagonals"));
}

value select_scatter(call& c) {
  const tensor& x = c.tensor_at(0);
  const std::size_t axis = axis_in(x, c.whole(2));
  const std::int64_t size = x.dim(axis), i = c.whole(3);
  if (i < -size || i >= size) refuse_index(i, size);
  tensor_part p(x.dims);
  p.cut(axis, i < 0 ? i + size : i, 1);
  shape dims = p.dims;
  dims.erase(axis);
  return replaced(c.arena, x, p, source_of(c, dims, "slice").with_shape(p.dims));
}

value tensor_split(call& c) {
  const tensor& x = c.tensor_at(0);
  const std::size_t axis = axis_in(x, c.whole_or(2, 0));
  const std::int64_t size = x.dim(axis), sections = c.whole(1);
  if (sections <= 0) fail(errc::nac_run_argument, sections, " sections; expected at least 1");
  return parts_until(c, x, axis, static_cast<std::uint64_t>(sections), [&](std::uint64_t i) {
    const auto before = static_cast<std::int64_t>(i) + 1;
    return before * (size / sections) + std::min(before, size % sections);
  });
}
value tensor_split_at(call& c) {
  const tensor& x = c.tensor_at(0);
  const std::size_t axis = axis_in(x, c.whole_or(2, 0));
  const std::span<const std::int64_t> ends = c.int_list(1);
  return parts_until(c, x, axis, ends.size() + 1, [&](std::uint64_t i) {
    return i < ends.size() ? ends[static_cast<std::size_t>(i)] : x.dim(axis);
  });
}

value meshgrid(call& c) {
  const std::size_t count = c.count(0);
  const std::string_view indexing = c.string_or(1, "ij");
  if (indexing != "ij" && indexing != "xy")
    fail(errc::nac_run_argument, "indexing is \"", indexing, "\"; expected ij or xy");
  const bool swapped = indexing == "xy" && count >= 2;
  const auto place = [&](std::size_t k) { return swapped && k < 2 ? 1 - k : k; };
  if (count > max_rank) fail(errc::nac_run_rank);
  shape dims;
  for (std::size_t i = 0; i < count; ++i) {
    const tensor& t = c.tensor_at(0, place(i));
    if (t.rank() > 1)
      fail(errc::nac_run_shape, "operand ", place(i), " has shape ", t.dims,
           "; expected rank 0 or 1");
    if (t.type != c.tensor_at(0).type)
      fail(errc::nac_run_type, "operand ", place(i), " is ", t.type, "; expected ",
           c.tensor_at(0).type, ", the type of operand 0");
    dims.push_back(static_cast<std::int64_t>(t.size()));
  }
  std::vector<value> list;
  for (std::size_t k = 0; k < count; ++k) {
    shape line;
    for (std::size_t i = 0; i < count; ++i) line.push_back(i == place(k) ? dims[i] : 1);
    list.emplace_back(expanded(c.arena, c.tensor_at(0, k).with_shape(line), dims));
  }
  return value(std::move(list));
}

value repeat_interleave(call& c) {
  const tensor& given = c.tensor_at(0);
  const bool flat = !c.has(2);
  const tensor x = flat ? given.with_shape({static_cast<std::int64_t>(given.size())}) : given;
  const std::size_t axis = axis_in(x, c.whole_or(2, 0));
  tensor repeats = c.tensor_at(1);
  if (repeats.is_number && repeats.type != data_type::int64)
    repeats = make_number(c.arena, c.whole(1));
  const tensor index = repeated_indices(c.arena, repeats, x.dim(axis));
  if (c.has(3) && c.whole(3) != index.dim(0))
    fail(errc::nac_run_argument, "repeats add up to ", index.dim(0), "; expected output_size, ",
         c.whole(3));
  return selected(c.arena, x, axis, index);
}
value repeat_indices(call& c) {
  const tensor& repeats = c.tensor_at(0);
  if (repeats.rank() != 1)
    fail(errc::nac_run_shape, "repeats have shape ", repeats.dims, "; expected rank 1");
  const tensor index = repeated_indices(c.arena, repeats, repeats.dim(0));
  return cast(c.arena, index, repeats.type);
}

value eye(call& c) {
  const std::int64_t rows = c.whole(0), columns = c.has(1) ? c.whole(1) : rows;
  if (rows < 0 || columns < 0)
    fail(errc::nac_run_shape, rows, " rows and ", columns, " columns; expected at least 0");
  const data_type type = c.type_or(2, data_type::float32);
  tensor out = filled(c.arena, type, {rows, columns}, {data_type::int64, 0, 0});
  const std::int64_t size = model::size_of(type);
  const tensor one = filled(c.arena, type, {}, {data_type::int64, 1, 1});
  for (std::int64_t i = 0; i < std::min(rows, columns); ++i)
    std::memcpy(out.data + i * (columns + 1) * size, one.data, one.bytes());
  return out;
}

// ---- questions; an assertion that holds is its operand

value sym_numel(call& c) {
  return make_number(c.arena, static_cast<std::int64_t>(c.tensor_at(0).size()));
}

value item(call& c) {
  const tensor& x = c.tensor_at(0);
  if (x.size() != 1) fail(errc::nac_run_shape, "shape is ", x.dims, "; expected one element");
  const scalar v = c.number(0);
  if (v.type == data_type::boolean) return make_number(c.arena, v.whole != 0);
  if (v.type == data_type::float64) return make_number(c.arena, v.real);
  return make_number(c.arena, v.whole);
}

value assert_metadata(call& c) {
  const tensor& x = c.tensor_at(0);
  if (c.has(1)) {
    const shape wanted(c.int_list(1));
    if (!(wanted == x.dims))
      fail(errc::nac_run_shape, "shape is ", x.dims, "; expected ", wanted, " as asserted");
  }
  if (const data_type wanted = c.type_or(3, type_of(x)); wanted != type_of(x))
    fail(errc::nac_run_type, "type is ", type_of(x), "; expected ", wanted, " as asserted");
  return x;
}

value assert_true(call& c) {
  if (c.real(0) == 0)
    fail(errc::nac_run_argument, "the asserted condition is false: ", c.string_or(1, "no message"));
  return c.tensor_at(0);
}

value constrain_range(call& c) {
  const scalar v = c.number(0);
  if ((c.has(1) && v.real < c.real(1)) || (c.has(2) && v.real > c.real(2)))
    fail(errc::nac_run_argument, "a size is ", v.real, "; expected ",
         c.has(1) ? "at least " + std::to_string(c.real(1)) : std::string(),
         c.has(1) && c.has(2) ? " and " : "",
         c.has(2) ? "at most " + std::to_string(c.real(2)) : std::string());
  return c.at(0);
}

/// The same bytes as elements of another type.
value view_bits(call& c) {
  const tensor& x = c.tensor_at(0);
  if (!c.has(1) || c.at(1).what() != value::form::string || !type_named(c.at(1).as_string()))
    fail(errc::nac_run_argument, "no data type; expected one");
  const data_type to = c.type_or(1, x.type);
  shape dims = x.dims;
  const auto from_size = static_cast<std::int64_t>(model::size_of(x.type));
  const auto to_size = static_cast<std::int64_t>(model::size_of(to));
  if (from_size != to_size) {
    const std::int64_t last = x.rank() == 0 ? 0 : x.dim(x.rank() - 1) * from_size;
    if (x.rank() == 0 || last % to_size != 0)
      fail(errc::nac_run_shape, "shape is ", x.dims, " of ", x.type,
           "; expected a last axis of a multiple of ", to_size, " bytes");
    dims[dims.rank() - 1] = last / to_size;
  }
  tensor out = x.with_shape(dims);
  if (std::endian::native == std::endian::big && from_size != to_size)
    out = in_order_of_files(c, x, dims, to);
  out.type = to;
  if (to != data_type::boolean || x.type == data_type::boolean) return out;
  const auto* const bytes = static_cast<const unsigned char*>(static_cast<const void*>(x.data));
  for (std::size_t i = 0; i < x.bytes(); ++i)
    if (bytes[i] > 1)
      fail(errc::nac_run_argument, "a byte is ", bytes[i], " where a boolean is expected");
  return out;
}

// ---- stacks

value atleast_1d(call& c) { return at_least(c.tensor_at(0), 1); }
value atleast_2d(call& c) { return at_least(c.tensor_at(0), 2); }
value atleast_3d(call& c) { return at_least(c.tensor_at(0), 3); }

value hstack(call& c) {
  const std::size_t rank = c.tensor_at(0).rank();
  return joined(c, rank <= 1 ? 0 : 1, [](const tensor& t) { return at_least(t, 1); });
}
value vstack(call& c) {
  return joined(c, 0, [](const tensor& t) { return at_least(t, 2); });
}
value dstack(call& c) {
  return joined(c, 2, [](const tensor& t) { return at_least(t, 3); });
}
value column_stack(call& c) {
  return joined(c, 1, [](const tensor& t) {
    return t.rank() > 1 ? t : t.with_shape({static_cast<std::int64_t>(t.size()), 1});
  });
}

value broadcast_tensors(call& c) {
  shape dims;
  for (std::size_t k = 0; k < c.count(0); ++k) dims = broadcast(dims, c.tensor_at(0, k).dims);
  std::vector<value> list;
  for (std::size_t k = 0; k < c.count(0); ++k)
    list.emplace_back(expanded(c.arena, c.tensor_at(0, k), dims));
  return value(std::move(list));
}

// ---- matrices of diagonals

value diag_embed(call& c) {
  return embedded(c, c.tensor_at(0), c.whole_or(1, 0), c.whole_or(2, -2), c.whole_or(3, -1));
}
value diag(call& c) {
  const tensor& x = c.tensor_at(0);
  if (x.rank() != 1 && x.rank() != 2)
    fail(errc::nac_run_shape, x.dims, "; expected 1 or 2 dimensions");
  const std::int64_t offset = c.whole_or(1, 0);
  if (x.rank() == 1) return embedded(c, x, offset, 0, 1);
  return result_of(c, operation::diagonal, {x, make_number(c.arena, offset)});
}
value diagflat(call& c) {
  const tensor& x = c.tensor_at(0);
  return embedded(c, x.with_shape({static_cast<std::int64_t>(x.size())}), c.whole_or(1, 0), 0, 1);
}

value tril_indices(call& c) { return indices_of_triangle(c, false); }
value triu_indices(call& c) { return indices_of_triangle(c, true); }

// ---- other orders

value channel_shuffle(call& c) {
  const tensor& x = c.tensor_at(0);
  const std::int64_t groups = c.whole(1);
  if (x.rank() < 3) fail(errc::nac_run_shape, "shape is ", x.dims, "; expected rank 3 or more");
  if (groups <= 0 || x.dim(1) % groups != 0)
    fail(errc::nac_run_argument, "groups is ", groups, "; expected a divisor of ", x.dim(1),
         ", the number of channels");
  const tensor parts =
      x.with_shape({x.dim(0), groups, x.dim(1) / groups, x.dims.product(2, x.rank())});
  const std::size_t order[] = {0, 2, 1, 3};
  return permuted(c.arena, parts, order).with_shape(x.dims);
}

value rot90(call& c) {
  const tensor& x = c.tensor_at(0);
  const int_list given = c.int_list(2);
  const std::int64_t usual[] = {0, 1};
  const int_list axes = c.has(2) ? given : int_list(usual);
  if (axes.size() != 2) fail(errc::nac_run_argument, axes.size(), " axes; expected 2");
  if (x.rank() < 2) fail(errc::nac_run_rank, "shape is ", x.dims, "; expected rank 2 or more");
  (void)axes_of(axes, x.rank());  // which are different ones
  const std::int64_t turns = (c.whole_or(1, 1) % 4 + 4) % 4;
  const value first = make_number(c.arena, axes[0]), second = make_number(c.arena, axes[1]);
  if (turns == 0) return x;
  if (turns == 2) return result_of(c, operation::flip, {x, value::int_list({axes[0], axes[1]})});
  const value flipped = result_of(c, operation::flip, {x, turns == 1 ? second : first});
  return result_of(c, operation::transpose, {flipped, first, second});
}

/// Of rows after rows: check_strides() has seen that PyTorch has them so.
value resize(call& c) {
  const tensor& x = c.tensor_at(0);
  const shape dims(c.int_list(1));
  if (dims.elements() > static_cast<std::int64_t>(x.size()))
    fail(errc::nac_run_shape, "size ", dims, " has more elements than ", x.dims,
         "; expected at most ", x.size());
  return x.with_shape(dims);
}
value sym_is_contiguous(call& c) {
  (void)c.tensor_at(0);
  return make_number(c.arena, true);
}

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
