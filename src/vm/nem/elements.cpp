// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "elements.hpp"

#include <bit>
#include <iterator>

#include "tensor/element_rows.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

namespace {

using tensors::element_type;
using tensors::round_and_saturate;

/// The types in the order of `element`; tensors of extensions never come here.
constexpr element_type types[] = {element_type::i4,     element_type::i8,  element_type::i16,
                                  element_type::i32,    element_type::u8,  element_type::u16,
                                  element_type::u32,    element_type::f16, element_type::bf16,
                                  element_type::f32,    element_type::f32, element_type::f64,
                                  element_type::boolean};
static_assert(std::size(types) == model::element_count);

[[nodiscard]] element_type type_of(const tensor& x) noexcept {
  return types[static_cast<std::size_t>(x.element)];
}
/// The integers that have as many bits.
[[nodiscard]] element_type bits_of(const tensor& x) noexcept {
  switch (model::bitwidth(x.element)) {
    case 4: return element_type::i4;
    case 8: return element_type::u8;
    case 16: return element_type::u16;
    default: return element_type::u32;
  }
}

template <class To>
void load_as(element_type type, const tensor& x, std::int64_t first, std::int64_t step, To* to,
             std::size_t n) {
  tensors::load_row(type, x.data, first, step, to, n, std::endian::little);
}
template <class From>
void store_as(element_type type, const tensor& y, std::int64_t first, std::int64_t step,
              const From* from, std::size_t n) {
  tensors::store_row<round_and_saturate>(type, y.data, first, step, from, n, std::endian::little);
  if (type != element_type::i4 || n == 0) return;
  // The unused nibble after the last of an odd number of elements.
  const std::int64_t last = first + static_cast<std::int64_t>(n - 1) * step;
  if (last % 2 == 0 && y.is_dense() && last == y.count() - 1) y.data[last / 2] &= std::byte{15};
}

}  // namespace

void load(const tensor& x, std::int64_t first, std::int64_t step, double* to, std::size_t n) {
  load_as(type_of(x), x, first, step, to, n);
}
void load(const tensor& x, std::int64_t first, std::int64_t step, float* to, std::size_t n) {
  load_as(type_of(x), x, first, step, to, n);
}
void load(const tensor& x, std::int64_t first, std::int64_t step, std::int64_t* to, std::size_t n) {
  load_as(type_of(x), x, first, step, to, n);
}
void store(const tensor& y, std::int64_t first, std::int64_t step, const double* from,
           std::size_t n) {
  store_as(type_of(y), y, first, step, from, n);
}
void store(const tensor& y, std::int64_t first, std::int64_t step, const float* from,
           std::size_t n) {
  store_as(type_of(y), y, first, step, from, n);
}
void wrap(const tensor& y, std::int64_t first, std::int64_t step, const std::int64_t* from,
          std::size_t n) {
  store_as(bits_of(y), y, first, step, from, n);
}

void load_bits(const tensor& x, std::int64_t first, std::int64_t step, std::uint32_t* to,
               std::size_t n) {
  load_as(bits_of(x), x, first, step, to, n);
  if (x.element != element::i4) return;
  for (std::size_t i = 0; i < n; ++i) to[i] &= 15;
}
void store_bits(const tensor& y, std::int64_t first, std::int64_t step, const std::uint32_t* from,
                std::size_t n) {
  store_as(bits_of(y), y, first, step, from, n);
}

integer_range range_of(element e) noexcept {
  if (!model::is_integer(e)) return {};
  const bool is_signed = e < element::u8;
  const std::int64_t half = std::int64_t{1} << (model::bitwidth(e) - 1);
  return is_signed ? integer_range{-half, half - 1} : integer_range{0, 2 * half - 1};
}

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI
