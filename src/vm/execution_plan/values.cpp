// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <compare>
#include <functional>
#include <limits>
#include <numeric>
#include <tessera/core/bytes.hpp>
#include <vector>

#include "format.hpp"
#include "io/random.hpp"
#include "vm/nac/indexing.hpp"
#include "vm/nac/operations.hpp"
#include "vm/nac/strided.hpp"
#include "vm/nac/types.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

using kind = plan_value::kind;
using model::operation;

void wrong_slot(std::string_view wanted, const plan_value& found) {
  std::string what(name(found.what()));
  if (found.is_tensor()) what += " of shape " + found.elements().dims.text();
  fail(errc::nac_plan_slot, "found ", what, "; expected ", wanted);
}

plan_value number_of(const plan_value& v) {
  if (v.is_number()) return v;
  if (!v.is_tensor() || v.elements().size() != 1) wrong_slot("a number", v);
  return number_at(v.elements(), 0);
}

std::int64_t whole_of(const plan_value& v) {
  const plan_value n = number_of(v);
  if (n.what() != kind::real) return n.as_whole();
  const double real = n.as_real();
  if (!(real >= -9223372036854775808.0 && real < 9223372036854775808.0) || real != std::floor(real))
    wrong_slot("an integer", n);
  return static_cast<std::int64_t>(real);
}

bool truth_of(const plan_value& v) {
  switch (v.what()) {
    case kind::null: return false;
    case kind::string:
    case kind::bytes: return !v.as_text().empty();
    case kind::list:
    case kind::tuple: return v.elements().size() != 0;
    case kind::tokenizer: return true;
    case kind::boolean:
    case kind::whole:
    case kind::real:
    case kind::tensor: break;
  }
  return number_of(v).as_real() != 0;
}

std::int64_t rounds_of(const plan_value& v) {
  const plan_value n = number_of(v);
  if (n.what() != kind::real) return n.as_whole();
  if (std::isnan(n.as_real())) wrong_slot("a number of rounds", n);
  return convert<std::int64_t>(std::ceil(n.as_real()));
}

namespace {

/// Steps of an element that is put in order with others.
constexpr std::uint64_t order_steps = 64;

void check_axis_has(const tensor& t) {
  if (t.rank() == 0) fail(errc::nac_run_axis, "rank is 0; expected at least 1");
}

/// An index from the front. Throws nac_run_index.
[[nodiscard]] std::int64_t index_in(const plan_value& v, std::int64_t size) {
  const std::int64_t i = whole_of(v);
  if (i < -size || i >= size) nac::operations::refuse_index(i, size);
  return i < 0 ? i + size : i;
}

/// Numbers in a row, as shapes are.
[[nodiscard]] shape shape_from(const plan_value& v) {
  shape out;
  if (v.is_number()) {
    out.push_back(whole_of(v));
    return out;
  }
  if (!v.is_list() && !v.is_tensor()) wrong_slot("a shape", v);
  if (v.elements().size() > max_rank) fail(errc::nac_run_rank);
  for (std::size_t i = 0; i < v.elements().size(); ++i)
    out.push_back(whole_of(number_at(v.elements(), i)));
  return out;
}

[[nodiscard]] std::int64_t power(std::int64_t base, std::int64_t exponent) noexcept {
  auto b = static_cast<std::uint64_t>(base), out = std::uint64_t{1};
  for (; exponent != 0; exponent >>= 1, b *= b)
    if ((exponent & 1) != 0) out *= b;
  return static_cast<std::int64_t>(out);
}

[[nodiscard]] plan_value whole_result(plan_binary op, std::int64_t a, std::int64_t b) noexcept {
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  switch (op) {
    case plan_binary::add: return plan_value::whole(static_cast<std::int64_t>(x + y));
    case plan_binary::sub: return plan_value::whole(static_cast<std::int64_t>(x - y));
    case plan_binary::mul: return plan_value::whole(static_cast<std::int64_t>(x * y));
    case plan_binary::div: break;  // gives a float
    case plan_binary::pow: return plan_value::whole(power(a, b));
    case plan_binary::max: return plan_value::whole(std::max(a, b));
    case plan_binary::min: return plan_value::whole(std::min(a, b));
  }
  return {};
}

[[nodiscard]] plan_value real_result(plan_binary op, double a, double b) noexcept {
  const bool has_nan = std::isnan(a) || std::isnan(b);
  switch (op) {
    case plan_binary::add: return plan_value::real(a + b);
    case plan_binary::sub: return plan_value::real(a - b);
    case plan_binary::mul: return plan_value::real(a * b);
    case plan_binary::div: return plan_value::real(a / b);
    case plan_binary::pow: return plan_value::real(std::pow(a, b));
    case plan_binary::max: return plan_value::real(has_nan ? a + b : std::max(a, b));
    case plan_binary::min: return plan_value::real(has_nan ? a + b : std::min(a, b));
  }
  return {};
}

[[nodiscard]] plan_value negative_of(const plan_value& v) noexcept {
  if (v.what() == kind::real) return plan_value::real(-v.as_real());
  return whole_result(plan_binary::sub, 0, v.as_whole());
}

[[nodiscard]] plan_value result_of(plan_unary op, const plan_value& v) noexcept {
  const double x = v.as_real();
  switch (op) {
    case plan_unary::softmax: return plan_value::real(1);
    case plan_unary::sqrt: return plan_value::real(std::sqrt(x));
    case plan_unary::abs:
      if (v.what() == kind::real) return plan_value::real(std::fabs(x));
      return v.as_whole() < 0 ? negative_of(v) : plan_value::whole(v.as_whole());
    case plan_unary::neg: return negative_of(v);
    case plan_unary::exp: return plan_value::real(std::exp(x));
    case plan_unary::reciprocal: return plan_value::real(1 / x);
  }
  return {};
}

[[nodiscard]] bool result_of(plan_comparison op, std::partial_ordering o) noexcept {
  switch (op) {
    case plan_comparison::eq: return o == 0;
    case plan_comparison::ne: return o != 0;
    case plan_comparison::gt: return o > 0;
    case plan_comparison::lt: return o < 0;
  }
  return false;
}

// The operation of tensors for each choice.

[[nodiscard]] operation operation_of(plan_unary op) noexcept {
  switch (op) {
    case plan_unary::softmax: return operation::softmax;
    case plan_unary::sqrt: return operation::sqrt;
    case plan_unary::abs: return operation::abs;
    case plan_unary::neg: return operation::neg;
    case plan_unary::exp: return operation::exp;
    case plan_unary::reciprocal: break;
  }
  return operation::reciprocal;
}
[[nodiscard]] operation operation_of(plan_binary op) noexcept {
  switch (op) {
    case plan_binary::add: return operation::add;
    case plan_binary::sub: return operation::sub;
    case plan_binary::mul: return operation::mul;
    case plan_binary::div: return operation::div;
    case plan_binary::pow: return operation::pow;
    case plan_binary::max: return operation::maximum;
    case plan_binary::min: break;
  }
  return operation::minimum;
}
[[nodiscard]] operation operation_of(plan_comparison op) noexcept {
  switch (op) {
    case plan_comparison::eq: return operation::eq;
    case plan_comparison::ne: return operation::ne;
    case plan_comparison::gt: return operation::gt;
    case plan_comparison::lt: break;
  }
  return operation::lt;
}

/// An integer and a float as they are, which a double may not hold both.
[[nodiscard]] std::partial_ordering order(std::int64_t a, double b) noexcept {
  if (std::isnan(b)) return std::partial_ordering::unordered;
  if (b >= 9223372036854775808.0) return std::partial_ordering::less;
  if (b < -9223372036854775808.0) return std::partial_ordering::greater;
  const auto whole = static_cast<std::int64_t>(b);
  if (a != whole) return a <=> whole;
  return 0.0 <=> b - static_cast<double>(whole);
}

[[nodiscard]] std::partial_ordering order(const plan_value& a, const plan_value& b) noexcept {
  if (a.is_text()) return a.as_text() <=> b.as_text();
  const bool real_a = a.what() == kind::real, real_b = b.what() == kind::real;
  if (real_a && real_b) return a.as_real() <=> b.as_real();
  if (real_b) return order(a.as_whole(), b.as_real());
  if (real_a) return 0 <=> order(b.as_whole(), a.as_real());
  return a.as_whole() <=> b.as_whole();
}

/// 2^-2^-i for i from 1, in units of 2^-32.
constexpr std::uint64_t roots_of_half[] = {
    0xb504f334, 0xd744fccb, 0xeac0c6e8, 0xf5257d15, 0xfa83b2db, 0xfd3e0c0d, 0xfe9e115c, 0xff4ecb59,
    0xffa75652, 0xffd3a752, 0xffe9d2b3, 0xfff4e91c, 0xfffa747f, 0xfffd3a3b, 0xfffe9d1d, 0xffff4e8e,
    0xffffa747, 0xffffd3a3, 0xffffe9d2, 0xfffff4e9, 0xfffffa74, 0xfffffd3a, 0xfffffe9d, 0xffffff4f};

/// e^-(distance / temperature) in units of 2^-32; the distance is at least 0, or NaN where both
/// logits are infinite.
[[nodiscard]] std::uint64_t weight(double distance, double temperature) noexcept {
  double d = temperature > 0 ? distance / temperature : distance;
  d *= 1.4426950408889634;  // log2(e)
  if (!(d < 33)) return 0;
  const auto fixed = static_cast<std::uint64_t>(d * 16777216.0);  // 24 bits after the point
  std::uint64_t w = std::uint64_t{1} << 32;
  for (unsigned i = 0; i < 24; ++i)
    if ((fixed >> (23 - i) & 1) != 0) w = (w * roots_of_half[i]) >> 32;
  return w >> (fixed >> 24);
}

/// Elements as doubles, in memory that lasts as long as `owner`.
[[nodiscard]] std::span<double> doubles(memory& arena, const tensor& t, storage& owner) {
  owner = arena.take(t.size() * sizeof(double));
  cast(t.type, t.data, data_type::float64, owner.data(), t.size());
  return {static_cast<double*>(static_cast<void*>(owner.data())), t.size()};
}

}  // namespace

// ---- values of other kinds

tensor plan_values::tensor_of(const plan_value& v) const {
  switch (v.what()) {
    case kind::boolean: return make_number(arena, v.as_boolean());
    case kind::whole: return make_number(arena, v.as_whole());
    case kind::real: return make_number(arena, v.as_real());
    case kind::list:
    case kind::tuple:
      return v.elements().type == data_type::float64 ? cast(arena, v.elements(), data_type::float32)
                                                     : v.elements();
    case kind::tensor: return v.elements();
    case kind::null:
    case kind::string:
    case kind::bytes:
    case kind::tokenizer: break;
  }
  wrong_slot("a tensor, a number or a list", v);
}

plan_value plan_values::list_of(std::span<const std::int64_t> v) const {
  tensor t = make_tensor(arena, data_type::int64, {static_cast<std::int64_t>(v.size())});
  std::copy(v.begin(), v.end(), t.as<std::int64_t>());
  return plan_value::list(std::move(t));
}

plan_value plan_values::from_model(const value& v) const {
  switch (v.what()) {
    case value::form::none:
    case value::form::complex: break;
    case value::form::tensor: return v.as_tensor();
    case value::form::list: return v.as_list().empty() ? plan_value() : from_model(v.as_list()[0]);
    case value::form::string: return plan_value::string(arena, v.as_string());
    case value::form::int_list: return list_of(v.as_int_list());
    case value::form::numbers: {
      const std::span<const double> all = v.as_numbers();
      tensor t = make_tensor(arena, data_type::float64, {static_cast<std::int64_t>(all.size())});
      std::copy(all.begin(), all.end(), t.as<double>());
      return plan_value::list(std::move(t));
    }
  }
  return {};
}

tensor plan_values::apply(operation o, std::span<const value> arguments) const {
  model::binding b;
  const value* at[model::max_letters];
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    b.first[i] = static_cast<std::uint8_t>(i);
    b.count[i] = 1;
    at[i] = &arguments[i];
  }
  call c(arena, work, o, b, {at, arguments.size()});
  value out = run(c);
  return std::move(out.as_tensor());
}

// ---- tensors

plan_value plan_values::create(data_type type, std::uint32_t how, const plan_value& from) const {
  tensor out;
  if (how == 0) {
    const tensor t = from.is_list() ? from.elements() : tensor_of(from);
    const std::int64_t n = t.rank() == 1 ? t.dim(0) : 1;
    out = cast(arena, t, type);
    return out.with_shape(t.rank() < 2 ? shape{1, n} : t.dims);
  }
  if (how == 1) {
    const std::int64_t end = std::max<std::int64_t>(rounds_of(from), 0);
    out = make_tensor(arena, type, {1, end});
    visit(type, [&]<class T>(of<T>) {
      for (std::int64_t i = 0; i < end; ++i) out.as<T>()[i] = convert<T>(i);
    });
    return out;
  }
  out = make_tensor(arena, type, shape_from(from));
  visit(type, [&]<class T>(of<T>) {
    std::fill_n(out.as<T>(), out.size(), convert<T>(std::int64_t{how == 2 ? 1 : 0}));
  });
  return out;
}

plan_value plan_values::pad_left(const plan_value& v, const plan_value& width,
                                 const plan_value& with) const {
  const tensor x = tensor_of(v);
  check_axis_has(x);
  const std::int64_t n = whole_of(width);
  if (n < 0 || n > std::int64_t{1} << 48)
    fail(errc::nac_run_argument, "padding is ", n, "; expected 0 to 2^48");
  const plan_value filler = number_of(with);
  const std::size_t last = x.rank() - 1;
  shape dims = x.dims;
  dims[last] += n;
  tensor out = make_tensor(arena, x.type, dims);
  visit(x.type, [&]<class T>(of<T>) {
    const T fill =
        filler.what() == kind::real ? convert<T>(filler.as_real()) : convert<T>(filler.as_whole());
    if (out.size() == 0) return;
    const std::int64_t rows = x.dims.product(0, last), row = x.dim(last);
    const T* from = x.as<T>();
    T* to = out.as<T>();
    for (std::int64_t r = 0; r < rows; ++r, from += row)
      to = std::copy_n(from, row, std::fill_n(to, n, fill));
  });
  return out;
}

plan_value plan_values::unsqueezed(const plan_value& v, const plan_value& axis) const {
  const tensor x = tensor_of(v);
  shape dims = x.dims;
  dims.insert(axis_of(whole_of(axis), x.rank() + 1), 1);
  return x.with_shape(dims);
}

plan_value plan_values::squeezed(const plan_value& v, const plan_value& axis) const {
  const tensor x = tensor_of(v);
  check_axis_has(x);
  const std::size_t a = axis_of(whole_of(axis), x.rank());
  if (x.dim(a) != 1)
    fail(errc::nac_run_shape, "axis ", a, " of ", x.dims, " has size ", x.dim(a), "; expected 1");
  shape dims = x.dims;
  dims.erase(a);
  return x.with_shape(dims);
}

plan_value plan_values::concatenated(std::span<const tensor> all, const plan_value& axis) const {
  if (all.empty()) fail(errc::nac_run_argument, "no tensors to concatenate; expected at least 1");
  const tensor& first = all[0];
  check_axis_has(first);
  const std::size_t a = axis_of(whole_of(axis), first.rank());
  shape dims = first.dims;
  dims[a] = 0;
  for (const tensor& t : all) {
    shape others = t.dims;
    if (t.rank() == first.rank()) others[a] = first.dim(a);
    if (others != first.dims)
      fail(errc::nac_run_shape, "a tensor has shape ", t.dims, "; expected ", first.dims,
           " except along axis ", a);
    if (!checked_add(dims[a], t.dim(a), dims[a])) fail(errc::budget_memory);
  }
  tensor out = make_tensor(arena, first.type, dims);
  if (out.size() == 0) return out;
  std::vector<const tensor*> parts;
  for (const tensor& t : all) parts.push_back(&t);
  join(out, a, parts);
  return out;
}

plan_value plan_values::shape_of(const plan_value& v) const {
  const tensor x = tensor_of(v);
  tensor t = make_tensor(arena, data_type::int64, {static_cast<std::int64_t>(x.rank())});
  std::copy(x.dims.begin(), x.dims.end(), t.as<std::int64_t>());
  return plan_value::tuple(std::move(t));
}

plan_value plan_values::dimension(const plan_value& v, const plan_value& index) const {
  const tensor x = tensor_of(v);
  const std::int64_t i = index_in(index, static_cast<std::int64_t>(x.rank()));
  return plan_value::whole(x.dim(static_cast<std::size_t>(i)));
}

plan_value plan_values::extracted(const plan_value& v, const plan_value& index) const {
  if (!v.is_list() && !v.is_tensor()) wrong_slot("a tensor or a list", v);
  const tensor& x = v.elements();
  if (x.rank() == 0 || x.rank() > 4)
    fail(errc::nac_run_shape, "shape is ", x.dims, "; expected rank 1 to 4");
  const std::size_t axis = x.rank() == 1 ? 0 : 1;
  if (axis == 1 && x.dim(0) == 0)
    fail(errc::nac_run_index, "shape ", x.dims, " has no batches; expected at least 1");
  const auto i = static_cast<std::size_t>(index_in(index, x.dim(axis)));
  if (v.is_list()) return number_at(x, i);
  shape dims;
  for (std::size_t k = axis + 1; k < x.rank(); ++k) dims.push_back(x.dim(k));
  tensor out = x.with_shape(dims);
  out.data += i * out.bytes();
  return out;
}

// ---- arithmetic

plan_value plan_values::unary(plan_unary op, const plan_value& v) const {
  if (v.is_number()) return result_of(op, v);
  const tensor x = tensor_of(v);
  if (op != plan_unary::softmax) return apply(operation_of(op), std::initializer_list<value>{x});
  const tensor row = cast(arena, x.rank() == 0 ? x.with_shape({1}) : x, as_float(x.type));
  const tensor out = apply(operation_of(op),
                           std::initializer_list<value>{row, make_number(arena, std::int64_t{-1})});
  return out.with_shape(x.dims);
}

plan_value plan_values::binary(plan_binary op, const plan_value& a, const plan_value& b) const {
  if (a.is_number() && b.is_number()) {
    const bool real = a.what() == kind::real || b.what() == kind::real || op == plan_binary::div ||
                      (op == plan_binary::pow && b.as_whole() < 0);
    return real ? real_result(op, a.as_real(), b.as_real())
                : whole_result(op, a.as_whole(), b.as_whole());
  }
  return apply(operation_of(op), std::initializer_list<value>{tensor_of(a), tensor_of(b)});
}

plan_value plan_values::compared(plan_comparison op, const plan_value& a,
                                 const plan_value& b) const {
  const auto has_elements = [](const plan_value& v) { return v.is_list() || v.is_tensor(); };
  const auto counts = [&](const plan_value& v) { return v.is_number() || has_elements(v); };
  if ((has_elements(a) && counts(b)) || (has_elements(b) && counts(a)))
    return apply(operation_of(op), std::initializer_list<value>{tensor_of(a), tensor_of(b)});
  const bool alike = (a.is_number() && b.is_number()) || (a.is_text() && a.what() == b.what());
  if (!alike) {
    if (op != plan_comparison::eq && op != plan_comparison::ne)
      wrong_slot("a value that compares with " + std::string(name(a.what())), b);
    return plan_value::boolean((a.is_null() && b.is_null()) == (op == plan_comparison::eq));
  }
  if (a.is_text()) arena.charge(std::min(a.as_text().size(), b.as_text().size()) / 8);
  return plan_value::boolean(result_of(op, order(a, b)));
}

plan_value plan_values::argmax(const plan_value& v) const {
  tensor x = tensor_of(v);
  check_axis_has(x);
  if (x.type == data_type::boolean) x = cast(arena, x, data_type::uint8);  // as numbers 0 and 1
  return apply(operation::argmax,
               std::initializer_list<value>{x, make_number(arena, std::int64_t{-1})});
}

