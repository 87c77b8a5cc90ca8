// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Special functions, all in FP64 and rounded once: one row each of a table of functions.

#include <math.h>  // lgamma_r

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "elementwise.hpp"
#include "multiply.hpp"
#include "operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

namespace {

constexpr double pi = std::numbers::pi, infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double precision = std::numeric_limits<double>::epsilon();

// ---- the gamma function and what comes from it

/// B(2k) / (2k)!, the coefficients of Euler and Maclaurin's sum, from k = 1 on.
constexpr double maclaurin[] = {1.0 / 12,           -1.0 / 720,
                                1.0 / 30240,        -1.0 / 1209600,
                                1.0 / 47900160,     -691.0 / 1307674368000.0,
                                1.0 / 74724249600., -3617.0 / 10670622842880000.0};

/// Not std::lgamma, which on POSIX writes to a variable of all threads.
[[nodiscard]] double log_gamma(double x) {
#if defined(__linux__) || defined(__APPLE__) || defined(__FreeBSD__)
  int sign = 0;
  return ::lgamma_r(x, &sign);
#else
  return std::lgamma(x);
#endif
}

/// The sum of (q + k)^-s over k from 0 on.
[[nodiscard]] double zeta(double s, double q) {
  if (s == 1) return infinity;
  if (!(s > 1) || std::isinf(q)) return nan;
  if (q <= 0) {
    if (q == std::floor(q)) return infinity;
    if (s != std::floor(s)) return nan;
  }
  double sum = 0, a = q;
  // Up to where the rest is a smooth function: at least ten terms.
  for (int k = 0; k < 10 || a <= 10; ++k, ++a) {
    const double term = std::pow(a, -s);
    sum += term;
    if (std::fabs(term) <= precision / 4 * std::fabs(sum) && a > 0) return sum;
    if (k == 1 << 12) return nan;  // q is far below zero
  }
  double power = std::pow(a, -s);
  sum += a * power / (s - 1) + power / 2;
  double rising = s;
  for (std::size_t k = 0; k < std::size(maclaurin); ++k) {
    power /= a;
    sum += maclaurin[k] * rising * power;
    power /= a;
    const double n = static_cast<double>(2 * k);
    rising *= (s + n + 1) * (s + n + 2);
  }
  return sum;
}

[[nodiscard]] double digamma(double x) {
  if (x == 0) return std::copysign(infinity, -x);
  if (x < 0) {
    if (x == std::floor(x)) return nan;
    const double rest = x - std::trunc(x);
    return digamma(1 - x) - pi / std::tan(pi * rest);
  }
  double below = 0;
  for (; x < 10; ++x) below += 1 / x;
  const double r = 1 / (x * x);
  constexpr double of_squares[] = {1.0 / 12,  -1.0 / 120,      1.0 / 252, -1.0 / 240,
                                   1.0 / 132, -691.0 / 32760., 1.0 / 12};
  double series = 0, power = r;
  for (const double by : of_squares) {
    series += by * power;
    power *= r;
  }
  return std::log(x) - 0.5 / x - series - below;
}

[[nodiscard]] double trigamma(double x) {
  if (x < 0.5) {
    const double sine = std::sin(pi * x);
    return pi * pi / (sine * sine) - zeta(2, 1 - x);
  }
  return zeta(2, x);
}
[[nodiscard]] double polygamma(double order, double x) {
  if (order == 0) return digamma(x);
  if (order == 1) return trigamma(x);
  const double sign = std::fmod(order, 2) == 0 ? -1 : 1;
  return sign * std::exp(log_gamma(order + 1)) * zeta(order + 1, x);
}

/// The share of the gamma function's integral below x, or above it.
[[nodiscard]] double gamma_share(double a, double x, bool above) {
  if (!(a >= 0 && x >= 0) || (a == 0 && x == 0)) return nan;
  if (a == 0) return above ? 0 : 1;
  if (x == 0) return above ? 1 : 0;
  if (std::isinf(a)) return std::isinf(x) ? nan : above ? 1 : 0;
  if (std::isinf(x)) return above ? 0 : 1;
  const double front = std::exp(a * std::log(x) - x - log_gamma(a));
  constexpr int max_terms = 1 << 12;
  if (x < a + 1) {  // a series
    double term = 1 / a, sum = term;
    for (int k = 1; k < max_terms && term > sum * precision / 4; ++k) sum += term *= x / (a + k);
    return above ? 1 - sum * front : sum * front;
  }
  // A continued fraction, from the left (Lentz, 1976).
  constexpr double tiny = 1e-300;
  double b = x + 1 - a, c = 1 / tiny, d = 1 / b, h = d;
  for (int k = 1; k < max_terms; ++k) {
    const double an = -k * (k - a);
    b += 2;
    d = an * d + b;
    if (std::fabs(d) < tiny) d = tiny;
    c = b + an / c;
    if (std::fabs(c) < tiny) c = tiny;
    d = 1 / d;
    h *= d * c;
    if (std::fabs(d * c - 1) < precision) break;
  }
  return above ? front * h : 1 - front * h;
}
[[nodiscard]] double igamma(double a, double x) { return gamma_share(a, x, false); }
[[nodiscard]] double igammac(double a, double x) { return gamma_share(a, x, true); }

// ---- the error function and what comes from it

/// exp(x * x) with the error of the square.
[[nodiscard]] double exp_of_square(double x) {
  const double high = static_cast<double>(static_cast<float>(x)), low = x - high;
  return std::exp(high * high) * std::exp(low * (x + high));
}
[[nodiscard]] double erfcx(double x) {
  if (x < 0) return x < -27 ? infinity : 2 * exp_of_square(x) - erfcx(-x);
  if (!(x >= 25)) return exp_of_square(x) * std::erfc(x);
  const double r = 0.5 / (x * x);
  return (1 - r * (1 - 3 * r * (1 - 5 * r))) / (x * std::sqrt(pi));
}
[[nodiscard]] double ndtr(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }
[[nodiscard]] double log_ndtr(double x) {
  const double t = x / std::numbers::sqrt2;
  return x < -1 ? std::log(erfcx(-t) / 2) - t * t : std::log1p(-std::erfc(t) / 2);
}
/// An approximation (Winitzki, 2008), then Halley's steps towards erf(x) = y.
[[nodiscard]] double erfinv(double y) {
  const double size = std::fabs(y);
  if (!(size < 1)) return size == 1 ? std::copysign(infinity, y) : nan;
  if (size == 0) return y;
  const double log = std::log1p(-size * size), part = 2 / (pi * 0.147) + log / 2;
  double x = size < 1e-4 ? size * std::sqrt(pi) / 2
                         : std::sqrt(std::sqrt(part * part - log / 0.147) - part);
  for (int k = 0; k < 4; ++k) {
    const double off = size < 0.5 ? std::erf(x) - size : (1 - size) - std::erfc(x);
    const double step = off * std::sqrt(pi) / 2 * exp_of_square(x);
    x -= step / (1 + x * step);
  }
  return std::copysign(x, y);
}
[[nodiscard]] double ndtri(double p) {
  if (p == 0.5) return 0;
  if (!(p > 0 && p < 1)) return p == 0 ? -infinity : p == 1 ? infinity : nan;
  const double q = std::min(p, 1 - p);
  // An approximation of the tail (Abramowitz and Stegun, 26.2.23), then Halley's steps.
  const double t = std::sqrt(-2 * std::log(q));
  double x = t - ((0.010328 * t + 0.802853) * t + 2.515517) /
                     (((0.001308 * t + 0.189269) * t + 1.432788) * t + 1);
  for (int k = 0; k < 4; ++k) {
    const double off = q - ndtr(-x);
    const double step = off * std::sqrt(2 * pi) * exp_of_square(x / std::numbers::sqrt2);
    x -= step / (1 + x * step / 2);
  }
  return p < 0.5 ? -x : x;
}
[[nodiscard]] double entr(double x) {
  if (std::isnan(x)) return x;
  return x > 0 ? -x * std::log(x) : x == 0 ? 0 : -infinity;
}

// ---- Bessel functions

/// exp(-|x|) I(n, x): the power series, whose terms have one sign, or the asymptotic one.
[[nodiscard]] double scaled_i(double n, double x) {
  const double size = std::fabs(x), sign = n == 1 && x < 0 ? -1 : 1;
  if (std::isnan(x)) return x;
  if (size <= 30) {
    double term = n == 0 ? 1 : size / 2, sum = term;
    for (int k = 1; term > sum * precision / 4; ++k) sum += term *= size * size / 4 / (k * (k + n));
    return sign * sum * std::exp(-size);
  }
  if (std::isinf(size)) return 0;
  double term = 1, sum = 1;
  for (int k = 1; k < 40 && std::fabs(term) > precision / 4; ++k) {
    const double odd = 2.0 * k - 1;
    sum += term *= -(4 * n * n - odd * odd) / (k * 8 * size);
  }
  return sign * sum / std::sqrt(2 * pi * size);
}
[[nodiscard]] double unscaled(double scaled, double size) {
  // In two steps, so that only what is too great overflows.
  const double half = std::exp(size / 2);
  return scaled == 0 && !std::isinf(size) ? scaled : scaled * half * half;
}
[[nodiscard]] double i0e(double x) { return scaled_i(0, x); }
[[nodiscard]] double i1e(double x) { return scaled_i(1, x); }
[[nodiscard]] double i0(double x) { return std::isinf(x) ? nan : unscaled(i0e(x), std::fabs(x)); }
[[nodiscard]] double i1(double x) { return std::isinf(x) ? nan : unscaled(i1e(x), std::fabs(x)); }

/// exp(x) K(n, x), of which the trapezoidal rule finds all digits: the integral over t of
/// exp(x - x cosh t) cosh(n t), which vanishes faster than any exponential function.
[[nodiscard]] double scaled_k(double n, double x) {
  if (x == 0) return infinity;
  if (!(x > 0)) return nan;
  if (std::isinf(x)) return 0;
  if (x < 1e-9) return n == 0 ? -std::log(x / 2) - std::numbers::egamma : 1 / x;
  const double end = std::acosh(1 + 45 / x);
  const double steps = std::max(24.0, std::ceil(end * 4)), width = end / steps;
  double sum = 0.5;
  for (double k = 1; k <= steps; ++k) {
    const double t = k * width, half = std::sinh(t / 2);
    sum += std::exp(-2 * x * half * half) * std::cosh(n * t);
  }
  return sum * width;
}
[[nodiscard]] double k0e(double x) { return scaled_k(0, x); }
[[nodiscard]] double k1e(double x) { return scaled_k(1, x); }
[[nodiscard]] double k0(double x) { return k0e(x) * std::exp(-x); }
[[nodiscard]] double k1(double x) { return k1e(x) * std::exp(-x); }

// Of infinities PyTorch has none of these.
[[nodiscard]] double j0(double x) { return std::isinf(x) ? nan : ::j0(x); }
[[nodiscard]] double j1(double x) { return std::isinf(x) ? nan : ::j1(x); }
[[nodiscard]] double y0(double x) { return x < 0 || std::isinf(x) ? nan : ::y0(x); }
[[nodiscard]] double y1(double x) { return x < 0 || std::isinf(x) ? nan : ::y1(x); }
[[nodiscard]] double spherical_j0(double x) {
  if (std::isinf(x)) return 0;
  return std::fabs(x) < 1e-4 ? 1 - x * x / 6 : std::sin(x) / x;
}
/// Airy's Ai. Between the series and the asymptotic one some ten digits are left.
[[nodiscard]] double airy_ai(double x) {
  if (std::isnan(x)) return x;
  if (std::isinf(x)) return x > 0 ? 0 : nan;
  const double size = std::fabs(x), z = 2 * size * std::sqrt(size) / 3;
  if (x > 1) return std::sqrt(x / 3) / pi * scaled_k(1.0 / 3, z) * std::exp(-z);
  if (x >= -7) {
    constexpr double at_zero = 0.355028053887817239, slope = 0.258819403792806798;
    double even = 1, odd = x, f = 1, g = x;
    for (int k = 1; k < 60; ++k) {
      f += even *= x * x * x / ((3 * k - 1) * (3 * k));
      g += odd *= x * x * x / ((3 * k) * (3 * k + 1));
    }
    return at_zero * f - slope * g;
  }
  double term = 1, sine = 0, cosine = 0, last = infinity;
  for (int k = 0; k < 24 && std::fabs(term) <= last; ++k) {
    (k % 2 == 0 ? sine : cosine) += k % 4 < 2 ? term : -term;
    last = std::fabs(term);
    term *= (6.0 * k + 5) * (6.0 * k + 3) * (6.0 * k + 1) / (216.0 * (k + 1) * (2 * k + 1) * z);
  }
  const double angle = z + pi / 4;
  return (sine * std::sin(angle) - cosine * std::cos(angle)) /
         (std::sqrt(pi) * std::sqrt(std::sqrt(size)));
}

// ---- polynomials by their recurrences, the second operand being the degree

/// p(k + 1) = (by(k) x + plus(k)) p(k) - minus(k) p(k - 1), from 1 and `first` on.
template <class F>
[[nodiscard]] double polynomial(double degree, double first, F&& next) {
  if (degree < 0) return 0;
  double before = 1, now = first;
  if (degree < 1) return 1;
  for (double k = 1; k + 1 <= degree && !std::isnan(now); ++k) {
    const double after = next(k, now, before);
    before = now;
    now = after;
  }
  return now;
}
[[nodiscard]] double chebyshev(double x, double n, double first) {
  return polynomial(n, first, [x](double, double p, double q) { return 2 * x * p - q; });
}
[[nodiscard]] double chebyshev_t(double x, double n) { return chebyshev(x, n, x); }
[[nodiscard]] double chebyshev_u(double x, double n) { return chebyshev(x, n, 2 * x); }
[[nodiscard]] double chebyshev_v(double x, double n) { return chebyshev(x, n, 2 * x - 1); }
[[nodiscard]] double chebyshev_w(double x, double n) { return chebyshev(x, n, 2 * x + 1); }
[[nodiscard]] double shifted_chebyshev_t(double x, double n) { return chebyshev_t(2 * x - 1, n); }
[[nodiscard]] double shifted_chebyshev_u(double x, double n) { return chebyshev_u(2 * x - 1, n); }
[[nodiscard]] double shifted_chebyshev_v(double x, double n) { return chebyshev_v(2 * x - 1, n); }
[[nodiscard]] double shifted_chebyshev_w(double x, double n) { return chebyshev_w(2 * x - 1, n); }
[[nodiscard]] double hermite_h(double x, double n) {
  return polynomial(n, 2 * x, [x](double k, double p, double q) { return 2 * (x * p - k * q); });
}
[[nodiscard]] double hermite_he(double x, double n) {
  return polynomial(n, x, [x](double k, double p, double q) { return x * p - k * q; });
}
[[nodiscard]] double laguerre_l(double x, double n) {
  return polynomial(n, 1 - x, [x](double k, double p, double q) {
    return ((2 * k + 1 - x) * p - k * q) / (k + 1);
  });
}
[[nodiscard]] double legendre_p(double x, double n) {
  return polynomial(
      n, x, [x](double k, double p, double q) { return ((2 * k + 1) * x * p - k * q) / (k + 1); });
}

// ---- loops

struct unary_function {
  double (*of)(double);
};
struct binary_function {
  double (*of)(double, double);
};

/// Steps of an element: as many as the slowest function takes nanoseconds.
constexpr std::uint64_t steps_each = 1024;

[[nodiscard]] value on_each(call& c, const tensor& x, double (*f)(double), bool halves) {
  const data_type type = as_float(type_of(x));
  if (!halves && widened(type) != type) refuse(c, type);
  c.arena.charge(product_of_steps(x.size(), steps_each));
  const unary_function op{f};
  const source in[] = {{&x, type, data_type::float64}};
  return elementwise(
      c.arena, x.dims, in, data_type::float64, type,
      [](const std::byte* const* from, std::byte* to, std::size_t n, const void* with) {
        const auto* const x0 = lanes<double>(from[0]);
        for (std::size_t i = 0; i < n; ++i)
          lanes<double>(to)[i] = static_cast<const unary_function*>(with)->of(x0[i]);
      },
      &op);
}
[[nodiscard]] value on_both(call& c, const tensor& a, const tensor& b, double (*f)(double, double),
                            std::uint64_t steps = steps_each) {
  const data_type type = as_float(promote(a, b));
  const shape dims = broadcast(a.dims, b.dims);
  c.arena.charge(product_of_steps(count_of(dims.elements()), steps));
  const binary_function op{f};
  const source in[] = {{&a, type, data_type::float64}, {&b, type, data_type::float64}};
  return elementwise(
      c.arena, dims, in, data_type::float64, type,
      [](const std::byte* const* from, std::byte* to, std::size_t n, const void* with) {
        const auto *const x0 = lanes<double>(from[0]), *const x1 = lanes<double>(from[1]);
        for (std::size_t i = 0; i < n; ++i)
          lanes<double>(to)[i] = static_cast<const binary_function*>(with)->of(x0[i], x1[i]);
      },
      &op);
}
[[nodiscard]] value polynomial_of(call& c, double (*f)(double, double)) {
  constexpr std::uint64_t max_degree = 1 << 12;
  const tensor &x = c.tensor_at(0), &degrees = c.tensor_at(1);
  const tensor wide = cast(c.arena, degrees, data_type::float64);
  for (const double n : wide.elements<double>())
    if (!(n <= static_cast<double>(max_degree)))
      fail(errc::nac_run_argument, "a polynomial of degree ", n, "; expected at most ", max_degree);
  return on_both(c, x, degrees, f, max_degree * 4);
}

[[nodiscard]] double order_of(call& c, std::size_t letter, std::int64_t least, const char* what) {
  const std::int64_t n = c.whole(letter);
  if (n < least) fail(errc::nac_run_argument, what, " is ", n, "; expected at least ", least);
  return static_cast<double>(n);
}

}  // namespace

namespace operations {

// Name, function, and whether PyTorch has it for floats of 16 bits.
#define TESSERA_NAC_SPECIAL_FUNCTIONS(X)                                                           \
  X(lgamma, log_gamma, true)                                                                       \
  X(digamma, digamma, true)                                                                        \
  X(erfinv, erfinv, true)                                                                          \
  X(erfcx, erfcx, false)                                                                           \
  X(ndtr, ndtr, true)                                                                              \
  X(log_ndtr, log_ndtr, false)                                                                     \
  X(ndtri, ndtri, false)                                                                           \
  X(entr, entr, true)                                                                              \
  X(i0, i0, true)                                                                                  \
  X(i0e, i0e, true)                                                                                \
  X(i1, i1, true)                                                                                  \
  X(i1e, i1e, true)                                                                                \
  X(bessel_j0, j0, false)                                                                          \
  X(bessel_j1, j1, false)                                                                          \
  X(bessel_y0, y0, false)                                                                          \
  X(bessel_y1, y1, false)                                                                          \
  X(modified_bessel_k0, k0, false)                                                                 \
  X(modified_bessel_k1, k1, false)                                                                 \
  X(scaled_modified_bessel_k0, k0e, false)                                                         \
  X(scaled_modified_bessel_k1, k1e, false)                                                         \
  X(spherical_bessel_j0, spherical_j0, false)                                                      \
  X(airy_ai, airy_ai, false)
#define TESSERA_NAC_SPECIAL_POLYNOMIALS(X)                                                         \
  X(chebyshev_t)                                                                                   \
  X(chebyshev_u)                                                                                   \
  X(chebyshev_v)                                                                                   \
  X(chebyshev_w)                                                                                   \
  X(shifted_chebyshev_t)                                                                           \
  X(shifted_chebyshev_u)                                                                           \
  X(shifted_chebyshev_v)                                                                           \
  X(shifted_chebyshev_w)                                                                           \
  X(hermite_h)                                                                                     \
  X(hermite_he)                                                                                    \
  X(laguerre_l)                                                                                    \
  X(legendre_p)

#define TESSERA_X(name, function, halves)                                                          \
  value name(call& c) { return on_each(c, c.tensor_at(0), nac::function, halves); }
TESSERA_NAC_SPECIAL_FUNCTIONS(TESSERA_X)
#undef TESSERA_X
#define TESSERA_X(name)                                                                            \
  value name(call& c) { return polynomial_of(c, nac::name); }
TESSERA_NAC_SPECIAL_POLYNOMIALS(TESSERA_X)
#undef TESSERA_X

value zeta(call& c) { return on_both(c, c.tensor_at(0), c.tensor_at(1), nac::zeta, 1 << 12); }
value igamma(call& c) { return on_both(c, c.tensor_at(0), c.tensor_at(1), nac::igamma, 1 << 15); }
value igammac(call& c) { return on_both(c, c.tensor_at(0), c.tensor_at(1), nac::igammac, 1 << 15); }
value polygamma(call& c) {
  const double n = order_of(c, 0, 0, "n");
  const tensor order = make_number(c.arena, n);
  return on_both(c, order, c.tensor_at(1), nac::polygamma, 1 << 12);
}
value multigammaln(call& c) {
  const double p = order_of(c, 1, 1, "p");
  const tensor& x = c.tensor_at(0);
  if (p > 1 << 12) fail(errc::nac_run_argument, "p is ", c.whole(1), "; expected at most 4096");
  return on_both(
      c, x, make_number(c.arena, p),
      [](double a, double count) {
        double sum = count * (count - 1) / 4 * std::log(pi);
        for (double k = 0; k < count; ++k) sum += log_gamma(a - k / 2);
        return sum;
      },
      static_cast<std::uint64_t>(p) * 64);
}

/// The next number that the type has, towards another one.
value nextafter(call& c) {
  const tensor &a = c.tensor_at(0), &b = c.tensor_at(1);
  const data_type type = promote(a, b);
  if (type != data_type::float32 && type != data_type::float64) refuse(c, a.type, b.type);
  const source in[] = {{&a, type, type}, {&b, type, type}};
  loop f = nullptr;
  visit_wide(type, [&]<class T>(of<T>) {
    f = [](const std::byte* const* from, std::byte* to, std::size_t n, const void*) {
      for (std::size_t i = 0; i < n; ++i)
        lanes<T>(to)[i] = std::nextafter(lanes<T>(from[0])[i], lanes<T>(from[1])[i]);
    };
  });
  return elementwise(c.arena, broadcast(a.dims, b.dims), in, type, type, f);
}
/// Mantissas of a half to one, and exponents.
value frexp(call& c) {
  const tensor& x = c.tensor_at(0);
  if (!is_floating(x.type)) refuse(c, x.type);
  const tensor wide = cast(c.arena, x, data_type::float64);
  const tensor mantissas = make_tensor(c.arena, data_type::float64, x.dims);
  tensor exponents = make_tensor(c.arena, data_type::int32, x.dims);
  for (std::size_t i = 0; i < x.size(); ++i) {
    int exponent = 0;
    mantissas.as<double>()[i] = std::frexp(wide.as<double>()[i], &exponent);
    exponents.as<std::int32_t>()[i] = exponent;
  }
  return value(std::vector<value>{cast(c.arena, mantissas, x.type), std::move(exponents)});
}

}  // namespace operations
}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
