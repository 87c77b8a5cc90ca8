// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The order of sequences of integers. Where integers are big-endian, GCC's std::vector compares only some
// of the bytes before version 13.3 (its bug 113960).
//
//   std::map<std::vector<std::uint32_t>, int, less_by_element> numbers;
//
// Lifetime:   values.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_GENOME_LESS_BY_ELEMENT_HPP
#define TESSERA_GENOME_LESS_BY_ELEMENT_HPP

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

struct less_by_element {
  using sequence = std::vector<std::uint32_t>;

  [[nodiscard]] bool operator()(const sequence& a, const sequence& b) const noexcept {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  }
  /// The numbers first.
  [[nodiscard]] bool operator()(const std::pair<std::uint32_t, sequence>& a,
                                const std::pair<std::uint32_t, sequence>& b) const noexcept {
    return a.first != b.first ? a.first < b.first : (*this)(a.second, b.second);
  }
  [[nodiscard]] bool operator()(
      const std::tuple<std::uint32_t, std::uint32_t, sequence>& a,
      const std::tuple<std::uint32_t, std::uint32_t, sequence>& b) const noexcept {
    const auto& [a_first, a_second, of_a] = a;
    const auto& [b_first, b_second, of_b] = b;
    if (a_first != b_first) return a_first < b_first;
    return a_second != b_second ? a_second < b_second : (*this)(of_a, of_b);
  }
};

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_LESS_BY_ELEMENT_HPP
