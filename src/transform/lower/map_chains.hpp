// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What the files of mappings share: parts of chains; see map.hpp and chain.hpp.

#ifndef TESSERA_TRANSFORM_LOWER_MAP_CHAINS_HPP
#define TESSERA_TRANSFORM_LOWER_MAP_CHAINS_HPP

#include "transform/lower/chain.hpp"
#include "transform/lower/map_products.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

/// A dimension that a letter names, negative ones from the end.
[[nodiscard]] std::size_t axis_of(mapper& m, std::size_t letter, std::size_t rank);
/// The dimensions of x with one at the end.
[[nodiscard]] std::vector<std::size_t> with_last(std::size_t axis, std::size_t rank);

/// The largest number of a type.
[[nodiscard]] double largest_of(nem::element type) noexcept;
[[nodiscard]] chain::value clamped(chain& c, chain::value x, double low, double high);
/// 1 - x
[[nodiscard]] chain::value inverted(chain& c, const chain::value& truth_value);
/// -1, 0 or 1
[[nodiscard]] chain::value sign_of(chain& c, const chain::value& x, nem::opcode power);
/// To the nearest integer, half to even; to the next one below.
[[nodiscard]] chain::value rounded_to_even(mapper& m, chain& c, const chain::value& x);
[[nodiscard]] chain::value rounded_down(mapper& m, chain& c, const chain::value& x);
/// To the next integer towards 0.
[[nodiscard]] chain::value truncated(chain& c, const chain::value& x);

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_LOWER_MAP_CHAINS_HPP
