// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Checks of the orchestrator's plan: what running it relies on and can't be seen while it runs.
//
//   if (const auto e = nac::verify_plan(file); e.code != tessera::errc::ok) return e;
//
//   every instruction  known and not reserved, complete, its named values among those in the table
//   constants          in the pool; strings where a path, a prompt, a format or a name is wanted
//   jumps              onto an instruction or exactly to the end, and not into a loop from outside
//   loops              every start has its end, which jumps back into the loop; a break stands in a
//                      loop and jumps behind its end
//
// Not checked: what slots hold when they are read, files, and that a branch out of a loop leaves
// its count behind. Of constants with the same id the last counts.
//
// Lifetime:   nothing is kept.
// Errors:     nac_mep_*; offsets into the file.
// Limits:     none; time n log n of the bytecode.
// Allocation: at most 32 × the bytecode, where it is starts of loops alone, and 200 KiB.

#ifndef TESSERA_NAC_EXECUTION_PLAN_VERIFY_HPP
#define TESSERA_NAC_EXECUTION_PLAN_VERIFY_HPP

#include "../core/error.hpp"
#include "execution_plan.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// Checks the plan of a container; without one there is nothing to check. Offsets into the file.
[[nodiscard]] error verify_plan(const model& f);

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/execution_plan_verify.hpp"
#endif

#endif  // TESSERA_NAC_EXECUTION_PLAN_VERIFY_HPP
