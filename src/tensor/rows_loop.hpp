// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Functions of one vector of floats, and the loops over elements and rows, for one instruction set.
// rows.cpp includes it once for each, in a namespace of its own.
//
// Coefficients were fitted for the smallest relative error and rounded to FP32.
//
// Lifetime:   nothing is kept.
// Errors:     none.
// Limits:     none.
// Allocation: none.

typedef float floats [[gnu::vector_size(TESSERA_VECTOR_BYTES)]];
typedef std::int32_t masks [[gnu::vector_size(TESSERA_VECTOR_BYTES)]];
typedef std::uint32_t bits [[gnu::vector_size(TESSERA_VECTOR_BYTES)]];
// As many floats as there are doubles in a register.
typedef float few_floats [[gnu::vector_size(TESSERA_VECTOR_BYTES / 2)]];
typedef double doubles [[gnu::vector_size(TESSERA_VECTOR_BYTES)]];

#define TESSERA_KERNEL_INLINE TESSERA_TARGET [[gnu::always_inline]] static inline

inline constexpr std::size_t width = sizeof(floats) / sizeof(float);

TESSERA_KERNEL_INLINE floats load(const float* from) {
  floats v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
TESSERA_KERNEL_INLINE void store(float* to, floats v) { std::memcpy(to, &v, sizeof v); }

/// The first `count` elements, fewer than a vector has; the others are `otherwise`. In pieces whose
/// sizes are known, as calls cost more.
TESSERA_KERNEL_INLINE floats load_last(const float* from, std::size_t count, float otherwise) {
  floats v = floats{} + otherwise;
  float held[width];
  store(held, v);
  std::size_t i = 0;
  if (width > 4 && (count & 4) != 0) {
    std::memcpy(held, from, 16);
    i = 4;
  }
  if ((count & 2) != 0) {
    std::memcpy(held + i, from + i, 8);
    i += 2;
  }
  if ((count & 1) != 0) held[i] = from[i];
  return load(held);
}
TESSERA_KERNEL_INLINE void store_last(float* to, std::size_t count, floats v) {
  float held[width];
  store(held, v);
  std::size_t i = 0;
  if (width > 4 && (count & 4) != 0) {
    std::memcpy(to, held, 16);
    i = 4;
  }
  if ((count & 2) != 0) {
    std::memcpy(to + i, held + i, 8);
    i += 2;
  }
  if ((count & 1) != 0) to[i] = held[i];
}

TESSERA_KERNEL_INLINE floats size_of(floats x) {
  return reinterpret_cast<floats>(reinterpret_cast<bits>(x) & 0x7fffffffu);
}
TESSERA_KERNEL_INLINE floats with_sign_of(floats size, floats x) {
  return reinterpret_cast<floats>(reinterpret_cast<bits>(size) |
                                  (reinterpret_cast<bits>(x) & 0x80000000u));
}
/// x where the mask is set, otherwise 0.
TESSERA_KERNEL_INLINE floats where(masks mask, floats x) {
  return reinterpret_cast<floats>(mask & reinterpret_cast<masks>(x));
}

// ---- the exponential function

/// x = n ln 2 + r, |r| <= ln 2 / 2. After adding 2^23 + 2^22 the low bits are those of n.
struct reduced {
  floats r;
  masks n;
};
TESSERA_KERNEL_INLINE reduced reduce(floats x) {
  constexpr float magic = 0x1.8p23f;
  const floats shifted = x * 0x1.715476p0f + magic;
  const floats n = shifted - magic;
  // The first part of ln 2 has so few bits that its product is exact.
  return {(x - n * 0x1.62e4p-1f) - n * 0x1.7f7d1cp-20f,
          reinterpret_cast<masks>(reinterpret_cast<bits>(shifted) - 0x4b400000u)};
}
/// e^r - 1
TESSERA_KERNEL_INLINE floats exponential_less_1(floats r) {
  floats sum = r * 0x1.6a21a8p-10f + 0x1.123b6ap-7f;
  sum = sum * r + 0x1.5558fcp-5f;
  sum = sum * r + 0x1.55549p-3f;
  sum = sum * r + 0x1.fffffcp-2f;
  return r * r * sum + r;
}
/// 2^n for -126 <= n <= 127
TESSERA_KERNEL_INLINE floats power_of_2(masks n) {
  return reinterpret_cast<floats>(reinterpret_cast<bits>(n + 127) << 23);
}

/// e^x = of * low * high: the product of the three is rounded as a result is, even where it's
/// denormal. x is bounded by -115 and 115.
struct scaled {
  floats of, low, high;
};
TESSERA_KERNEL_INLINE scaled scale(floats r, masks n) {
  const masks half = n >> 1;
  return {exponential_less_1(r) + 1, power_of_2(half), power_of_2(n - half)};
}
TESSERA_KERNEL_INLINE scaled exponential_parts(floats x) {
  const floats smallest = floats{} - 115, largest = floats{} + 115;
  x = x < smallest ? smallest : x;
  x = x > largest ? largest : x;
  const reduced at = reduce(x);
  return scale(at.r, at.n);
}

/// For x <= 0 or NaN. Where nothing is left no denormal is computed, which is slow.
TESSERA_KERNEL_INLINE floats falling_exponential(floats x) {
  const reduced at = reduce(x);
  const scaled e = scale(at.r, at.n);
  return where(~(x < -104), e.of * e.low * e.high);
}

// ---- functions

struct exp {
  TESSERA_KERNEL_INLINE floats of(floats x) {
    const scaled e = exponential_parts(x);
    return e.of * e.low * e.high;
  }
};

struct log {
  TESSERA_KERNEL_INLINE floats of(floats x) {
    const masks denormal = x < 0x1p-126f;
    const floats normal = denormal ? x * 0x1p23f : x;
    // normal = m 2^e, sqrt(1/2) <= m < sqrt(2)
    const bits above = reinterpret_cast<bits>(normal) - 0x3f3504f3u;
    const masks e = reinterpret_cast<masks>(above) >> 23;
    const floats f = reinterpret_cast<floats>((above & 0x007fffffu) + 0x3f3504f3u) - 1;
    const floats n = __builtin_convertvector(e, floats) - where(denormal, floats{} + 23);
    floats sum = f * 0x1.14573ep-4f - 0x1.de3bf8p-4f;
    sum = sum * f + 0x1.e6f08cp-4f;
    sum = sum * f - 0x1.fc220ep-4f;
    sum = sum * f + 0x1.233766p-3f;
    sum = sum * f - 0x1.555c4ep-3f;
    sum = sum * f + 0x1.99a4b6p-3f;
    sum = sum * f - 0x1.000006p-2f;
    sum = sum * f + 0x1.555548p-2f;
    const floats square = f * f;
    floats y = square * f * sum + n * 0x1.7f7d1cp-20f;
    y = y - 0.5f * square;
    y = n * 0x1.62e4p-1f + (f + y);
    constexpr float infinity = std::numeric_limits<float>::infinity();
    y = x < infinity ? y : x;
    y = x > 0    ? y
        : x == 0 ? floats{} - infinity
                 : floats{} + std::numeric_limits<float>::quiet_NaN();
    return y;
  }
};

/// x / (1 + e^w). 1 + e^w = high (1 / high + of low), so that neither overflows.
TESSERA_KERNEL_INLINE floats gated(floats x, floats w) {
  const scaled e = exponential_parts(w);
  floats inverse = reinterpret_cast<floats>(0x7f000000u - reinterpret_cast<bits>(e.high));
  inverse = where(w < 115, inverse);  // nothing is left of the largest x, too
  return x / (inverse + e.of * e.low) * inverse;
}
struct sigmoid {
  TESSERA_KERNEL_INLINE floats of(floats x) { return gated(floats{} + 1, -x); }
};
struct silu {
  TESSERA_KERNEL_INLINE floats of(floats x) { return gated(x, -x); }
};
struct gelu {
  TESSERA_KERNEL_INLINE floats of(floats x) {
    constexpr float linear = -1.5957691216057308f;
    return gated(x, x * (linear + linear * 0.044715f * (x * x)));
  }
};

struct tanh {
  TESSERA_KERNEL_INLINE floats of(floats x) {
    floats size = size_of(x);
    const floats largest = floats{} + 10;
    size = size > largest ? largest : size;
    const reduced at = reduce(2 * size);
    const floats power = power_of_2(at.n);
    const floats less_1 = power * exponential_less_1(at.r) + (power - 1);
    return with_sign_of(less_1 / (less_1 + 2), x);
  }
};

/// e^(x^2 / 2) erfc(x / sqrt(2)) / 2, for 0 <= x < 15
TESSERA_KERNEL_INLINE floats tail_factor(floats x) {
  const floats t = 1 / (1 + 0.3f * x);
  floats sum = t * -0x1.51eb6p-6f + 0x1.cc9216p-4f;
  sum = sum * t - 0x1.d36c5cp-3f;
  sum = sum * t + 0x1.88d528p-3f;
  sum = sum * t - 0x1.456b3ep-4f;
  sum = sum * t + 0x1.89ea2p-4f;
  sum = sum * t + 0x1.41104ep-4f;
  sum = sum * t + 0x1.c38764p-4f;
  sum = sum * t + 0x1.e9c3fcp-4f;
  sum = sum * t + 0x1.ea3c9ap-4f;
  return sum * t;
}

struct gelu_erf {
  TESSERA_KERNEL_INLINE floats of(floats x) {
    // (1 + erf(x / sqrt(2))) / 2, by a series where differences would lose digits.
    const floats s = x * x;
    floats near = s * -0x1.f959aap-18f + 0x1.da8f1p-14f;
    near = near * s - 0x1.36e616p-10f;
    near = near * s + 0x1.46cd06p-7f;
    near = near * s - 0x1.10582ap-4f;
    near = near * s + 0x1.988454p-2f;
    near = near * x + 0.5f;
    const floats size = size_of(x);
    // x^2 = first^2 + (x - first) (x + first), of which the former is exact.
    const floats first = reinterpret_cast<floats>(reinterpret_cast<bits>(size) & 0xfffff000u);
    const floats more = (size - first) * (size + first);
    const reduced at = reduce(-0.5f * (first * first));
    const floats e = (exponential_less_1(at.r - 0.5f * more) + 1) * power_of_2(at.n);
    const floats tail = where(size < 13, tail_factor(size) * e);
    return x * (size < 1 ? near : x < 0 ? tail : 1 - tail);
  }
};
struct erf {
  TESSERA_KERNEL_INLINE floats of(floats x) {
    floats size = size_of(x);
    const floats s = x * x;
    floats near = s * 0x1.496a28p-14f - 0x1.a3f6fcp-11f;
    near = near * s + 0x1.5405b2p-8f;
    near = near * s - 0x1.b7f90cp-6f;
    near = near * s + 0x1.ce2cf8p-4f;
    near = near * s - 0x1.81273ep-2f;
    near = (near * s + 0x1.20dd74p+0f) * x;
    const masks is_near = size < 1;
    size = size > 5 ? floats{} + 5 : size;
    const floats e = falling_exponential(-(size * size));
    const floats far = 1 - 2 * e * tail_factor(size * 0x1.6a09e6p+0f);
    return is_near ? near : with_sign_of(far, x);
  }
};

template <class Op>
TESSERA_TARGET void each(const float* x, float* to, std::size_t n) {
  std::size_t i = 0;
  for (; i + width <= n; i += width) store(to + i, Op::of(load(x + i)));
  if (i != n) store_last(to + i, n - i, Op::of(load_last(x + i, n - i, 0)));
}

// ---- rows

/// A sum of floats: of few of them in FP32, of those sums in FP64.
struct total {
  floats part = {};
  doubles low = {}, high = {};
};
/// Elements in a row, at most, between which a total takes its parts in.
inline constexpr std::size_t block = 16 * width;

// Lists of lanes: those of either half, and of both.
#if TESSERA_VECTOR_BYTES == 32
#define TESSERA_LOW_HALF 0, 1, 2, 3
#define TESSERA_HIGH_HALF 4, 5, 6, 7
#else
#define TESSERA_LOW_HALF 0, 1
#define TESSERA_HIGH_HALF 2, 3
#endif
TESSERA_KERNEL_INLINE doubles low_half(floats v) {
  return __builtin_convertvector(__builtin_shufflevector(v, v, TESSERA_LOW_HALF), doubles);
}
TESSERA_KERNEL_INLINE doubles high_half(floats v) {
  return __builtin_convertvector(__builtin_shufflevector(v, v, TESSERA_HIGH_HALF), doubles);
}
TESSERA_KERNEL_INLINE floats joined(doubles low, doubles high) {
  return __builtin_shufflevector(__builtin_convertvector(low, few_floats),
                                 __builtin_convertvector(high, few_floats), TESSERA_LOW_HALF,
                                 TESSERA_HIGH_HALF);
}
#undef TESSERA_LOW_HALF
#undef TESSERA_HIGH_HALF
TESSERA_KERNEL_INLINE void widen(floats v, doubles& low, doubles& high) {
  low += low_half(v);
  high += high_half(v);
}
TESSERA_KERNEL_INLINE void take_in(total& t) {
  widen(t.part, t.low, t.high);
  t.part = floats{};
}
TESSERA_KERNEL_INLINE double whole(const total& t) {
  doubles all = t.low, high = t.high;
  widen(t.part, all, high);
  all += high;
  double out = 0;
  for (std::size_t i = 0; i < sizeof all / sizeof out; ++i) out += all[i];
  return out;
}

TESSERA_KERNEL_INLINE double sum_in_vectors(const float* x, std::size_t n) {
  doubles a = {}, b = {}, c = {}, d = {};
  std::size_t i = 0;
  for (; i + 2 * width <= n; i += 2 * width) {
    widen(load(x + i), a, b);
    widen(load(x + i + width), c, d);
  }
  if (i + width <= n) {
    widen(load(x + i), a, b);
    i += width;
  }
  if (i != n) widen(load_last(x + i, n - i, 0), c, d);
  a += c;
  b += d;
  a += b;
  double out = 0;
  for (std::size_t k = 0; k < sizeof a / sizeof out; ++k) out += a[k];
  return out;
}
TESSERA_TARGET double sum(const float* x, std::size_t n) { return sum_in_vectors(x, n); }

template <bool Greatest>
TESSERA_KERNEL_INLINE floats better(floats a, floats b) {
  if constexpr (Greatest)
    return a > b ? a : b;
  else
    return a < b ? a : b;
}
/// Another order of the lanes, in which each meets another one at every step.
template <std::size_t Step, class Vector>
TESSERA_KERNEL_INLINE Vector moved(Vector v) {
  if constexpr (width == 8)
    return __builtin_shufflevector(v, v, 0 ^ Step, 1 ^ Step, 2 ^ Step, 3 ^ Step, 4 ^ Step, 5 ^ Step,
                                   6 ^ Step, 7 ^ Step);
  else
    return __builtin_shufflevector(v, v, 0 ^ Step, 1 ^ Step, 2 ^ Step, 3 ^ Step);
}
/// Of all lanes, in all of them; NaN where there was one.
template <bool Greatest>
TESSERA_KERNEL_INLINE floats extreme_of(floats v, masks counted) {
  if constexpr (width == 8) {
    v = better<Greatest>(v, moved<width / 2>(v));
    counted |= moved<width / 2>(counted);
  }
  v = better<Greatest>(v, moved<2>(v));
  counted |= moved<2>(counted);
  v = better<Greatest>(v, moved<1>(v));
  counted |= moved<1>(counted);
  return counted != 0 ? floats{} + std::numeric_limits<float>::quiet_NaN() : v;
}
TESSERA_KERNEL_INLINE floats sum_of(floats v) {
  if constexpr (width == 8) v += moved<width / 2>(v);
  v += moved<2>(v);
  return v + moved<1>(v);
}

template <bool Greatest>
TESSERA_KERNEL_INLINE float extreme_in_vectors(const float* x, std::size_t n) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float start = Greatest ? -infinity : infinity;
  floats a = floats{} + start, b = a, c = a, d = a;
  masks counted = {};  // where there was a NaN
  std::size_t i = 0;
  for (; i + 4 * width <= n; i += 4 * width) {
    const floats v = load(x + i), w = load(x + i + width);
    const floats y = load(x + i + 2 * width), z = load(x + i + 3 * width);
    a = better<Greatest>(v, a);
    b = better<Greatest>(w, b);
    c = better<Greatest>(y, c);
    d = better<Greatest>(z, d);
    counted |= (v != v) | (w != w) | (y != y) | (z != z);
  }
  for (; i < n; i += width) {
    const floats v = i + width <= n ? load(x + i) : load_last(x + i, n - i, start);
    a = better<Greatest>(v, a);
    counted |= v != v;
  }
  return extreme_of<Greatest>(better<Greatest>(better<Greatest>(a, b), better<Greatest>(c, d)),
                              counted)[0];
}
template <bool Greatest>
TESSERA_TARGET float extreme(const float* x, std::size_t n) {
  return extreme_in_vectors<Greatest>(x, n);
}

/// Where results aren't kept, there is no place for them.
template <bool Kept>
TESSERA_KERNEL_INLINE double exponentials_in_vectors(const float* x, float largest, float factor,
                                                     float* to, std::size_t n) {
  total t;
  std::size_t i = 0;
  while (i + width <= n) {
    const std::size_t end = i + std::min(block, (n - i) / width * width);
    for (; i < end; i += width) {
      const floats e = falling_exponential((load(x + i) - largest) * factor);
      t.part += e;
      if constexpr (Kept) store(to + i, e);
    }
    take_in(t);
  }
  if (i != n) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const floats e = falling_exponential((load_last(x + i, n - i, -infinity) - largest) * factor);
    t.part += e;
    if constexpr (Kept) store_last(to + i, n - i, e);
  }
  return whole(t);
}
TESSERA_TARGET double exponentials(const float* x, float largest, float factor, float* to,
                                   std::size_t n) {
  return exponentials_in_vectors<true>(x, largest, factor, to, n);
}

/// Rows that one vector holds.
TESSERA_KERNEL_INLINE void softmax_of_few(const float* x, float* to, std::size_t rows,
                                          std::size_t n) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (; rows != 0; --rows, x += n, to += n) {
    const floats v = n == width ? load(x) : load_last(x, n, -infinity);
    const floats e = falling_exponential(v - extreme_of<true>(v, v != v));
    const floats y = e / sum_of(e);
    if (n == width)
      store(to, y);
    else
      store_last(to, n, y);
  }
}
TESSERA_TARGET void softmax(const float* x, float* to, std::size_t rows, std::size_t n) {
  if (n <= width) return softmax_of_few(x, to, rows, n);
  for (; rows != 0; --rows, x += n, to += n) {
    const float largest = extreme_in_vectors<true>(x, n);
    const float factor =
        static_cast<float>(1 / exponentials_in_vectors<true>(x, largest, 1, to, n));
    std::size_t i = 0;
    for (; i + width <= n; i += width) store(to + i, load(to + i) * factor);
    for (; i < n; ++i) to[i] *= factor;
  }
}
TESSERA_TARGET void log_softmax(const float* x, float* to, std::size_t rows, std::size_t n) {
  for (; rows != 0; --rows, x += n, to += n) {
    const float largest = extreme_in_vectors<true>(x, n);
    const double by =
        double{largest} + std::log(exponentials_in_vectors<false>(x, largest, 1, nullptr, n));
    std::size_t i = 0;
    for (; i + width <= n; i += width) {
      const floats v = load(x + i);
      store(to + i, joined(low_half(v) - by, high_half(v) - by));
    }
    for (; i < n; ++i) to[i] = static_cast<float>(double{x[i]} - by);
  }
}

struct moments_in_parts {
  float about;            ///< a number near the mean,
  double more, variance;  ///< what the mean is above it
};
TESSERA_KERNEL_INLINE moments_in_parts moments_about(const float* x, std::size_t n) {
  const auto count = static_cast<double>(n);
  // A float's accuracy is enough for the mean: rows are short, or the rest is corrected afterwards.
  total t, u;
  std::size_t i = 0;
  while (i + 2 * width <= n) {
    const std::size_t end = i + std::min(2 * block, (n - i) / (2 * width) * (2 * width));
    for (; i < end; i += 2 * width) {
      t.part += load(x + i);
      u.part += load(x + i + width);
    }
    take_in(t);
    take_in(u);
  }
  double all = whole(t) + whole(u);
  for (; i < n; ++i) all += double{x[i]};
  const auto about = static_cast<float>(all / count);
  total first, second, third, fourth;
  i = 0;
  while (i + 2 * width <= n) {
    const std::size_t end = i + std::min(2 * block, (n - i) / (2 * width) * (2 * width));
    for (; i < end; i += 2 * width) {
      const floats v = load(x + i) - about, w = load(x + i + width) - about;
      first.part += v;
      second.part += v * v;
      third.part += w;
      fourth.part += w * w;
    }
    take_in(first);
    take_in(second);
    take_in(third);
    take_in(fourth);
  }
  double differences = whole(first) + whole(third), squares = whole(second) + whole(fourth);
  for (; i < n; ++i) {
    const float v = x[i] - about;
    differences += double{v};
    squares += double{v} * double{v};
  }
  const double more = differences / count;
  return {about, more, squares / count - more * more};
}
/// The same where squares may have left the range of floats.
TESSERA_TARGET moments_in_parts moments_by_doubles(const float* x, std::size_t n) {
  const auto count = static_cast<double>(n);
  const double mean = sum_in_vectors(x, n) / count;
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i) squares += (double{x[i]} - mean) * (double{x[i]} - mean);
  const auto about = static_cast<float>(mean);
  return {about, mean - double{about}, squares / count};
}
TESSERA_KERNEL_INLINE moments_in_parts moments_in_vectors(const float* x, std::size_t n) {
  const moments_in_parts m = moments_about(x, n);
  return m.variance > 0x1p-80 && m.variance < 0x1p100 ? m : moments_by_doubles(x, n);
}
TESSERA_TARGET moments moments_of(const float* x, std::size_t n) {
  const moments_in_parts m = moments_in_vectors(x, n);
  return {double{m.about} + m.more, m.variance};
}

template <bool Scaled, bool Shifted>
TESSERA_TARGET void normalise(const float* x, const float* scale, const float* shift, float* to,
                              std::size_t n, float about, float more, float factor) {
  std::size_t i = 0;
  for (; i + width <= n; i += width) {
    floats v = ((load(x + i) - about) - more) * factor;
    if constexpr (Scaled) v = v * load(scale + i);
    if constexpr (Shifted) v = v + load(shift + i);
    store(to + i, v);
  }
  for (; i < n; ++i) {
    float v = ((x[i] - about) - more) * factor;
    if constexpr (Scaled) v = v * scale[i];
    if constexpr (Shifted) v = v + shift[i];
    to[i] = v;
  }
}
TESSERA_TARGET void layer_norm(const float* x, const float* scale, const float* shift, float* to,
                               std::size_t rows, std::size_t n, double epsilon, float* means,
                               float* inverses) {
  const auto one = scale != nullptr
                       ? shift != nullptr ? normalise<true, true> : normalise<true, false>
                   : shift != nullptr ? normalise<false, true>
                                      : normalise<false, false>;
  for (std::size_t row = 0; row < rows; ++row, x += n, to += n) {
    const moments_in_parts m = moments_in_vectors(x, n);
    const auto factor = static_cast<float>(1 / std::sqrt(m.variance + epsilon));
    if (means != nullptr) means[row] = static_cast<float>(double{m.about} + m.more);
    if (inverses != nullptr) inverses[row] = factor;
    one(x, scale, shift, to, n, m.about, static_cast<float>(m.more), factor);
  }
}

#undef TESSERA_KERNEL_INLINE

// Functions in their order.
inline constexpr engine functions = {{each<exp>, each<log>, each<sigmoid>, each<silu>, each<tanh>,
                                      each<gelu>, each<gelu_erf>, each<erf>},
                                     softmax,
                                     log_softmax,
                                     exponentials,
                                     extreme<true>,
                                     extreme<false>,
                                     sum,
                                     moments_of,
                                     layer_norm};
