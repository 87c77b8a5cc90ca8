// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Operands of products as arrays that kernels read.

#include <algorithm>
#include <bit>
#include <cstdint>

#include "pairs.hpp"
#include "products.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

namespace {

/// The type of element whose bytes are a T.
template <class T>
constexpr element element_like = element::none;
template <>
constexpr element element_like<float> = element::f32;
template <>
constexpr element element_like<std::int8_t> = element::i8;
template <>
constexpr element element_like<std::int16_t> = element::i16;

/// How many bytes of a copy are always taken; more only in proportion to what the operand has.
constexpr std::int64_t usual_copy = std::int64_t{1} << 28;

void load_row(const tensor& x, std::int64_t first, std::int64_t step, float* to, std::size_t n,
              workspace&) {
  load(x, first, step, to, n);
}
void load_row(const tensor& x, std::int64_t first, std::int64_t step, std::int8_t* to,
              std::size_t n, workspace& scratch) {
  if (x.element == element::i8) {
    const std::int8_t* const from =
        static_cast<const std::int8_t*>(static_cast<const void*>(x.data)) + first;
    if (step == 1)
      std::copy_n(from, n, to);
    else
      for (std::size_t i = 0; i < n; ++i) to[i] = from[static_cast<std::int64_t>(i) * step];
    return;
  }
  if (step == 1 && first % 2 == 0) {  // i4, two at a time
    const std::byte* const from = x.data + first / 2;
    for (std::size_t i = 0; i < n / 2; ++i) {
      const auto both = std::to_integer<std::uint8_t>(from[i]);
      to[2 * i] = static_cast<std::int8_t>(((both & 15) ^ 8) - 8);
      to[2 * i + 1] = static_cast<std::int8_t>(((both >> 4) ^ 8) - 8);
    }
    if (n % 2 != 0)
      to[n - 1] =
          static_cast<std::int8_t>(((std::to_integer<std::uint8_t>(from[n / 2]) & 15) ^ 8) - 8);
    return;
  }
  const std::span<std::int64_t> row = scratch.wide_integers(slots::row, n);
  load(x, first, step, row.data(), n);
  for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<std::int8_t>(row[i]);
}

/// Integers with a descriptor where the task computes with floats: their real values.
void load_reals(const tensor& x, float* to) {
  pairs of_x(x);
  double row[part_size];
  const rows<2> r(x.shape, {x.strides, of_x.strides()});
  each_part(r, [&](const auto& at, std::size_t n) {
    of_x.find(at[1], r.steps()[1], n);
    load(x, at[0], r.steps()[0], row, n);
    of_x.to_real(row, n);
    for (std::size_t i = 0; i < n; ++i) *to++ = static_cast<float>(row[i]);
  });
}

template <class T>
[[nodiscard]] std::span<T> room(workspace& scratch, std::size_t slot, std::size_t n) {
  if constexpr (std::is_same_v<T, float>)
    return scratch.floats(slot, n);
  else
    return scratch.bytes(slot, n);
}

}  // namespace

bool is_out_of_proportion(const tensor& x) noexcept {
  // What a copy of floats may have on this host.
  constexpr std::int64_t max_elements = PTRDIFF_MAX / std::int64_t{sizeof(float)};
  const std::int64_t n = x.count();
  return n > max_elements || (n > usual_copy && n / 64 > x.extent);
}

const descriptor& descriptor_of(const tensor& x) noexcept {
  static constexpr float one[] = {1.0f};
  static constexpr std::int64_t zero[] = {0};
  static const descriptor plain{model::quantization::per_tensor, 0, 1, one, zero};
  return x.quant != nullptr ? *x.quant : plain;
}

template <class T>
bool is_in_place(const tensor& x) noexcept {
  return x.element == element_like<T> &&
         (sizeof(T) == 1 || (std::endian::native == std::endian::little &&
                             reinterpret_cast<std::uintptr_t>(x.data) % sizeof(T) == 0));
}

template <class T>
elements<T> elements_of(const tensor& x, bool may_be, std::size_t slot, workspace& scratch) {
  elements<T> e;
  if (may_be && is_in_place<T>(x)) {
    e.data = static_cast<const T*>(static_cast<const void*>(x.data));
    std::copy(x.strides.begin(), x.strides.end(), e.strides.begin());
    return e;
  }
  e.strides = dense_strides(x.shape);
  T* to = room<T>(scratch, slot, static_cast<std::size_t>(x.count())).data();
  e.data = to;
  if constexpr (std::is_same_v<T, float>)
    if (x.is_integer() && x.quant != nullptr) {
      load_reals(x, to);
      return e;
    }
  const rows<1> all(x.shape, {x.strides});
  all.each([&](const auto& first, std::int64_t length) {
    load_row(x, first[0], all.steps()[0], to, static_cast<std::size_t>(length), scratch);
    to += length;
  });
  return e;
}
template bool is_in_place<float>(const tensor&) noexcept;
template bool is_in_place<std::int8_t>(const tensor&) noexcept;
template bool is_in_place<std::int16_t>(const tensor&) noexcept;
template elements<float> elements_of(const tensor&, bool, std::size_t, workspace&);
template elements<std::int8_t> elements_of(const tensor&, bool, std::size_t, workspace&);

bool are_bytes(const tensor& x, std::int64_t least, std::int64_t greatest) noexcept {
  if (x.element != element::i8 && x.element != element::i4) return false;
  const descriptor& d = descriptor_of(x);
  return std::all_of(d.zero_points.begin(), d.zero_points.end(),
                     [&](std::int64_t z) { return z >= least && z <= greatest; });
}

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI
