// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Comparisons, truth values and what they choose. A truth value is 0 or 1 in the network's type.
//
// NEM compares nothing, but C99's pow(0, x) is 1 where x is 0 and 0 where it is more, pow(x, 0) is 1
// whatever x is, and pow(x, 1) is x: comparisons are exact, and what isn't chosen may be NaN or infinite.
// Comparisons of NaN give NaN.

#include <algorithm>
#include <cmath>
#include <limits>

#include "transform/lower/map_chains.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

namespace {

using nem::opcode;
using value = chain::value;
using o = nac::operation;

enum class relation : std::uint8_t { lt, le, gt, ge, eq, ne };

/// Whether one of two infinite operands could be subtracted from the other.
[[nodiscard]] bool may_be_infinite(mapper& m, std::size_t letter) {
  if (!m.is_constant(letter)) return true;
  const std::vector<float> all = m.elements(letter);
  return std::any_of(all.begin(), all.end(), [](float x) { return !std::isfinite(x); });
}

/// An operand of a comparison: large integers may be rounded where they are compared with numbers that
/// are exact, which they don't become.
[[nodiscard]] tensor_view compared(mapper& m, std::size_t letter, std::size_t other) {
  const tensor_view raw = m.raw_operand(letter);
  bool is_exact = m.is_constant(other);
  if (is_exact)
    for (const float x : m.elements(other))
      is_exact = is_exact && std::abs(x) < static_cast<float>(m.device().exact_integers());
  return m.as_numbers(raw, is_exact);
}

template <relation R>
void compare(mapper& m, opcode op) {
  chain c(m, m.result_shape());
  value a = c.input(compared(m, 0, 1)), b = c.input(compared(m, 1, 0));
  if (may_be_infinite(m, 0) && may_be_infinite(m, 1)) {
    const double most = largest_of(m.device().type());
    a = clamped(c, a, -most, most);
    b = clamped(c, b, -most, most);
  }
  constexpr bool is_equality = R == relation::eq || R == relation::ne;
  constexpr bool is_swapped = R == relation::lt || R == relation::ge;  // by b <= a
  const value difference = is_swapped ? c.apply(opcode::sub, {b, a}) : c.apply(opcode::sub, {a, b});
  const value above = c.apply(is_equality ? opcode::abs : opcode::relu, {difference});
  const value at_most = c.apply(op, {c.number(0), above});
  constexpr bool is_negated = R == relation::lt || R == relation::gt || R == relation::ne;
  c.finish(is_negated ? inverted(c, at_most) : at_most);
}

/// Of an operand: whether it isn't 0.
[[nodiscard]] value truth(mapper& m, chain& c, std::size_t letter) {
  const tensor_view raw = m.raw_operand(letter);
  const value x = c.input(m.as_numbers(raw, true));
  if (m.args().tensor_at(letter).type == nac::data_type::boolean) return x;
  return inverted(c, c.apply(opcode::pow, {c.number(0), c.apply(opcode::abs, {x})}));
}

void check_truth(mapper& m, std::size_t letters) {
  for (std::size_t k = 0; k < letters; ++k)
    if (m.args().tensor_at(k).type != nac::data_type::boolean)
      m.refuse("NEM has no operations on bits");
}

template <bool IsOfBits>
void both(mapper& m, opcode op) {
  if (IsOfBits) check_truth(m, 2);
  chain c(m, m.result_shape());
  const value a = truth(m, c, 0), b = truth(m, c, 1);
  c.finish(c.apply(op, {a, b}));
}
template <bool IsOfBits>
void differ(mapper& m, opcode op) {
  if (IsOfBits) check_truth(m, 2);
  chain c(m, m.result_shape());
  const value a = truth(m, c, 0), b = truth(m, c, 1);
  c.finish(c.apply(opcode::abs, {c.apply(op, {a, b})}));
}
template <bool IsOfBits>
void negate(mapper& m, opcode) {
  if (IsOfBits) check_truth(m, 1);
  chain c(m, m.result_shape());
  c.finish(inverted(c, truth(m, c, 0)));
}

/// One number, for all inputs.
[[nodiscard]] bool is_number(mapper& m, std::size_t letter, float x) {
  return m.is_constant(letter) && m.elements(letter).size() == 1 && m.elements(letter)[0] == x;
}

/// What `letter` has where the condition holds, or doesn't; 1 elsewhere.
[[nodiscard]] value kept(mapper& m, chain& c, const value& condition, std::size_t letter) {
  if (is_number(m, letter, 1)) return c.number(1);
  if (is_number(m, letter, 0)) return inverted(c, condition);
  return c.apply(opcode::pow, {c.input(m.operand(letter)), condition});
}

void choose(mapper& m, std::size_t condition, std::size_t if_true, std::size_t if_false) {
  chain c(m, m.result_shape());
  const value holds = truth(m, c, condition);
  const value a = kept(m, c, holds, if_true), b = kept(m, c, inverted(c, holds), if_false);
  c.finish(c.mul(a, b));
}
void where(mapper& m, opcode) { choose(m, 0, 1, 2); }

/// x (1 - mask) + value mask, for a mask that is known; an infinite value is added as it is.
void masked_fill(mapper& m, opcode) {
  if (!m.is_constant(1) || !m.is_constant(2)) {
    if (m.gives_truth()) m.refuse("it chooses truth values by a mask that depends on inputs");
    return choose(m, 1, 2, 0);
  }
  std::vector<float> mask = m.elements(1), keep(mask.size());
  float v = m.elements(2)[0];
  if (m.gives_truth()) v = v != 0 ? 1 : 0;
  for (std::size_t k = 0; k < mask.size(); ++k) {
    const bool is_set = mask[k] != 0;
    keep[k] = is_set ? 0 : 1;
    mask[k] = is_set ? v : 0;
  }
  const dimensions shape = m.operand(1).shape;
  chain c(m, m.result_shape());
  value x = c.input(m.operand(0));
  if (std::isfinite(v)) x = c.mul(x, c.input(m.constant(std::move(keep), shape)));
  c.finish(c.add(x, c.input(m.constant(std::move(mask), shape))));
}

/// The elements of matrices below a diagonal, or above it; 0 elsewhere.
template <bool IsUpper>
void triangle(mapper& m, opcode op) {
  const tensor_view x = m.operand(0);
  const std::int64_t diagonal = m.has(1) ? m.args().whole(1) : 0;
  const std::int64_t rows = x.shape[x.rank() - 2], columns = x.shape[x.rank() - 1];
  std::vector<float> keep;
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    const std::int64_t at = i % columns - i / columns;
    keep.push_back((IsUpper ? at >= diagonal : at <= diagonal) ? 1.0f : 0.0f);
  }
  chain c(m, x.shape);
  const value k = c.input(m.constant(std::move(keep), {rows, columns}));
  c.finish(c.mul(c.apply(op, {c.input(x), k}), k));
}

