// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Operations that take elements along an axis by their indices, and that put or add others there.

#include <cmath>
#include <cstring>
#include <utility>

#include "elementwise.hpp"
#include "indexing.hpp"
#include "operations.hpp"
#include "strided.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {
namespace {

/// Calls f(position, offset) for each element of an index tensor that has some, and as many
/// dimensions as `dims`: its position there, and the offset in a tensor of shape `dims` of the
/// element that it means along `axis`.
template <class F>
void each_index(const tensor& index, const shape& dims, std::size_t axis, F&& f) {
  const std::int64_t* const of = index.as<std::int64_t>();
  strides others(dims);
  const std::int64_t size = dims[axis], along = std::exchange(others.of[axis], 0);
  const tensors::rows<1, max_rank> rows(index.dims.dims(), {std::span(others.of, index.rank())});
  std::int64_t position = 0;
  rows.each([&, step = rows.steps()[0]](const auto& base, std::int64_t n) {
    for (std::int64_t k = 0; k < n; ++k, ++position) {
      const std::int64_t i = of[position];
      if (i < 0 || i >= size) refuse_index(i, size);
      f(position, base[0] + k * step + i * along);
    }
  });
}

/// Throws nac_run_shape unless `index` stays inside of `of` along all axes, or all but one.
void need_inside(const tensor& index, const tensor& of, std::size_t but) {
  bool fits = index.rank() == of.rank();
  for (std::size_t i = 0; fits && i < index.rank(); ++i)
    fits = i == but || index.dim(i) <= of.dim(i);
  if (!fits)
    fail(errc::nac_run_shape, "index has shape ", index.dims, "; expected at most ", of.dims,
         but < of.rank() ? " except along axis " + std::to_string(but) : std::string());
}

void need_same_type(const tensor& x, const tensor& source) {
  if (x.type != source.type)
    fail(errc::nac_run_type, "the source is ", source.type, "; expected ", x.type,
         ", the type of the input");
}

/// What becomes of an element that a source meets.
enum class merge : std::uint8_t { set, sum, product, mean, largest, least };

/// Both of one number; sums and products of integers wrap.
template <class A>
[[nodiscard]] A merged(merge how, A a, A b) {
  using U = std::conditional_t<std::is_integral_v<A>, std::uint64_t, A>;
  switch (how) {
    case merge::set: return b;
    case merge::sum:
    case merge::mean: return static_cast<A>(static_cast<U>(a) + static_cast<U>(b));
    case merge::product: return static_cast<A>(static_cast<U>(a) * static_cast<U>(b));
    case merge::largest: return b > a || b != b ? b : a;
    case merge::least: break;
  }
  return b < a || b != b ? b : a;
}

/// A sum of `n` numbers as their mean; those of integers are rounded down.
template <class A>
[[nodiscard]] A mean_of(A sum, std::int64_t n) {
  if constexpr (std::is_floating_point_v<A>)
    return sum / static_cast<A>(n);
  else
    return sum / n - (sum % n < 0 ? 1 : 0);
}

/// Merges elements of `source`, one for each index, into a copy of `x`; without `keeps`, elements that
/// meet any are replaced by those.
[[nodiscard]] tensor scattered(memory& arena, const tensor& x, std::size_t axis,
                               const tensor& index, const tensor& source, merge how, bool keeps) {
  if (index.size() == 0) return copied(arena, x);
  need_inside(index, x, axis);
  need_same_type(x, source);
  need_inside(index, source, max_rank);
  tensor part = source;
  for (std::size_t i = 0; i < source.rank(); ++i) part = narrowed(arena, part, i, 0, index.dim(i));
  // How many elements met each one.
  tensor counts;
  if (how == merge::mean || !keeps) {
    counts = make_tensor(arena, data_type::int64, x.dims);
    std::memset(counts.data, 0, counts.bytes());
  }
  std::int64_t* const met = counts.data != nullptr ? counts.as<std::int64_t>() : nullptr;
  if (how == merge::set && keeps) {
    const tensor out = copied(arena, x);
    tensors::with_word(model::size_of(x.type), [&]<class T>(of<T>) {
      constexpr auto size = static_cast<std::int64_t>(sizeof(T));
      each_index(index, x.dims, axis,
                 [from = part.data, to = out.data](std::int64_t k, std::int64_t at) {
                   std::memcpy(to + at * size, from + k * size, sizeof(T));
                 });
    });
    return out;
  }
  // Narrow numbers are rounded once, at the end.
  part = as_numbers(arena, part);
  tensor out = part.type == x.type ? copied(arena, x) : as_numbers(arena, x);
  visit_numbers(x.type, [&]<class A>(of<A>) {
    const A* const from = part.as<A>();
    A* to = out.as<A>();
    each_index(index, x.dims, axis, [&](std::int64_t k, std::int64_t at) {
      const bool first = met != nullptr && met[at]++ == 0 && !keeps;
      to[at] = first ? from[k] : merged(how, to[at], from[k]);
    });
    if (how != merge::mean || x.type == data_type::boolean) return;
    // A sum of integers has as many bits as they have.
    if (std::is_integral_v<A>) out = as_numbers(arena, cast(arena, out, x.type));
    to = out.as<A>();
    for (std::size_t i = 0; i < out.size(); ++i)
      if (const std::int64_t n = met[i] + (keeps ? 1 : 0); met[i] != 0 && n > 1)
        to[i] = mean_of(to[i], n);
  });
  return cast(arena, out, x.type);
}

/// An axis and the indices along it, with dimensions.
struct target {
  tensor x, index;
  std::size_t axis;
  explicit target(call& c)
      : x(with_dimensions(c.tensor_at(0))),
        index(with_dimensions(indices_of(c.arena, c.tensor_at(2)))),
        axis(axis_of(c.whole(1), x.rank())) {}
  [[nodiscard]] value like(const call& c, tensor out) const {
    return out.with_shape(c.tensor_at(0).dims);
  }
};

/// Letter 3: a tensor, or a number for all indices.
[[nodiscard]] tensor source_for(const call& c, const target& at) {
  const tensor &given = c.tensor_at(3), source = with_dimensions(given);
  if (!given.is_number) return source;
  return expanded(c.arena, cast(c.arena, source, at.x.type), at.index.dims);
}

/// One index for all elements of a slice along the axis: of as many dimensions as x.
[[nodiscard]] tensor index_of_slices(call& c, const target& at) {
  if (at.index.rank() != 1)
    fail(errc::nac_run_shape, "index has shape ", at.index.dims, "; expected rank 1");
  shape line, dims = at.x.dims;
  for (std::size_t i = 0; i < at.x.rank(); ++i) line.push_back(i == at.axis ? at.index.dim(0) : 1);
  dims[at.axis] = at.index.dim(0);
  return expanded(c.arena, at.index.with_shape(line), dims);
}

/// The source of index_add and index_copy, of the shape of the slices.
[[nodiscard]] tensor slices_of(const call& c, const target& at, const tensor& index) {
  const tensor source = with_dimensions(c.tensor_at(3));
  if (!(source.dims == index.dims))
    fail(errc::nac_run_shape, "the source has shape ", source.dims, "; expected ", index.dims,
         ", that of the slices");
  need_same_type(at.x, source);
  return source;
}

/// The elements of `x` at the indices along an axis; both have dimensions, and as many.
[[nodiscard]] tensor gathered(memory& arena, const tensor& x, std::size_t axis,
                              const tensor& index) {
  tensor out = make_tensor(arena, x.type, index.dims);
  if (out.size() == 0) return out;
  need_inside(index, x, axis);
  tensors::with_word(model::size_of(x.type), [&]<class T>(of<T>) {
    const std::byte* const from = x.data;
    std::byte* const to = out.data;
    constexpr auto size = static_cast<std::int64_t>(sizeof(T));
    each_index(index, x.dims, axis, [&](std::int64_t k, std::int64_t at) {
      std::memcpy(to + k * size, from + at * size, sizeof(T));
    });
  });
  return out;
}

/// Letter 1 as a row of indices of a row of elements.
[[nodiscard]] tensor places_in_row(call& c, std::int64_t size) {
  tensor wrapped = copied(c.arena, indices_of(c.arena, c.tensor_at(1)));
  for (std::int64_t& i : wrapped.elements<std::int64_t>()) {
    if (i < -size || i >= size) refuse_index(i, size);
    if (i < 0) i += size;
  }
  return wrapped.with_shape({static_cast<std::int64_t>(wrapped.size())});
}

/// A word for what becomes of elements.
struct reduction_word {
  std::string_view name;
  merge how;
};
/// The one that letter 4 has.
[[nodiscard]] merge merge_named(const call& c, std::span<const reduction_word> words) {
  const std::string_view name = c.string_or(4, "");
  std::string expected;
  for (const reduction_word& w : words) {
    if (w.name == name) return w.how;
    expected.append(expected.empty() ? "" : ", ").append(w.name);
  }
  fail(errc::nac_run_argument, "reduce is \"", name, "\"; expected one of ", expected);
}

/// Times a number, in its own type.
[[nodiscard]] tensor times(call& c, const tensor& x, const scalar& by) {
  const tensor numbers = as_numbers(c.arena, x);
  const tensor out = make_tensor(c.arena, numbers.type, x.dims);
  visit_numbers(x.type, [&]<class A>(of<A>) {
    using U = std::conditional_t<std::is_integral_v<A>, std::uint64_t, A>;
    const A factor = x.type == data_type::boolean ? convert<A>(by.as<bool>()) : by.as<A>();
    for (std::size_t i = 0; i < out.size(); ++i)
      out.as<A>()[i] = static_cast<A>(static_cast<U>(numbers.as<A>()[i]) * static_cast<U>(factor));
  });
  return cast(c.arena, out, x.type);
}

}  // namespace

value gather(call& c) {
  const target at(c);
  tensor out = gathered(c.arena, at.x, at.axis, at.index);
  return out.with_shape(c.tensor_at(2).dims);
}

value scatter(call& c) {
  const target at(c);
  return at.like(c,
                 scattered(c.arena, at.x, at.axis, at.index, source_for(c, at), merge::set, true));
}

value scatter_add(call& c) {
  const target at(c);
  const tensor source = with_dimensions(c.tensor_at(3));
  return at.like(c, scattered(c.arena, at.x, at.axis, at.index, source, merge::sum, true));
}

value scatter_by_word(call& c) {
  constexpr reduction_word words[] = {{"add", merge::sum}, {"multiply", merge::product}};
  const merge how = merge_named(c, words);
  const target at(c);
  return at.like(c, scattered(c.arena, at.x, at.axis, at.index, source_for(c, at), how, true));
}

value scatter_reduce(call& c) {
  constexpr reduction_word words[] = {{"sum", merge::sum},
                                      {"prod", merge::product},
                                      {"mean", merge::mean},
                                      {"amax", merge::largest},
                                      {"amin", merge::least}};
  const merge how = merge_named(c, words);
  const target at(c);
  const tensor source = with_dimensions(c.tensor_at(3));
  return at.like(c, scattered(c.arena, at.x, at.axis, at.index, source, how, c.truth_or(5, true)));
}

value index_reduce(call& c) {
  constexpr reduction_word words[] = {{"prod", merge::product},
                                      {"mean", merge::mean},
                                      {"amax", merge::largest},
                                      {"amin", merge::least}};
  const merge how = merge_named(c, words);
  const target at(c);
  if (how == merge::mean && at.x.type == data_type::boolean)
    fail(errc::nac_run_type, "reduce is \"mean\" of bool; expected numbers");
  const tensor index = index_of_slices(c, at);
  const tensor source = slices_of(c, at, index);
  return at.like(c, scattered(c.arena, at.x, at.axis, index, source, how, c.truth_or(5, true)));
}

value index_add(call& c) {
  const target at(c);
  const tensor index = index_of_slices(c, at);
  tensor source = slices_of(c, at, index);
  if (const scalar alpha = c.has(4) ? c.number(4) : scalar{data_type::int64, 1, 1}; alpha.real != 1)
    source = times(c, source, alpha);
  return at.like(c, scattered(c.arena, at.x, at.axis, index, source, merge::sum, true));
}

value index_copy(call& c) {
  const target at(c);
  const tensor index = index_of_slices(c, at);
  return at.like(
      c, scattered(c.arena, at.x, at.axis, index, slices_of(c, at, index), merge::set, true));
}

value index_fill(call& c) {
  const target at(c);
  const tensor index = index_of_slices(c, at);
  const tensor& given = c.tensor_at(3);
  if (given.rank() != 0)
    fail(errc::nac_run_shape, "value has shape ", given.dims, "; expected rank 0");
  const tensor source =
      expanded(c.arena, cast(c.arena, with_dimensions(given), at.x.type), index.dims);
  return at.like(c, scattered(c.arena, at.x, at.axis, index, source, merge::set, true));
}

value take_along_dim(call& c) {
  const tensor& x = c.tensor_at(0);
  tensor index = indices_of(c.arena, c.tensor_at(1));
  if (!c.has(2)) {  // of all elements in a row
    const tensor row = x.with_shape({static_cast<std::int64_t>(x.size())});
    return gathered(c.arena, row, 0, index.with_shape({static_cast<std::int64_t>(index.size())}));
  }
  if (x.rank() != index.rank())
    fail(errc::nac_run_rank, "indices have shape ", index.dims, "; expected rank ", x.rank(),
         ", that of ", x.dims);
  const std::size_t axis = axis_of(c.whole(2), x.rank());
  shape of_x = x.dims, of_index = index.dims;
  of_x[axis] = 1;
  of_index[axis] = 1;
  shape dims = broadcast(of_x, of_index);
  dims[axis] = index.dim(axis);
  index = expanded(c.arena, index, dims);
  dims[axis] = x.dim(axis);
  return gathered(c.arena, expanded(c.arena, x, dims), axis, index);
}

/// Elements by their place in a row of all of them.
value take(call& c) {
  const tensor& x = c.tensor_at(0);
  const auto size = static_cast<std::int64_t>(x.size());
  return gathered(c.arena, x.with_shape({size}), 0, places_in_row(c, size))
      .with_shape(c.tensor_at(1).dims);
}
value put(call& c) {
  const tensor &x = c.tensor_at(0), &source = c.tensor_at(2);
  const auto size = static_cast<std::int64_t>(x.size());
  const tensor index = places_in_row(c, size);
  if (source.size() != index.size())
    fail(errc::nac_run_shape, "source has shape ", source.dims, "; expected ", index.size(),
         " elements, one for each index");
  need_same_type(x, source);
  return scattered(c.arena, x.with_shape({size}), 0, index, source.with_shape(index.dims),
                   c.truth_or(3, false) ? merge::sum : merge::set, true)
      .with_shape(x.dims);
}

/// The last argument of letter 1 is what is put.
value index_put(call& c) {
  const tensor& x = c.tensor_at(0);
  if (c.count(1) < 2)
    fail(errc::nac_run_argument, c.count(1), " tensors; expected at least 2: indices and values");
  const std::size_t count = c.count(1) - 1;
  const tensor& given = c.tensor_at(1, count);
  const bool adds = c.truth_or(2, false);
  need_same_type(x, given);
  // Where the elements are that the indices choose: the numbers of all of them, indexed alike.
  tensor places = make_tensor(c.arena, data_type::int64, x.dims);
  std::int64_t next = 0;
  for (std::int64_t& i : places.elements<std::int64_t>()) i = next++;
  places = indexed(c, places, count);
  if (!(broadcast(given.dims, places.dims) == places.dims))
    fail(errc::nac_run_shape, "values have shape ", given.dims,
         "; expected one that broadcasts to ", places.dims, ", that of the indexed elements");
  const auto n = static_cast<std::int64_t>(places.size());
  const tensor values = expanded(c.arena, given, places.dims).with_shape({n});
  const auto all = static_cast<std::int64_t>(x.size());
  return scattered(c.arena, x.with_shape({all}), 0, places.with_shape({n}), values,
                   adds ? merge::sum : merge::set, true)
      .with_shape(x.dims);
}

value masked_select(call& c) {
  const tensor &x = c.tensor_at(0), &mask = c.tensor_at(1);
  if (mask.type != data_type::boolean)
    fail(errc::nac_run_type, "mask is ", mask.type, "; expected bool");
  const shape dims = broadcast(x.dims, mask.dims);
  const tensor all = expanded(c.arena, x, dims), chosen = expanded(c.arena, mask, dims);
  const tensor places =
      nonzero_of(c.arena, chosen.with_shape({static_cast<std::int64_t>(chosen.size())}));
  return gathered(c.arena, all.with_shape({static_cast<std::int64_t>(all.size())}), 0,
                  places.with_shape({places.dim(0)}));
}

value masked_scatter(call& c) {
  const tensor &x = c.tensor_at(0), &mask = c.tensor_at(1), &source = c.tensor_at(2);
  if (mask.type != data_type::boolean)
    fail(errc::nac_run_type, "mask is ", mask.type, "; expected bool");
  need_same_type(x, source);
  const shape dims = broadcast(x.dims, mask.dims);
  const auto all = static_cast<std::int64_t>(dims.elements());
  const tensor places = nonzero_of(c.arena, expanded(c.arena, mask, dims).with_shape({all}));
  const std::int64_t n = places.dim(0);
  if (static_cast<std::int64_t>(source.size()) < n)
    fail(errc::nac_run_shape, "source has ", source.size(), " elements; expected at least ", n,
         ", those selected by the mask");
  const tensor row = source.with_shape({static_cast<std::int64_t>(source.size())});
  return scattered(c.arena, expanded(c.arena, x, dims).with_shape({all}), 0, places.with_shape({n}),
                   narrowed(c.arena, row, 0, 0, n), merge::set, true)
      .with_shape(dims);
}

value nonzero(call& c) { return nonzero_of(c.arena, c.tensor_at(0)); }

value one_hot(call& c) {
  const tensor& x = c.tensor_at(0);
  if (x.type != data_type::int64)
    fail(errc::nac_run_type, "classes are ", x.type, "; expected i64");
  std::int64_t classes = c.whole_or(1, -1);
  if (classes < 0) {
    if (x.size() == 0)
      fail(errc::nac_run_argument, "the input is empty and num_classes isn't given; expected it");
    classes = 0;
    for (const std::int64_t i : x.elements<std::int64_t>())
      classes = i >= classes ? i + 1 : classes;
  }
  shape dims = x.dims;
  dims.push_back(classes);
  tensor out = make_tensor(c.arena, data_type::int64, dims);
  if (out.size() != 0) std::memset(out.data, 0, out.bytes());
  std::int64_t* row = out.as<std::int64_t>();
  for (const std::int64_t i : x.elements<std::int64_t>()) {
    if (i < 0 || i >= classes) refuse_index(i, classes);
    row[i] = 1;
    row += classes;
  }
  return out;
}

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
