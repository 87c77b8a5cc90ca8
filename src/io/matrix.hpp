// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Rows of doubles, as programs take and give them, and random ones.
//
//   const tessera::io::interval ranges[] = {{-8, 7.5}, {0, 1}};
//   tessera::io::matrix m = tessera::io::random_matrix(1000, ranges, 42);   // 1000 rows, 2 columns
//
// Lifetime:   values.
// Errors:     none.
// Limits:     rows * columns must fit the memory.
// Allocation: a vector.

#ifndef TESSERA_IO_MATRIX_HPP
#define TESSERA_IO_MATRIX_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace io {

/// Row after row; `values` holds rows * columns of them.
struct matrix {
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::vector<double> values = {};
};

/// Both ends belong to it; finite, and low <= high.
struct interval {
  double low = 0;
  double high = 1;
};

/// One column per interval, each value uniform in its own. The same on every platform whose doubles
/// are computed as doubles, and the first rows don't depend on how many follow.
[[nodiscard]] matrix random_matrix(std::uint64_t rows, std::span<const interval> columns,
                                   std::uint64_t seed);

}  // namespace io
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_IO_MATRIX_HPP
