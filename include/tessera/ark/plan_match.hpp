// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Whether a plan runs the model that it is for.
//
//   ark::report found;
//   if (!ark::verify_plan(*plan, *program, found, source)) …
//   // $.TaskInfos[3].Ops[0].ReadTensors[1]: the plan's operations don't compute what the model's do:
//   // Matmul "matmul_1" of the model has another tensor here
//
// Operations that aren't virtual are matched by what they are: Type, Args, and of each tensor the
// DataType, the layout and the buffer. Ids of tensors and names don't matter, and Ids of buffers only
// as far as the two files agree in them; when they don't, buffers count in the order of their first
// use. What stays unmatched is paired by the buffer that is written. So plans that people edited, to
// split a multiplication say, are told apart from those that lack something:
//
//   E  Rank or WorldSize differ
//   E  an operation of the model that nothing in the plan stands for (a Noop: W)
//   E  two operations that use the same memory, one of them writing it, in the other order
//   W  the operation that stands for the model's has other tensors, Args, or another Type
//   W  an operation that the model doesn't have
//
// all with ark_plan_model. Whether operations that changed make sense by themselves is part of
// verify_plan() without a model, which this does as well; whether they still compute the same is
// found by running both.
//
// Lifetime:   borrows for the call.
// Errors:     none.
// Limits:     those of verify_plan(). Where an operation's last neighbour in memory uses other bytes
//             of the buffer, earlier ones aren't looked at for their order.
// Allocation: linear in the plan and the model.

#ifndef TESSERA_ARK_PLAN_MATCH_HPP
#define TESSERA_ARK_PLAN_MATCH_HPP

#include <string_view>

#include "../version.hpp"
#include "plan_verify.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

/// The same against the model that the plan is for.
[[nodiscard]] bool verify_plan(const plan& p, const program& model, report& found,
                               std::string_view source = {});

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/plan_match.hpp"
#endif

#endif  // TESSERA_ARK_PLAN_MATCH_HPP
