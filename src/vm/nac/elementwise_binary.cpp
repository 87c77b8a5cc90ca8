// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Operations on the elements of two tensors, and the arithmetic of numbers.

#include <cmath>
#include <limits>

#include "elementwise.hpp"
#include "operations.hpp"
#include "tensor/elementwise.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

namespace {

template <class T>
inline constexpr bool is_bool = std::is_same_v<T, bool>;
template <class Op, class T>
void each(const std::byte* const* in, std::byte* to, std::size_t n, const void* with) {
  const T *const a = lanes<T>(in[0]), *const b = lanes<T>(in[1]);
  const auto run = [&](const auto op) {
    auto* const y = lanes<decltype(op.of(T{}, T{}))>(to);
    for (std::size_t i = 0; i < n; ++i) y[i] = op.of(a[i], b[i]);
  };
  if constexpr (requires { typename Op::template state<T>; })
    run(*static_cast<const typename Op::template state<T>*>(with));
  else
    run(Op{});
}
/// Sums and the like have the same bits, however many there are.
template <class Op>
void each_by_kernel(const std::byte* const* in, std::byte* to, std::size_t n, const void*) {
  const float *const a = lanes<float>(in[0]), *const b = lanes<float>(in[1]);
  if (n > few_floats) return tensors::apply(Op::kernel, a, b, lanes<float>(to), n);
  each_of_few(n, lanes<float>(to), [&]<class T>(std::size_t i, T) {
    return Op::of(load_as<T>(a + i), load_as<T>(b + i));
  });
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

// ---- operations

/// IEEE 754 has a value for division by zero, which a sanitizer needn't report.
template <class T>
#if defined(__GNUC__)
__attribute__((no_sanitize("float-divide-by-zero")))
#endif
inline T
quotient(T a, T b) {
  return a / b;
}

/// Floats, and vectors of them.
template <class T>
inline constexpr bool is_real = std::is_floating_point_v<T> || std::is_same_v<T, quad>;
template <class T>
[[nodiscard]] inline T sum(T a, T b) {
  if constexpr (is_real<T>)
    return a + b;
  else
    return static_cast<T>(static_cast<wrapping<T>>(a) + static_cast<wrapping<T>>(b));
}
template <class T>
[[nodiscard]] inline T difference(T a, T b) {
  if constexpr (is_real<T>)
    return a - b;
  else
    return static_cast<T>(static_cast<wrapping<T>>(a) - static_cast<wrapping<T>>(b));
}
template <class T>
[[nodiscard]] inline T product(T a, T b) {
  if constexpr (is_real<T>)
    return a * b;
  else
    return static_cast<T>(static_cast<wrapping<T>>(a) * static_cast<wrapping<T>>(b));
}

struct add_op : of_all {
  static constexpr auto kernel = tensors::binary::add;
  template <class T>
  static T of(T a, T b) {
    if constexpr (is_bool<T>)
      return a || b;
    else
      return sum(a, b);
  }
};
struct sub_op : of_numbers {
  static constexpr auto kernel = tensors::binary::sub;
  template <class T>
  static T of(T a, T b) {
    return difference(a, b);
  }
};
struct mul_op : of_all {
  static constexpr auto kernel = tensors::binary::mul;
  template <class T>
  static T of(T a, T b) {
    if constexpr (is_bool<T>)
      return a && b;
    else
      return product(a, b);
  }
};
struct div_op : of_floats {
  static constexpr auto kernel = tensors::binary::div;
  template <class T>
  static T of(T a, T b) {
    return quotient(a, b);
  }
};
/// Sums and differences with the second operand times a number.
struct scaled_add_op : of_all {
  template <class T>
  struct state {
    T alpha;
    T of(T a, T b) const {
      if constexpr (is_bool<T>)
        return a || (alpha && b);
      else
        return sum(a, product(alpha, b));
    }
  };
};
struct scaled_sub_op : of_numbers {
  template <class T>
  struct state {
    T alpha;
    T of(T a, T b) const { return difference(a, product(alpha, b)); }
  };
};
struct minimum_op : of_all {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) return a < b || a != a ? a : b;
    return a < b ? a : b;
  }
};
struct maximum_op : of_all {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) return a > b || a != a ? a : b;
    return a > b ? a : b;
  }
};
/// The largest whole number that isn't above the quotient, as Python's // has it.
struct floor_divide_op : of_numbers {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (b == T{}) return quotient(a, b);
      const T left = std::fmod(a, b);
      // What divides exactly, but for rounding.
      T exact = (a - left) / b;
      if (left != T{} && (left < T{}) != (b < T{})) exact -= T{1};
      if (exact == T{}) return std::copysign(T{}, a / b);
      const T down = std::floor(exact);
      return exact - down > T(0.5) ? down + T{1} : down;
    } else {
      if (b == 0) fail(errc::nac_run_division);
      if constexpr (std::is_signed_v<T>) {
        if (b == -1) return difference(T{}, a);
        const T down = static_cast<T>(a / b);
        return static_cast<T>(a % b != 0 && (a < 0) != (b < 0) ? down - 1 : down);
      } else {
        return static_cast<T>(a / b);
      }
    }
  }
};
/// What division towards zero leaves: of the dividend's sign.
struct fmod_op : of_numbers {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::fmod(a, b);
    } else {
      if (b == 0) fail(errc::nac_run_division);
      if constexpr (std::is_signed_v<T>)
        if (b == -1) return 0;
      return static_cast<T>(a % b);
    }
  }
};
/// The quotient without its fraction.
struct trunc_divide_op : of_numbers {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::trunc(quotient(a, b));
    } else {
      if (b == 0) fail(errc::nac_run_division);
      if constexpr (std::is_signed_v<T>)
        if (b == -1) return difference(T{}, a);
      return static_cast<T>(a / b);
    }
  }
};
/// By a count outside the type's bits nothing is left, or the sign.
struct left_shift_op : of_whole {
  template <class T>
  static T of(T a, T b) {
    if constexpr (is_bool<T>) {
      return a;
    } else {
      constexpr T bits = sizeof(T) * 8;
      return b < 0 || b >= bits ? T{} : static_cast<T>(static_cast<wrapping<T>>(a) << b);
    }
  }
};
struct right_shift_op : of_whole {
  template <class T>
  static T of(T a, T b) {
    if constexpr (is_bool<T>) {
      return a;
    } else {
      constexpr T last = sizeof(T) * 8 - (std::is_signed_v<T> ? 1 : 0);
      if (b < 0 || b >= last) return std::is_signed_v<T> && a < 0 ? static_cast<T>(-1) : T{};
      return static_cast<T>(a >> b);
    }
  }
};
struct atan2_op : of_floats {
  template <class T>
  static T of(T a, T b) {
    return std::atan2(a, b);
  }
};
struct hypot_op : of_floats {
  template <class T>
  static T of(T a, T b) {
    return std::hypot(a, b);
  }
};
/// What floor division leaves: of the divisor's sign.
struct remainder_op : of_numbers {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      const T left = std::fmod(a, b);
      return left != T{} && (left < T{}) != (b < T{}) ? left + b : left;
    } else {
      if (b == 0) fail(errc::nac_run_division);
      if constexpr (std::is_signed_v<T>) {
        if (b == -1) return 0;
        const T left = static_cast<T>(a % b);
        return static_cast<T>(left != 0 && (left < 0) != (b < 0) ? left + b : left);
      } else {
        return static_cast<T>(a % b);
      }
    }
  }
};
struct pow_op : of_numbers {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::pow(a, b);
    } else {
      if constexpr (std::is_signed_v<T>)
        if (b < 0) return a == 1 ? T{1} : a == -1 ? static_cast<T>(b % 2 == 0 ? 1 : -1) : T{};
      T power = 1, square = a;
      for (auto left = static_cast<std::make_unsigned_t<T>>(b); left != 0;
           left = static_cast<std::make_unsigned_t<T>>(left >> 1)) {
        if ((left & 1) != 0) power = product(power, square);
        square = product(square, square);
      }
      return power;
    }
  }
};
/// Powers that are fast; the second operand is ignored.
template <int TwiceExponent>
struct power_op : of_floats {
  template <class T>
  static T of(T x, T) {
    switch (TwiceExponent) {
      case -4: return quotient(T{1}, x * x);
      case -2: return quotient(T{1}, x);
      case -1: return quotient(T{1}, std::sqrt(x));
      case 1: return std::sqrt(x);
      case 4: return x * x;
      default: return x * x * x;
    }
  }
};

#define TESSERA_COMPARISON(name, sign)                                                             \
  struct name##_op : of_all {                                                                      \
    template <class T>                                                                             \
    static bool of(T a, T b) {                                                                     \
      return a sign b;                                                                             \
    }                                                                                              \
  };
TESSERA_COMPARISON(lt, <)
TESSERA_COMPARISON(le, <=)
TESSERA_COMPARISON(gt, >)
TESSERA_COMPARISON(ge, >=)
TESSERA_COMPARISON(eq, ==)
TESSERA_COMPARISON(ne, !=)
#undef TESSERA_COMPARISON

#define TESSERA_BITWISE(name, sign)                                                                \
  struct bitwise_##name : of_whole {                                                               \
    template <class T>                                                                             \
    static T of(T a, T b) {                                                                        \
      return static_cast<T>(a sign b);                                                             \
    }                                                                                              \
  };
TESSERA_BITWISE(and_op, &)
TESSERA_BITWISE(or_op, |)
TESSERA_BITWISE(xor_op, ^)
#undef TESSERA_BITWISE

struct logical_and_op : of_all {
  template <class T>
  static bool of(T a, T b) {
    return (a != T{}) & (b != T{});
  }
};
struct logical_or_op : of_all {
  template <class T>
  static bool of(T a, T b) {
    return (a != T{}) | (b != T{});
  }
};
struct logical_xor_op : of_all {
  template <class T>
  static bool of(T a, T b) {
    return (a != T{}) != (b != T{});
  }
};

// ---- numbers, as Python has them

[[nodiscard]] value number(call& c, const scalar& v) {
  if (v.type == data_type::boolean) return make_number(c.arena, v.whole != 0);
  if (v.type == data_type::int64) return make_number(c.arena, v.whole);
  return make_number(c.arena, v.real);
}
[[nodiscard]] value truth(call& c, bool v) { return make_number(c.arena, v); }
[[nodiscard]] value whole(call& c, std::int64_t v) { return make_number(c.arena, v); }
[[nodiscard]] value real(call& c, double v) { return make_number(c.arena, v); }

[[noreturn]] void too_great(const call& c) {
  fail(errc::nac_run_argument, std::string(model::name(c.operation)) + " exceeds 64 bits");
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
  const bool integral = a.type != data_type::float64 && b.type != data_type::float64;
  if (a.real == 0 && b.real < 0) fail(errc::nac_run_division, "0 to a negative power");
  if (integral && b.whole >= 0) {
    std::int64_t out;
    if (!whole_power(a.whole, b.whole, out)) too_great(c);
    return whole(c, out);
  }
  if (a.real < 0 && std::isfinite(a.real) && std::isfinite(b.real) && std::floor(b.real) != b.real)
    fail(errc::nac_run_argument, "a fractional power of a negative number");
  return real(c, std::pow(a.real, b.real));
}

/// What Python's operator gives for two numbers.
[[nodiscard]] value scalar_binary(call& c) {
  using model::operation;
  scalar a = c.number(0), b = c.number(1);
  if (c.operation == operation::rsub) std::swap(a, b);
  const bool integral = a.type != data_type::float64 && b.type != data_type::float64;
  const bool truths = a.type == data_type::boolean && b.type == data_type::boolean;
  std::int64_t out = 0;
  switch (c.operation) {
    case operation::add:
    case operation::sub:
    case operation::rsub: {
      const bool plus = c.operation == operation::add;
      if (c.has(2)) {
        const scalar alpha = c.number(2);
        if (!integral || alpha.type == data_type::float64)
          return real(c, plus ? a.real + alpha.real * b.real : a.real - alpha.real * b.real);
        if (__builtin_mul_overflow(alpha.whole, b.whole, &b.whole)) too_great(c);
      }
      if (!integral) return real(c, plus ? a.real + b.real : a.real - b.real);
      if (plus ? __builtin_add_overflow(a.whole, b.whole, &out)
               : __builtin_sub_overflow(a.whole, b.whole, &out))
        too_great(c);
      return whole(c, out);
    }
    case operation::mul:
      if (!integral) return real(c, a.real * b.real);
      if (__builtin_mul_overflow(a.whole, b.whole, &out)) too_great(c);
      return whole(c, out);
    case operation::div:
      if (b.real == 0) fail(errc::nac_run_division);
      return real(c, a.real / b.real);
    case operation::floor_divide:
      if (b.real == 0) fail(errc::nac_run_division);
      if (!integral) return real(c, floor_divide_op::of(a.real, b.real));
      if (b.whole == -1 && a.whole == INT64_MIN) too_great(c);
      return whole(c, floor_divide_op::of(a.whole, b.whole));
    case operation::remainder:
      if (b.real == 0) fail(errc::nac_run_division);
      if (!integral) return real(c, remainder_op::of(a.real, b.real));
      return whole(c, remainder_op::of(a.whole, b.whole));
    case operation::pow: return power_of_numbers(c, a, b);
    case operation::minimum:
      return number(c, integral ? (b.whole < a.whole ? b : a) : (b.real < a.real ? b : a));
    case operation::maximum:
      return number(c, integral ? (b.whole > a.whole ? b : a) : (b.real > a.real ? b : a));
    case operation::lt: return truth(c, integral ? a.whole < b.whole : a.real < b.real);
    case operation::le: return truth(c, integral ? a.whole <= b.whole : a.real <= b.real);
    case operation::gt: return truth(c, integral ? a.whole > b.whole : a.real > b.real);
    case operation::ge: return truth(c, integral ? a.whole >= b.whole : a.real >= b.real);
    case operation::eq: return truth(c, integral ? a.whole == b.whole : a.real == b.real);
    case operation::ne: return truth(c, integral ? a.whole != b.whole : a.real != b.real);
    case operation::logical_and: return truth(c, a.real != 0 && b.real != 0);
    case operation::logical_or: return truth(c, a.real != 0 || b.real != 0);
    case operation::logical_xor: return truth(c, (a.real != 0) != (b.real != 0));
    case operation::bitwise_and: out = a.whole & b.whole; break;
    case operation::bitwise_or: out = a.whole | b.whole; break;
    case operation::bitwise_xor: out = a.whole ^ b.whole; break;
    default: refuse(c, a.type, b.type);  // PyTorch has it for tensors only
  }
  // Bit operations are for integers only.
  if (!integral) refuse(c, a.type, b.type);
  return truths ? truth(c, out != 0) : whole(c, out);
}

// ---- the ways to call them

using chooser = loop (*)(data_type lane);

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
  if (b.rank() == 0) return elementwise(c.arena, a.dims, in, lane_out, type, f, with);
  if (a.rank() == 0) return elementwise(c.arena, b.dims, in, lane_out, type, f, with);
  return elementwise(c.arena, broadcast(a.dims, b.dims), in, lane_out, type, f, with);
}
template <class Op>
[[nodiscard]] value same_type(call& c) {
  const tensor &a = c.tensor_at(0), &b = c.tensor_at(1);
  if (a.is_number && b.is_number) return scalar_binary(c);
  const data_type common = promote(a, b), lane = widened(common);
  return combine(c, a, b, common, lane, common, loop_of<Op>(lane));
}
template <class Op>
[[nodiscard]] value as_truths(call& c) {
  const tensor &a = c.tensor_at(0), &b = c.tensor_at(1);
  if (a.is_number && b.is_number) return scalar_binary(c);
  const data_type common = promote(a, b);
  return combine(c, a, b, common, data_type::boolean, data_type::boolean,
                 loop_of<Op>(widened(common)));
}

/// Bit operations take only integers: a whole number that a file stores as a float is one.
template <class Op>
[[nodiscard]] value on_bits(call& c) {
  const tensor *a = &c.tensor_at(0), *b = &c.tensor_at(1);
  if (a->is_number && b->is_number) return scalar_binary(c);
  tensor stored;
  for (int k = 0; k < 2; ++k) {
    const tensor*& x = k == 0 ? a : b;
    if (!x->is_number || !is_floating(x->type)) continue;
    const double v = *x->as<double>();
    if (!(std::floor(v) == v && std::fabs(v) < 9223372036854775808.0)) continue;
    stored = make_number(c.arena, static_cast<std::int64_t>(v));
    x = &stored;
  }
  const data_type common = promote(*a, *b);
  return combine(c, *a, *b, common, common, common, loop_of<Op>(widened(common)));
}

/// a + alpha b, or a - alpha b. Sums with a number have the number second.
template <class Op, class Scaled>
[[nodiscard]] value plus(call& c, const tensor& a, const tensor& b) {
  constexpr int exact = std::is_same_v<Op, add_op> ? 2 : 1;
  const data_type common = promote(a, b), lane = widened(common);
  const scalar alpha = c.has(2) ? c.number(2) : scalar{data_type::int64, 1, 1};
  if (alpha.real == 1) return combine(c, a, b, common, lane, common, loop_of<Op>(lane), exact);
  // 1, 1.0 and true are one constant in files, so a whole number may be written as any of them.
  if (!is_floating(common) && std::floor(alpha.real) != alpha.real)
    fail(errc::nac_run_argument, "alpha " + std::to_string(alpha.real) + " for integers");
  return visit(lane, [&]<class T>(of<T>) -> value {
    if constexpr (is_half<T>) {
      refuse(c, common);
    } else if constexpr (!Scaled::template takes<T>) {
      refuse(c, a.type, b.type);
    } else {
      const typename Scaled::template state<T> op{alpha.as<T>()};
      return combine(c, a, b, common, lane, common, each<Scaled, T>, exact, &op);
    }
  });
}
[[nodiscard]] value minus(call& c, const tensor& a, const tensor& b) {
  if (a.is_number && b.is_number) return scalar_binary(c);
  for (const tensor* x : {&a, &b})
    if (!x->is_number && x->type == data_type::boolean) refuse(c, a.type, b.type);
  return plus<sub_op, scaled_sub_op>(c, a, b);
}

// ---- three operands

struct addcmul_op : of_numbers {
  template <class T>
  struct state {
    T scale;
    T of(T x, T a, T b) const { return sum(x, product(product(scale, a), b)); }
  };
};
struct addcdiv_op : of_floats {
  template <class T>
  struct state {
    T scale;
    T of(T x, T a, T b) const { return x + quotient(scale * a, b); }
  };
};
/// From the nearer end, so that both ends are met exactly.
struct lerp_op : of_floats {
  template <class T>
  struct state {
    T of(T from, T to, T weight) const {
      return std::fabs(weight) < T(0.5) ? from + weight * (to - from)
                                        : to - (to - from) * (T{1} - weight);
    }
  };
};
template <class Op, class T>
void each_of_three(const std::byte* const* in, std::byte* to, std::size_t n, const void* with) {
  const auto& op = *static_cast<const typename Op::template state<T>*>(with);
  const T *const x = lanes<T>(in[0]), *const a = lanes<T>(in[1]), *const b = lanes<T>(in[2]);
  T* const y = lanes<T>(to);
  for (std::size_t i = 0; i < n; ++i) y[i] = op.of(x[i], a[i], b[i]);
}
template <class Op, class... Numbers>
[[nodiscard]] value of_three(call& c, data_type type, Numbers... numbers) {
  const tensor &x = c.tensor_at(0), &a = c.tensor_at(1), &b = c.tensor_at(2);
  const data_type lane = widened(type);
  return visit(lane, [&]<class T>(of<T>) -> value {
    if constexpr (is_half<T>) {
      refuse(c, type);
    } else if constexpr (!Op::template takes<T>) {
      refuse(c, type);
    } else {
      const typename Op::template state<T> op{numbers.template as<T>()...};
      const source in[] = {{&x, type, lane}, {&a, type, lane}, {&b, type, lane}};
      return elementwise(c.arena, broadcast(x.dims, broadcast(a.dims, b.dims)), in, lane, type,
                         each_of_three<Op, T>, &op);
    }
  });
}
template <class Op>
[[nodiscard]] value of_three_scaled(call& c) {
  const tensor* const all[] = {&c.tensor_at(0), &c.tensor_at(1), &c.tensor_at(2)};
  const data_type type = promote(all);
  // Of a number for integers only its whole part counts, as in PyTorch.
  return of_three<Op>(c, type, c.has(3) ? c.number(3) : scalar{data_type::int64, 1, 1});
}

}  // namespace

namespace operations {

value add(call& c) {
  const tensor &a = c.tensor_at(0), &b = c.tensor_at(1);
  if (a.is_number && b.is_number) return scalar_binary(c);
  return plus<add_op, scaled_add_op>(c, a, b);
}
value sub(call& c) { return minus(c, c.tensor_at(0), c.tensor_at(1)); }
value rsub(call& c) { return minus(c, c.tensor_at(1), c.tensor_at(0)); }

value mul(call& c) {
  const tensor &a = c.tensor_at(0), &b = c.tensor_at(1);
  if (a.is_number && b.is_number) return scalar_binary(c);
  const data_type common = promote(a, b), lane = widened(common);
  return combine(c, a, b, common, lane, common, loop_of<mul_op>(lane), 2);
}

value div(call& c) {
  const tensor &a = c.tensor_at(0), &b = c.tensor_at(1);
  if (a.is_number && b.is_number) return scalar_binary(c);
  const data_type common = as_float(promote(a, b)), lane = widened(common);
  return combine(c, a, b, common, lane, common, loop_of<div_op>(lane), 1);
}

value minimum(call& c) { return same_type<minimum_op>(c); }
value maximum(call& c) { return same_type<maximum_op>(c); }
value floor_divide(call& c) { return same_type<floor_divide_op>(c); }
value remainder(call& c) { return same_type<remainder_op>(c); }
value fmod(call& c) { return same_type<fmod_op>(c); }
value atan2(call& c) {
  const tensor &a = c.tensor_at(0), &b = c.tensor_at(1);
  const data_type common = as_float(promote(a, b)), lane = widened(common);
  return combine(c, a, b, common, lane, common, loop_of<atan2_op>(lane));
}
value div_mode(call& c) {
  if (!c.has(2)) return div(c);
  const std::string_view mode = c.string_or(2, "");
  if (mode != "trunc" && mode != "floor")
    fail(errc::nac_run_argument, "unknown rounding mode \"" + std::string(mode) + '"');
  return mode == "floor" ? same_type<floor_divide_op>(c) : same_type<trunc_divide_op>(c);
}
value addcmul(call& c) { return of_three_scaled<addcmul_op>(c); }
value addcdiv(call& c) { return of_three_scaled<addcdiv_op>(c); }
value lerp(call& c) {
  const tensor &from = c.tensor_at(0), &to = c.tensor_at(1), &weight = c.tensor_at(2);
  if (to.type != from.type || (!weight.is_number && weight.type != from.type))
    refuse(c, from.type, to.type);
  return of_three<lerp_op>(c, from.type);
}
value left_shift(call& c) { return on_bits<left_shift_op>(c); }
value right_shift(call& c) { return on_bits<right_shift_op>(c); }
value hypot(call& c) { return same_type<hypot_op>(c); }
value lt(call& c) { return as_truths<lt_op>(c); }
value le(call& c) { return as_truths<le_op>(c); }
value gt(call& c) { return as_truths<gt_op>(c); }
value ge(call& c) { return as_truths<ge_op>(c); }
value eq(call& c) { return as_truths<eq_op>(c); }
value ne(call& c) { return as_truths<ne_op>(c); }
value bitwise_and(call& c) { return on_bits<bitwise_and_op>(c); }
value bitwise_or(call& c) { return on_bits<bitwise_or_op>(c); }
value bitwise_xor(call& c) { return on_bits<bitwise_xor_op>(c); }
value logical_and(call& c) { return as_truths<logical_and_op>(c); }
value logical_or(call& c) { return as_truths<logical_or_op>(c); }
value logical_xor(call& c) { return as_truths<logical_xor_op>(c); }

value pow(call& c) {
  const tensor &a = c.tensor_at(0), &b = c.tensor_at(1);
  if (a.is_number && b.is_number) return scalar_binary(c);
  const data_type common = promote(a, b), lane = widened(common);
  if (!b.is_number) return combine(c, a, b, common, lane, common, loop_of<pow_op>(lane));
  const scalar exponent = c.number(1);
  if (!is_floating(common) && exponent.whole < 0)
    fail(errc::nac_run_argument, "integers to the power of " + std::to_string(exponent.whole));
  fits(exponent, common);
  loop f = loop_of<pow_op>(lane);
  if (is_floating(common)) {
    const double twice = 2 * exponent.real;
    f = twice == -4   ? loop_of<power_op<-4>>(lane)
        : twice == -2 ? loop_of<power_op<-2>>(lane)
        : twice == -1 ? loop_of<power_op<-1>>(lane)
        : twice == 1  ? loop_of<power_op<1>>(lane)
        : twice == 4  ? loop_of<power_op<4>>(lane)
        : twice == 6  ? loop_of<power_op<6>>(lane)
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
      fail(errc::nac_run_shape, weight.dims.text() + " slopes for " + x.dims.text());
    shape dims = {weight.dim(0)};
    for (std::size_t i = 2; i < x.rank(); ++i) dims.push_back(1);
    slopes = weight.with_shape(dims);
  } else if (weight.rank() != x.rank() || broadcast(weight.dims, x.dims) != x.dims) {
    fail(errc::nac_run_shape, weight.dims.text() + " slopes for " + x.dims.text());
  }
  struct slope_op : of_floats {
    static float of(float a, float slope) { return a > 0 ? a : a * slope; }
    static double of(double a, double slope) { return a > 0 ? a : a * slope; }
  };
  const data_type lane = widened(x.type);
  return combine(c, x, slopes, x.type, lane, x.type,
                 lane == data_type::float64 ? each<slope_op, double> : each<slope_op, float>);
}

}  // namespace operations
}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
