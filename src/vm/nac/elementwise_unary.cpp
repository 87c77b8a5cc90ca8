// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Operations on each element of one tensor, and those whose other operands are numbers.

#include <cmath>
#include <limits>

#include "loops.hpp"
#include "operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

namespace {

[[nodiscard]] value map(call& c, const tensor& x, data_type type, loop f,
                        const void* with = nullptr) {
  const data_type lane = widened(type);
  if (f == nullptr) refuse(c, x.type);
  if (x.type == lane && lane == type) return elementwise(c.arena, x.dims, {x.data}, type, f, with);
  const source in[] = {{&x, type, lane}};
  return elementwise(c.arena, x.dims, in, lane, type, f, with);
}
/// A function of a table.
template <class F>
[[nodiscard]] value on_each(call& c) {
  using formulas::gives;
  const tensor& x = c.tensor_at(0);
  const data_type lane = widened(type_of(x));
  if constexpr (F::result == gives::truth) {
    const source in[] = {{&x, lane, lane}};
    return elementwise(c.arena, x.dims, in, data_type::boolean, data_type::boolean,
                       loop_of<F, 1>(lane));
  }
  if (F::result == gives::whole && is_integral(x.type)) return cast(c.arena, x, x.type);
  const data_type type = F::result == gives::real ? as_float(type_of(x)) : type_of(x);
  return map(c, x, type, loop_of<F, 1>(widened(type)));
}
/// A function whose parameters are made for the lane's type; make(of<T>) gives it.
template <template <class> class F, class Make>
[[nodiscard]] value made_for(call& c, data_type type, Make&& make) {
  return visit(widened(type), [&]<class T>(of<T> t) -> value {
    if constexpr (is_half<T> || formulas::is_bool<T>) {
      refuse(c, type);
    } else {
      const F<T> op = make(t);
      return map(c, c.tensor_at(0), type, each_with<F<T>, T, 1>, &op);
    }
  });
}
/// One of floats, with parameters of their type.
template <template <class> class F, class... Numbers>
[[nodiscard]] value with_numbers(call& c, Numbers... numbers) {
  const data_type type = type_of(c.tensor_at(0));
  if (!is_floating(type)) refuse(c, type);
  return visit(widened(type), [&]<class T>(of<T>) -> value {
    if constexpr (formulas::floats<T>) {
      const F<T> op{static_cast<T>(numbers)...};
      return map(c, c.tensor_at(0), type, each_with<F<T>, T, 1>, &op);
    } else {
      refuse(c, type);
    }
  });
}

/// Bounds of type T; those that are missing bound nothing.
template <class T>
[[nodiscard]] formulas::clamp<T> bounds(const scalar* lower, const scalar* upper) {
  using limits = std::numeric_limits<T>;
  formulas::clamp<T> out{limits::lowest(), limits::max()};
  if constexpr (std::is_floating_point_v<T>) out = {-limits::infinity(), limits::infinity()};
  if (lower != nullptr) out.lower = lower->as<T>();
  if (upper != nullptr) out.upper = upper->as<T>();
  return out;
}

[[nodiscard]] value clamped(call& c, const scalar* lower, const scalar* upper) {
  const tensor& x = c.tensor_at(0);
  data_type type = type_of(x);
  bool any_nan = false;
  for (const scalar* bound : {lower, upper}) {
    if (bound == nullptr) continue;
    any_nan = any_nan || std::isnan(bound->real);
    // As a number would: it has a say where it is of a higher kind.
    if (bound->type == data_type::float64)
      type = as_float(type);
    else if (bound->type == data_type::int64 && type == data_type::boolean)
      type = data_type::int64;
  }
  if (type == data_type::boolean) refuse(c, type);
  for (const scalar* bound : {lower, upper})
    if (bound != nullptr) fits(*bound, type);
  if (any_nan)
    return filled(c.arena, type, x.dims,
                  {data_type::float64, 0, std::numeric_limits<double>::quiet_NaN()});
  return made_for<formulas::clamp>(c, type, [&]<class T>(of<T>) {
    formulas::clamp<T> op = bounds<T>(lower, upper);
    // Bounds are rounded to the type as well.
    if (type == data_type::float16)
      op = {static_cast<T>(half(static_cast<float>(op.lower))),
            static_cast<T>(half(static_cast<float>(op.upper)))};
    else if (type == data_type::bfloat16)
      op = {static_cast<T>(bfloat(static_cast<float>(op.lower))),
            static_cast<T>(bfloat(static_cast<float>(op.upper)))};
    return op;
  });
}

/// A function whose numbers are of the tensor's own type, which isn't boolean.
template <template <class> class F, class... Numbers>
[[nodiscard]] value with_own_numbers(call& c, Numbers... numbers) {
  return made_for<F>(c, type_of(c.tensor_at(0)),
                     [&]<class T>(of<T>) { return F<T>{numbers.template as<T>()...}; });
}
[[nodiscard]] value between(call& c, const scalar& lower, const scalar& upper) {
  if (c.tensor_at(0).type == data_type::uint8 && (lower.real < 0 || upper.real < 0))
    fail(errc::nac_run_argument, "the bounds are ", lower.real, " and ", upper.real,
         "; expected at least 0 for u8");
  return with_own_numbers<formulas::clamp>(c, lower, upper);
}
/// The number of a letter, or that one.
[[nodiscard]] scalar number_or(const call& c, std::size_t letter, double otherwise) {
  return c.has(letter)
             ? c.number(letter)
             : scalar{data_type::float64, static_cast<std::int64_t>(otherwise), otherwise};
}

}  // namespace

namespace operations {

#define TESSERA_X(name, types, rule, kernel, ...)                                                  \
  value name(call& c) { return on_each<formulas::name>(c); }
TESSERA_UNARY_FUNCTIONS(TESSERA_X)
#undef TESSERA_X

value relu6(call& c) { return between(c, {data_type::int64, 0, 0}, {data_type::int64, 6, 6}); }
value hardtanh(call& c) { return between(c, number_or(c, 1, -1), number_or(c, 2, 1)); }
value threshold(call& c) {
  const scalar threshold = c.number(1), otherwise = c.number(2);
  return with_own_numbers<formulas::threshold>(c, threshold, otherwise);
}

value selu(call& c) {
  constexpr double alpha = 1.6732632423543772848170429916717,
                   scale = 1.0507009873554804934193349852946;
  return with_numbers<formulas::elu>(c, alpha * scale, scale, 1.0);
}
value celu(call& c) {
  const double alpha = c.real_or(1, 1);
  if (alpha == 0) fail(errc::nac_run_argument, "alpha is 0; expected another number");
  return with_numbers<formulas::elu>(c, alpha, 1.0, 1 / alpha);
}
value softshrink(call& c) {
  const double lambda = c.real_or(1, 0.5);
  if (!(lambda >= 0)) fail(errc::nac_run_argument, "lambda is ", lambda, "; expected at least 0");
  return with_numbers<formulas::softshrink>(c, lambda);
}
value hardshrink(call& c) { return with_numbers<formulas::hardshrink>(c, c.real_or(1, 0.5)); }

value logit(call& c) {
  const tensor& x = c.tensor_at(0);
  const data_type type = as_float(type_of(x));
  // Without eps nothing is bounded.
  const double eps = c.real_or(1, -1);
  return visit(widened(type), [&]<class T>(of<T>) -> value {
    if constexpr (formulas::floats<T>) {
      formulas::logit<T> op{bounds<T>(nullptr, nullptr)};
      if (eps >= 0) op.bounds = {static_cast<T>(eps), static_cast<T>(1 - eps)};
      return map(c, x, type, each_with<formulas::logit<T>, T, 1>, &op);
    } else {
      refuse(c, type);
    }
  });
}

value nan_to_num(call& c) {
  const tensor& x = c.tensor_at(0);
  const data_type type = type_of(x);
  if (!is_floating(type)) return cast(c.arena, x, x.type);
  const double largest = type == data_type::float16    ? 65504.0
                         : type == data_type::bfloat16 ? 3.3895313892515355e38
                         : type == data_type::float32
                             ? static_cast<double>(std::numeric_limits<float>::max())
                             : std::numeric_limits<double>::max();
  return with_numbers<formulas::nan_to_num>(c, c.real_or(1, 0), c.real_or(2, largest),
                                            c.real_or(3, -largest));
}

value square(call& c) {
  const tensor& x = c.tensor_at(0);
  const data_type type = x.type == data_type::boolean ? data_type::int64 : type_of(x);
  return map(c, x, type, loop_of<formulas::square, 1>(widened(type)));
}

value positive(call& c) {
  const tensor& x = c.tensor_at(0);
  if (x.type == data_type::boolean) refuse(c, x.type);
  return x;
}

value round_decimals(call& c) {
  const tensor& x = c.tensor_at(0);
  if (!is_floating(x.type)) refuse(c, x.type);
  const std::int64_t decimals = c.whole_or(1, 0);
  if (decimals == 0) return result_of(c, model::operation::round, {x});
  using enum model::operation;
  const tensor wide = cast(c.arena, x, widened(x.type));
  const tensor power =
      filled(c.arena, wide.type, {},
             {data_type::float64, 0, std::pow(10.0, std::abs(static_cast<double>(decimals)))});
  const tensor scaled = tensor_of(c, decimals > 0 ? mul : div, {wide, power});
  const tensor whole = tensor_of(c, round, {scaled});
  return cast(c.arena, tensor_of(c, decimals > 0 ? div : mul, {whole, power}), x.type);
}

value neg(call& c) {
  const tensor& x = c.tensor_at(0);
  if (!x.is_number) return on_each<formulas::neg>(c);
  const scalar v = c.number(0);
  if (v.type == data_type::float64) return make_number(c.arena, -v.real);
  return make_number(c.arena, formulas::neg::of(v.whole));
}

value gelu(call& c) {
  const std::string_view form = c.string_or(1, "none");
  if (form == "tanh") return on_each<formulas::gelu_tanh>(c);
  if (form != "none")
    fail(errc::nac_run_argument, "approximate is \"", form, "\"; expected none or tanh");
  return on_each<formulas::gelu>(c);
}

value leaky_relu(call& c) { return with_numbers<formulas::leaky_relu>(c, c.real_or(1, 0.01)); }

value elu(call& c) {
  const double alpha = c.real_or(1, 1), scale = c.real_or(2, 1), inside = c.real_or(3, 1);
  return with_numbers<formulas::elu>(c, alpha * scale, scale, inside);
}

value softplus(call& c) {
  return with_numbers<formulas::softplus>(c, c.real_or(1, 1), c.real_or(2, 20));
}

value clamp(call& c) {
  scalar lower, upper;
  const bool has_min = c.has(1), has_max = c.has(2);
  if (!has_min && !has_max)
    fail(errc::nac_run_argument, "neither min nor max is given; expected at least one");
  if (has_min) lower = c.number(1);
  if (has_max) upper = c.number(2);
  return clamped(c, has_min ? &lower : nullptr, has_max ? &upper : nullptr);
}

value clamp_max(call& c) {
  const scalar upper = c.number(1);
  return clamped(c, nullptr, &upper);
}

}  // namespace operations
}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
