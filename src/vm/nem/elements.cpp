// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "elements.hpp"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cstring>
#include <type_traits>

#include "tensor/convert.hpp"
#include "tessera/core/float16.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

namespace {

template <class T>
[[nodiscard]] T read(const std::byte* p) noexcept {
  T x;
  std::memcpy(&x, p, sizeof x);
  if constexpr (std::endian::native == std::endian::big && sizeof x > 1) {
    std::byte raw[sizeof x];
    for (std::size_t i = 0; i < sizeof x; ++i) raw[i] = p[sizeof x - 1 - i];
    std::memcpy(&x, raw, sizeof x);
  }
  return x;
}
template <class T>
void write(std::byte* p, T x) noexcept {
  std::memcpy(p, &x, sizeof x);
  if constexpr (std::endian::native == std::endian::big && sizeof x > 1)
    for (std::size_t i = 0; i < sizeof x / 2; ++i) std::swap(p[i], p[sizeof x - 1 - i]);
}

/// The nearest integer, ties to even, of a number of 33 bits with its sign.
template <class T>
[[nodiscard]] T low_bits(double x) noexcept {
#if FLT_EVAL_METHOD == 0
  // The last bit of the sum has the weight 1.
  return static_cast<T>(std::bit_cast<std::uint64_t>(x + 0x1.8p52));
#else
  return static_cast<T>(static_cast<std::int64_t>(std::nearbyint(x)));
#endif
}

/// Types of elements: how they are kept, and what they are as a number.
template <class T>
struct whole {
  using raw = T;
  static T value(T x) noexcept { return x; }
  static T from(double x) noexcept {
    constexpr double lowest = std::numeric_limits<T>::min(),
                     largest = std::numeric_limits<T>::max();
    x = x == x ? x : 0;
    x = x > lowest ? x : lowest;
    x = x < largest ? x : largest;
    return low_bits<T>(x);
  }
  static T low(std::int64_t x) noexcept { return static_cast<T>(x); }
};
struct half {
  using raw = std::uint16_t;
  static constexpr int fraction_bits = 10;
  static constexpr double min_normal = 0x1p-14;
  static constexpr auto floats_from = tensors::floats_from_halves;
  static constexpr auto from_floats = tensors::halves_from_floats;
  static float value(raw x) noexcept { return float_from_half(x); }
  static raw from(float x) noexcept { return half_from_float(x); }
};
struct bfloat {
  using raw = std::uint16_t;
  static constexpr int fraction_bits = 7;
  static constexpr double min_normal = 0x1p-126;
  static constexpr auto floats_from = tensors::floats_from_bfloat16s;
  static constexpr auto from_floats = tensors::bfloat16s_from_floats;
  static float value(raw x) noexcept { return float_from_bfloat16(x); }
  static raw from(float x) noexcept { return bfloat16_from_float(x); }
};
struct single {
  using raw = float;
  static float value(raw x) noexcept { return x; }
  static raw from(double x) noexcept { return known(static_cast<float>(x)); }
  static raw from(float x) noexcept { return known(x); }
  /// NaNs have one pattern.
  static float known(float x) noexcept { return x == x ? x : std::bit_cast<float>(0x7fc00000u); }
};
template <class Type>
inline constexpr bool is_short = requires {
  Type::floats_from;
};

/// What a 16-bit float is rounded from, as a float that another rounding leaves as it is.
template <class Type>
[[nodiscard]] float nearest(double x) noexcept {
  constexpr int dropped = 52 - Type::fraction_bits;
  constexpr std::uint64_t tie = std::uint64_t{1} << (dropped - 1);
  // Adding may carry into the exponent, up to infinity.
  auto bits = std::bit_cast<std::uint64_t>(x);
  bits = (bits + (tie - 1) + (bits >> dropped & 1)) & ~(2 * tie - 1);
  // Subnormals are multiples of the least one.
  constexpr double unit = Type::min_normal / (1 << Type::fraction_bits);
  const double small = std::copysign(rounded(x * (1 / unit)) * unit, x);
  const double y = std::fabs(x) < Type::min_normal ? small : std::bit_cast<double>(bits);
  return static_cast<float>(x == x ? y : std::numeric_limits<double>::quiet_NaN());
}
template <class Type>
[[nodiscard]] float nearest(float x) noexcept {
  return single::known(x);
}

/// Calls f with the type of a whole number of bytes.
template <class F>
void visit(element e, F&& f) {
  switch (e) {
    case element::i8: return f(whole<std::int8_t>());
    case element::i16: return f(whole<std::int16_t>());
    case element::i32: return f(whole<std::int32_t>());
    case element::u8: return f(whole<std::uint8_t>());
    case element::u16: return f(whole<std::uint16_t>());
    case element::u32: return f(whole<std::uint32_t>());
    case element::f16: return f(half());
    case element::bf16: return f(bfloat());
    case element::f32: return f(single());
    default: return;
  }
}

[[nodiscard]] std::uint32_t nibble(const tensor& x, std::int64_t i) noexcept {
  return std::to_integer<std::uint32_t>(x.data[i / 2]) >> (i % 2 * 4) & 15u;
}
void set_nibble(const tensor& y, std::int64_t i, std::uint32_t bits) noexcept {
  std::byte& b = y.data[i / 2];
  const unsigned shift = i % 2 != 0 ? 4 : 0;
  b = (b & ~(std::byte{15} << shift)) | (std::byte{static_cast<unsigned char>(bits & 15)} << shift);
}
[[nodiscard]] std::int64_t i4_value(std::uint32_t bits) noexcept {
  return static_cast<std::int64_t>(bits ^ 8u) - 8;
}

/// Elements that a loop has on the stack.
constexpr std::size_t part = 256;

/// Whether the values of n elements are consecutive patterns at p, in this host's representation.
template <class T>
[[nodiscard]] constexpr bool are_as_here(std::int64_t step) noexcept {
  return step == 1 && (std::endian::native == std::endian::little || sizeof(T) == 1);
}

template <class Type, class To>
void load_row(const std::byte* p, std::int64_t step, To* to, std::size_t n) {
  using raw = typename Type::raw;
  if (!are_as_here<raw>(step)) {
    const std::int64_t bytes = step * static_cast<std::int64_t>(sizeof(raw));
    for (std::size_t i = 0; i < n; ++i)
      to[i] = static_cast<To>(Type::value(read<raw>(p + static_cast<std::int64_t>(i) * bytes)));
    return;
  }
  if constexpr (std::is_same_v<raw, To>) {
    if (n != 0) std::memcpy(to, p, n * sizeof(raw));
    return;
  }
  raw here[part];
  for (std::size_t i = 0; i < n;) {
    const std::size_t count = std::min(part, n - i);
    std::memcpy(here, p + i * sizeof(raw), count * sizeof(raw));
    if constexpr (is_short<Type> && std::is_same_v<To, float>) {
      Type::floats_from(here, to + i, count, tensors::best_level());
    } else if constexpr (is_short<Type>) {
      float wide[part];
      Type::floats_from(here, wide, count, tensors::best_level());
      for (std::size_t k = 0; k < count; ++k) to[i + k] = static_cast<To>(wide[k]);
    } else {
      for (std::size_t k = 0; k < count; ++k) to[i + k] = static_cast<To>(here[k]);
    }
    i += count;
  }
}
template <class To>
void load_as(const tensor& x, std::int64_t first, std::int64_t step, To* to, std::size_t n) {
  if (x.element == element::i4) {
    for (std::size_t i = 0; i < n; ++i, first += step)
      to[i] = static_cast<To>(i4_value(nibble(x, first)));
    return;
  }
  visit(x.element, [&]<class Type>(Type) {
    if constexpr (!std::is_same_v<To, std::int64_t> || requires { Type::low(0); })
      load_row<Type>(x.data + first * static_cast<std::int64_t>(sizeof(typename Type::raw)), step,
                     to, n);
  });
}

template <class Type, class From>
[[nodiscard]] typename Type::raw stored(From x) noexcept {
  if constexpr (is_short<Type>)
    return Type::from(nearest<Type>(x));
  else
    return Type::from(x);
}
template <class Type, class From>
void store_row(std::byte* p, std::int64_t step, const From* from, std::size_t n) {
  using raw = typename Type::raw;
  if (!are_as_here<raw>(step)) {
    const std::int64_t bytes = step * static_cast<std::int64_t>(sizeof(raw));
    for (std::size_t i = 0; i < n; ++i)
      write<raw>(p + static_cast<std::int64_t>(i) * bytes, stored<Type>(from[i]));
    return;
  }
  raw here[part];
  for (std::size_t i = 0; i < n;) {
    const std::size_t count = std::min(part, n - i);
    if constexpr (is_short<Type>) {
      float wide[part];
      for (std::size_t k = 0; k < count; ++k) wide[k] = nearest<Type>(from[i + k]);
      Type::from_floats(wide, here, count, tensors::best_level());
    } else {
      for (std::size_t k = 0; k < count; ++k) here[k] = stored<Type>(from[i + k]);
    }
    std::memcpy(p + i * sizeof(raw), here, count * sizeof(raw));
    i += count;
  }
}
/// Clears the unused nibble after the last of an odd number of elements.
void end_nibbles(const tensor& y, std::int64_t last) noexcept {
  if (last % 2 == 0 && y.is_dense() && last == y.count() - 1) set_nibble(y, last + 1, 0);
}
/// Writes nibbles; bits(i) is that of the i-th.
template <class Bits>
void store_nibbles(const tensor& y, std::int64_t first, std::int64_t step, std::size_t n,
                   Bits&& bits) noexcept {
  for (std::size_t i = 0; i < n; ++i, first += step) set_nibble(y, first, bits(i));
  if (n != 0) end_nibbles(y, first - step);
}
template <class From>
void store_from(const tensor& y, std::int64_t first, std::int64_t step, const From* from,
                std::size_t n) {
  if (y.element == element::i4)
    return store_nibbles(y, first, step, n, [&](std::size_t i) {
      return static_cast<std::uint32_t>(saturate(static_cast<double>(from[i]), {-8, 7}));
    });
  visit(y.element, [&]<class Type>(Type) {
    store_row<Type>(y.data + first * static_cast<std::int64_t>(sizeof(typename Type::raw)), step,
                    from, n);
  });
}

/// Moves patterns of one width between a row and the low bits of numbers.
template <class Raw, class To>
void load_patterns(const std::byte* p, std::int64_t step, To* to, std::size_t n) {
  if (are_as_here<Raw>(step)) {
    for (std::size_t i = 0; i < n; ++i) {
      Raw here;
      std::memcpy(&here, p + i * sizeof here, sizeof here);
      to[i] = here;
    }
    return;
  }
  const std::int64_t bytes = step * static_cast<std::int64_t>(sizeof(Raw));
  for (std::size_t i = 0; i < n; ++i) to[i] = read<Raw>(p + static_cast<std::int64_t>(i) * bytes);
}
template <class Raw, class From>
void store_patterns(std::byte* p, std::int64_t step, const From* from, std::size_t n) {
  if (are_as_here<Raw>(step)) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto here = static_cast<Raw>(from[i]);
      std::memcpy(p + i * sizeof here, &here, sizeof here);
    }
    return;
  }
  const std::int64_t bytes = step * static_cast<std::int64_t>(sizeof(Raw));
  for (std::size_t i = 0; i < n; ++i)
    write(p + static_cast<std::int64_t>(i) * bytes, static_cast<Raw>(from[i]));
}
template <class From>
void store_low(const tensor& y, std::int64_t first, std::int64_t step, const From* from,
               std::size_t n) {
  switch (model::bitwidth(y.element)) {
    case 4:
      return store_nibbles(y, first, step, n,
                           [&](std::size_t i) { return static_cast<std::uint32_t>(from[i]); });
    case 8: return store_patterns<std::uint8_t>(y.data + first, step, from, n);
    case 16: return store_patterns<std::uint16_t>(y.data + 2 * first, step, from, n);
    default: return store_patterns<std::uint32_t>(y.data + 4 * first, step, from, n);
  }
}

}  // namespace

void load(const tensor& x, std::int64_t first, std::int64_t step, double* to, std::size_t n) {
  load_as(x, first, step, to, n);
}
void load(const tensor& x, std::int64_t first, std::int64_t step, float* to, std::size_t n) {
  load_as(x, first, step, to, n);
}
void load(const tensor& x, std::int64_t first, std::int64_t step, std::int64_t* to, std::size_t n) {
  load_as(x, first, step, to, n);
}
void store(const tensor& y, std::int64_t first, std::int64_t step, const double* from,
           std::size_t n) {
  store_from(y, first, step, from, n);
}
void store(const tensor& y, std::int64_t first, std::int64_t step, const float* from,
           std::size_t n) {
  store_from(y, first, step, from, n);
}
void wrap(const tensor& y, std::int64_t first, std::int64_t step, const std::int64_t* from,
          std::size_t n) {
  store_low(y, first, step, from, n);
}

void load_bits(const tensor& x, std::int64_t first, std::int64_t step, std::uint32_t* to,
               std::size_t n) {
  switch (model::bitwidth(x.element)) {
    case 4:
      for (std::size_t i = 0; i < n; ++i, first += step) to[i] = nibble(x, first);
      return;
    case 8: return load_patterns<std::uint8_t>(x.data + first, step, to, n);
    case 16: return load_patterns<std::uint16_t>(x.data + 2 * first, step, to, n);
    default: return load_patterns<std::uint32_t>(x.data + 4 * first, step, to, n);
  }
}
void store_bits(const tensor& y, std::int64_t first, std::int64_t step, const std::uint32_t* from,
                std::size_t n) {
  store_low(y, first, step, from, n);
}

integer_range range_of(element e) noexcept {
  integer_range r{-8, 7};
  visit(e, [&]<class Type>(Type) {
    if constexpr (requires { Type::low(0); }) {
      using limits = std::numeric_limits<typename Type::raw>;
      r = {limits::min(), limits::max()};
    }
  });
  return r;
}

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI
