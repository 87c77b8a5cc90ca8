// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "elements.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

void end_nibbles(const tensor& y, std::int64_t last) noexcept {
  if (last % 2 == 0 && last == y.count() - 1 && y.is_dense()) y.data[last / 2] &= std::byte{15};
}
void load_bits(const tensor& x, std::int64_t first, std::int64_t step, std::uint32_t* to,
               std::size_t n) noexcept {
  tensors::load_row(bits_of(x), x.data, first, step, to, n, std::endian::little);
  if (x.element != element::i4) return;
  for (std::size_t i = 0; i < n; ++i) to[i] &= 15;
}

integer_range range_of(element e) noexcept {
  if (!model::is_integer(e)) return {};
  const bool is_signed = e < element::u8;
  const std::int64_t half = std::int64_t{1} << (model::bitwidth(e) - 1);
  return is_signed ? integer_range{-half, half - 1} : integer_range{0, 2 * half - 1};
}

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI
