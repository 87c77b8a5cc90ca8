// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// All ranks of a model together: the rules M, and the order in which one process runs them.
//
//   const ark::program* ranks[] = {&*rank0, &*rank1};
//   auto world = ark::verify_ranks({ranks, 2}, {}, &found);
//   ark::schedule order(*world);
//   for (ark::schedule::step s; order.next(s);)
//     execute(s.rank, world->rank(s.rank).graph().ops[s.op]);
//
// A buffer of another rank has a stand-in in each file that uses it, which names it by tags alone:
//
//   in rank r: {"Id": 9, "Rank": o, "RecvTags": [[-1, t]]}     the stand-in
//   in rank o: {"Id": 4, "Rank": -1, "RecvTags": [[r, t], …]}  what it stands for
//
// Each message has a source, a destination and a tag. A send adds one, a receive waits for one;
// DeviceSync waits for all ranks. Messages of one source, destination and tag are alike, so counting
// them is enough to run the ranks in turns, and to prove that they don't wait for each other.
//
// Lifetime:   a world borrows its programs, a schedule its world.
// Errors:     ark_m*, that of the first diagnostic that is an error.
// Limits:     verify_options::max_diagnostics.
// Allocation: linear in the graphs.

#ifndef TESSERA_ARK_RANKS_HPP
#define TESSERA_ARK_RANKS_HPP

#include <string_view>

#include "../core/pool.hpp"
#include "../core/result.hpp"
#include "../version.hpp"
#include "diagnostic.hpp"
#include "verify.hpp"
#include "world.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

/// Verifies that programs, in any order, are all ranks of one model and don't wait for each other.
/// `sources`: their texts, in the same order, for exact offsets.
[[nodiscard]] result<world> verify_ranks(view<const program*> ranks,
                                         const verify_options& options = {},
                                         report* found = nullptr,
                                         view<std::string_view> sources = {});

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/ranks.hpp"
#endif

#endif  // TESSERA_ARK_RANKS_HPP
