// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// SplitMix64 (Steele, Lea and Flood, 2014): random numbers that are the same everywhere.
//
//   std::uint64_t state = seed;
//   const double fraction = static_cast<double>(next_bits(state) >> 11) * 0x1p-53;   // [0, 1)
//
// Lifetime:   nothing is kept.
// Errors:     none.
// Limits:     a period of 2^64.
// Allocation: none.

#ifndef TESSERA_IO_RANDOM_HPP
#define TESSERA_IO_RANDOM_HPP

#include <cstdint>

#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace io {

/// 64 uniform bits; `state` advances.
[[nodiscard]] inline std::uint64_t next_bits(std::uint64_t& state) noexcept {
  std::uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

}  // namespace io
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_IO_RANDOM_HPP
