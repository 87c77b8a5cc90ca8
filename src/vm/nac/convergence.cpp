// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "convergence.hpp"

#include <algorithm>
#include <limits>

#include "types.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

namespace {

/// Element `k` of a result: a tuple's, or the tensor itself.
[[nodiscard]] const tensor& part(const value& v, std::size_t k) {
  const value& one = v.is_list() ? v.as_list()[k] : v;
  if (!one.is_tensor())
    fail(errc::nac_run_kind, "the result of a branch has another kind; expected a tensor");
  return one.as_tensor();
}

/// The shape that all are filled up to.
[[nodiscard]] shape padded(std::span<const value* const> results, std::size_t k) {
  shape out = part(*results[0], k).dims;
  for (const value* v : results) {
    const shape& dims = part(*v, k).dims;
    bool fits = dims.rank() == out.rank();
    for (std::size_t i = 0; fits && i < dims.rank(); ++i) {
      if (i == 1) out[i] = std::max(out[i], dims[i]);
      fits = i == 1 || dims[i] == out[i];
    }
    if (!fits)
      fail(errc::nac_run_shape, "branches have shapes ", out, " and ", dims,
           "; expected them to differ in dimension 1 only");
  }
  return out;
}

/// Calls f(element, its index) for all elements of a tensor that is filled up to a shape.
template <class F>
void each(const tensor& t, const shape& to, F&& f) {
  const bool rows = to.rank() >= 2;
  const std::size_t outer = rows ? static_cast<std::size_t>(to[0]) : 1;
  const std::size_t step =
      static_cast<std::size_t>(rows ? to.product(1, to.rank()) : to.product(0, to.rank()));
  const std::size_t run = rows ? static_cast<std::size_t>(t.dims.product(1, to.rank())) : step;
  visit(t.type, [&]<class T>(of<T>) {
    const T* const from = t.as<T>();
    for (std::size_t i = 0; i < outer; ++i) {
      for (std::size_t k = 0; k < run; ++k) f(convert<double>(from[i * run + k]), i * step + k);
      for (std::size_t k = run; k < step; ++k) f(0.0, i * step + k);
    }
  });
}

/// Steps of an element of a branch's result.
constexpr std::uint64_t addition_steps = 4;

[[nodiscard]] tensor sum_of(memory& arena, std::span<const value* const> results, std::size_t k,
                            const shape& to) {
  arena.charge(product_of_steps(results.size() * addition_steps, to.touched()));
  tensor sum = make_tensor(arena, data_type::float64, to);
  double* const s = sum.as<double>();
  std::fill_n(s, sum.size(), 0.0);
  for (const value* v : results) each(part(*v, k), to, [&](double e, std::size_t i) { s[i] += e; });
  return sum;
}

/// The mean of some results, padded to the shape that all have.
[[nodiscard]] tensor mean_of(memory& arena, std::span<const value* const> some,
                             std::span<const value* const> all, std::size_t k) {
  const tensor sum = sum_of(arena, some, k, padded(all, k));
  data_type type = part(*some[0], k).type;
  for (const value* v : some) type = promote(type, part(*v, k).type);
  tensor out = make_tensor(arena, as_float(type), sum.dims);
  const auto n = static_cast<double>(some.size());
  double* const s = sum.as<double>();
  for (std::size_t i = 0; i < sum.size(); ++i) s[i] /= n;
  cast(data_type::float64, sum.data, out.type, out.data, out.size());
  return out;
}

}  // namespace

value converge(memory& arena, std::span<const value> branches, const value& input,
               double threshold) {
  std::vector<const value*> all, coherent;
  for (const value& v : branches)
    if (!v.is_none()) all.push_back(&v);
  if (all.empty()) return input;
  if (all.size() == 1) return *all[0];
  const bool tuples = all[0]->is_list();
  const std::size_t parts = tuples ? all[0]->as_list().size() : 1;
  for (const value* v : all)
    if (v->is_list() != tuples || (tuples && v->as_list().size() != parts))
      fail(errc::nac_run_kind,
           "branches have results of different kinds; expected tensors only, or lists of one "
           "length");
  if (parts == 0) return *all[0];

  const value* nearest = all[0];
  {
    const shape to = padded(all, 0);
    const tensor sum = sum_of(arena, all, 0, to);
    arena.charge(product_of_steps(all.size() * addition_steps, to.touched()));
    const double* const s = sum.as<double>();
    const auto n = static_cast<double>(all.size());
    const double batch = to.rank() == 0 ? 1.0 : static_cast<double>(to[0]);
    double min_distance = std::numeric_limits<double>::infinity();
    for (const value* v : all) {
      double score = 0, distance = 0;
      each(part(*v, 0), to, [&](double e, std::size_t i) {
        score += e * ((s[i] - e) / (n - 1));
        distance += (e - s[i] / n) * (e - s[i] / n);
      });
      if (score / batch >= threshold) coherent.push_back(v);
      if (distance < min_distance) {
        min_distance = distance;
        nearest = v;
      }
    }
  }
  if (coherent.empty()) return *nearest;
  if (!tuples) return mean_of(arena, coherent, all, 0);
  std::vector<value> out;
  for (std::size_t k = 0; k < parts; ++k) out.push_back(mean_of(arena, coherent, all, k));
  return value(std::move(out));
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
