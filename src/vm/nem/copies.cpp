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
constexpr std::int64_t tile = 16;    ///< elements of a row that is turned

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

/// Which dimension's elements lie next to each other in x, where those of the last don't. Tiles of it
/// and of the last use each line of memory that they touch. Returns the rank where there is none.
[[nodiscard]] std::size_t tiled(shape_view shape, shape_view from, shape_view to) noexcept {
  std::size_t last = shape.size();
  while (last != 0 && shape[last - 1] == 1) --last;
  if (last < 2 || std::abs(from[last - 1]) == 1 || to[last - 1] != 1) return shape.size();
  for (std::size_t d = 0; d < last - 1; ++d)
    if (from[d] == 1 && shape[d] >= tile / 4 && shape[last - 1] >= tile / 4) return d;
  return shape.size();
}
/// A shape without one of its dimensions.
[[nodiscard]] std::array<std::int64_t, model::max_rank> without(shape_view shape,
                                                                std::size_t d) noexcept {
  std::array<std::int64_t, model::max_rank> left = {};
  std::copy(shape.begin(), shape.end(), left.begin());
  if (d < shape.size()) left[d] = 1;
  return left;
}

}  // namespace

copying::copying(shape_view shape, const tensor& from, shape_view from_strides, const tensor& to,
                 shape_view to_strides) noexcept
    : rows_({without(shape, tiled(shape, from_strides, to_strides)).data(), shape.size()},
            {from_strides, to_strides}),
      from_(from),
      to_(to),
      bits_(model::bitwidth(to.element)) {
  const std::size_t d = tiled(shape, from_strides, to_strides);
  if (d == shape.size()) return;
  length_ = shape[d];
  step_ = {from_strides[d], to_strides[d]};
}

void copying::run(std::int64_t from_first, std::int64_t to_first) const {
  switch (bits_) {
    case 8: return run_bytes<1>(from_first, to_first);
    case 16: return run_bytes<2>(from_first, to_first);
    case 32: return run_bytes<4>(from_first, to_first);
    default: return run_nibbles(from_first, to_first);
  }
}

template <std::int64_t size>
void copying::run_bytes(std::int64_t from_first, std::int64_t to_first) const {
  const auto step = rows_.steps();
  const std::byte* const x = from_.data + from_first * size;
  std::byte* const y = to_.data + to_first * size;
  if (rows_.is_one() && length_ == 1) return copy_row<size>(x, step[0], y, step[1], rows_.length());
  rows_.each([&](const auto& first, std::int64_t n) {
    const std::byte* const row = x + first[0] * size;
    std::byte* const to = y + first[1] * size;
    if (length_ == 1) return copy_row<size>(row, step[0], to, step[1], n);
    for (std::int64_t i = 0; i < n; i += tile)
      for (std::int64_t k = 0; k < length_; ++k)
        copy_row<size>(row + (k * step_[0] + i * step[0]) * size, step[0],
                       to + (k * step_[1] + i * step[1]) * size, step[1], std::min(tile, n - i));
  });
}

void copying::run_nibbles(std::int64_t from_first, std::int64_t to_first) const {
  const auto step = rows_.steps();
  rows_.each([&](const auto& first, std::int64_t n) {
    for (std::int64_t k = 0; k < length_; ++k)
      copy_nibbles(from_, from_first + first[0] + k * step_[0], step[0], to_,
                   to_first + first[1] + k * step_[1], step[1], n);
  });
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
