// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What a tiling costs, by a formula: cycles as vm/nem_timing.hpp counts them.
//
//   t.cost = estimated_cost(plan, device, t);
//
// Lifetime:   values.
// Errors:     none.
// Limits:     none.
// Allocation: none that lasts.

#ifndef TESSERA_TRANSFORM_LOWER_ESTIMATE_HPP
#define TESSERA_TRANSFORM_LOWER_ESTIMATE_HPP

#include "transform/lower/tiling.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

/// Cycles of a tiling, about.
[[nodiscard]] double estimated_cost(const plan& p, const target& device, const tiling& t);
/// Of what it loads ahead.
[[nodiscard]] double estimated_ahead_cost(const plan& p, const target& device, const tiling& t);

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_LOWER_ESTIMATE_HPP
