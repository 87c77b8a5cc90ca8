// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "element_rows.hpp"

#include <algorithm>
#include <cstring>

namespace tessera::inline TESSERA_ABI {
namespace tensors {

namespace {

/// Elements that a loop has on the stack.
constexpr std::size_t part = 256;
/// How they are held there.
template <class T>
using raw = std::conditional_t<is_half<T>, std::uint16_t, T>;

template <class T>
[[nodiscard]] T read(const std::byte* p, bool swapped) noexcept {
  T x;
  std::memcpy(&x, p, sizeof x);
  if (swapped) {
    std::byte bytes[sizeof x];
    std::reverse_copy(p, p + sizeof x, bytes);
    std::memcpy(&x, bytes, sizeof x);
  }
  return x;
}
template <class T>
void write(std::byte* p, T x, bool swapped) noexcept {
  std::memcpy(p, &x, sizeof x);
  if (swapped) std::reverse(p, p + sizeof x);
}
/// Hosts know their own order when this is compiled: little-endian data costs those nothing.
[[nodiscard]] inline bool is_swapped(std::endian order) noexcept {
  return std::endian::native == std::endian::big && order == std::endian::little;
}

[[nodiscard]] int nibble(const std::byte* data, std::int64_t i) noexcept {
  const int bits = std::to_integer<int>(data[i / 2]) >> (i % 2 * 4) & 15;
  return (bits ^ 8) - 8;
}
void set_nibble(std::byte* data, std::int64_t i, unsigned bits) noexcept {
  std::byte& b = data[i / 2];
  const unsigned shift = i % 2 != 0 ? 4 : 0;
  b = (b & ~(std::byte{15} << shift)) | (std::byte{static_cast<unsigned char>(bits & 15)} << shift);
}
template <class Rules, class From>
[[nodiscard]] unsigned nibble_of(From x) noexcept {
  if constexpr (std::is_integral_v<From>)
    return static_cast<unsigned>(x);
  else
    return static_cast<unsigned>(std::clamp<int>(convert<std::int8_t, Rules>(x), -8, 7));
}

template <class Rules, class From>
void store_nibbles(std::byte* data, std::int64_t first, std::int64_t step, const From* from,
                   std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i, first += step)
    set_nibble(data, first, nibble_of<Rules>(from[i]));
}

template <class T, class To>
void load_dense(const std::byte* __restrict p, To* __restrict to, std::size_t n) noexcept {
  if constexpr (!is_half<T>) {
    for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<To>(read<T>(p + i * sizeof(T), false));
  } else {
    raw<T> here[part];
    [[maybe_unused]] float wide[part];
    for (std::size_t i = 0; i < n; i += part) {
      const std::size_t count = std::min(part, n - i);
      std::memcpy(here, p + i * sizeof(T), count * sizeof(T));
      if constexpr (std::is_same_v<To, float>) {
        widen(of<T>{}, here, to + i, count);
      } else {
        widen(of<T>{}, here, wide, count);
        for (std::size_t k = 0; k < count; ++k) to[i + k] = static_cast<To>(wide[k]);
      }
    }
  }
}
template <class T, class To>
void load_values(const std::byte* p, std::int64_t step, To* to, std::size_t n,
                 bool swapped) noexcept {
  if (step == 0 && n != 0) {
    std::fill_n(to, n, static_cast<To>(read<T>(p, swapped)));
  } else if (step != 1 || swapped) {
    const std::int64_t bytes = step * static_cast<std::int64_t>(sizeof(T));
    for (std::size_t i = 0; i < n; ++i)
      to[i] = static_cast<To>(read<T>(p + static_cast<std::int64_t>(i) * bytes, swapped));
  } else if constexpr (std::is_same_v<T, To>) {
    if (n != 0) std::memcpy(to, p, n * sizeof(T));
  } else {
    load_dense<T>(p, to, n);
  }
}

template <class T, class Rules, class From>
void store_dense(std::byte* __restrict p, const From* __restrict from, std::size_t n) noexcept {
  if constexpr (!is_half<T>) {
    for (std::size_t i = 0; i < n; ++i) write(p + i * sizeof(T), convert<T, Rules>(from[i]), false);
  } else {
    raw<T> here[part];
    float wide[part];
    constexpr bool is_float_row = std::is_same_v<From, float> && !Rules::has_one_nan;
    for (std::size_t i = 0; i < n; i += part) {
      const std::size_t count = std::min(part, n - i);
      if constexpr (is_float_row) {
        narrow(of<T>{}, from + i, here, count);
      } else {
        for (std::size_t k = 0; k < count; ++k) wide[k] = float_for<T, Rules>(from[i + k]);
        narrow(of<T>{}, wide, here, count);
      }
      std::memcpy(p + i * sizeof(T), here, count * sizeof(T));
    }
  }
}

template <class T, class Rules, class From>
void store_values(std::byte* p, std::int64_t step, const From* from, std::size_t n,
                  bool swapped) noexcept {
  if (step != 1 || swapped) {
    const std::int64_t bytes = step * static_cast<std::int64_t>(sizeof(T));
    for (std::size_t i = 0; i < n; ++i)
      write(p + static_cast<std::int64_t>(i) * bytes, convert<T, Rules>(from[i]), swapped);
    return;
  }
  store_dense<T, Rules>(p, from, n);
}

}  // namespace

template <class To>
void load_row(element_type type, const std::byte* data, std::int64_t first, std::int64_t step,
              To* to, std::size_t n, std::endian order) noexcept {
  visit(type, [&]<class T>(of<T>) {
    if constexpr (std::is_same_v<T, int4>)
      for (std::size_t i = 0; i < n; ++i, first += step)
        to[i] = static_cast<To>(nibble(data, first));
    else if constexpr (!is_float<T> || !std::is_integral_v<To>)
      load_values<T>(data + first * static_cast<std::int64_t>(sizeof(T)), step, to, n,
                     is_swapped(order));
  });
}
template <class Rules, class From>
void store_row(element_type type, std::byte* data, std::int64_t first, std::int64_t step,
               const From* from, std::size_t n, std::endian order) noexcept {
  visit(type, [&]<class T>(of<T>) {
    if constexpr (std::is_same_v<T, int4>)
      store_nibbles<Rules>(data, first, step, from, n);
    else
      store_values<T, Rules>(data + first * static_cast<std::int64_t>(sizeof(T)), step, from, n,
                             is_swapped(order));
  });
}

#define TESSERA_LOAD(To)                                                                           \
  template void load_row(element_type, const std::byte*, std::int64_t, std::int64_t, To*,          \
                         std::size_t, std::endian) noexcept
#define TESSERA_STORE(Rules, From)                                                                 \
  template void store_row<Rules>(element_type, std::byte*, std::int64_t, std::int64_t,             \
                                 const From*, std::size_t, std::endian) noexcept
TESSERA_LOAD(float);
TESSERA_LOAD(double);
TESSERA_LOAD(std::int64_t);
TESSERA_LOAD(std::uint32_t);
TESSERA_STORE(as_pytorch, float);
TESSERA_STORE(as_pytorch, double);
TESSERA_STORE(as_pytorch, std::int64_t);
TESSERA_STORE(cut_and_saturate, float);
TESSERA_STORE(cut_and_saturate, double);
TESSERA_STORE(round_and_saturate, float);
TESSERA_STORE(round_and_saturate, double);
TESSERA_STORE(round_and_saturate, std::int64_t);
TESSERA_STORE(round_and_saturate, std::uint32_t);
#undef TESSERA_LOAD
#undef TESSERA_STORE

}  // namespace tensors
}  // namespace tessera::inline TESSERA_ABI
