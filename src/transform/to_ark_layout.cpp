// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Operations that only move elements. NAC's machine runs them on the places of the elements, from which
// follows where each one comes from: at equal steps in each dimension, or the operation is refused.
//
//   places of a result     views of memory, copies and transpositions of at most four dimensions
//   0 1 2 3 4 5 …          none: the same elements
//   a box of the source    a copy of a view with offsets
//   another order          transpositions, as many as four dimensions at a time take
//   steps of 0             a copy that broadcasts

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "transform/to_ark.hpp"
#include "vm/nac/types.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

using nac::data_type;
using nac::operation;

[[nodiscard]] std::int64_t product(const std::vector<std::int64_t>& dims) {
  return std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
}
[[nodiscard]] ark::dims listed(const std::vector<std::int64_t>& list) {
  ark::dims out;
  for (const std::int64_t d : list) {
    if (out.count < ark::max_rank) out.at[out.count] = d;
    ++out.count;
  }
  return out;
}

}  // namespace

bool ark_writer::only_moves(operation o) noexcept {
  constexpr operation all[] = {operation::pass,
                               operation::positive,
                               operation::clone,
                               operation::view,
                               operation::transpose,
                               operation::permute,
                               operation::slice,
                               operation::select,
                               operation::expand,
                               operation::squeeze,
                               operation::unsqueeze,
                               operation::flatten,
                               operation::unflatten,
                               operation::expand_as,
                               operation::reshape_as,
                               operation::movedim,
                               operation::adjoint,
                               operation::narrow,
                               operation::split,
                               operation::split_with_sizes,
                               operation::chunk,
                               operation::unbind,
                               operation::tensor_split,
                               operation::repeat,
                               operation::tile,
                               operation::pixel_shuffle,
                               operation::pixel_unshuffle,
                               operation::channel_shuffle,
                               operation::reshape_alias,
                               operation::unfold,
                               operation::index,
                               operation::index_select,
                               operation::repeat_interleave};
  return grows(o) || std::find(std::begin(all), std::end(all), o) != std::end(all);
}

bool ark_writer::grows(operation o) noexcept {
  return o == operation::upsample_nearest || o == operation::upsample_nearest_to ||
         o == operation::upsample_nearest_nd || o == operation::upsample_nearest_nd_to;
}

/// Runs the operation on the places of the elements.
ark_item ark_writer::move() {
  const ark_item& from = *items_[0];
  if (!from.is_tensor())
    vn::fail(errc::nac_to_ark_argument, "only argument 0 may be computed from inputs");
  // Others may look at the shape of a tensor, but not at its elements.
  const operation o = call_->operation;
  if (o == operation::index || o == operation::index_select || o == operation::repeat_interleave)
    for (std::size_t k = 1; k < items_.size(); ++k) check_known(k);
  vn::tensor places = vn::make_tensor(arena_, nac::data_type::int64, from.dims);
  std::iota(places.as<std::int64_t>(), places.as<std::int64_t>() + places.size(), 0);
  // Images have floats, whose numbers are exact enough for all that memory holds.
  const vn::value of_places(grows(call_->operation)
                                ? vn::cast(arena_, places, nac::data_type::float64)
                                : std::move(places));
  std::vector<const vn::value*> arguments(call_->arguments().begin(), call_->arguments().end());
  arguments[0] = &of_places;
  vn::call c(arena_, work_, call_->operation, call_->binding(), arguments);
  const vn::value result = vn::run(c);
  if (!result.is_list()) return moved_by(result, from);
  ark_item out;
  out.what = ark_item::form::list;
  for (const vn::value& part : result.as_list()) out.list.push_back(moved_by(part, from));
  return out;
}

ark_item ark_writer::moved_by(const vn::value& places, const ark_item& from) {
  const vn::tensor t = vn::cast(arena_, places.as_tensor(), nac::data_type::int64);
  if (t.size() == 0)
    vn::fail(errc::nac_to_ark_shape, "a result of shape ", t.dims, "; expected elements");
  const std::optional<moved> how = pattern_of(t);
  if (!how) vn::fail(errc::nac_to_ark_operation, "elements that aren't at equal steps");
  arena_.charge(2 * t.size() + steps_of_an_operation);
  return made(arranged(from.at, from.dims.elements(), from.type, *how), from.type, t.dims);
}

/// A dimension of `n` places, each `distance` after the other, as axes: several where steps are equal in
/// parts of it only, as those of pixel_shuffle. False: there is no such.
bool ark_writer::append_axes(const std::int64_t* at, std::int64_t n, std::int64_t distance,
                             std::vector<moved_axis>& to) {
  if (n == 1) return true;
  const std::int64_t step = at[distance] - at[0];
  std::int64_t run = 2;
  while (run < n && at[run * distance] - at[0] == run * step) ++run;
  if (n % run != 0 || !append_axes(at, n / run, run * distance, to)) return false;
  to.push_back({run, step});
  return true;
}