// ---- what numbers are

[[nodiscard]] value truth_of_finite(chain& c, const value& one_or_nan) {
  return c.convert(c.convert(one_or_nan, nem::element::i32), nem::element::none);
}
/// A conversion to integers makes 0 of NaN.
[[nodiscard]] value is_finite(chain& c, const value& x) {
  return truth_of_finite(c, c.add(c.apply(opcode::sub, {x, x}), c.number(1)));
}
[[nodiscard]] value is_nan(chain& c, const value& x) {
  const value above = c.apply(opcode::relu, {c.apply(opcode::neg, {c.apply(opcode::abs, {x})})});
  return inverted(c, truth_of_finite(c, c.add(above, c.number(1))));
}
void isfinite(mapper& m, opcode) {
  chain c(m, m.result_shape());
  c.finish(is_finite(c, c.input(m.operand(0))));
}
void isnan(mapper& m, opcode) {
  chain c(m, m.result_shape());
  c.finish(is_nan(c, c.input(m.operand(0))));
}
void isinf(mapper& m, opcode op) {
  chain c(m, m.result_shape());
  const value x = c.input(m.operand(0));
  c.finish(c.apply(op, {inverted(c, is_finite(c, x)), is_nan(c, x)}));
}
/// Another number where it is NaN, others where it is infinite: the largest ones without them.
void nan_to_num(mapper& m, opcode op) {
  const double most = largest_of(m.device().type());
  chain c(m, m.result_shape());
  value x = c.input(m.operand(0));
  const value nan = is_nan(c, x);
  const value by = c.number(m.has(1) ? m.args().real(1) : 0);
  x = c.mul(c.apply(op, {x, inverted(c, nan)}), c.apply(op, {by, nan}));
  const auto replace = [&](const value& v, bool is_positive, double with) {
    // Beyond the largest number: the difference to it is 0 or infinite.
    const value kept =
        c.apply(is_positive ? opcode::min : opcode::max, {v, c.number(is_positive ? most : -most)});
    const value bound = c.number(is_positive ? most : -most);
    const value beyond = c.apply(
        opcode::relu, {c.apply(opcode::sub, {is_positive ? v : bound, is_positive ? bound : v})});
    const value is_finite_there = c.apply(op, {c.number(0), beyond});
    return c.mul(c.apply(op, {kept, is_finite_there}),
                 c.apply(op, {c.number(with), inverted(c, is_finite_there)}));
  };
  x = m.has(2) ? replace(x, true, m.args().real(2)) : c.apply(opcode::min, {x, c.number(most)});
  x = m.has(3) ? replace(x, false, m.args().real(3)) : c.apply(opcode::max, {x, c.number(-most)});
  c.finish(x);
}
void sign(mapper& m, opcode op) {
  chain c(m, m.result_shape());
  c.finish(sign_of(c, c.input(m.operand(0)), op));
}

// ---- conversions

/// Floats stay in the network's type; to integers they are cut, to truth values compared with 0.
void convert(mapper& m, opcode) {
  const nac::data_type to = vm::nac::decayed(m.net().result(m.at())).as_tensor().type;
  const nac::data_type from = m.args().tensor_at(0).type;
  const tensor_view raw = m.raw_operand(0);
  if (to == nac::data_type::boolean) {
    if (from == to) return m.give(raw);
    chain c(m, m.result_shape());
    return c.finish(truth(m, c, 0));
  }
  if (is_floating(to)) return m.give(m.as_numbers(raw));
  if (!is_floating(from)) return m.give(raw);
  chain c(m, m.result_shape());
  c.finish(truncated(c, c.input(raw)));
}

void one_hot(mapper& m, opcode op) {
  const dimensions shape = m.result_shape();
  std::vector<float> classes(static_cast<std::size_t>(shape.back()));
  for (std::size_t k = 0; k < classes.size(); ++k) classes[k] = static_cast<float>(k);
  tensor_view ids = m.as_numbers(m.raw_operand(0), shape.back() < m.device().exact_integers());
  ids.shape.push_back(1);
  ids.strides.push_back(0);
  chain c(m, shape);
  const value a = c.input(ids), b = c.input(m.constant(std::move(classes), {shape.back()}));
  c.finish(c.apply(op, {c.number(0), c.apply(opcode::abs, {c.apply(opcode::sub, {a, b})})}));
}

/// How many of some numbers in order are below x; with `right`, also those that are equal.
void count_below(mapper& m, opcode op, std::size_t x_letter, std::size_t boundaries, bool right) {
  const tensor_view b = m.operand(boundaries);
  tensor_view x = m.operand(x_letter);
  if (b.rank() != 1) m.refuse("numbers of more than one dimension to search");
  const std::int64_t n = b.shape[0];
  dimensions shape = x.shape;
  x.shape.push_back(1);
  x.strides.push_back(0);
  dimensions wide = shape;
  wide.push_back(n);
  chain c(m, wide);
  const value a = c.input(x), y = c.input(b);
  const value apart = right ? c.apply(opcode::sub, {y, a}) : c.apply(opcode::sub, {a, y});
  const value at_most = c.apply(op, {c.number(0), c.apply(opcode::relu, {apart})});
  const tensor_view below = c.result(right ? at_most : inverted(c, at_most));
  std::vector<bool> by(wide.size());
  by.back() = true;
  const tensor_view mean = folded(m, opcode::avgpool, below, by);
  chain d(m, mean.shape);
  m.give(m.reshape(d.result(d.mul(d.input(mean), d.number(static_cast<double>(n)))), shape));
}
void bucketize(mapper& m, opcode op) { count_below(m, op, 0, 1, m.args().truth_or(3, false)); }
void searchsorted(mapper& m, opcode op) {
  const bool right = m.args().truth_or(3, false) || m.args().string_or(4, "left") == "right";
  if (m.has(5)) m.refuse("numbers that are in order by a sorter");
  count_below(m, op, 1, 0, right);
}

// ---- elements by indices

/// What is added to each row: by a matrix of which rows.
void index_add(mapper& m, opcode) {
  const tensor_view x = m.operand(0), source = m.operand(3);
  const std::size_t axis = axis_of(m, 1, x.rank());
  const std::vector<float> index = m.elements(2);
  const std::int64_t rows = x.shape[axis];
  std::vector<float> matrix(index.size() * static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < index.size(); ++i) {
    const auto at = static_cast<std::int64_t>(index[i]);
    matrix[i * static_cast<std::size_t>(rows) + static_cast<std::size_t>(at < 0 ? at + rows : at)] =
        static_cast<float>(m.args().real_or(4, 1));
  }
  const tensor_view added = by_matrix(m, source, axis, std::move(matrix));
  chain c(m, x.shape);
  c.finish(c.add(c.input(x), c.input(added)));
}

void embedding(mapper& m, opcode) { m.give(m.pick(m.operand(0), 0, m.index_operand(1))); }

void index_select(mapper& m, opcode) {
  if (m.is_constant(2)) return m.move_elements();
  const tensor_view x = m.operand(0);
  m.give(m.pick(x, axis_of(m, 1, x.rank()), m.index_operand(2)));
}

/// One index for each element: of a table of one row for each of the other indices.
void gather(mapper& m, opcode op) {
  if (m.is_constant(2)) return m.move_elements();
  const tensor_view x = m.operand(0), index = m.operand(2);
  const std::size_t axis = axis_of(m, 1, x.rank());
  if (product(x.shape) > m.device().exact_integers())
    m.refuse("indices of all elements aren't exact in " +
             std::string(nem::name(m.device().type())));
  const dimensions strides = dense_strides(x.shape), shape = index.shape;
  std::vector<float> first;
  for (std::int64_t i = 0; i < product(shape); ++i) {
    std::int64_t at = 0, rest = i;
    for (std::size_t k = shape.size(); k-- != 0; rest /= shape[k])
      if (k != axis) at += rest % shape[k] * strides[k];
    first.push_back(static_cast<float>(at));
  }
  chain c(m, shape);
  const value by =
      c.apply(opcode::mul, {c.input(index), c.number(static_cast<double>(strides[axis]))});
  const tensor_view at = c.result(c.apply(op, {by, c.input(m.constant(std::move(first), shape))}));
  const tensor_view flat = m.reshape(m.dense(x), {product(x.shape)});
  m.give(m.pick(flat, 0, m.as_indices(at)));
}

