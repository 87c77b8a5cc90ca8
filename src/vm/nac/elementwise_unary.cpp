// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Operations on each element of one tensor, and those whose other operands are numbers.

#include <cmath>
#include <limits>

#include "elementwise.hpp"
#include "operations.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/rows.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

namespace {

// An operation whose elements need numbers of the call has a state<T> that is made from them.

template <class Op, class T>
void each(const std::byte* const* in, std::byte* to, std::size_t n, const void* with) {
  const T* const x = lanes<T>(in[0]);
  const auto run = [&](const auto op) {
    auto* const y = lanes<decltype(op.of(T{}))>(to);
    for (std::size_t i = 0; i < n; ++i) y[i] = op.of(x[i]);
  };
  if constexpr (requires { typename Op::template state<T>; })
    run(*static_cast<const typename Op::template state<T>*>(with));
  else
    run(Op{});
}
/// Whether it has the same bits, however many elements there are.
template <class Op>
inline constexpr bool is_exact = requires {
  Op::exact;
};
template <class Op>
void each_by_kernel(const std::byte* const* in, std::byte* to, std::size_t n, const void*) {
  const float* const x = lanes<float>(in[0]);
  if constexpr (is_exact<Op>)
    if (n <= few_floats)
      return each_of_few(n, lanes<float>(to),
                         [&]<class T>(std::size_t i, T) { return Op::of(load_as<T>(x + i)); });
  tensors::apply(Op::kernel, x, lanes<float>(to), n);
}

template <class Op, class T>
[[nodiscard]] constexpr loop loop_for() {
  if constexpr (std::is_same_v<T, float> && has_kernel<Op>)
    return each_by_kernel<Op>;
  else if constexpr (!is_half<T> && Op::template takes<T>)
    return each<Op, T>;
  else
    return nullptr;
}
/// The loop of an operation for a lane; null where there is none.
template <class Op>
[[nodiscard]] loop loop_of(data_type lane) {
  return visit(lane, []<class T>(of<T>) { return loop_for<Op, T>(); });
}

[[nodiscard]] value map(call& c, const tensor& x, data_type type, loop f,
                        const void* with = nullptr) {
  const data_type lane = widened(type);
  if (f == nullptr) refuse(c, x.type);
  if (x.type == lane && lane == type) return elementwise(c.arena, x.dims, {x.data}, type, f, with);
  const source in[] = {{&x, type, lane}};
  return elementwise(c.arena, x.dims, in, lane, type, f, with);
}
/// An operation that keeps the type.
template <class Op>
[[nodiscard]] value same_type(call& c) {
  const tensor& x = c.tensor_at(0);
  const data_type type = type_of(x);
  return map(c, x, type, loop_of<Op>(widened(type)));
}
/// One whose results are floats.
template <class Op>
[[nodiscard]] value as_floats(call& c) {
  const tensor& x = c.tensor_at(0);
  const data_type type = as_float(type_of(x));
  return map(c, x, type, loop_of<Op>(widened(type)));
}
/// One whose results are truth values.
template <class Op>
[[nodiscard]] value as_truths(call& c) {
  const tensor& x = c.tensor_at(0);
  const data_type lane = widened(type_of(x));
  const source in[] = {{&x, lane, lane}};
  return elementwise(c.arena, x.dims, in, data_type::boolean, data_type::boolean,
                     loop_of<Op>(lane));
}
/// Makes an operation's state for a float lane, and runs it.
template <class Op, class... Numbers>
[[nodiscard]] value with_numbers(call& c, Numbers... numbers) {
  const tensor& x = c.tensor_at(0);
  const data_type type = type_of(x);
  if (!is_floating(type)) refuse(c, type);
  const auto run = [&]<class T>(of<T>) {
    const typename Op::template state<T> op{static_cast<T>(numbers)...};
    return map(c, x, type, each<Op, T>, &op);
  };
  return type == data_type::float64 ? run(of<double>{}) : run(of<float>{});
}

// ---- operations without numbers

struct relu_op : of_numbers {
  static constexpr auto kernel = tensors::unary::relu;
  static constexpr bool exact = true;
  template <class T>
  static T of(T x) {
    return x < T{} ? T{} : x;
  }
};
struct exp_op : of_floats {
  static constexpr auto kernel = tensors::function::exp;
  template <class T>
  static T of(T x) {
    return std::exp(x);
  }
};
struct cos_op : of_floats {
  template <class T>
  static T of(T x) {
    return std::cos(x);
  }
};
struct sin_op : of_floats {
  template <class T>
  static T of(T x) {
    return std::sin(x);
  }
};
struct tanh_op : of_floats {
  static constexpr auto kernel = tensors::function::tanh;
  template <class T>
  static T of(T x) {
    return std::tanh(x);
  }
};
struct log_op : of_floats {
  static constexpr auto kernel = tensors::function::log;
  template <class T>
  static T of(T x) {
    return std::log(x);
  }
};
struct sqrt_op : of_floats {
  static constexpr auto kernel = tensors::unary::sqrt;
  template <class T>
  static T of(T x) {
    return std::sqrt(x);
  }
};
struct erf_op : of_floats {
  static constexpr auto kernel = tensors::function::erf;
  template <class T>
  static T of(T x) {
    return std::erf(x);
  }
};
/// IEEE 754 has a value for division by zero, which a sanitizer needn't report.
template <class T>
#if defined(__GNUC__)
__attribute__((no_sanitize("float-divide-by-zero")))
#endif
inline T
inverse(T x) {
  return T{1} / x;
}
struct rsqrt_op : of_floats {
  static constexpr auto kernel = tensors::unary::rsqrt;
  template <class T>
  static T of(T x) {
    return inverse(std::sqrt(x));
  }
};
struct reciprocal_op : of_floats {
  template <class T>
  static T of(T x) {
    return inverse(x);
  }
};
struct abs_op : of_numbers {
  template <class T>
  static T of(T x) {
    if constexpr (std::is_floating_point_v<T>)
      return std::fabs(x);
    else if constexpr (std::is_signed_v<T>)
      return x < 0 ? static_cast<T>(wrapping<T>{0} - static_cast<wrapping<T>>(x)) : x;
    else
      return x;
  }
};
struct neg_op : of_numbers {
  template <class T>
  static T of(T x) {
    if constexpr (std::is_floating_point_v<T>)
      return -x;
    else
      return static_cast<T>(wrapping<T>{0} - static_cast<wrapping<T>>(x));
  }
};
struct square_op : of_numbers {
  template <class T>
  static T of(T x) {
    if constexpr (std::is_floating_point_v<T>)
      return x * x;
    else
      return static_cast<T>(static_cast<wrapping<T>>(x) * static_cast<wrapping<T>>(x));
  }
};
struct floor_op : of_floats {
  template <class T>
  static T of(T x) {
    return std::floor(x);
  }
};
struct ceil_op : of_floats {
  template <class T>
  static T of(T x) {
    return std::ceil(x);
  }
};
/// Halves to the even neighbour.
struct round_op : of_floats {
  template <class T>
  static T of(T x) {
    return std::nearbyint(x);
  }
};
struct sigmoid_op : of_floats {
  static constexpr auto kernel = tensors::function::sigmoid;
  template <class T>
  static T of(T x) {
    return T{1} / (T{1} + std::exp(-x));
  }
};
struct silu_op : of_floats {
  static constexpr auto kernel = tensors::function::silu;
  template <class T>
  static T of(T x) {
    return x / (T{1} + std::exp(-x));
  }
};
/// min(max(x + 3, 0), 6) / 6; a NaN stays one.
template <class T>
[[nodiscard]] inline T hard_gate(T x) {
  const T shifted = x + T{3}, lower = shifted < T{} ? T{} : shifted;
  return lower > T{6} ? T{6} : lower;
}
struct hardsigmoid_op : of_floats {
  template <class T>
  static T of(T x) {
    return hard_gate(x) / T{6};
  }
};
struct hardswish_op : of_floats {
  template <class T>
  static T of(T x) {
    return x * hard_gate(x) / T{6};
  }
};
struct gelu_op : of_floats {
  static constexpr auto kernel = tensors::function::gelu_erf;
  template <class T>
  static T of(T x) {
    return x * T(0.5) * (T{1} + std::erf(x * T(0.70710678118654752440)));
  }
};
struct gelu_tanh_op : of_floats {
  static constexpr auto kernel = tensors::function::gelu;
  template <class T>
  static T of(T x) {
    const T inner = T(0.79788456080286535588) * (x + T(0.044715) * x * x * x);
    return x * T(0.5) * (T{1} + std::tanh(inner));
  }
};
struct tan_op : of_floats {
  template <class T>
  static T of(T x) {
    return std::tan(x);
  }
};
struct sinh_op : of_floats {
  template <class T>
  static T of(T x) {
    return std::sinh(x);
  }
};
struct cosh_op : of_floats {
  template <class T>
  static T of(T x) {
    return std::cosh(x);
  }
};
struct asin_op : of_floats {
  template <class T>
  static T of(T x) {
    return std::asin(x);
  }
};
struct acos_op : of_floats {
  template <class T>
  static T of(T x) {
    return std::acos(x);
  }
};
struct atan_op : of_floats {
  template <class T>
  static T of(T x) {
    return std::atan(x);
  }
};
struct asinh_op : of_floats {
  template <class T>
  static T of(T x) {
    return std::asinh(x);
  }
};
struct acosh_op : of_floats {
  template <class T>
  static T of(T x) {
    return std::acosh(x);
  }
};
struct atanh_op : of_floats {
  template <class T>
  static T of(T x) {
    return std::atanh(x);
  }
};
struct exp2_op : of_floats {
  template <class T>
  static T of(T x) {
    return std::exp2(x);
  }
};
struct expm1_op : of_floats {
  template <class T>
  static T of(T x) {
    return std::expm1(x);
  }
};
struct log2_op : of_floats {
  template <class T>
  static T of(T x) {
    return std::log2(x);
  }
};
struct log10_op : of_floats {
  template <class T>
  static T of(T x) {
    return std::log10(x);
  }
};
struct log1p_op : of_floats {
  template <class T>
  static T of(T x) {
    return std::log1p(x);
  }
};
struct erfc_op : of_floats {
  template <class T>
  static T of(T x) {
    return std::erfc(x);
  }
};
struct trunc_op : of_floats {
  template <class T>
  static T of(T x) {
    return std::trunc(x);
  }
};
struct deg2rad_op : of_floats {
  template <class T>
  static T of(T x) {
    return x * T(0.017453292519943295769236907684886);
  }
};
struct rad2deg_op : of_floats {
  template <class T>
  static T of(T x) {
    return x * T(57.295779513082320876798154814105);
  }
};
struct frac_op : of_floats {
  template <class T>
  static T of(T x) {
    return x - std::trunc(x);
  }
};
struct mish_op : of_floats {
  template <class T>
  static T of(T x) {
    return x * std::tanh(std::log1p(std::exp(x)));
  }
};
struct log_sigmoid_op : of_floats {
  template <class T>
  static T of(T x) {
    return (x < T{} ? x : T{}) - std::log1p(std::exp(-std::fabs(x)));
  }
};
struct sign_op : of_all {
  template <class T>
  static T of(T x) {
    if constexpr (std::is_same_v<T, bool>)
      return x;
    else
      return static_cast<T>((x > T{} ? 1 : 0) - (x < T{} ? 1 : 0));
  }
};
struct isfinite_op : of_all {
  template <class T>
  static bool of(T x) {
    if constexpr (std::is_floating_point_v<T>) return std::isfinite(x);
    return true;
  }
};
struct signbit_op : of_all {
  template <class T>
  static bool of(T x) {
    if constexpr (std::is_floating_point_v<T>)
      return std::signbit(x);
    else
      return x < T{};
  }
};
struct isnan_op : of_all {
  template <class T>
  static bool of(T x) {
    if constexpr (std::is_floating_point_v<T>) return std::isnan(x);
    return false;
  }
};
struct isinf_op : of_all {
  template <class T>
  static bool of(T x) {
    if constexpr (std::is_floating_point_v<T>) return std::isinf(x);
    return false;
  }
};
struct logical_not_op : of_all {
  template <class T>
  static bool of(T x) {
    return x == T{};
  }
};
struct bitwise_not_op {
  template <class T>
  static constexpr bool takes = !std::is_floating_point_v<T>;
  template <class T>
  static T of(T x) {
    if constexpr (std::is_same_v<T, bool>)
      return !x;
    else
      return static_cast<T>(~x);
  }
};

// ---- operations with numbers

struct leaky_relu_op {
  template <class T>
  struct state {
    T slope;
    T of(T x) const {
      const T below = x * slope;
      return x > T{} ? x : below;
    }
  };
};
struct elu_op {
  template <class T>
  struct state {
    T below, above, inside;
    T of(T x) const { return x <= T{} ? std::expm1(x * inside) * below : x * above; }
  };
};
struct softplus_op {
  template <class T>
  struct state {
    T beta, threshold;
    T of(T x) const { return x * beta > threshold ? x : std::log1p(std::exp(x * beta)) / beta; }
  };
};
struct clamp_op {
  template <class T>
  struct state {
    T lower, upper;
    T of(T x) const {
      const T y = x < lower ? lower : x;
      return y > upper ? upper : y;
    }
  };
};

struct softshrink_op {
  template <class T>
  struct state {
    T lambda;
    T of(T x) const { return x > lambda ? x - lambda : x < -lambda ? x + lambda : x * T{}; }
  };
};
struct hardshrink_op {
  template <class T>
  struct state {
    T lambda;
    T of(T x) const { return x >= -lambda && x <= lambda ? T{} : x; }
  };
};
struct threshold_op {
  template <class T>
  struct state {
    T threshold, otherwise;
    T of(T x) const { return x <= threshold ? otherwise : x; }
  };
};
/// log(x / (1 - x)) of x between the bounds.
struct logit_op {
  template <class T>
  struct state {
    T lower, upper;
    T of(T x) const {
      const T above = x < lower ? lower : x, y = above > upper ? upper : above;
      return std::log(y * inverse(T{1} - y));
    }
  };
};
struct nan_to_num_op {
  template <class T>
  struct state {
    T nan, above, below;
    T of(T x) const { return x != x ? nan : !std::isinf(x) ? x : x > T{} ? above : below; }
  };
};

/// Bounds of type T; those that are missing bound nothing.
template <class T>
[[nodiscard]] clamp_op::state<T> bounds(const scalar* lower, const scalar* upper) {
  using limits = std::numeric_limits<T>;
  clamp_op::state<T> out{limits::lowest(), limits::max()};
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
  return visit(widened(type), [&]<class T>(of<T>) -> value {
    if constexpr (is_half<T> || std::is_same_v<T, bool>) {
      refuse(c, type);
    } else {
      clamp_op::state<T> op = bounds<T>(lower, upper);
      // Bounds are rounded to the type as well.
      if (type == data_type::float16)
        op = {static_cast<T>(half(static_cast<float>(op.lower))),
              static_cast<T>(half(static_cast<float>(op.upper)))};
      else if (type == data_type::bfloat16)
        op = {static_cast<T>(bfloat(static_cast<float>(op.lower))),
              static_cast<T>(bfloat(static_cast<float>(op.upper)))};
      return map(c, x, type, each<clamp_op, T>, &op);
    }
  });
}

/// Runs an operation whose numbers are of the tensor's own type, which isn't boolean.
template <class Op, class... Numbers>
[[nodiscard]] value with_own_numbers(call& c, Numbers... numbers) {
  const tensor& x = c.tensor_at(0);
  const data_type type = type_of(x);
  return visit(widened(type), [&]<class T>(of<T>) -> value {
    if constexpr (is_half<T> || std::is_same_v<T, bool>) {
      refuse(c, type);
    } else {
      const typename Op::template state<T> op{numbers.template as<T>()...};
      return map(c, x, type, each<Op, T>, &op);
    }
  });
}
[[nodiscard]] value between(call& c, const scalar& lower, const scalar& upper) {
  if (c.tensor_at(0).type == data_type::uint8 && (lower.real < 0 || upper.real < 0))
    fail(errc::nac_run_argument, "a bound below 0 of uint8");
  return with_own_numbers<clamp_op>(c, lower, upper);
}
/// The number of a letter, or that one.
[[nodiscard]] scalar number_or(const call& c, std::size_t letter, double otherwise) {
  return c.has(letter)
             ? c.number(letter)
             : scalar{data_type::float64, static_cast<std::int64_t>(otherwise), otherwise};
}

/// Integers are unchanged.
template <class Op>
[[nodiscard]] value whole_part(call& c) {
  const tensor& x = c.tensor_at(0);
  if (is_integral(x.type)) return cast(c.arena, x, x.type);
  return same_type<Op>(c);
}

}  // namespace

namespace operations {

value relu(call& c) { return same_type<relu_op>(c); }
value abs(call& c) { return same_type<abs_op>(c); }
value floor(call& c) { return whole_part<floor_op>(c); }
value ceil(call& c) { return whole_part<ceil_op>(c); }
value round(call& c) { return whole_part<round_op>(c); }
value exp(call& c) { return as_floats<exp_op>(c); }
value cos(call& c) { return as_floats<cos_op>(c); }
value sin(call& c) { return as_floats<sin_op>(c); }
value tanh(call& c) { return as_floats<tanh_op>(c); }
value log(call& c) { return as_floats<log_op>(c); }
value sqrt(call& c) { return as_floats<sqrt_op>(c); }
value rsqrt(call& c) { return as_floats<rsqrt_op>(c); }
value reciprocal(call& c) { return as_floats<reciprocal_op>(c); }
value erf(call& c) { return as_floats<erf_op>(c); }
value sigmoid(call& c) { return as_floats<sigmoid_op>(c); }
value hardsigmoid(call& c) { return same_type<hardsigmoid_op>(c); }
value hardswish(call& c) { return same_type<hardswish_op>(c); }
value silu(call& c) { return same_type<silu_op>(c); }
value tan(call& c) { return as_floats<tan_op>(c); }
value sinh(call& c) { return as_floats<sinh_op>(c); }
value cosh(call& c) { return as_floats<cosh_op>(c); }
value asin(call& c) { return as_floats<asin_op>(c); }
value acos(call& c) { return as_floats<acos_op>(c); }
value atan(call& c) { return as_floats<atan_op>(c); }
value asinh(call& c) { return as_floats<asinh_op>(c); }
value acosh(call& c) { return as_floats<acosh_op>(c); }
value atanh(call& c) { return as_floats<atanh_op>(c); }
value exp2(call& c) { return as_floats<exp2_op>(c); }
value expm1(call& c) { return as_floats<expm1_op>(c); }
value log2(call& c) { return as_floats<log2_op>(c); }
value log10(call& c) { return as_floats<log10_op>(c); }
value log1p(call& c) { return as_floats<log1p_op>(c); }
value erfc(call& c) { return as_floats<erfc_op>(c); }
value deg2rad(call& c) { return as_floats<deg2rad_op>(c); }
value rad2deg(call& c) { return as_floats<rad2deg_op>(c); }
value trunc(call& c) { return whole_part<trunc_op>(c); }
value frac(call& c) { return same_type<frac_op>(c); }
value sign(call& c) { return same_type<sign_op>(c); }
value mish(call& c) { return same_type<mish_op>(c); }
value log_sigmoid(call& c) { return same_type<log_sigmoid_op>(c); }
value isfinite(call& c) { return as_truths<isfinite_op>(c); }
value signbit(call& c) { return as_truths<signbit_op>(c); }
value isnan(call& c) { return as_truths<isnan_op>(c); }
value isinf(call& c) { return as_truths<isinf_op>(c); }
value logical_not(call& c) { return as_truths<logical_not_op>(c); }
value bitwise_not(call& c) { return same_type<bitwise_not_op>(c); }

value relu6(call& c) { return between(c, {data_type::int64, 0, 0}, {data_type::int64, 6, 6}); }
value hardtanh(call& c) { return between(c, number_or(c, 1, -1), number_or(c, 2, 1)); }
value threshold(call& c) {
  const scalar threshold = c.number(1), otherwise = c.number(2);
  return with_own_numbers<threshold_op>(c, threshold, otherwise);
}

value selu(call& c) {
  constexpr double alpha = 1.6732632423543772848170429916717,
                   scale = 1.0507009873554804934193349852946;
  return with_numbers<elu_op>(c, alpha * scale, scale, 1.0);
}
value celu(call& c) {
  const double alpha = c.real_or(1, 1);
  if (alpha == 0) fail(errc::nac_run_argument, "celu with alpha 0");
  return with_numbers<elu_op>(c, alpha, 1.0, 1 / alpha);
}
value softshrink(call& c) {
  const double lambda = c.real_or(1, 0.5);
  if (!(lambda >= 0)) fail(errc::nac_run_argument, "softshrink by less than 0");
  return with_numbers<softshrink_op>(c, lambda);
}
value hardshrink(call& c) { return with_numbers<hardshrink_op>(c, c.real_or(1, 0.5)); }

value logit(call& c) {
  const tensor& x = c.tensor_at(0);
  const data_type type = as_float(type_of(x));
  // Without eps nothing is bounded.
  const double eps = c.real_or(1, -1);
  return visit(widened(type), [&]<class T>(of<T>) -> value {
    if constexpr (std::is_floating_point_v<T>) {
      constexpr T infinity = std::numeric_limits<T>::infinity();
      const logit_op::state<T> op =
          eps < 0 ? logit_op::state<T>{-infinity, infinity}
                  : logit_op::state<T>{static_cast<T>(eps), static_cast<T>(1 - eps)};
      return map(c, x, type, each<logit_op, T>, &op);
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
  return with_numbers<nan_to_num_op>(c, c.real_or(1, 0), c.real_or(2, largest),
                                     c.real_or(3, -largest));
}

value square(call& c) {
  const tensor& x = c.tensor_at(0);
  const data_type type = x.type == data_type::boolean ? data_type::int64 : type_of(x);
  return map(c, x, type, loop_of<square_op>(widened(type)));
}

value neg(call& c) {
  const tensor& x = c.tensor_at(0);
  if (!x.is_number) return same_type<neg_op>(c);
  const scalar v = c.number(0);
  if (v.type == data_type::float64) return make_number(c.arena, -v.real);
  return make_number(c.arena, neg_op::of(v.whole));
}

value gelu(call& c) {
  const std::string_view form = c.string_or(1, "none");
  if (form == "tanh") return same_type<gelu_tanh_op>(c);
  if (form != "none")
    fail(errc::nac_run_argument, "unknown gelu approximation \"" + std::string(form) + '"');
  return same_type<gelu_op>(c);
}

value leaky_relu(call& c) { return with_numbers<leaky_relu_op>(c, c.real_or(1, 0.01)); }

value elu(call& c) {
  const double alpha = c.real_or(1, 1), scale = c.real_or(2, 1), inside = c.real_or(3, 1);
  return with_numbers<elu_op>(c, alpha * scale, scale, inside);
}

value softplus(call& c) { return with_numbers<softplus_op>(c, c.real_or(1, 1), c.real_or(2, 20)); }

value clamp(call& c) {
  scalar lower, upper;
  const bool has_min = c.has(1), has_max = c.has(2);
  if (!has_min && !has_max) fail(errc::nac_run_argument, "clamp needs a bound");
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
