// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The operations of a plan as a model graph, which can be verified, run and compared.
//
//   auto program = ark::verify(ark::plan_model(*plan), {.of_plan = true});
//   if (!program) return fail(program.error());
//
//   nodes   one for each operation, tasks by their Ids, in a task as they stand; Ids count from 0
//   edges   from the node that makes a tensor to those that use it; for a tensor that none makes,
//           from the last one before that writes its buffer, for views are gone from plans
//   form    d3, or d3x when buffers say whether they are external
//
// Tasks in the order of their Ids is how planners make them, and the one order that is known to end:
// in the order of the schedule's text, ranks may wait for each other.
//
// Lifetime:   the graph owns itself.
// Errors:     none. The plan must have passed check(), as every plan that was read has.
// Limits:     none.
// Allocation: a copy of the plan's parts; 40 bytes for each operation, tensor and use.

#ifndef TESSERA_ARK_PLAN_MODEL_HPP
#define TESSERA_ARK_PLAN_MODEL_HPP

#include "../version.hpp"
#include "plan.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

/// The model that the plan computes, as nodes of one operation each.
[[nodiscard]] model plan_model(const plan& p);

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/plan_model.hpp"
#endif

#endif  // TESSERA_ARK_PLAN_MODEL_HPP
