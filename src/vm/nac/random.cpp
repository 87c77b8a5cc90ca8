// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Operations with random results: PyTorch's shapes, types and distributions, but numbers of their
// own. They follow from the seed of the run (workspaces::random), in the order of instructions.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "elementwise.hpp"
#include "io/random.hpp"
#include "operations.hpp"
#include "reduce.hpp"
#include "strided.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

namespace {

/// Uniform in [0, 1), with as many bits as the type holds.
template <class T>
[[nodiscard]] double fraction(std::uint64_t& state) {
  constexpr int bits = std::is_same_v<T, double>   ? 53
                       : std::is_same_v<T, float>  ? 24
                       : std::is_same_v<T, half>   ? 11
                       : std::is_same_v<T, bfloat> ? 8
                                                   : 53;
  return std::ldexp(static_cast<double>(io::next_bits(state) >> (64 - bits)), -bits);
}
/// Uniform in (0, 1].
[[nodiscard]] double positive(std::uint64_t& state) { return 1 - fraction<double>(state); }
/// Of the standard normal distribution (Box and Muller, 1958).
[[nodiscard]] double gaussian(std::uint64_t& state) {
  const double radius = std::sqrt(-2 * std::log(positive(state)));
  return radius * std::cos(2 * std::numbers::pi * fraction<double>(state));
}
/// Uniform among `count` integers from 0 on; 0 means 2^64.
[[nodiscard]] std::uint64_t below(std::uint64_t count, std::uint64_t& state) {
  if (count == 0) return io::next_bits(state);
  const std::uint64_t rest = (0 - count) % count;  // 2^64 mod count: these would come too often
  for (;;)
    if (const std::uint64_t v = io::next_bits(state); v >= rest) return v % count;
}

void need_floats(const call& c, data_type t) {
  if (!is_floating(t)) refuse(c, t);
}
[[nodiscard]] double probability(double p) {
  if (!(p >= 0 && p <= 1)) fail(errc::nac_run_argument, "p is ", p, "; expected 0 to 1");
  return p;
}

/// A tensor of floats, each f(state).
template <class F>
[[nodiscard]] tensor floats_of(call& c, data_type type, const shape& dims, const F& f) {
  need_floats(c, type);
  tensor out = make_tensor(c.arena, type, dims);
  visit_float(type, [&]<class T>(of<T>) {
    for (T& y : out.elements<T>()) y = convert<T>(f.template operator()<T>(c.work.random));
  });
  return out;
}
[[nodiscard]] tensor uniforms(call& c, data_type type, const shape& dims, double from, double to) {
  return floats_of(c, type, dims, [&]<class T>(std::uint64_t& state) {
    // Rounding must not reach the end.
    const T v = convert<T>(from + (to - from) * fraction<T>(state));
    return convert<double>(v) < to ? convert<double>(v) : from;
  });
}
[[nodiscard]] tensor normals(call& c, data_type type, const shape& dims, double mean, double std) {
  if (!(std >= 0)) fail(errc::nac_run_argument, "std is ", std, "; expected at least 0");
  return floats_of(c, type, dims,
                   [&]<class>(std::uint64_t& state) { return mean + std * gaussian(state); });
}

[[nodiscard]] bool holds(data_type type, std::int64_t v) {
  return visit(type, [v]<class T>(of<T>) { return convert<std::int64_t>(convert<T>(v)) == v; });
}
[[nodiscard]] tensor integers(call& c, data_type type, const shape& dims, std::int64_t low,
                              std::int64_t high) {
  if (low >= high)
    fail(errc::nac_run_argument, "low is ", low, " and high ", high, "; expected low < high");
  for (const std::int64_t v : {low, high - 1})
    if (!is_floating(type) && !holds(type, v))
      fail(errc::nac_run_argument, v, " doesn't fit the type ", name(type));
  tensor out = make_tensor(c.arena, type, dims);
  const std::uint64_t first = static_cast<std::uint64_t>(low);
  const std::uint64_t count = static_cast<std::uint64_t>(high) - first;
  put_each<std::int64_t>(out, [&](std::int64_t) {
    return static_cast<std::int64_t>(first + below(count, c.work.random));
  });
  return out;
}

/// 1 with probability p(k) at element k, else 0.
template <class P>
[[nodiscard]] tensor coins(call& c, data_type type, const shape& dims, const P& p) {
  tensor out = make_tensor(c.arena, type, dims);
  put_each<std::int64_t>(out, [&](std::int64_t k) {
    return std::int64_t{fraction<double>(c.work.random) < p(static_cast<std::size_t>(k)) ? 1 : 0};
  });
  return out;
}
[[nodiscard]] tensor coins_of(call& c, data_type type, const shape& dims, const tensor& p) {
  need_floats(c, p.type);
  return visit_float(p.type, [&]<class T>(of<T>) {
    const T* const x = p.as<T>();
    for (std::size_t k = 0; k < p.size(); ++k) (void)probability(convert<double>(x[k]));
    return coins(c, type, dims, [&](std::size_t k) { return convert<double>(x[k]); });
  });
}

/// x * mask / (1 - p), where one element of the mask is for `run` elements in a row.
[[nodiscard]] tensor scaled(call& c, const tensor& x, const tensor& mask, double p,
                            std::size_t run) {
  tensor out = make_tensor(c.arena, x.type, x.dims);
  const double scale = p == 1 ? 0 : 1 / (1 - p);
  visit_float(x.type, [&]<class T>(of<T>) {
    const T* const from = x.as<T>();
    T* const y = out.as<T>();
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double factor = mask.as<bool>()[k / run] ? scale : 0;
      y[k] = convert<T>(convert<double>(from[k]) * factor);
    }
  });
  return out;
}
/// Whether an element of a mask is kept.
[[nodiscard]] tensor mask_of(call& c, const shape& dims, double p) {
  return coins(c, data_type::boolean, dims, [&](std::size_t) { return 1 - p; });
}

/// Samples of one row of weights.
void sample(call& c, std::span<const double> weights, bool again, std::span<std::int64_t> to) {
  std::vector<double> keys(weights.begin(), weights.end());
  if (again) {
    std::partial_sum(keys.begin(), keys.end(), keys.begin());
    for (std::int64_t& y : to) {
      const double at = fraction<double>(c.work.random) * keys.back();
      const auto found = std::upper_bound(keys.begin(), keys.end(), at);
      y = std::min<std::int64_t>(found - keys.begin(), static_cast<std::int64_t>(keys.size()) - 1);
    }
    return;
  }
  // The least of exponential variables with these rates are such samples.
  for (double& k : keys)
    k = k == 0 ? std::numeric_limits<double>::infinity() : -std::log(positive(c.work.random)) / k;
  std::vector<std::int64_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
  });
  std::copy_n(order.begin(), to.size(), to.begin());
}

}  // namespace

namespace operations {

value rand(call& c) {
  return uniforms(c, c.type_or(1, data_type::float32), shape(c.int_list(0)), 0, 1);
}
value randn(call& c) {
  return normals(c, c.type_or(1, data_type::float32), shape(c.int_list(0)), 0, 1);
}
value rand_like(call& c) {
  const tensor& x = c.tensor_at(0);
  return uniforms(c, c.type_or(1, x.type), x.dims, 0, 1);
}
value randn_like(call& c) {
  const tensor& x = c.tensor_at(0);
  return normals(c, c.type_or(1, x.type), x.dims, 0, 1);
}
value uniform(call& c) {
  const tensor& x = c.tensor_at(0);
  const double from = c.real_or(1, 0), to = c.real_or(2, 1);
  if (!(from <= to) || !std::isfinite(to - from))
    fail(errc::nac_run_argument, "from is ", from, " and to ", to,
         "; expected from <= to, and finite numbers");
  return uniforms(c, x.type, x.dims, from, to);
}
value normal_like(call& c) {
  const tensor& x = c.tensor_at(0);
  return normals(c, x.type, x.dims, c.real_or(1, 0), c.real_or(2, 1));
}

value normal(call& c) {
  const tensor mean = c.tensor_at(0);
  const std::optional<tensor> std = c.has(1) ? std::optional(c.tensor_at(1)) : std::nullopt;
  if (mean.is_number && (!std || std->is_number)) {
    const double deviation = c.real_or(1, 1);
    return normals(c, c.type_or(3, data_type::float32), shape(c.int_list(2)), c.real(0), deviation);
  }
  const shape dims = std ? broadcast(mean.dims, std->dims) : mean.dims;
  const data_type type = mean.is_number ? std->type : mean.type;
  tensor out = normals(c, type, dims, 0, 1);
  const auto wide = [&](const tensor& x) {
    return expanded(c.arena, cast(c.arena, x, data_type::float64), dims);
  };
  const tensor centre = wide(mean), by = std ? wide(*std) : tensor();
  visit_float(type, [&]<class T>(of<T>) {
    T* const y = out.as<T>();
    for (std::size_t k = 0; k < out.size(); ++k) {
      const double deviation = std ? by.as<double>()[k] : 1;
      if (!(deviation >= 0))
        fail(errc::nac_run_argument, "std has an element ", deviation, "; expected at least 0");
      y[k] = convert<T>(centre.as<double>()[k] + deviation * convert<double>(y[k]));
    }
  });
  return out;
}

value randint(call& c) {
  const bool both = c.has(1);
  return integers(c, c.type_or(3, data_type::int64), shape(c.int_list(2)), both ? c.whole(0) : 0,
                  c.whole(both ? 1 : 0));
}
value randint_like(call& c) {
  const tensor& x = c.tensor_at(0);
  const bool both = c.has(2);
  return integers(c, c.type_or(3, x.type), x.dims, both ? c.whole(1) : 0, c.whole(both ? 2 : 1));
}

value randperm(call& c) {
  const std::int64_t n = c.whole(0);
  const data_type type = c.type_or(1, data_type::int64);
  if (n < 0) fail(errc::nac_run_argument, "n is ", n, "; expected at least 0");
  if (type == data_type::boolean) refuse(c, type);
  if (n != 0 && !holds(type, n - 1))
    fail(errc::nac_run_argument, "n is ", n, ", and n - 1 doesn't fit the type ", name(type));
  const tensor out = make_tensor(c.arena, data_type::int64, {n});
  std::int64_t* const y = out.as<std::int64_t>();
  for (std::int64_t k = 0; k < n; ++k) y[k] = k;
  for (std::size_t k = out.size(); k > 1; --k) std::swap(y[k - 1], y[below(k, c.work.random)]);
  return cast(c.arena, out, type);
}

value bernoulli(call& c) {
  const tensor& x = c.tensor_at(0);
  return coins_of(c, x.type, x.dims, x);
}
value bernoulli_by(call& c) {
  const tensor& x = c.tensor_at(0);
  if (c.has(1) && !c.tensor_at(1).is_number)
    return coins_of(c, x.type, x.dims,
                    expanded(c.arena, c.tensor_at(1), broadcast(x.dims, c.tensor_at(1).dims)));
  const double p = probability(c.real_or(1, 0.5));
  return coins(c, x.type, x.dims, [&](std::size_t) { return p; });
}

value multinomial(call& c) {
  const tensor& x = c.tensor_at(0);
  const std::int64_t wanted = c.whole(1);
  const bool again = c.truth_or(2, false);
  need_floats(c, x.type);
  if (x.rank() != 1 && x.rank() != 2)
    fail(errc::nac_run_shape, "weights have shape ", x.dims, "; expected rank 1 or 2");
  const std::int64_t choices = x.dim(x.rank() - 1), rows = x.rank() == 2 ? x.dim(0) : 1;
  if (wanted <= 0 || choices == 0 || (!again && wanted > choices))
    fail(errc::nac_run_argument, "num_samples is ", wanted, " for ", choices,
         " choices; expected at least 1 of both",
         again ? "" : ", and at most as many samples as choices without replacement");
  shape dims = x.dims;
  dims[x.rank() - 1] = wanted;
  const tensor weights = cast(c.arena, x, data_type::float64);
  tensor out = make_tensor(c.arena, data_type::int64, dims);
  const auto width = static_cast<std::size_t>(choices), count = static_cast<std::size_t>(wanted);
  for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
    const std::span<const double> row = weights.elements<double>().subspan(r * width, width);
    double sum = 0;
    for (const double w : row) {
      if (!(w >= 0) || !std::isfinite(w))
        fail(errc::nac_run_argument, "weight is ", w, "; expected a finite number of at least 0");
      sum += w;
    }
    if (!(sum > 0)) fail(errc::nac_run_argument, "the weights of a row add up to 0; expected more");
    sample(c, row, again, out.elements<std::int64_t>().subspan(r * count, count));
  }
  return out;
}

value dropout(call& c) {
  const tensor& x = c.tensor_at(0);
  const double p = probability(c.real_or(1, 0.5));
  if (!c.truth_or(2, false) || p == 0 || x.size() == 0) return x;
  need_floats(c, x.type);
  return scaled(c, x, mask_of(c, x.dims, p), p, 1);
}

/// Whole channels at once.
value feature_dropout(call& c) {
  const tensor& x = c.tensor_at(0);
  const double p = probability(c.real_or(1, 0.5));
  if (!c.truth_or(2, false) || p == 0 || x.size() == 0) return x;
  need_floats(c, x.type);
  if (x.rank() < 2)
    fail(errc::nac_run_shape, "input has shape ", x.dims, "; expected rank 2 or more");
  const tensor mask = mask_of(c, {x.dim(0), x.dim(1)}, p);
  return scaled(c, x, mask, p, x.size() / mask.size());
}

/// What is dropped becomes the least value of SELU, and all of it is scaled to the mean and variance
/// of before (Klambauer and others, 2017).
[[nodiscard]] value alpha_dropped(call& c, bool whole_channels) {
  const tensor& x = c.tensor_at(0);
  const double p = probability(c.real_or(1, 0.5));
  if (!c.truth_or(2, false) || p == 0 || x.size() == 0) return x;
  need_floats(c, x.type);
  if (whole_channels && x.rank() < 2)
    fail(errc::nac_run_shape, "input has shape ", x.dims, "; expected rank 2 or more");
  const tensor mask = mask_of(c, whole_channels ? shape{x.dim(0), x.dim(1)} : x.dims, p);
  const std::size_t run = x.size() / mask.size();
  constexpr double least = -1.7580993408473766;
  const double scale = p == 1 ? 0 : 1 / std::sqrt((1 - p) * (1 + p * least * least));
  const double shift = -scale * least * p;
  tensor out = make_tensor(c.arena, x.type, x.dims);
  visit_float(x.type, [&]<class T>(of<T>) {
    for (std::size_t k = 0; k < x.size(); ++k)
      out.as<T>()[k] = convert<T>(
          (mask.as<bool>()[k / run] ? convert<double>(x.as<T>()[k]) : least) * scale + shift);
  });
  return p == 1 ? filled(c.arena, x.type, x.dims, scalar{}) : out;
}
value alpha_dropout(call& c) { return alpha_dropped(c, false); }
value feature_alpha_dropout(call& c) { return alpha_dropped(c, true); }

/// A slope for each negative element, in training; otherwise the one in the middle. `first` is the
/// letter of the least slope.
[[nodiscard]] value randomly_leaky(call& c, std::size_t first) {
  const tensor& x = c.tensor_at(0);
  need_floats(c, x.type);
  const double low = c.real_or(first, 0.125), high = c.real_or(first + 1, 1.0 / 3);
  if (!(low <= high))
    fail(errc::nac_run_argument, "lower is ", low, " and upper ", high,
         "; expected lower <= upper");
  if (!c.truth_or(first + 2, false))
    return result_of(c, model::operation::leaky_relu, {x, make_number(c.arena, (low + high) / 2)});
  tensor out = make_tensor(c.arena, x.type, x.dims);
  visit_float(x.type, [&]<class T>(of<T>) {
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double v = convert<double>(x.as<T>()[k]);
      const double slope = v <= 0 ? low + (high - low) * fraction<double>(c.work.random) : 1;
      out.as<T>()[k] = convert<T>(v * slope);
    }
  });
  return out;
}
value rrelu(call& c) { return randomly_leaky(c, 1); }
value rrelu_with_noise(call& c) { return randomly_leaky(c, 2); }

// ---- further distributions, of the shape and type of the first operand

[[nodiscard]] double checked_parameter(double v, bool valid, const char* what) {
  if (!valid) fail(errc::nac_run_argument, what, " is ", v);
  return v;
}
value exponential(call& c) {
  const tensor& x = c.tensor_at(0);
  const double rate = c.real_or(1, 1);
  (void)checked_parameter(rate, rate > 0, "the rate, expected above 0,");
  return floats_of(c, x.type, x.dims, [rate]<class>(std::uint64_t& state) {
    return -std::log(nac::positive(state)) / rate;
  });
}
value cauchy(call& c) {
  const tensor& x = c.tensor_at(0);
  const double centre = c.real_or(1, 0), width = c.real_or(2, 1);
  (void)checked_parameter(width, width > 0, "sigma, expected above 0,");
  return floats_of(c, x.type, x.dims, [=]<class>(std::uint64_t& state) {
    return centre + width * std::tan(std::numbers::pi * (nac::positive(state) - 0.5));
  });
}
value log_normal(call& c) {
  const tensor& x = c.tensor_at(0);
  const double mean = c.real_or(1, 1), deviation = c.real_or(2, 2);
  (void)checked_parameter(deviation, deviation > 0, "std, expected above 0,");
  return floats_of(c, x.type, x.dims, [=]<class>(std::uint64_t& state) {
    return std::exp(mean + deviation * gaussian(state));
  });
}
value geometric(call& c) {
  const tensor& x = c.tensor_at(0);
  const double p = c.real(1);
  (void)checked_parameter(p, p > 0 && p < 1, "p, expected between 0 and 1,");
  if (x.type == data_type::boolean) refuse(c, x.type);
  tensor out = make_tensor(c.arena, x.type, x.dims);
  visit(x.type, [&]<class T>(of<T>) {
    for (T& y : out.elements<T>())
      y = convert<T>(std::ceil(std::log(nac::positive(c.work.random)) / std::log1p(-p)));
  });
  return out;
}
/// Integers: up to a bound, between two, or all that the type holds exactly.
value random_integers(call& c) {
  const tensor& x = c.tensor_at(0);
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  std::int64_t low = 0, high = 0;
  const auto all_of = [&] {
    switch (x.type) {
      case data_type::float64: return std::int64_t{1} << 53;
      case data_type::float32: return std::int64_t{1} << 24;
      case data_type::float16: return std::int64_t{1} << 11;
      case data_type::bfloat16: return std::int64_t{1} << 8;
      case data_type::int64: return largest;
      case data_type::int32: return std::int64_t{1} << 31;
      case data_type::int16: return std::int64_t{1} << 15;
      case data_type::int8: return std::int64_t{1} << 7;
      case data_type::uint8: return std::int64_t{1} << 8;
      case data_type::boolean: break;
    }
    return std::int64_t{2};
  };
  if (c.has(2)) {
    low = c.whole(1);
    high = c.whole(2);
  } else {
    high = c.has(1) ? c.whole(1) : all_of();
  }
  return integers(c, x.type, x.dims, low, high);
}

/// Events in a time in which that many are expected; the many ones by a normal distribution.
[[nodiscard]] double poisson_of(double rate, std::uint64_t& state) {
  if (rate > 64) return std::max(0.0, std::nearbyint(rate + std::sqrt(rate) * gaussian(state)));
  double count = -1;
  for (double left = rate; left >= 0; ++count) left += std::log(nac::positive(state));
  return count;
}
value poisson(call& c) {
  const tensor& x = c.tensor_at(0);
  need_floats(c, x.type);
  tensor out = make_tensor(c.arena, x.type, x.dims);
  c.arena.charge(product_of_steps(x.size(), 2048));
  visit_float(x.type, [&]<class T>(of<T>) {
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double rate = convert<double>(x.as<T>()[k]);
      (void)checked_parameter(rate, rate >= 0, "a rate, expected at least 0,");
      out.as<T>()[k] = convert<T>(poisson_of(rate, c.work.random));
    }
  });
  return out;
}

value native_dropout(call& c) {
  const tensor& x = c.tensor_at(0);
  const double p = probability(c.real(1));
  const bool train = c.truth_or(2, true);
  if (x.size() == 0) return value(std::vector<value>{x, x});  // as PyTorch: no mask of booleans
  const tensor mask = mask_of(c, x.dims, train ? p : 0);
  if (!train) return value(std::vector<value>{x, mask});
  need_floats(c, x.type);
  return value(std::vector<value>{scaled(c, x, mask, p, 1), mask});
}

}  // namespace operations
}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
