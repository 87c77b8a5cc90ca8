// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Operations that make tensors from numbers, and those that give what they get as another type.

#include <algorithm>
#include <cmath>

#include "elementwise.hpp"
#include "indexing.hpp"
#include "operations.hpp"
#include "reduce.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

namespace {

constexpr scalar zero{data_type::int64, 0, 0}, one{data_type::int64, 1, 1};

/// The value everywhere. A single float of 16 bits may overflow to infinity, as in PyTorch; other
/// values that don't fit are refused.
[[nodiscard]] tensor filled_if_it_fits(memory& arena, data_type type, const shape& dims,
                                       const scalar& v) {
  if (widened(type) == type || dims.elements() != 1) fits(v, type);
  return filled(arena, type, dims, v);
}

[[nodiscard]] shape sizes(call& c, std::size_t letter) { return shape(c.int_list(letter)); }

/// The type that a sequence is computed in: integers exactly, floats in double.
[[nodiscard]] double steps_between(const scalar& from, const scalar& to, const scalar& step,
                                   bool whole) {
  const bool down = whole ? step.whole < 0 : step.real < 0;
  const bool backwards = whole ? (down ? from.whole < to.whole : from.whole > to.whole)
                               : (down ? from.real < to.real : from.real > to.real);
  if (backwards)
    fail(errc::nac_run_argument, "step is ", step.real, "; expected a ",
         down ? "positive" : "negative", " one from ", from.real, " to ", to.real);
  if (!whole) return std::ceil((to.real - from.real) / step.real);
  const auto bits = [](std::int64_t v) { return static_cast<std::uint64_t>(v); };
  const std::uint64_t distance =
      down ? bits(from.whole) - bits(to.whole) : bits(to.whole) - bits(from.whole);
  const std::uint64_t by = down ? 0 - bits(step.whole) : bits(step.whole);
  return static_cast<double>(distance / by + (distance % by != 0 ? 1 : 0));
}

/// The number with its fraction cut off.
[[nodiscard]] scalar truncated(const scalar& v) {
  if (v.type != data_type::float64) return v;
  const auto whole = convert<std::int64_t>(v.real);
  return {data_type::int64, whole, static_cast<double>(whole)};
}

}  // namespace

namespace operations {

value pass(call& c) { return decayed(c.at(0)); }
value clone(call& c) { return decayed(c.at(0)); }

value arange(call& c) {
  // A boolean after the numbers is not one of them: it is pin_memory, in files without a device. It
  // is false, which may also be written as 0, so an end of 0 is taken for one where it can be.
  scalar given[3] = {};
  std::size_t count = 0;
  for (std::size_t k = 0; k < 3; ++k)
    if (c.has(k)) given[count++] = c.number(k);
  const auto is_false = [](const scalar& v) {
    return v.type == data_type::boolean && v.whole == 0;
  };
  while (count > 1 && is_false(given[count - 1]) && !(count == 2 && given[0].real < 0)) --count;
  const scalar from = count == 1 ? zero : given[0], to = count == 1 ? given[0] : given[1];
  const scalar step = count == 3 ? given[2] : one;

  const bool floats = from.type == data_type::float64 || to.type == data_type::float64 ||
                      step.type == data_type::float64;
  const data_type type = c.type_or(3, floats ? data_type::float32 : data_type::int64);
  if (type == data_type::boolean) refuse(c, type);
  for (const scalar& v : {from, to, step})
    if (!std::isfinite(v.real))
      fail(errc::nac_run_argument, "a range with ", v.real, "; expected finite numbers");
  const scalar first = is_floating(type) ? from : truncated(from);
  const scalar by = is_floating(type) ? step : truncated(step);
  if (step.real == 0 || (type == data_type::int64 && by.whole == 0))
    fail(errc::nac_run_argument, "step is ", step.real,
         step.real == 0 ? "; expected another number" : "; expected an integer other than 0");
  const double n = type == data_type::int64 ? steps_between(first, truncated(to), by, true)
                                            : steps_between(from, to, step, !floats);
  if (!(n < 0x1p48))
    fail(errc::budget_memory, "a range of ", n, " numbers; expected fewer than 2^48");
  tensor out = make_tensor(c.arena, type, {static_cast<std::int64_t>(n)});
  if (is_floating(type))
    put_each<double>(out,
                     [&](std::int64_t i) { return first.real + by.real * static_cast<double>(i); });
  else
    put_each<std::int64_t>(out, [&](std::int64_t i) {
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(first.whole) +
                                       static_cast<std::uint64_t>(by.whole) *
                                           static_cast<std::uint64_t>(i));
    });
  return out;
}

value linspace(call& c) {
  const scalar first = c.number(0), last = c.number(1);
  const std::int64_t steps = c.whole(2);
  const data_type type = c.type_or(3, data_type::float32);
  if (type == data_type::boolean) refuse(c, type);
  if (steps < 0) fail(errc::nac_run_argument, steps, " steps; expected at least 0");
  fits(first, type);
  fits(last, type);
  tensor out = make_tensor(c.arena, type, {steps});
  // Integers lie between integers.
  const auto end = [type](const scalar& v) {
    return visit(
        type, [&v]<class T>(of<T>) { return is_float<T> ? v.real : convert<double>(v.as<T>()); });
  };
  const double from = end(first), to = end(last);
  const double step = steps > 1 ? (to - from) / static_cast<double>(steps - 1) : 0;
  // From both ends to the middle, so that both are what was asked for.
  put_each<double>(out, [&](std::int64_t i) {
    return i < steps / 2 || steps == 1 ? from + step * static_cast<double>(i)
                                       : to - step * static_cast<double>(steps - 1 - i);
  });
  return out;
}

value zeros(call& c) {
  return filled(c.arena, c.type_or(1, data_type::float32), sizes(c, 0), zero);
}
value ones(call& c) { return filled(c.arena, c.type_or(1, data_type::float32), sizes(c, 0), one); }
value zeros_like(call& c) {
  const tensor& x = c.tensor_at(0);
  return filled(c.arena, c.type_or(1, type_of(x)), x.dims, zero);
}
value ones_like(call& c) {
  const tensor& x = c.tensor_at(0);
  return filled(c.arena, c.type_or(1, type_of(x)), x.dims, one);
}
value new_zeros(call& c) {
  return filled(c.arena, c.type_or(2, type_of(c.tensor_at(0))), sizes(c, 1), zero);
}
value new_ones(call& c) {
  return filled(c.arena, c.type_or(2, type_of(c.tensor_at(0))), sizes(c, 1), one);
}

value full(call& c) {
  const scalar v = c.number(1);
  const data_type inferred = v.type == data_type::float64 ? data_type::float32 : v.type;
  return filled_if_it_fits(c.arena, c.type_or(2, inferred), sizes(c, 0), v);
}
value full_like(call& c) {
  const tensor& x = c.tensor_at(0);
  const scalar v = c.number(1);
  return filled_if_it_fits(c.arena, c.type_or(2, type_of(x)), x.dims, v);
}
value fill(call& c) {
  const tensor& x = c.tensor_at(0);
  return filled_if_it_fits(c.arena, type_of(x), x.dims, c.number(1));
}
value scalar_tensor(call& c) {
  return filled_if_it_fits(c.arena, c.type_or(1, data_type::float32), {}, c.number(0));
}

/// Zeros: in PyTorch these are uninitialized. The order in memory is always the same here.
/// Elements of any value are 0, in C order whatever the strides or the order of axes.
value empty_strided(call& c) {
  return filled(c.arena, c.type_or(2, data_type::float32), sizes(c, 0), zero);
}
value new_empty_strided(call& c) {
  const std::size_t rank = c.int_list(1).size(), strides = c.int_list(2).size();
  if (rank != strides)
    fail(errc::nac_run_argument, strides, " strides; expected ", rank, ", one per dimension");
  return filled(c.arena, c.type_or(3, type_of(c.tensor_at(0))), sizes(c, 1), zero);
}

value sym_size(call& c) {
  const tensor& x = c.tensor_at(0);
  const std::int64_t axis = c.whole(1);
  if (x.rank() == 0)
    fail(errc::nac_run_axis, "axis ", axis, " of a tensor of rank 0; expected rank 1 or more");
  return make_number(c.arena, x.dim(axis_of(axis, x.rank())));
}

/// Of rows after rows: check_strides() has seen that PyTorch has them so.
value sym_stride(call& c) {
  const tensor& x = c.tensor_at(0);
  return make_number(c.arena, x.dims.product(axis_in(x, c.whole(1)) + 1, x.rank()));
}
value sym_storage_offset(call& c) { return make_number(c.arena, std::int64_t{0}); }

value to_copy(call& c) {
  const tensor& x = c.tensor_at(0);
  return cast(c.arena, x, c.type_or(1, type_of(x)));
}

value copy(call& c) {
  const tensor &to = c.tensor_at(0), &from = c.tensor_at(1);
  const data_type type = type_of(to);
  if (from.dims == to.dims) return cast(c.arena, from, type);
  if (!(broadcast(from.dims, to.dims) == to.dims))
    fail(errc::nac_run_shape, "shape ", from.dims, " doesn't broadcast to ", to.dims,
         ", that of the destination");
  const source in[] = {{&from, type, type}};
  const loop keep = [](const std::byte* const* x, std::byte* y, std::size_t n, const void* size) {
    std::memcpy(y, x[0], n * *static_cast<const std::size_t*>(size));
  };
  const std::size_t size = model::size_of(type);
  return elementwise(c.arena, to.dims, in, type, type, keep, &size);
}

value getitem(call& c) {
  const value& v = c.at(0);
  const std::int64_t index = c.whole(1);
  const auto place = [&](std::size_t count) {
    const auto n = static_cast<std::int64_t>(count);
    if (index < -n || index >= n)
      fail(errc::nac_run_index, "index is ", index,
           n == 0 ? "; the value is empty"
                  : "; expected " + std::to_string(-n) + " to " + std::to_string(n - 1));
    return static_cast<std::size_t>(index < 0 ? index + n : index);
  };
  switch (v.what()) {
    case value::form::list: return v.as_list()[place(v.as_list().size())];
    case value::form::int_list:
      return make_number(c.arena, v.as_int_list()[place(v.as_int_list().size())]);
    case value::form::numbers:
      return make_number(c.arena, v.as_numbers()[place(v.as_numbers().size())]);
    case value::form::none:
    case value::form::tensor:
    case value::form::string:
    case value::form::complex: break;
  }
  const tensor& x = c.tensor_at(0);
  if (x.rank() == 0)
    fail(errc::nac_run_index, "index ", index, " of a tensor of rank 0; expected rank 1 or more");
  tensor out = x;
  const std::size_t at = place(static_cast<std::size_t>(x.dim(0)));
  out.dims.erase(0);
  out.data += at * out.bytes();
  return out;
}

}  // namespace operations
}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