// ---- choices

void plan_values::top_k(const plan_value& v, const plan_value& k, plan_value& indices,
                        plan_value& values) const {
  const tensor x = tensor_of(v);
  const std::int64_t wanted = whole_of(k);
  if (wanted < 0) fail(errc::nac_run_argument, "k is ", wanted, "; expected at least 0");
  const std::size_t n =
      static_cast<std::size_t>(std::min(wanted, static_cast<std::int64_t>(x.size())));
  arena.charge(product_of_steps(x.size(), order_steps));
  const shape dims{static_cast<std::int64_t>(n)};
  tensor all = make_tensor(arena, data_type::int64, {static_cast<std::int64_t>(x.size())});
  const std::span<std::int64_t> order_of = all.elements<std::int64_t>();
  std::iota(order_of.begin(), order_of.end(), std::int64_t{0});
  tensor at = make_tensor(arena, data_type::int64, dims),
         of_them = make_tensor(arena, x.type, dims);
  visit(x.type, [&]<class T>(of<T>) {
    const auto before = [from = x.as<T>()](std::int64_t a, std::int64_t b) {
      const compute<T> p = from[a], q = from[b];
      if constexpr (is_float<T>)
        if (p != p || q != q) return p != p && (q == q || a < b);  // NaN is the largest
      return p > q || (p == q && a < b);
    };
    std::partial_sort(order_of.begin(), order_of.begin() + static_cast<std::ptrdiff_t>(n),
                      order_of.end(), before);
    for (std::size_t i = 0; i < n; ++i) {
      at.as<std::int64_t>()[i] = order_of[i];
      of_them.as<T>()[i] = x.as<T>()[order_of[i]];
    }
  });
  indices = std::move(at);
  values = std::move(of_them);
}

plan_value plan_values::sample(const plan_value& logits, const plan_value& temperature,
                               const plan_value& top_k, std::uint64_t& random) const {
  const tensor x = tensor_of(logits);
  const double t = number_of(temperature).as_real();
  const std::int64_t k = whole_of(top_k);
  const auto n = static_cast<std::int64_t>(x.size());
  if (n == 0 || n > INT32_MAX)
    fail(errc::nac_run_argument, n, " values to choose from; expected 1 to ", INT32_MAX);
  arena.charge(product_of_steps(x.size(), order_steps));
  storage owner, copy;
  const std::span<double> all = doubles(arena, x, owner);
  double best = -std::numeric_limits<double>::infinity();
  for (const double v : all) {
    if (std::isnan(v))
      fail(errc::nac_run_argument, "a value to choose from is NaN; expected numbers");
    best = std::max(best, v);
  }
  if (best == -std::numeric_limits<double>::infinity())
    fail(errc::nac_run_argument, "all values to choose from are -inf; expected at least one other");
  double lowest = -std::numeric_limits<double>::infinity();
  if (k > 0 && k < n) {
    const std::span<double> sorted = doubles(arena, x, copy);
    const auto place = sorted.begin() + static_cast<std::ptrdiff_t>(k - 1);
    std::nth_element(sorted.begin(), place, sorted.end(), std::greater<>());
    lowest = *place;
  }
  // The sum of all stays below 2^64.
  const unsigned more =
      31u - static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(n)) - 1);
  const auto weight_of = [&](double v) {
    if (v < lowest) return std::uint64_t{0};
    return v == best ? std::uint64_t{1} << (32 + more - 1) : weight(best - v, t) << (more - 1);
  };
  std::uint64_t sum = 0;
  for (const double v : all) sum += weight_of(v);
  const std::uint64_t uneven = (0 - sum) % sum;  // 2^64 mod sum: those would come too often
  std::uint64_t r = io::next_bits(random);
  while (r < uneven) r = io::next_bits(random);
  r %= sum;
  std::int64_t chosen = 0;
  for (std::uint64_t w; (w = weight_of(all[static_cast<std::size_t>(chosen)])) <= r; ++chosen)
    r -= w;
  return plan_value::whole(chosen);
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
