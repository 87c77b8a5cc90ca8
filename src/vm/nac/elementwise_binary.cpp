// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Operations on the elements of two tensors, and the arithmetic of numbers.

#include <cmath>
#include <limits>

#include "loops.hpp"
#include "operations.hpp"
#include "strided.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

namespace {

/// Powers that are fast; the second operand is ignored.
template <int TwiceExponent>
struct power : formulas::div {
  static constexpr formulas::no_kernel kernel{};
  template <class T>
  static T of(T x, T) noexcept {
    using formulas::quotient;
    if constexpr (TwiceExponent == -4) return quotient(T{1}, x * x);
    if constexpr (TwiceExponent == -2) return quotient(T{1}, x);
    if constexpr (TwiceExponent == -1) return quotient(T{1}, std::sqrt(x));
    if constexpr (TwiceExponent == 1) return std::sqrt(x);
    if constexpr (TwiceExponent == 4) return x * x;
    if constexpr (TwiceExponent == 6) return x * x * x;
  }
};

// ---- numbers, as Python has them

[[nodiscard]] value number(call& c, const scalar& v) {
  if (v.type == data_type::boolean) return make_number(c.arena, v.whole != 0);
  if (v.type == data_type::int64) return make_number(c.arena, v.whole);
  return make_number(c.arena, v.real);
}
[[nodiscard]] bool are_numbers(call& c) {
  return c.tensor_at(0).is_number && c.tensor_at(1).is_number;
}
[[nodiscard]] bool are_whole(const scalar& a, const scalar& b) {
  return a.type != data_type::float64 && b.type != data_type::float64;
}

[[noreturn]] void too_great(const call& c) {
  fail(errc::nac_run_argument, "the integer result of ", c.operation, " exceeds 64 bits");
}

/// a to the power of b >= 0; false where that exceeds 64 bits.
[[nodiscard]] bool whole_power(std::int64_t a, std::int64_t b, std::int64_t& out) {
  out = 1;
  if (a == 0 || a == 1 || b == 0) {
    out = b == 0 ? 1 : a;
    return true;
  }
  if (a == -1) {
    out = b % 2 == 0 ? 1 : -1;
    return true;
  }
  if (b > 63) return false;
  for (; b > 0; --b)
    if (__builtin_mul_overflow(out, a, &out)) return false;
  return true;
}

[[nodiscard]] value power_of_numbers(call& c, const scalar& a, const scalar& b) {
  if (a.real == 0 && b.real < 0)
    fail(errc::nac_run_division, "0 to the power of ", b.real,
         "; expected an exponent of at least 0");
  if (are_whole(a, b) && b.whole >= 0) {
    std::int64_t out;
    if (!whole_power(a.whole, b.whole, out)) too_great(c);
    return make_number(c.arena, out);
  }
  if (a.real < 0 && std::isfinite(a.real) && std::isfinite(b.real) && std::floor(b.real) != b.real)
    fail(errc::nac_run_argument, a.real, " to the power of ", b.real,
         "; expected an integer exponent for a negative base");
  return make_number(c.arena, std::pow(a.real, b.real));
}

/// a + b or a - b, b times alpha where that is given.
[[nodiscard]] value sum_of_numbers(call& c, bool plus, const scalar& a, scalar b) {
  bool integral = are_whole(a, b);
  double scaled = b.real;
  if (c.has(2)) {
    const scalar alpha = c.number(2);
    integral = integral && alpha.type != data_type::float64;
    scaled = alpha.real * b.real;
    if (integral && __builtin_mul_overflow(alpha.whole, b.whole, &b.whole)) too_great(c);
  }
  if (!integral) return make_number(c.arena, plus ? a.real + scaled : a.real - scaled);
  std::int64_t out = 0;
  if (plus ? __builtin_add_overflow(a.whole, b.whole, &out)
           : __builtin_sub_overflow(a.whole, b.whole, &out))
    too_great(c);
  return make_number(c.arena, out);
}
[[nodiscard]] value product_of_numbers(call& c) {
  const scalar a = c.number(0), b = c.number(1);
  if (!are_whole(a, b)) return make_number(c.arena, a.real * b.real);
  std::int64_t out = 0;
  if (__builtin_mul_overflow(a.whole, b.whole, &out)) too_great(c);
  return make_number(c.arena, out);
}
[[nodiscard]] value quotient_of_numbers(call& c) {
  const scalar a = c.number(0), b = c.number(1);
  if (b.real == 0) fail(errc::nac_run_division);
  return make_number(c.arena, a.real / b.real);
}
/// Functions of tables that Python has an operator for.
template <class F>
[[nodiscard]] value of_numbers(call& c) {
  using formulas::gives;
  const scalar a = c.number(0), b = c.number(1);
  const bool integral = are_whole(a, b);
  const auto is = []<class... G>(of<G>...) { return (std::is_same_v<F, G> || ...); };
  if constexpr (F::result == gives::truth) {
    return make_number(c.arena, integral ? F::of(a.whole, b.whole) : F::of(a.real, b.real));
  } else if constexpr (is(of<formulas::minimum>{}, of<formulas::maximum>{})) {
    using less = std::conditional_t<is(of<formulas::minimum>{}), formulas::lt, formulas::gt>;
    return number(c, (integral ? less::of(b.whole, a.whole) : less::of(b.real, a.real)) ? b : a);
  } else if constexpr (is(of<formulas::floor_divide>{}, of<formulas::remainder>{})) {
    if (b.real == 0) fail(errc::nac_run_division);
    if (!integral) return make_number(c.arena, F::of(a.real, b.real));
    if (is(of<formulas::floor_divide>{}) && b.whole == -1 && a.whole == INT64_MIN) too_great(c);
    return make_number(c.arena, F::of(a.whole, b.whole));
  } else if constexpr (is(of<formulas::bitwise_and>{}, of<formulas::bitwise_or>{},
                          of<formulas::bitwise_xor>{})) {
    if (!integral) refuse(c, a.type, b.type);
    const std::int64_t out = F::of(a.whole, b.whole);
    const bool truths = a.type == data_type::boolean && b.type == data_type::boolean;
    return truths ? make_number(c.arena, out != 0) : make_number(c.arena, out);
  } else if constexpr (is(of<formulas::left_shift>{}, of<formulas::right_shift>{})) {
    if (!integral) refuse(c, a.type, b.type);
    if (b.whole < 0) fail(errc::nac_run_argument, "a shift by ", b.whole, "; expected at least 0");
    const std::int64_t out = F::of(a.whole, b.whole);
    if (is(of<formulas::left_shift>{}) && a.whole != 0 &&
        (b.whole > 62 || formulas::right_shift::of(out, b.whole) != a.whole))
      too_great(c);
    return make_number(c.arena, out);
  } else {
    refuse(c, a.type, b.type);  // PyTorch has it for tensors only
  }
}

// ---- the ways to call them

/// Runs a loop over two operands. `exact`: numbers of halves aren't rounded to halves, as in
/// PyTorch's sums, products and quotients; 1: the second operand, 2: also the first.
[[nodiscard]] value combine(call& c, const tensor& a, const tensor& b, data_type common,
                            data_type lane_out, data_type type, loop f, int exact = 0,
                            const void* with = nullptr) {
  const data_type lane = widened(common);
  if (f == nullptr) refuse(c, a.type, b.type);
  if (a.type == lane && b.type == lane && lane_out == type && a.dims == b.dims)
    return elementwise(c.arena, a.dims, {a.data, b.data}, type, f, with);
  const bool a_exact = exact == 2 && a.is_number, b_exact = exact >= 1 && b.rank() == 0;
  const source in[] = {{&a, a_exact ? lane : common, lane}, {&b, b_exact ? lane : common, lane}};
  const auto widens = [](const tensor& x, const tensor& one) {  // to the shape of x
    return one.rank() <= x.rank() && one.size() == 1;
  };
  if (widens(a, b)) return elementwise(c.arena, a.dims, in, lane_out, type, f, with);
  if (widens(b, a)) return elementwise(c.arena, b.dims, in, lane_out, type, f, with);
  return elementwise(c.arena, broadcast(a.dims, b.dims), in, lane_out, type, f, with);
}
/// A whole number that a file stores as a float, as an integer; otherwise the operand itself.
[[nodiscard]] tensor as_bits(memory& arena, const tensor& x) {
  if (!x.is_number || !is_floating(x.type)) return x;
  const double v = *x.as<double>();
  if (!(std::floor(v) == v && std::fabs(v) < 9223372036854775808.0)) return x;
  return make_number(arena, static_cast<std::int64_t>(v));
}
/// A function of a table.
template <class F>
[[nodiscard]] value on_both(call& c, const tensor& a, const tensor& b) {
  using formulas::gives;
  const data_type promoted = promote(a, b);
  const data_type common = F::result == gives::real ? as_float(promoted) : promoted;
  const data_type lane = widened(common);
  const loop f = loop_of<F, 2>(lane);
  if constexpr (F::result == gives::truth)
    return combine(c, a, b, common, data_type::boolean, data_type::boolean, f);
  return combine(c, a, b, common, lane, common, f);
}
template <class F>
[[nodiscard]] value on_both(call& c) {
  using formulas::gives;
  if (F::result != gives::real && are_numbers(c)) return of_numbers<F>(c);
  const tensor &a = c.tensor_at(0), &b = c.tensor_at(1);
  if constexpr (F::result == gives::bits)
    return on_both<F>(c, as_bits(c.arena, a), as_bits(c.arena, b));
  return on_both<F>(c, a, b);
}

/// a + alpha b, or a - alpha b. Sums with a number have the number second.
template <class Plain, template <class> class Scaled>
[[nodiscard]] value plus(call& c, const tensor& a, const tensor& b) {
  constexpr int exact = std::is_same_v<Plain, formulas::add> ? 2 : 1;
  const data_type common = promote(a, b), lane = widened(common);
  const scalar alpha = c.has(2) ? c.number(2) : scalar{data_type::int64, 1, 1};
  if (alpha.real == 1)
    return combine(c, a, b, common, lane, common, loop_of<Plain, 2>(lane), exact);
  // 1, 1.0 and true are one constant in files, so a whole number may be written as any of them.
  if (!is_floating(common) && std::floor(alpha.real) != alpha.real)
    fail(errc::nac_run_argument, "alpha is ", alpha.real,
         "; expected an integer for integer operands");
  return visit(lane, [&]<class T>(of<T>) -> value {
    if constexpr (is_half<T>) {
      refuse(c, common);
    } else if constexpr (!Plain::template takes<T>) {
      refuse(c, a.type, b.type);
    } else {
      const Scaled<T> op{alpha.as<T>()};
      return combine(c, a, b, common, lane, common, each_with<Scaled<T>, T, 2>, exact, &op);
    }
  });
}
[[nodiscard]] value minus(call& c, std::size_t first, std::size_t second) {
  const tensor &a = c.tensor_at(first), &b = c.tensor_at(second);
  if (a.is_number && b.is_number)
    return sum_of_numbers(c, false, c.number(first), c.number(second));
  for (const tensor* x : {&a, &b})
    if (!x->is_number && x->type == data_type::boolean) refuse(c, a.type, b.type);
  return plus<formulas::sub, formulas::scaled_sub>(c, a, b);
}

// ---- three operands

template <template <class> class F, class Takes, class... Numbers>
[[nodiscard]] value of_three(call& c, data_type type, Numbers... numbers) {
  const tensor &x = c.tensor_at(0), &a = c.tensor_at(1), &b = c.tensor_at(2);
  const data_type lane = widened(type);
  return visit(lane, [&]<class T>(of<T>) -> value {
    if constexpr (is_half<T>) {
      refuse(c, type);
    } else if constexpr (!Takes::template takes<T>) {
      refuse(c, type);
    } else {
      const F<T> op{numbers.template as<T>()...};
      const source in[] = {{&x, type, lane}, {&a, type, lane}, {&b, type, lane}};
      return elementwise(c.arena, broadcast(x.dims, broadcast(a.dims, b.dims)), in, lane, type,
                         each_with<F<T>, T, 3>, &op);
    }
  });
}
template <template <class> class F, class Takes>
[[nodiscard]] value of_three_scaled(call& c) {
  const tensor* const all[] = {&c.tensor_at(0), &c.tensor_at(1), &c.tensor_at(2)};
  // Of a number for integers only its whole part counts, as in PyTorch.
  return of_three<F, Takes>(c, promote(all),
                            c.has(3) ? c.number(3) : scalar{data_type::int64, 1, 1});
}

}  // namespace

namespace operations {

#define TESSERA_X(name, types, rule, kernel, ...)                                                  \
  value name(call& c) { return on_both<formulas::name>(c); }
TESSERA_BINARY_FUNCTIONS(TESSERA_X)
#undef TESSERA_X

value add(call& c) {
  if (are_numbers(c)) return sum_of_numbers(c, true, c.number(0), c.number(1));
  return plus<formulas::add, formulas::scaled_add>(c, c.tensor_at(0), c.tensor_at(1));
}
value sub(call& c) { return minus(c, 0, 1); }
value rsub(call& c) { return minus(c, 1, 0); }

value mul(call& c) {
  if (are_numbers(c)) return product_of_numbers(c);
  const tensor &a = c.tensor_at(0), &b = c.tensor_at(1);
  const data_type common = promote(a, b), lane = widened(common);
  return combine(c, a, b, common, lane, common, loop_of<formulas::mul, 2>(lane), 2);
}

value div(call& c) {
  if (are_numbers(c)) return quotient_of_numbers(c);
  const tensor &a = c.tensor_at(0), &b = c.tensor_at(1);
  const data_type common = as_float(promote(a, b)), lane = widened(common);
  return combine(c, a, b, common, lane, common, loop_of<formulas::div, 2>(lane), 1);
}
value div_mode(call& c) {
  if (are_numbers(c)) refuse(c, c.tensor_at(0).type, c.tensor_at(1).type);
  if (!c.has(2)) return div(c);
  const std::string_view mode = c.string_or(2, "");
  if (mode != "trunc" && mode != "floor")
    fail(errc::nac_run_argument, "rounding_mode is \"", mode, "\"; expected trunc or floor");
  return mode == "floor" ? floor_divide(c) : on_both<formulas::trunc_divide>(c);
}
value addcmul(call& c) { return of_three_scaled<formulas::addcmul, formulas::sub>(c); }
value addcdiv(call& c) { return of_three_scaled<formulas::addcdiv, formulas::div>(c); }
value lerp(call& c) {
  const tensor &from = c.tensor_at(0), &to = c.tensor_at(1), &weight = c.tensor_at(2);
  if (to.type != from.type || (!weight.is_number && weight.type != from.type))
    refuse(c, from.type, to.type);
  return of_three<formulas::lerp, formulas::div>(c, from.type);
}

value clamp_tensor(call& c) {
  const tensor& x = c.tensor_at(0);
  const tensor *lower = c.optional(1), *upper = c.optional(2);
  if (lower == nullptr && upper == nullptr)
    fail(errc::nac_run_argument, "neither min nor max is given; expected at least one");
  if (upper == nullptr) return on_both<formulas::maximum>(c, x, *lower);
  if (lower == nullptr) return on_both<formulas::minimum>(c, x, *upper);
  const tensor* const all[] = {&x, lower, upper};
  return of_three<formulas::clamp_between, formulas::sub>(c, promote(all));
}
value heaviside(call& c) {
  const tensor &a = c.tensor_at(0), &b = c.tensor_at(1);
  if (a.type != b.type) refuse(c, a.type, b.type);
  return on_both<formulas::heaviside>(c, a, b);
}
value glu(call& c) {
  const tensor& x = c.tensor_at(0);
  if (x.rank() == 0) fail(errc::nac_run_shape, "rank is 0; expected at least 1");
  const std::size_t axis = axis_of(c.whole_or(1, -1), x.rank());
  const std::int64_t half_count = x.dim(axis) / 2;
  if (x.dim(axis) % 2 != 0)
    fail(errc::nac_run_shape, "axis ", axis, " has ", x.dim(axis),
         " elements; expected an even number");
  return on_both<formulas::glu>(c, narrowed(c.arena, x, axis, 0, half_count),
                                narrowed(c.arena, x, axis, half_count, half_count));
}

value pow(call& c) {
  const tensor &a = c.tensor_at(0), &b = c.tensor_at(1);
  if (are_numbers(c)) return power_of_numbers(c, c.number(0), c.number(1));
  const data_type common = promote(a, b), lane = widened(common);
  if (!b.is_number) return combine(c, a, b, common, lane, common, loop_of<formulas::pow, 2>(lane));
  const scalar exponent = c.number(1);
  if (!is_floating(common) && exponent.whole < 0)
    fail(errc::nac_run_argument, "exponent is ", exponent.whole,
         "; expected at least 0 for integers");
  fits(exponent, common);
  loop f = loop_of<formulas::pow, 2>(lane);
  if (is_floating(common)) {
    const double twice = 2 * exponent.real;
    f = twice == -4   ? loop_of<power<-4>, 2>(lane)
        : twice == -2 ? loop_of<power<-2>, 2>(lane)
        : twice == -1 ? loop_of<power<-1>, 2>(lane)
        : twice == 1  ? loop_of<power<1>, 2>(lane)
        : twice == 4  ? loop_of<power<4>, 2>(lane)
        : twice == 6  ? loop_of<power<6>, 2>(lane)
                      : f;
  }
  return combine(c, a, b, common, lane, common, f);
}

value prelu(call& c) {
  const tensor &x = c.tensor_at(0), &weight = c.tensor_at(1);
  if (!is_floating(x.type) || weight.type != x.type) refuse(c, x.type, weight.type);
  // One slope, one for each channel, or, as the compiler's inner operation has it, of any shape
  // that broadcasts.
  tensor slopes = weight;
  if (weight.size() == 1) {
    slopes = weight.with_shape({});
  } else if (weight.rank() == 1 && x.rank() != 1) {
    if (x.rank() == 0 || weight.dim(0) != x.dim(1))
      fail(errc::nac_run_shape, "weight has shape ", weight.dims,
           "; expected 1 slope, or one per channel of ", x.dims);
    shape dims = {weight.dim(0)};
    for (std::size_t i = 2; i < x.rank(); ++i) dims.push_back(1);
    slopes = weight.with_shape(dims);
  } else if (weight.rank() != x.rank() || broadcast(weight.dims, x.dims) != x.dims) {
    fail(errc::nac_run_shape, "weight has shape ", weight.dims,
         "; expected 1 slope, or a shape that broadcasts to ", x.dims);
  }
  const data_type lane = widened(x.type);
  return combine(c, x, slopes, x.type, lane, x.type, loop_of<formulas::prelu, 2>(lane));
}

}  // namespace operations
}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
