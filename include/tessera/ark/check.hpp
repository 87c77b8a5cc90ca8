// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Whether a graph is one that a file could hold: what writers and converters look at first.
//
//   if (const error e = ark::check(graph); e.code != errc::ok) return e;
//
// Every graph that read() gave passes. One that was filled by hand may not:
//
//   indices     outside their pools, or lists of members that don't go forward   ark_too_large
//   numbers     negative Ids, Rank not below WorldSize, INT beyond 32 bits       ark_s*, ark_o05
//   floats      not finite, and without a token                                 ark_not_finite
//   names       not UTF-8                                                       json_bad_utf8
//   arguments   the same name twice                                             json_duplicate_key
//
// Lifetime:   borrows for the call.
// Errors:     at the node that holds the wrong thing, by the node's offset (see error_in).
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_ARK_CHECK_HPP
#define TESSERA_ARK_CHECK_HPP

#include "../core/error.hpp"
#include "../version.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

/// Whether writing the graph and reading that text again would give this graph. What only text can
/// tell, such as a kept member that is no JSON, write() finds by itself.
[[nodiscard]] error check(const model& g);

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/check.hpp"
#endif

#endif  // TESSERA_ARK_CHECK_HPP
