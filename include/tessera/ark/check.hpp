// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Whether a file could hold a model: the precondition of writers and converters, which check it.
//
//   if (const error e = ark::check(model); e.code != errc::ok) return e;
//
// Every model from read() passes. For one that was built in code:
//
//   indices     outside their pools, or lists of members that don't ascend      ark_too_large
//   numbers     negative Ids, Rank not below WorldSize, INT beyond 32 bits       ark_s*, ark_o05
//   floats      not finite, and without a token                                 ark_not_finite
//   names       not UTF-8                                                       json_bad_utf8
//   arguments   the same name twice                                             json_duplicate_key
//
// Lifetime:   borrows for the call.
// Errors:     at the node, by its offset or index (see error_in).
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_ARK_CHECK_HPP
#define TESSERA_ARK_CHECK_HPP

#include "../core/error.hpp"
#include "../version.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

/// Whether writing the model and reading that text again would give this model. write() itself finds
/// what shows only in the text, such as a kept member that is no JSON.
[[nodiscard]] error check(const model& g);

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/check.hpp"
#endif

#endif  // TESSERA_ARK_CHECK_HPP
