// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Whether a plan is one that a file could hold: what its writer and its verification look at first.
//
//   if (const error e = ark::check(plan); e.code != errc::ok) return e;
//
// Every plan that read_plan() gave passes. One that was filled by hand may not:
//
//   operations  what check(graph) refuses in them
//   indices     outside their pools                               ark_too_large
//   numbers     negative                                          ark_plan_member, ark_plan_range
//   Config      not one for each operation, or not an object      ark_plan_config
//   lists       both null and filled                              ark_plan_member
//
// Lifetime:   borrows for the call.
// Errors:     at the task or group that holds the wrong thing, by its offset.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_ARK_PLAN_CHECK_HPP
#define TESSERA_ARK_PLAN_CHECK_HPP

#include "../core/error.hpp"
#include "../version.hpp"
#include "plan.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

/// Whether the indices of the plan lead somewhere and its numbers are such as files hold.
[[nodiscard]] error check(const plan& p);

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/plan_check.hpp"
#endif

#endif  // TESSERA_ARK_PLAN_CHECK_HPP