/// The first place, and the steps of each dimension; none where they differ within one.
std::optional<ark_writer::moved> ark_writer::pattern_of(const vn::tensor& places) {
  const std::int64_t* const at = places.as<std::int64_t>();
  moved out;
  out.first = at[0];
  std::int64_t distance = static_cast<std::int64_t>(places.size());
  for (std::size_t d = 0; d < places.rank(); ++d) {
    distance /= places.dim(d);
    if (!append_axes(at, places.dim(d), distance, out.axes)) return std::nullopt;
  }
  std::vector<std::int64_t> index(out.axes.size());
  std::int64_t expected = out.first;
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (at[k] != expected) return std::nullopt;
    for (std::size_t d = index.size(); d-- > 0;) {
      expected += out.axes[d].step;
      if (++index[d] < out.axes[d].size) break;
      expected -= out.axes[d].step * out.axes[d].size;
      index[d] = 0;
    }
  }
  // Neighbours that one dimension can be.
  for (std::size_t d = 0; d + 1 < out.axes.size();) {
    moved_axis &outer = out.axes[d], &inner = out.axes[d + 1];
    if (outer.step != inner.step * inner.size) {
      ++d;
      continue;
    }
    inner.size *= outer.size;
    out.axes.erase(out.axes.begin() + static_cast<std::ptrdiff_t>(d));
  }
  return out;
}

ark::value ark_writer::sliced(ark::value from, std::int64_t outer, std::int64_t size,
                              std::int64_t inner, std::int64_t first, std::int64_t count) {
  const ark::value whole = shaped(from, {outer, size, inner});
  const ark::value part =
      to_.refer(whole, listed({outer, count, inner}),
                {.strides = listed({outer, size, inner}), .offsets = listed({0, first, 0})});
  const ark::value out = to_.copy(part, named());
  dims_[out.index] = {outer, count, inner};
  return out;
}

/// The box of the source that the axes, which then count within it, have. Each axis is cut out of what
/// lies between its step and the next larger one.
ark::value ark_writer::cut_out(ark::value from, std::int64_t elements, data_type type, moved& how) {
  std::vector<std::size_t> by_step;
  for (std::size_t d = 0; d < how.axes.size(); ++d)
    if (how.axes[d].step != 0) by_step.push_back(d);
  std::sort(by_step.begin(), by_step.end(),
            [&](std::size_t a, std::size_t b) { return how.axes[a].step > how.axes[b].step; });
  // Slices from the outermost dimension inwards; `outer` elements of it are left already.
  std::int64_t outer = 1, left = elements, first = how.first;
  const auto cut = [&](std::int64_t step, std::int64_t count) {
    const std::int64_t at = first / step;
    if (step <= 0 || at + count > (left + step - 1) / step)
      vn::fail(errc::nac_to_ark_operation, "elements that overlap, or lie in reverse");
    if (left % step != 0) {  // filled up, with what is never taken
      const std::int64_t size = (left + step - 1) / step * step;
      const ark::value part = to_.refer(fresh({outer, size}, type), listed({outer, left}),
                                        {.strides = listed({outer, size}), .offsets = {0, 0}});
      const ark::value copy = to_.copy(shaped(from, {outer, left}), {.name = name_, .to = part});
      from = to_.refer(copy, listed({outer, size}),
                       {.strides = listed({outer, size}), .offsets = {0, 0}});
      left = size;
    }
    const std::int64_t size = left / step;
    if (count != size) from = sliced(from, outer, size, step, at, count);
    first %= step;
    outer *= count;
    left = step;
  };
  for (const std::size_t d : by_step) cut(how.axes[d].step, how.axes[d].size);
  cut(1, 1);
  std::int64_t step = 1;
  for (auto d = by_step.rbegin(); d != by_step.rend(); ++d) {
    how.axes[*d].step = step;
    step *= how.axes[*d].size;
  }
  return from;
}

/// Brings the dimensions of a tensor into an order.
ark::value ark_writer::transposed(ark::value from, sizes dims, std::vector<std::size_t> order) {
  const auto merge = [&] {
    for (std::size_t k = 0; k + 1 < order.size();) {
      if (order[k + 1] != order[k] + 1) {
        ++k;
        continue;
      }
      const std::size_t d = order[k];
      dims[d] *= dims[d + 1];
      dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(d) + 1);
      order.erase(order.begin() + static_cast<std::ptrdiff_t>(k) + 1);
      for (std::size_t& o : order) o -= o > d ? 1u : 0u;
    }
  };
  const auto permute = [&](const sizes& as, const ark::dims& by) {
    from = to_.transpose(shaped(from, as), by, named());
  };
  for (merge(); dims.size() > ark::max_rank; merge()) {
    // One dimension to the first place that isn't right.
    std::size_t k = 0;
    while (order[k] == k) ++k;
    const auto p = static_cast<std::ptrdiff_t>(order[k]), to = static_cast<std::ptrdiff_t>(k);
    const auto part = [&](std::ptrdiff_t a, std::ptrdiff_t b) {
      return product({dims.begin() + a, dims.begin() + b});
    };
    permute({part(0, to), part(to, p), part(p, p + 1), part(p + 1, std::ssize(dims))},
            {0, 2, 1, 3});
    std::rotate(dims.begin() + to, dims.begin() + p, dims.begin() + p + 1);
    for (std::size_t& o : order)
      if (o >= k && o < static_cast<std::size_t>(p)) ++o;
    order[k] = k;
  }
  if (dims.size() < 2) return from;
  std::vector<std::int64_t> by(order.begin(), order.end());
  permute(dims, listed(by));
  return from;
}

/// Repeats a tensor along dimensions in which it has one element.
ark::value ark_writer::spread(ark::value from, data_type type, const sizes& from_dims,
                              const sizes& to) {
  const std::vector<sizes> as = collapsed({from_dims, to});
  const auto copy = [&](const sizes& one, const sizes& all) {
    from = to_.copy(shaped(from, one), {.name = name_, .to = fresh(all, type)});
  };
  if (as[0].size() <= ark::max_rank) {
    copy(as[0], as[1]);
    return from;
  }
  sizes now = as[0];  // one dimension after another
  for (std::size_t d = 0; d < now.size(); ++d) {
    if (now[d] == as[1][d]) continue;
    const auto at = now.begin() + static_cast<std::ptrdiff_t>(d);
    const std::int64_t outer = product({now.begin(), at}), inner = product({at + 1, now.end()});
    copy({outer, 1, inner}, {outer, as[1][d], inner});
    now[d] = as[1][d];
  }
  return from;
}

ark::value ark_writer::arranged(ark::value from, std::int64_t elements, data_type type, moved how) {
  from = cut_out(from, elements, type, how);
  sizes dims, repeated, all;
  std::vector<std::pair<std::int64_t, std::size_t>> by_step;
  for (const moved_axis& a : how.axes) {
    all.push_back(a.size);
    repeated.push_back(a.step == 0 ? 1 : a.size);
    if (a.step != 0) by_step.emplace_back(-a.step, by_step.size());
  }
  std::sort(by_step.begin(), by_step.end());
  std::vector<std::size_t> order(by_step.size());
  for (std::size_t k = 0; k < by_step.size(); ++k) order[by_step[k].second] = k;
  for (const auto& [step, axis] : by_step) {
    std::size_t seen = 0;
    for (const moved_axis& a : how.axes)
      if (a.step != 0 && seen++ == axis) dims.push_back(a.size);
  }
  if (!std::is_sorted(order.begin(), order.end())) from = transposed(from, dims, order);
  return repeated == all ? from : spread(from, type, repeated, all);
}

std::vector<ark_writer::sizes> ark_writer::collapsed(std::initializer_list<sizes> shapes) const {
  std::vector<sizes> in(shapes), out(in.size());
  std::size_t rank = 0;
  for (const sizes& s : in) rank = std::max(rank, s.size());
  for (sizes& s : in) s.insert(s.begin(), rank - s.size(), 1);
  std::vector<bool> last;  // which of them repeat in the dimension before
  for (std::size_t d = 0; d < rank; ++d) {
    std::int64_t size = 1;
    for (const sizes& s : in) size = std::max(size, s[d]);
    if (size == 1) continue;
    std::vector<bool> repeats;
    for (const sizes& s : in) repeats.push_back(s[d] == 1);
    for (std::size_t k = 0; k < in.size(); ++k) {
      if (repeats == last)
        out[k].back() *= in[k][d];
      else
        out[k].push_back(in[k][d]);
    }
    last = repeats;
  }
  for (sizes& s : out) {
    if (s.empty()) s.push_back(1);
  }
  return out;
}

/// pad with a constant: one dimension after another inside of larger memory.
ark_item ark_writer::padded() {
  const vn::tensor& x = call_->tensor_at(0);
  const std::span<const std::int64_t> by = call_->int_list(1);
  const double value = call_->real_or(3, 0);
  if (call_->string_or(2, "constant") != "constant" || by.size() % 2 != 0 ||
      by.size() / 2 > x.rank() || !std::isfinite(static_cast<float>(value)))
    vn::fail(errc::nac_to_ark_argument, "expected pairs of sizes, and a finite constant");
  ark::value v = at(0).at;
  vn::shape dims = x.dims;
  for (std::size_t k = 0; k < by.size() / 2; ++k) {
    const std::size_t d = dims.rank() - 1 - k;
    const std::int64_t before = by[2 * k], size = dims[d], after = by[2 * k + 1];
    if (before < 0 || after < 0) vn::fail(errc::nac_to_ark_argument, "padding below 0");
    if (before == 0 && after == 0) continue;
    const std::int64_t outer = dims.product(0, d), inner = dims.product(d + 1, dims.rank());
    dims[d] = before + size + after;
    (void)dims.elements();
    const ark::dims whole = listed({outer, dims[d], inner});
    const ark::value empty = to_.scalar_assign(fresh({outer, dims[d], inner}, x.type),
                                               static_cast<float>(value), named());
    const ark::value inside = to_.refer(empty, listed({outer, size, inner}),
                                        {.strides = whole, .offsets = listed({0, before, 0})});
    v = to_.copy(shaped(v, {outer, size, inner}), {.name = name_, .to = inside});
    v = to_.refer(v, whole, {.strides = whole, .offsets = listed({0, 0, 0})});
    dims_[v.index] = {outer, dims[d], inner};
  }
  return made(v, x.type, dims);
}

/// roll: in each dimension the end, and before it in memory what was before it.
ark_item ark_writer::rolled() {
  const vn::tensor& x = call_->tensor_at(0);
  const std::span<const std::int64_t> shifts = call_->int_list(1), axes = call_->int_list(2);
  if (axes.size() != shifts.size() && !(axes.empty() && shifts.size() == 1))
    vn::fail(errc::nac_run_argument, shifts.size(), " shifts of ", axes.size(), " dimensions");
  ark::value v = at(0).at;
  for (std::size_t k = 0; k < shifts.size(); ++k) {
    const std::size_t d = axes.empty() ? 0 : vn::axis_of(axes[k], x.rank());
    const std::int64_t size = axes.empty() ? x.dims.elements() : x.dims.product(d, d + 1),
                       outer = axes.empty() ? 1 : x.dims.product(0, d),
                       inner = axes.empty() ? 1 : x.dims.product(d + 1, x.rank());
    const std::int64_t end = (shifts[k] % size + size) % size;  // elements that come first
    if (end == 0) continue;
    const ark::dims whole = listed({outer, size, inner});
    ark::value out = fresh({outer, size, inner}, x.type);
    const auto move_part = [&](std::int64_t from, std::int64_t to, std::int64_t count) {
      const auto part = [&](ark::value of, std::int64_t first) {
        return to_.refer(of, listed({outer, count, inner}),
                         {.strides = whole, .offsets = listed({0, first, 0})});
      };
      out = to_.copy(part(shaped(v, {outer, size, inner}), from),
                     {.name = name_, .to = part(out, to)});
    };
    move_part(size - end, 0, end);
    move_part(0, end, size - end);
    v = to_.refer(out, whole, {.strides = whole, .offsets = listed({0, 0, 0})});
    dims_[v.index] = {outer, size, inner};
  }
  return made(v, x.type, x.dims);
}

/// cat and stack: parts of new memory, one after another.
ark_item ark_writer::joined(bool is_stack) {
  const std::size_t count = call_->count(0);
  vn::shape dims = dims_of(0);
  const std::size_t rank = dims.rank() + (is_stack ? 1 : 0);
  const std::size_t axis = vn::axis_of(call_->whole_or(1, 0), rank);
  if (is_stack) dims.insert(axis, 1);
  std::vector<const vn::tensor*> all;
  for (std::size_t k = 0; k < count; ++k) all.push_back(&call_->tensor_at(0, k));
  const data_type type = vn::promote(all);
  std::int64_t length = 0;
  for (const vn::tensor* const t : all) {
    if (!is_stack && t->rank() != rank)
      vn::fail(errc::nac_to_ark_shape, "tensors of ", t->rank(), " and ", rank, " dimensions");
    length += is_stack ? 1 : t->dim(axis);
  }
  dims[axis] = length;
  const std::int64_t outer = dims.product(0, axis), inner = dims.product(axis + 1, rank);
  ark::value out = fresh({outer, length, inner}, type);
  std::int64_t first = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const std::int64_t size = is_stack ? 1 : all[k]->dim(axis);
    if (size == 0) continue;
    const ark::value to =
        to_.refer(out, listed({outer, size, inner}),
                  {.strides = listed({outer, length, inner}), .offsets = listed({0, first, 0})});
    out = to_.copy(shaped(tensor_of(at(0, k), type), {outer, size, inner}),
                   {.name = name_, .to = to});
    first += size;
  }
  out = to_.refer(out, listed({outer, length, inner}),
                  {.strides = listed({outer, length, inner}), .offsets = listed({0, 0, 0})});
  dims_[out.index] = {outer, length, inner};
  return made(out, type, dims);
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