/// x[:, i, j] by tensors of indices next to each other.
void index(mapper& m, opcode) {
  const std::size_t count = m.args().count(1);
  std::size_t first = count, last = 0;
  bool all_constant = true;
  for (std::size_t k = 0; k < count; ++k) {
    if (!m.has(1, k)) continue;
    first = std::min(first, k);
    last = k + 1;
    all_constant = all_constant && m.is_constant(1, k);
    if (m.args().tensor_at(1, k).type == nac::data_type::boolean && !m.is_constant(1, k))
      m.refuse("how much a mask chooses depends on inputs");
  }
  if (all_constant && !m.is_constant(0)) return m.move_elements();
  const tensor_view x = m.operand(0);
  if (last - first == 1) return m.give(m.pick(x, first, m.index_operand(1, first)));
  dimensions shape;
  std::int64_t rows = 1;
  for (std::size_t k = first; k < last; ++k) {
    if (!m.has(1, k)) m.refuse("indices of dimensions that are apart");
    const tensor_view i = m.operand(1, k);
    shape = of_rank({0, 0, shape, dimensions(shape.size())}, i.rank()).shape;
    for (std::size_t d = 0; d < i.rank(); ++d) {
      std::int64_t& to = shape[shape.size() - i.rank() + d];
      to = std::max(to, i.shape[d]);
    }
    rows *= x.shape[k];
  }
  if (rows > m.device().exact_integers())
    m.refuse("indices of " + std::to_string(rows) + " rows aren't exact in " +
             std::string(nem::name(m.device().type())));
  chain c(m, shape);
  std::optional<value> at;
  for (std::size_t k = first; k < last; ++k) {
    const value i = c.input(m.operand(1, k));
    at = at ? c.add(c.mul(*at, c.number(static_cast<double>(x.shape[k]))), i) : i;
  }
  dimensions flat(x.shape.begin(), x.shape.begin() + static_cast<std::ptrdiff_t>(first));
  flat.push_back(rows);
  flat.insert(flat.end(), x.shape.begin() + static_cast<std::ptrdiff_t>(last), x.shape.end());
  m.give(m.pick(m.reshape(x, flat), first, m.as_indices(c.result(*at))));
}

constexpr mapping logic_rows[] = {
    {o::lt, compare<relation::lt>, opcode::pow},
    {o::le, compare<relation::le>, opcode::pow},
    {o::gt, compare<relation::gt>, opcode::pow},
    {o::ge, compare<relation::ge>, opcode::pow},
    {o::eq, compare<relation::eq>, opcode::pow},
    {o::ne, compare<relation::ne>, opcode::pow},
    {o::logical_and, both<false>, opcode::mul},
    {o::logical_or, both<false>, opcode::max},
    {o::logical_xor, differ<false>, opcode::sub},
    {o::logical_not, negate<false>, opcode::sub},
    {o::bitwise_and, both<true>, opcode::mul},
    {o::bitwise_or, both<true>, opcode::max},
    {o::bitwise_xor, differ<true>, opcode::sub},
    {o::bitwise_not, negate<true>, opcode::sub},
    {o::where, where, opcode::pow},
    {o::masked_fill, masked_fill, opcode::add},
    {o::tril, triangle<false>, opcode::pow},
    {o::triu, triangle<true>, opcode::pow},
    {o::isfinite, isfinite, opcode::cast},
    {o::isnan, isnan, opcode::cast},
    {o::isinf, isinf, opcode::sub},
    {o::sign, sign, opcode::pow},
    {o::nan_to_num, nan_to_num, opcode::pow},
    {o::bucketize, bucketize, opcode::pow},
    {o::searchsorted, searchsorted, opcode::pow},
    {o::index_add, index_add, opcode::gemm},
    {o::to_copy, convert, opcode::cast},
    {o::type_as, convert, opcode::cast},
    {o::one_hot, one_hot, opcode::pow},
    {o::embedding, embedding, opcode::gather},
    {o::index_select, index_select, opcode::gather},
    {o::gather, gather, opcode::add},
    {o::index, index, opcode::gather},
};

}  // namespace

double largest_of(nem::element type) noexcept {
  if (type == nem::element::f16) return 65504;
  return type == nem::element::bf16 ? 0x1.fep127
                                    : static_cast<double>(std::numeric_limits<float>::max());
}

value inverted(chain& c, const value& truth_value) {
  return c.apply(opcode::sub, {c.number(1), truth_value});
}

/// [x >= 0] - [x <= 0]
value sign_of(chain& c, const value& x, opcode power) {
  const value below = c.apply(opcode::relu, {c.apply(opcode::neg, {x})});
  const value not_below = c.apply(power, {c.number(0), below});
  const value not_above = c.apply(power, {c.number(0), c.apply(opcode::relu, {x})});
  return c.apply(opcode::sub, {not_below, not_above});
}

std::span<const mapping> logic_mappings() noexcept { return logic_rows; }

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI
