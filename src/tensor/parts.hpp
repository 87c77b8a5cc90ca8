// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// How loops split their ranges.
//
//   for (std::size_t p = 0; p < k; p += even_part(k, 256, 2)) ...
//
// Lifetime:   nothing is kept.
// Errors:     none.
// Limits:     n + unit and n + max_size fit in size_t.
// Allocation: none.

#ifndef TESSERA_TENSOR_PARTS_HPP
#define TESSERA_TENSOR_PARTS_HPP

#include <cstddef>

#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace tensors {

constexpr std::size_t round_up(std::size_t n, std::size_t unit) {
  return (n + unit - 1) / unit * unit;
}
/// The size of the parts when n is parted evenly into as few as possible, of at most `most`.
constexpr std::size_t even_part(std::size_t n, std::size_t max_size, std::size_t unit) {
  const std::size_t parts = (n + max_size - 1) / max_size;
  return round_up((n + parts - 1) / parts, unit);
}

}  // namespace tensors
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TENSOR_PARTS_HPP
