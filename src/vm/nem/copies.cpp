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

constexpr std::int64_t nibble_block = 256;  ///< nibbles at once

void copy_nibble_blocks(const tensor& x, std::int64_t from, std::int64_t from_step, const tensor& y,
                        std::int64_t to, std::int64_t to_step, std::int64_t n) {
  std::array<std::uint32_t, nibble_block> bits;
  for (std::int64_t i = 0; i < n; i += nibble_block) {
    const auto some = static_cast<std::size_t>(std::min(nibble_block, n - i));
    load_bits(x, from + i * from_step, from_step, bits.data(), some);
    wrap(y, to + i * to_step, to_step, bits.data(), some);
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

copying::copying(shape_view shape, const tensor& from, shape_view from_strides, const tensor& to,
                 shape_view to_strides) noexcept
    : rows_(shape, {from_strides, to_strides}),
      from_(from),
      to_(to),
      bits_(model::bitwidth(to.element)) {
  for (std::size_t d = 0; d < shape.size(); ++d)
    walk_.add(shape[d], from_strides[d], to_strides[d]);
}

void copying::run(std::int64_t from_first, std::int64_t to_first) const {
  if (const std::int64_t bytes = bits_ / 8; bytes != 0)
    return walk_.copy(to_.data + to_first * bytes, from_.data + from_first * bytes, bits_ / 8);
  const auto step = rows_.steps();
  rows_.each([&](const auto& first, std::int64_t n) {
    copy_nibbles(from_, from_first + first[0], step[0], to_, to_first + first[1], step[1], n);
  });
}

void fill(shape_view shape, const raw_elements& to, std::uint32_t bits) {
  std::array<std::uint32_t, nibble_block> row;
  row.fill(bits);
  const rows<1> r(shape, {to.strides});
  const std::int64_t step = r.steps()[0];
  r.each([&](const auto& first, std::int64_t n) {
    for (std::int64_t i = 0; i < n; i += nibble_block)
      wrap(*to.of, to.first + first[0] + i * step, step, row.data(),
           static_cast<std::size_t>(std::min(nibble_block, n - i)));
  });
}

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI
