// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Operands of products as arrays that kernels read.

#include <algorithm>
#include <bit>
#include <cstdint>

#include "kernels/convert.hpp"
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

/// Rows of f16 or bf16 by the kernels, where they can be read in place.
[[nodiscard]] bool convert(const tensor& x, std::int64_t first, std::int64_t step, float* to,
                           std::size_t n) {
  if (step != 1 || std::endian::native != std::endian::little || !is_aligned(x, 2)) return false;
  if (x.element != element::f16 && x.element != element::bf16) return false;
  const std::uint16_t* const from =
      static_cast<const std::uint16_t*>(static_cast<const void*>(x.data)) + first;
  if (x.element == element::f16)
    kernels::floats_from_halves(from, to, n);
  else
    kernels::floats_from_bfloat16s(from, to, n);
  return true;
}

void load_row(const tensor& x, std::int64_t first, std::int64_t step, float* to, std::size_t n,
              workspace& scratch) {
  if (convert(x, first, step, to, n)) return;
  if (x.element != element::i32 && x.element != element::u32) return load(x, first, step, to, n);
  const std::span<double> row = scratch.doubles(slots::row, n);
  load(x, first, step, row.data(), n);
  for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<float>(row[i]);
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
void load_reals(const tensor& x, float* to, workspace& scratch) {
  const std::size_t last = x.rank() - 1, n = static_cast<std::size_t>(x.shape[last]);
  const descriptor& d = *x.quant;
  const std::span<double> row = scratch.doubles(slots::row, n);
  std::array<std::int64_t, model::max_rank> at = {};
  std::int64_t first = 0;
  for (const float* const end = to + x.count(); to != end; to += n) {
    load(x, first, x.strides[last], row.data(), n);
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t pair = d.pair(d.axis == last ? static_cast<std::int64_t>(j) : at[d.axis]);
      to[j] =
          static_cast<float>((row[j] - static_cast<double>(d.zero_point(pair))) * d.scale(pair));
    }
    for (std::size_t i = last; i-- != 0;) {
      first += x.strides[i];
      if (++at[i] != x.shape[i]) break;
      first -= x.strides[i] * x.shape[i];
      at[i] = 0;
    }
  }
}
void load_reals(const tensor&, std::int8_t*, workspace&) {}

template <class T>
[[nodiscard]] std::span<T> room(workspace& scratch, std::size_t slot, std::size_t n) {
  if constexpr (std::is_same_v<T, float>)
    return scratch.floats(slot, n);
  else
    return scratch.bytes(slot, n);
}

}  // namespace

bool is_out_of_proportion(const tensor& x) noexcept {
  std::int64_t n = 1;
  for (const std::int64_t d : x.shape)
    if (__builtin_mul_overflow(n, d, &n)) return true;
  return n > usual_copy && n / 64 > x.extent;
}

bool is_aligned(const tensor& x, std::size_t bytes) noexcept {
  return std::bit_cast<std::uintptr_t>(x.data) % bytes == 0;
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
         (sizeof(T) == 1 ||
          (std::endian::native == std::endian::little && is_aligned(x, sizeof(T))));
}

template <class T>
elements<T> elements_of(const tensor& x, bool may_be, std::size_t slot, workspace& scratch) {
  elements<T> e;
  if (may_be && is_in_place<T>(x)) {
    e.data = static_cast<const T*>(static_cast<const void*>(x.data));
    std::copy(x.strides.begin(), x.strides.end(), e.strides.begin());
    return e;
  }
  std::int64_t n = 1;
  for (std::size_t i = x.rank(); i-- != 0; n *= x.shape[i]) e.strides[i] = n;
  T* to = room<T>(scratch, slot, static_cast<std::size_t>(n)).data();
  e.data = to;
  if (std::is_same_v<T, float> && x.is_integer() && x.quant != nullptr) {
    load_reals(x, to, scratch);
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
