// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Looks for what is wrong with a plan, by itself or against the model that it is to run.
//
//   ark::report found;
//   if (!ark::verify_plan(*plan, found, source)) …            // it has errors; `found` says which
//   ark::verify_plan(*plan, *program, found, source);         // plan_match.hpp
//   // $.TaskInfos[2].Ops[0].Config.NumTasks: expected NumWarps, SramBytes and NumTasks in Config …
//
//   ark_plan_architecture  E  Architecture is none of the known ones
//   ark_plan_task          E  two tasks of one Id; a task group's TaskId that no task has
//   ark_plan_config        E  Config without NumWarps, SramBytes or NumTasks; a Matmul's tile that
//                             doesn't divide its padded shape
//                          W  an ImplType or ChannelType that isn't known; other NumTasks than the
//                             tile and the padded shape call for
//   ark_plan_range         E  a range that ends before it begins, or steps by 0
//                          W  a step other than 1: generated code goes by 1 all the same
//   ark_plan_parent        E  processors outside their group's or the machine's, warps outside the
//                             processor's, tiles outside the task's
//   ark_plan_resources     E  an operation needs more than its task, a task more than its resource
//                             group: warps, memory, or any processor at all
//   ark_plan_tiles         E  a tile that no task group covers, or a second one
//                          W  a task that no task group names; operations of one task that have
//                             different NumTasks
//   ark_plan_member        E  Granularity 0
//   ark_s07_no_ops         E  a task without operations
//   rules of models        those that verify() finds in plan_model(), but for edges and hazards; T08
//                          and G10 are warnings, as plans that people edit break them and run
//
// A Matmul whose tile is [1,1,1] has none: planners write that where they have no default, and
// nothing is expected of its NumTasks.
//
// Lifetime:   borrows for the call.
// Errors:     none; of a plan that was filled by hand, what check() refuses, as a diagnostic.
// Limits:     a report keeps its first 1000 diagnostics, and counts all.
// Allocation: linear in the plan.

#ifndef TESSERA_ARK_PLAN_VERIFY_HPP
#define TESSERA_ARK_PLAN_VERIFY_HPP

#include <string_view>

#include "../version.hpp"
#include "plan_model.hpp"
#include "verify.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

/// Whether the plan has no errors; `found` gets them and what else is to be said. With the text
/// that it was read from, diagnostics tell the exact place; else that of the task or group.
[[nodiscard]] bool verify_plan(const plan& p, report& found, std::string_view source = {});

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/plan_verify.hpp"
#endif

#endif  // TESSERA_ARK_PLAN_VERIFY_HPP
