// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Sums, means, products and extremes over dimensions, and what is made of them.
//
// The reductions of NEM are for later hardware, so pools fold: avgpool and maxpool, with a window of all
// elements. Sums are means times how many there are. What lies apart is brought together first.

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "transform/lower/map_chains.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

namespace {

using nem::opcode;
using value = chain::value;
using o = nac::operation;

/// The dimensions that a letter names, all of them without one.
[[nodiscard]] std::vector<bool> dimensions_at(mapper& m, std::size_t letter, std::size_t rank) {
  // A number has no dimension, though PyTorch takes 0 and -1 for one.
  if (!m.has(letter) || m.args().int_list(letter).empty() || rank == 0)
    return std::vector<bool>(rank, true);
  std::vector<bool> out(rank);
  for (const std::int64_t d : m.args().int_list(letter))
    out[static_cast<std::size_t>(d < 0 ? d + static_cast<std::int64_t>(rank) : d)] = true;
  return out;
}
[[nodiscard]] std::vector<bool> only(std::size_t axis, std::size_t rank) {
  std::vector<bool> out(rank);
  out[axis] = true;
  return out;
}
[[nodiscard]] std::int64_t count_of(const tensor_view& x, const std::vector<bool>& is_folded) {
  std::int64_t n = 1;
  for (std::size_t k = 0; k < x.rank(); ++k) n *= is_folded[k] ? x.shape[k] : 1;
  return n;
}

/// One operand of a chain of its own.
template <class F>
[[nodiscard]] tensor_view each_of(mapper& m, const tensor_view& x, F&& f) {
  chain c(m, x.shape);
  const value v = c.input(x);
  return c.result(f(c, v));
}
/// The same of two, the second broadcast.
template <class F>
[[nodiscard]] tensor_view each_of(mapper& m, const tensor_view& x, const tensor_view& y, F&& f) {
  chain c(m, x.shape);
  const value a = c.input(x), b = c.input(y);
  return c.result(f(c, a, b));
}
[[nodiscard]] tensor_view times(mapper& m, const tensor_view& x, double by) {
  if (by == 1) return x;
  return each_of(m, x, [&](chain& c, const value& v) { return c.mul(v, c.number(by)); });
}
[[nodiscard]] tensor_view negated(mapper& m, const tensor_view& x) {
  return each_of(m, x, [](chain& c, const value& v) { return c.apply(opcode::neg, {v}); });
}

[[nodiscard]] tensor_view mean_of(mapper& m, const tensor_view& x, const std::vector<bool>& by) {
  return folded(m, opcode::avgpool, x, by);
}
[[nodiscard]] tensor_view sum_of(mapper& m, const tensor_view& x, const std::vector<bool>& by) {
  return times(m, mean_of(m, x, by), static_cast<double>(count_of(x, by)));
}
[[nodiscard]] tensor_view most_of(mapper& m, const tensor_view& x, const std::vector<bool>& by) {
  return folded(m, opcode::maxpool, x, by);
}
[[nodiscard]] tensor_view least_of(mapper& m, const tensor_view& x, const std::vector<bool>& by) {
  return negated(m, most_of(m, negated(m, x), by));
}

/// Gives what was folded, in the shape of the result.
void give_folded(mapper& m, const tensor_view& y) { m.give(m.reshape(y, m.result_shape())); }

/// Folds the dimensions of argument 1 by mean_of, sum_of, most_of or least_of.
template <auto Fold>
void fold_over(mapper& m, opcode) {
  const tensor_view x = m.operand(0);
  give_folded(m, Fold(m, x, dimensions_at(m, 1, x.rank())));
}
void max_all(mapper& m, opcode) {
  const tensor_view x = m.operand(0);
  give_folded(m, most_of(m, x, std::vector<bool>(x.rank(), true)));
}
void min_all(mapper& m, opcode) {
  const tensor_view x = m.operand(0);
  give_folded(m, least_of(m, x, std::vector<bool>(x.rank(), true)));
}

/// 1 where an element isn't 0.
[[nodiscard]] tensor_view truth_of(mapper& m) {
  const tensor_view x = m.as_numbers(m.raw_operand(0), true);
  if (m.args().tensor_at(0).type == nac::data_type::boolean) return x;
  return each_of(m, x, [](chain& c, const value& v) {
    return inverted(c, c.apply(opcode::pow, {c.number(0), c.apply(opcode::abs, {v})}));
  });
}
void any(mapper& m, opcode) {
  const tensor_view x = truth_of(m);
  give_folded(m, most_of(m, x, dimensions_at(m, 1, x.rank())));
}
void all(mapper& m, opcode) {
  const tensor_view x = truth_of(m);
  give_folded(m, least_of(m, x, dimensions_at(m, 1, x.rank())));
}
void count_nonzero(mapper& m, opcode) {
  const tensor_view x = truth_of(m);
  give_folded(m, sum_of(m, x, dimensions_at(m, 1, x.rank())));
}

/// By halves: those of the second times those of the first.
void prod(mapper& m, opcode op) {
  tensor_view x = m.operand(0);
  std::size_t axis = 0;
  if (m.has(1) && x.rank() != 0)
    axis = axis_of(m, 1, x.rank());
  else
    x = m.reshape(x, {product(x.shape)});
  while (x.rank() != 0 && x.shape[axis] > 1) {
    const std::int64_t n = x.shape[axis], half = n / 2;
    const tensor_view y = each_of(m, narrowed(x, axis, 0, half), narrowed(x, axis, half, half),
                                  [&](chain& c, const value& a, const value& b) {
                                    return c.apply(op, {a, b});
                                  });
    if (n % 2 == 0) {
      x = y;
      continue;
    }
    const tensor_view last = narrowed(x, axis, n - 1, 1);
    if (half == 1) {
      x = each_of(m, y, last, [&](chain& c, const value& a, const value& b) {
        return c.apply(op, {a, b});
      });
      continue;
    }
    dimensions shape = y.shape;
    shape[axis] = half + 1;
    const tensor_view joined = m.make(shape);
    m.need("view", "default");
    m.copy(y, narrowed(joined, axis, 0, half));
    m.copy(last, narrowed(joined, axis, half, 1));
    x = joined;
  }
  give_folded(m, x);
}

// ---- deviations and norms

struct moments {
  tensor_view mean, variance;
};
[[nodiscard]] moments moments_of(mapper& m, const tensor_view& x, const std::vector<bool>& by,
                                 double correction) {
  const tensor_view mean = mean_of(m, x, by);
  const tensor_view square = each_of(m, x, mean, [](chain& c, const value& a, const value& b) {
    const value d = c.apply(opcode::sub, {a, b});
    return c.mul(d, d);
  });
  const auto n = static_cast<double>(count_of(x, by));
  return {mean, times(m, mean_of(m, square, by), n / (n - correction))};
}
[[nodiscard]] tensor_view root_of(mapper& m, const tensor_view& x) {
  return each_of(m, x, [](chain& c, const value& v) { return c.apply(opcode::sqrt, {v}); });
}

template <bool IsRoot, bool HasMean>
void deviation(mapper& m, opcode) {
  const tensor_view x = m.operand(0);
  const auto [mean, variance] =
      moments_of(m, x, dimensions_at(m, 1, x.rank()), m.has(2) ? m.args().real(2) : 1);
  const dimensions shape = m.result_shape();
  const tensor_view y = m.reshape(IsRoot ? root_of(m, variance) : variance, shape);
  if (HasMean) return m.give_all({y, m.reshape(mean, shape)});
  m.give(y);
}

void norm(mapper& m, opcode) {
  const tensor_view x = m.operand(0);
  const std::vector<bool> by = dimensions_at(m, 2, x.rank());
  const double order = m.has(1) ? m.args().real(1) : 2;
  if (order == 2) {
    const tensor_view squares = each_of(m, x, [](chain& c, const value& v) { return c.mul(v, v); });
    return give_folded(m, root_of(m, sum_of(m, squares, by)));
  }
  const tensor_view sizes =
      each_of(m, x, [](chain& c, const value& v) { return c.apply(opcode::abs, {v}); });
  if (order == 1) return give_folded(m, sum_of(m, sizes, by));
  if (order == std::numeric_limits<double>::infinity())
    return give_folded(m, most_of(m, sizes, by));
  m.refuse("norms other than the sum, the root of squares and the greatest");
}

/// The greatest, plus the logarithm of the sum of e to the differences from it.
void logsumexp(mapper& m, opcode op) {
  const tensor_view x = m.operand(0);
  const std::vector<bool> by = dimensions_at(m, 1, x.rank());
  const tensor_view most = most_of(m, x, by);
  const tensor_view sum =
      sum_of(m,
             each_of(m, x, most,
                     [](chain& c, const value& a, const value& b) {
                       return c.apply(opcode::exp, {c.apply(opcode::sub, {a, b})});
                     }),
             by);
  give_folded(m, each_of(m, sum, most, [&](chain& c, const value& a, const value& b) {
                return c.add(c.apply(op, {a}), b);
              }));
}

void cosine_similarity(mapper& m, opcode op) {
  const dimensions both = [&] {
    chain c(m, {});
    dimensions shape = m.operand(0).shape;
    const dimensions other = m.operand(1).shape;
    if (shape.size() < other.size()) shape.insert(shape.begin(), other.size() - shape.size(), 1);
    for (std::size_t k = 0; k < other.size(); ++k) {
      std::int64_t& to = shape[shape.size() - other.size() + k];
      to = std::max(to, other[k]);
    }
    return shape;
  }();
  const tensor_view a = expanded(m.operand(0), both), b = expanded(m.operand(1), both);
  const std::vector<bool> by =
      only(m.has(2) ? axis_of(m, 2, both.size()) : std::size_t{1}, both.size());
  const double eps = m.args().real_or(3, 1e-8);
  const auto times_each = [](chain& c, const value& x, const value& y) { return c.mul(x, y); };
  const auto length = [&](const tensor_view& v) {
    return each_of(m, root_of(m, sum_of(m, each_of(m, v, v, times_each), by)),
                   [&](chain& c, const value& x) {
                     return c.apply(opcode::max, {x, c.number(eps)});
                   });
  };
  const tensor_view dot = sum_of(m, each_of(m, a, b, times_each), by);
  const tensor_view lengths = each_of(m, length(a), length(b), times_each);
  give_folded(m, each_of(m, dot, lengths, [&](chain& c, const value& x, const value& y) {
                return c.apply(op, {x, y});
              }));
}

// ---- which one it is

/// n, n - 1, … 1 along a dimension.
[[nodiscard]] tensor_view ramp(mapper& m, std::int64_t n, std::size_t axis, std::size_t rank) {
  std::vector<float> data;
  for (std::int64_t k = n; k != 0; --k) data.push_back(static_cast<float>(k));
  dimensions shape(rank, 1);
  shape[axis] = n;
  return m.constant(std::move(data), shape);
}

struct extreme {
  tensor_view value, index;
  tensor_view rank;  ///< n - index
};
/// The greatest and the first index that it has.
[[nodiscard]] extreme greatest_of(mapper& m, const tensor_view& x, std::size_t axis) {
  const std::int64_t n = x.shape[axis];
  if (n > m.device().exact_integers())
    m.refuse("indices up to " + std::to_string(n) + " aren't exact in " +
             std::string(nem::name(m.device().type())));
  const std::vector<bool> by = only(axis, x.rank());
  const tensor_view most = most_of(m, x, by);
  chain c(m, x.shape);
  const value below = c.apply(opcode::sub, {c.input(most), c.input(x)});
  const value is_most = c.apply(opcode::pow, {c.number(0), below});
  const tensor_view ranks = c.result(c.mul(is_most, c.input(ramp(m, n, axis, x.rank()))));
  const tensor_view rank = most_of(m, ranks, by);
  const tensor_view index = each_of(m, rank, [&](chain& d, const value& v) {
    return d.apply(opcode::sub, {d.number(static_cast<double>(n)), v});
  });
  return {most, index, rank};
}

template <bool IsLeast>
void index_of_extreme(mapper& m, opcode) {
  tensor_view x = m.operand(0);
  std::size_t axis = 0;
  if (m.has(1) && x.rank() != 0)
    axis = axis_of(m, 1, x.rank());
  else
    x = m.reshape(x, {product(x.shape)});
  if (IsLeast) x = negated(m, x);
  give_folded(m, greatest_of(m, x, axis).index);
}
template <bool IsLeast>
void extreme_by_dimension(mapper& m, opcode) {
  tensor_view x = m.operand(0);
  const dimensions shape = m.result_shape();
  if (IsLeast) x = negated(m, x);
  const extreme e = greatest_of(m, x, axis_of(m, 1, x.rank()));
  m.give_all(
      {m.reshape(IsLeast ? negated(m, e.value) : e.value, shape), m.reshape(e.index, shape)});
}

/// The greatest, then the greatest of the others …
void pick_greatest(mapper& m, std::int64_t count, std::size_t axis, bool is_least) {
  constexpr std::int64_t most_rounds = 32;
  tensor_view x = m.operand(0);
  if (count > most_rounds)
    m.refuse("more than " + std::to_string(most_rounds) + " of the greatest");
  if (is_least) x = negated(m, x);
  const tensor_view values = m.make(m.result_shape()), indices = m.make(m.result_shape());
  const tensor_view ranks = ramp(m, x.shape[axis], axis, x.rank());
  m.need("view", "default");
  for (std::int64_t k = 0; k < count; ++k) {
    const extreme e = greatest_of(m, x, axis);
    m.copy(is_least ? negated(m, e.value) : e.value, narrowed(values, axis, k, 1));
    m.copy(e.index, narrowed(indices, axis, k, 1));
    chain c(m, x.shape);
    const value off = c.apply(opcode::sub, {c.input(ranks), c.input(e.rank)});
    const value is_it = c.apply(opcode::pow, {c.number(0), c.apply(opcode::abs, {off})});
    const value lowest = c.number(-std::numeric_limits<double>::infinity());
    x = c.result(c.mul(c.apply(opcode::pow, {c.input(x), inverted(c, is_it)}),
                       c.apply(opcode::pow, {lowest, is_it})));
  }
  m.give_all({values, indices});
}

void topk(mapper& m, opcode) {
  const std::size_t rank = m.operand(0).rank();
  if (rank == 0) m.refuse("its operand has no dimension");
  const std::size_t axis = m.has(2) ? axis_of(m, 2, rank) : rank - 1;
  pick_greatest(m, m.args().whole(1), axis, !m.args().truth_or(3, true));
}
void sort(mapper& m, opcode) {
  const dimensions shape = m.operand(0).shape;
  if (shape.empty()) m.refuse("its operand has no dimension");
  const std::size_t axis = m.has(1) ? axis_of(m, 1, shape.size()) : shape.size() - 1;
  pick_greatest(m, shape[axis], axis, !m.args().truth_or(2, false));
}

// ---- along a dimension

/// By a matrix of ones, on and above its diagonal.
void cumsum(mapper& m, opcode) {
  const tensor_view x = m.operand(0);
  if (x.rank() == 0) return m.give(x);
  const std::size_t axis = axis_of(m, 1, x.rank());
  const std::int64_t n = x.shape[axis];
  std::vector<float> ones;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t k = 0; k < n; ++k) ones.push_back(i <= k ? 1.0f : 0.0f);
  m.give(by_matrix(m, x, axis, std::move(ones)));
}

void diff(mapper& m, opcode op) {
  tensor_view x = m.operand(0);
  const std::size_t axis = m.has(2) ? axis_of(m, 2, x.rank()) : x.rank() - 1;
  if (m.has(3) || m.has(4)) m.refuse("differences with what is before or after");
  for (std::int64_t n = m.has(1) ? m.args().whole(1) : 1; n != 0; --n) {
    const std::int64_t left = x.shape[axis] - 1;
    x = each_of(m, narrowed(x, axis, 1, left), narrowed(x, axis, 0, left),
                [&](chain& c, const value& a, const value& b) {
                  return c.apply(op, {a, b});
                });
  }
  m.give(x);
}

// ---- losses

/// Nothing, the mean or the sum of what each element loses.
template <class F>
void lose(mapper& m, F&& each) {
  const tensor_view x = m.operand(0), y = m.operand(1);
  if (x.shape != y.shape) m.refuse("operands of other shapes");
  const tensor_view all = each_of(m, x, y, each);
  const std::int64_t reduction = m.has(2) ? m.args().whole(2) : 1;
  if (reduction == 0) return m.give(all);
  const std::vector<bool> by(x.rank(), true);
  give_folded(m, reduction == 1 ? mean_of(m, all, by) : sum_of(m, all, by));
}
void squared_loss(mapper& m, opcode op) {
  lose(m, [op](chain& c, const value& a, const value& b) {
    const value d = c.apply(op, {a, b});
    return c.mul(d, d);
  });
}
void absolute_loss(mapper& m, opcode op) {
  lose(m, [op](chain& c, const value& a, const value& b) {
    return c.apply(opcode::abs, {c.apply(op, {a, b})});
  });
}

/// Squares up to a bound, a line from there on.
void bounded_loss(mapper& m, double bound, double by) {
  lose(m, [bound, by](chain& c, const value& a, const value& b) {
    const value d = c.apply(opcode::abs, {c.apply(opcode::sub, {a, b})});
    const value low = c.apply(opcode::min, {d, c.number(bound)});
    const value line = c.mul(c.apply(opcode::sub, {d, low}), c.number(bound));
    return c.mul(c.add(c.mul(c.mul(low, low), c.number(0.5)), line), c.number(by));
  });
}
void smooth_loss(mapper& m, opcode op) {
  const double beta = m.args().real_or(3, 1);
  if (beta == 0) return absolute_loss(m, op);
  bounded_loss(m, beta, 1 / beta);
}
void huber_loss(mapper& m, opcode) { bounded_loss(m, m.args().real_or(3, 1), 1); }

constexpr mapping fold_rows[] = {
    {o::mean, fold_over<mean_of>, opcode::avgpool},
    {o::sum, fold_over<sum_of>, opcode::avgpool},
    {o::amax, fold_over<most_of>, opcode::maxpool},
    {o::amin, fold_over<least_of>, opcode::maxpool},
    {o::max_all, max_all, opcode::maxpool},
    {o::min_all, min_all, opcode::maxpool},
    {o::max_dim, extreme_by_dimension<false>, opcode::maxpool},
    {o::min_dim, extreme_by_dimension<true>, opcode::maxpool},
    {o::argmax, index_of_extreme<false>, opcode::maxpool},
    {o::argmin, index_of_extreme<true>, opcode::maxpool},
    {o::topk, topk, opcode::maxpool},
    {o::any, any, opcode::maxpool},
    {o::all, all, opcode::maxpool},
    {o::count_nonzero, count_nonzero, opcode::avgpool},
    {o::prod, prod, opcode::mul},
    {o::var, deviation<false, false>, opcode::avgpool},
    {o::var_mean, deviation<false, true>, opcode::avgpool},
    {o::std_dev, deviation<true, false>, opcode::avgpool},
    {o::std_mean, deviation<true, true>, opcode::avgpool},
    {o::norm, norm, opcode::avgpool},
    {o::logsumexp, logsumexp, opcode::log},
    {o::cosine_similarity, cosine_similarity, opcode::div},
    {o::cumsum, cumsum, opcode::gemm},
    {o::diff, diff, opcode::sub},
    {o::mse_loss, squared_loss, opcode::sub},
    {o::l1_loss, absolute_loss, opcode::sub},
    {o::smooth_l1_loss, smooth_loss, opcode::sub},
    {o::huber_loss, huber_loss, opcode::sub},
    {o::sort, sort, opcode::maxpool},
};

}  // namespace

tensor_view folded(mapper& m, opcode op, const tensor_view& x, const std::vector<bool>& is_folded) {
  dimensions shape = x.shape, around;
  std::vector<std::size_t> order, within;
  std::int64_t before = 1, after = 1;
  bool has_passed = false;
  for (std::size_t k = 0; k < x.rank(); ++k) {
    if (is_folded[k]) {
      within.push_back(k);
      shape[k] = 1;
      has_passed = true;
    } else if (!has_passed) {
      order.push_back(k);
      before *= x.shape[k];
    }
  }
  if (within.empty()) return x;
  order.insert(order.end(), within.begin(), within.end());
  for (std::size_t k = within.front(); k < x.rank(); ++k) {
    if (is_folded[k]) continue;
    order.push_back(k);
    after *= x.shape[k];
  }
  const std::int64_t all = count_of(x, is_folded);
  // Rows and columns of a window: those of an image, else all in a row, and a second fold where a tile
  // of all would be large.
  std::int64_t columns = within.size() == 2 ? x.shape[within.back()] : 1;
  const tensor_view turned = m.reshape(permuted(x, order), {before, all / columns, columns, after});
  const std::int64_t room = m.device().l1_size() / m.device().element_size() / 8;
  tensor_view y = turned;
  if (all > room) {
    std::int64_t rows = turned.shape[1];
    for (std::int64_t part = rows; part > 1; --part) {
      if (rows % part != 0 || part * columns > room) continue;
      y = m.reshape(y, {before * (rows / part), part, columns, after});
      y = pooled(m, op, y, {{part, columns}, {part, columns}, {1, 1}, {0, 0}, {0, 0}});
      y = m.reshape(y, {before, rows / part, 1, after});
      break;
    }
  }
  const pair_of window = {y.shape[1], y.shape[2]};
  y = pooled(m, op, y, {window, window, {1, 1}, {0, 0}, {0, 0}});
  return m.reshape(y, shape);
}

std::span<const mapping> fold_mappings() noexcept { return fold_rows; }

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI
