// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The tilings of a step that cost least, of all that fit what it may use.
//
//   searched found = search(plan, step, device, {l1, tokens, …}, 4);
//   if (found.best.empty()) throw found.why;
//
// Lifetime:   values.
// Errors:     none.
// Limits:     tiles, blocks and slices of a step.
// Allocation: that of the tilings.

#ifndef TESSERA_TRANSFORM_LOWER_SEARCH_HPP
#define TESSERA_TRANSFORM_LOWER_SEARCH_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "transform/lower/divide.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

/// What a step may use.
struct limits {
  std::int64_t l1 = 0, tokens = 0;
  std::size_t written_before = no_dimension;
  bool may_load_ahead = false;
};

struct searched {
  std::vector<tiling> best;  ///< the best one first, each of another form
  refusal why;               ///< where there are none
};
[[nodiscard]] searched search(const plan& p, const step& s, const target& device, const limits& of,
                              std::size_t count);

/// Another number of tiles at once.
void set_depth(tiling& t, std::int64_t depth) noexcept;
/// Where in L1 everything is, from where what is loaded ahead and the rest begin.
void lay_out(tiling& t);

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_LOWER_SEARCH_HPP
