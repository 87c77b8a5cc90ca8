// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "matrix.hpp"

#include <algorithm>

#include "random.hpp"

namespace tessera::inline TESSERA_ABI {
namespace io {
namespace {

[[nodiscard]] double uniform(const interval& in, std::uint64_t bits) noexcept {
  const double fraction = static_cast<double>(bits >> 11) * 0x1p-53;  // [0, 1)
  // Half the width can't overflow. The product is rounded by being stored: with a fused
  // multiply-add, which compilers form where there is one, results would depend on the processor.
  const double half_width = in.high / 2 - in.low / 2;
  const volatile double stored = fraction * half_width;
  const double step = stored;
  return std::clamp(in.low + step + step, in.low, in.high);
}

}  // namespace

matrix random_matrix(std::uint64_t rows, std::span<const interval> columns, std::uint64_t seed) {
  matrix out{rows, columns.size()};
  out.values.reserve(static_cast<std::size_t>(rows * out.columns));
  for (std::uint64_t row = 0; row < rows; ++row)
    for (const interval& column : columns) out.values.push_back(uniform(column, next_bits(seed)));
  return out;
}

}  // namespace io
}  // namespace tessera::inline TESSERA_ABI
