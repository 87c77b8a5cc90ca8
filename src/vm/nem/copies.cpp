// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "copies.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "elements.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

namespace {

constexpr std::int64_t block = 256;  ///< nibbles at once

[[nodiscard]] unsigned bits_of(const tensor& x) noexcept {
  return model::element_table[static_cast<std::size_t>(x.element)].bits;
}

/// A row of elements that have whole bytes.
template <std::int64_t size>
void copy_row(const std::byte* from, std::int64_t from_step, std::byte* to, std::int64_t to_step,
              std::int64_t n) noexcept {
  if (from_step == 1 && to_step == 1) {
    std::memmove(to, from, static_cast<std::size_t>(n * size));
    return;
  }
  for (std::int64_t i = 0; i < n; ++i)
    std::memcpy(to + i * to_step * size, from + i * from_step * size,
                static_cast<std::size_t>(size));
}

template <std::int64_t size>
void copy_bytes(const rows<2>& r, const elements_of& from, const elements_of& to) {
  const auto step = r.steps();
  const std::byte* const x = from.of->data + from.first * size;
  std::byte* const y = to.of->data + to.first * size;
  r.each([&](const auto& first, std::int64_t n) {
    copy_row<size>(x + first[0] * size, step[0], y + first[1] * size, step[1], n);
  });
}

void copy_nibble_blocks(const tensor& x, std::int64_t from, std::int64_t from_step, const tensor& y,
                        std::int64_t to, std::int64_t to_step, std::int64_t n) {
  std::array<std::uint32_t, block> bits;
  for (std::int64_t i = 0; i < n; i += block) {
    const auto some = static_cast<std::size_t>(std::min(block, n - i));
    load_bits(x, from + i * from_step, from_step, bits.data(), some);
    store_bits(y, to + i * to_step, to_step, bits.data(), some);
  }
}
void copy_nibbles(const tensor& x, std::int64_t from, std::int64_t from_step, const tensor& y,
                  std::int64_t to, std::int64_t to_step, std::int64_t n) {
  if (from_step == 1 && to_step == 1 && from % 2 == to % 2) {
    if (from % 2 != 0 && n != 0) {
      copy_nibble_blocks(x, from++, 1, y, to++, 1, 1);
      --n;
    }
    std::memmove(y.data + to / 2, x.data + from / 2, static_cast<std::size_t>(n / 2));
    from += n / 2 * 2;
    to += n / 2 * 2;
    n %= 2;
  }
  copy_nibble_blocks(x, from, from_step, y, to, to_step, n);
}

}  // namespace

void copy(shape_view shape, const elements_of& from, const elements_of& to) {
  const rows<2> r(shape, {from.strides, to.strides});
  switch (bits_of(*to.of)) {
    case 8: return copy_bytes<1>(r, from, to);
    case 16: return copy_bytes<2>(r, from, to);
    case 32: return copy_bytes<4>(r, from, to);
    case 64: return copy_bytes<8>(r, from, to);
    default:
      r.each([&](const auto& first, std::int64_t n) {
        copy_nibbles(*from.of, from.first + first[0], r.steps()[0], *to.of, to.first + first[1],
                     r.steps()[1], n);
      });
  }
}

void fill(shape_view shape, const elements_of& to, std::uint32_t bits) {
  std::array<std::uint32_t, block> row;
  row.fill(bits);
  const rows<1> r(shape, {to.strides});
  const std::int64_t step = r.steps()[0];
  r.each([&](const auto& first, std::int64_t n) {
    for (std::int64_t i = 0; i < n; i += block)
      store_bits(*to.of, to.first + first[0] + i * step, step, row.data(),
                 static_cast<std::size_t>(std::min(block, n - i)));
  });
}

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI
