// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "elements.hpp"

#include <bit>
#include <cstring>

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

/// Types of elements: how they are kept, and what they are as a number.
template <class T>
struct whole {
  using raw = T;
  static T value(T x) noexcept { return x; }
  static T from(double x) noexcept {
    return static_cast<T>(
        saturate(x, {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()}));
  }
  static T low(std::int64_t x) noexcept { return static_cast<T>(x); }
};
struct half {
  using raw = std::uint16_t;
  static float value(raw x) noexcept { return float_from_half(x); }
  static raw from(double x) noexcept;
};
struct bfloat {
  using raw = std::uint16_t;
  static float value(raw x) noexcept { return float_from_bfloat16(x); }
  static raw from(double x) noexcept;
};
struct single {
  using raw = float;
  static float value(raw x) noexcept { return x; }
  static raw from(double x) noexcept {
    return x == x ? static_cast<float>(x) : std::bit_cast<float>(0x7fc00000u);
  }
};

/// Rounded to float so that another rounding gives what one alone would: to odd.
[[nodiscard]] float rounded_to_odd(double x) noexcept {
  const auto f = static_cast<float>(x);
  if (static_cast<double>(f) == x || !std::isfinite(f)) return f;
  const auto bits = std::bit_cast<std::uint32_t>(f);
  if ((bits & 1) != 0) return f;
  const bool is_beyond = std::fabs(static_cast<double>(f)) > std::fabs(x);
  return std::bit_cast<float>(is_beyond ? bits - 1 : bits + 1);
}
half::raw half::from(double x) noexcept {
  return x == x ? half_from_float(rounded_to_odd(x)) : std::uint16_t{0x7e00};
}
bfloat::raw bfloat::from(double x) noexcept {
  return x == x ? bfloat16_from_float(rounded_to_odd(x)) : std::uint16_t{0x7fc0};
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

template <class To>
void load_as(const tensor& x, std::int64_t first, std::int64_t step, To* to, std::size_t n) {
  if (x.element == element::i4) {
    for (std::size_t i = 0; i < n; ++i, first += step)
      to[i] = static_cast<To>(i4_value(nibble(x, first)));
    return;
  }
  visit(x.element, [&]<class Type>(Type) {
    using raw = typename Type::raw;
    const std::byte* p = x.data + first * static_cast<std::int64_t>(sizeof(raw));
    const std::int64_t bytes = step * static_cast<std::int64_t>(sizeof(raw));
    if (step == 1) {
      for (std::size_t i = 0; i < n; ++i)
        to[i] = static_cast<To>(Type::value(read<raw>(p + i * sizeof(raw))));
    } else {
      for (std::size_t i = 0; i < n; ++i)
        to[i] = static_cast<To>(Type::value(read<raw>(p + static_cast<std::int64_t>(i) * bytes)));
    }
  });
}
template <class From>
void store_from(const tensor& y, std::int64_t first, std::int64_t step, const From* from,
                std::size_t n) {
  if (y.element == element::i4) {
    for (std::size_t i = 0; i < n; ++i, first += step)
      set_nibble(y, first,
                 static_cast<std::uint32_t>(saturate(static_cast<double>(from[i]), {-8, 7})));
    return;
  }
  visit(y.element, [&]<class Type>(Type) {
    using raw = typename Type::raw;
    std::byte* const p = y.data + first * static_cast<std::int64_t>(sizeof(raw));
    const std::int64_t bytes = step * static_cast<std::int64_t>(sizeof(raw));
    for (std::size_t i = 0; i < n; ++i)
      write<raw>(p + static_cast<std::int64_t>(i) * bytes,
                 Type::from(static_cast<double>(from[i])));
  });
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
  if (y.element == element::i4) {
    for (std::size_t i = 0; i < n; ++i, first += step)
      set_nibble(y, first, static_cast<std::uint32_t>(from[i]));
    return;
  }
  visit(y.element, [&]<class Type>(Type) {
    using raw = typename Type::raw;
    if constexpr (requires { Type::low(0); })
      for (std::size_t i = 0; i < n; ++i, first += step)
        write<raw>(y.data + first * static_cast<std::int64_t>(sizeof(raw)), Type::low(from[i]));
  });
}

void load_bits(const tensor& x, std::int64_t first, std::int64_t step, std::uint32_t* to,
               std::size_t n) {
  switch (model::element_table[static_cast<std::size_t>(x.element)].bits) {
    case 4:
      for (std::size_t i = 0; i < n; ++i, first += step) to[i] = nibble(x, first);
      break;
    case 8:
      for (std::size_t i = 0; i < n; ++i, first += step)
        to[i] = std::to_integer<std::uint32_t>(x.data[first]);
      break;
    case 16:
      for (std::size_t i = 0; i < n; ++i, first += step)
        to[i] = read<std::uint16_t>(x.data + 2 * first);
      break;
    default:
      for (std::size_t i = 0; i < n; ++i, first += step)
        to[i] = read<std::uint32_t>(x.data + 4 * first);
  }
}
void store_bits(const tensor& y, std::int64_t first, std::int64_t step, const std::uint32_t* from,
                std::size_t n) {
  switch (model::element_table[static_cast<std::size_t>(y.element)].bits) {
    case 4:
      for (std::size_t i = 0; i < n; ++i, first += step) set_nibble(y, first, from[i]);
      break;
    case 8:
      for (std::size_t i = 0; i < n; ++i, first += step)
        y.data[first] = std::byte{static_cast<unsigned char>(from[i])};
      break;
    case 16:
      for (std::size_t i = 0; i < n; ++i, first += step)
        write(y.data + 2 * first, static_cast<std::uint16_t>(from[i]));
      break;
    default:
      for (std::size_t i = 0; i < n; ++i, first += step) write(y.data + 4 * first, from[i]);
  }
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
