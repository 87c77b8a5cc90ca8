// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Operations whose results are those of the elements up to each one along an axis.

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "operations.hpp"
#include "reduce.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {
namespace {

/// step(a, element, index along the axis, place) for the elements of each group in order, with an `a`
/// of the group that is `start` before.
template <class A, class T, class Step>
void scan(const groups& g, const T* x, const A& start, Step&& step) {
  A a[columns_at_once];
  for (std::int64_t o = 0; o < g.outer; ++o)
    for (std::int64_t first = 0; first < g.inner; first += columns_at_once) {
      const std::int64_t n = std::min(columns_at_once, g.inner - first);
      std::fill(a, a + n, start);
      for (std::int64_t r = 0; r < g.count; ++r) {
        const std::int64_t row = (o * g.count + r) * g.inner + first;
        for (std::int64_t k = 0; k < n; ++k) step(a[k], x[row + k], r, row + k);
      }
    }
}

/// Sums and the like: floats in FP64, integers in 64 bits.
template <class R>
[[nodiscard]] value running(call& c) {
  const tensor& given = c.tensor_at(0);
  const std::size_t axis = axis_of(c.whole(1), given.rank());
  const data_type to = c.type_or(2, is_floating(given.type) ? given.type : data_type::int64);
  if (to == data_type::boolean) fail(errc::nac_run_type, "dtype is bool; expected a numeric type");
  const tensor x = cast(c.arena, given, to);
  tensor out = make_tensor(c.arena, to, x.dims);
  if (out.size() == 0) return out;
  visit(to, [&]<class T>(of<T>) {
    using A = std::conditional_t<is_float<T>, double, std::uint64_t>;
    T* const result = out.template as<T>();
    scan<A>(along(x.dims, axis), x.template as<T>(), R::template start<A>(),
            [result](A& a, T v, std::int64_t, std::int64_t i) {
              a = R::template step<A>(a, convert<A>(v));
              result[i] = convert<T>(a);
            });
  });
  return out;
}

/// The greatest or the smallest so far, the last one of equals, and its index.
template <bool Greatest>
[[nodiscard]] value running_extreme(call& c) {
  const tensor& x = c.tensor_at(0);
  const std::size_t axis = axis_of(c.whole(1), x.rank());
  tensor values = make_tensor(c.arena, x.type, x.dims);
  tensor indices = make_tensor(c.arena, data_type::int64, x.dims);
  if (x.size() != 0)
    visit(x.type, [&]<class T>(of<T>) {
      using A = compute<T>;
      struct best {
        A v;
        std::int64_t index;
      };
      T* const to = values.template as<T>();
      std::int64_t* const index = indices.template as<std::int64_t>();
      scan<best>(
          along(x.dims, axis), x.template as<T>(), best{},
          [&](best& a, T element, std::int64_t r, std::int64_t i) {
            const A v = static_cast<A>(element);
            if (r == 0 || v == a.v || (v != v && a.v != a.v) || reductions::beats<Greatest>(v, a.v))
              a = {v, r};
            to[i] = static_cast<T>(a.v);
            index[i] = a.index;
          });
    });
  return value(std::vector<value>{std::move(values), std::move(indices)});
}

}  // namespace

value cumsum(call& c) { return running<reductions::sum>(c); }
value cumprod(call& c) { return running<reductions::prod>(c); }
value cummax(call& c) { return running_extreme<true>(c); }
value cummin(call& c) { return running_extreme<false>(c); }
value logcumsumexp(call& c) {
  const tensor& x = c.tensor_at(0);
  const std::size_t axis = axis_of(c.whole(1), x.rank());
  if (!is_floating(x.type))
    fail(errc::nac_run_type,
         "input is " + std::string(model::name(x.type)) + "; expected a floating-point type");
  tensor out = make_tensor(c.arena, x.type, x.dims);
  if (out.size() == 0) return out;
  visit_float(x.type, [&]<class T>(of<T>) {
    scan<double>(along(x.dims, axis), x.as<T>(), -std::numeric_limits<double>::infinity(),
                 [&](double& a, T v, std::int64_t, std::int64_t i) {
                   a = tensors::formulas::logaddexp::of(a, convert<double>(v));
                   out.as<T>()[i] = convert<T>(a);
                 });
  });
  return out;
}

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
