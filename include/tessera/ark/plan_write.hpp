// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Writes a plan: as JSON, byte for byte what the format's own planner writes, and for people.
//
//   auto text = ark::write_plan(*plan);           // pretty; or compact: write_plan(*plan, false)
//   if (!text) return fail(describe(text.error(), source));
//   std::cout << ark::print(*plan);
//
//   compact   no white space, no newline at the end
//   pretty    two spaces a level, "key": value, a newline at the end. Five levels below the root are
//             spread over lines; what is deeper, and every array that begins with a number, is compact
//   order     members in the planner's order, Architecture where it stood, unknown ones at the end
//   Config    plan_config::text, as it was; the fields beside it are not looked at
//
//   plan of rank 0 of 1, CUDA_80, 4 processors of 4 warps, 2 tasks
//   task 0, 4 warps, 24672 bytes: Matmul "matmul" 0:FP32[4,8] 1:FP32[8,16] -> 6:FP32[4,16], 1 tile
//   task 1, 1 warp, 0 bytes: Relu "relu" 8:FP32[4,16] -> 10:FP32[4,16], 4 tiles of 1x64
//   group on processors 0..1
//     warps 0..4, memory 0..24672: task 0 tiles 0..1
//
// Lifetime:   texts own themselves.
// Errors:     of write_plan: what check() refuses; json_* for a kept value that is no JSON.
// Limits:     none.
// Allocation: the texts, at most twice their length, and 8 bytes for each tensor, layout and buffer.

#ifndef TESSERA_ARK_PLAN_WRITE_HPP
#define TESSERA_ARK_PLAN_WRITE_HPP

#include "../core/result.hpp"
#include "../core/text.hpp"
#include "../version.hpp"
#include "plan_check.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

/// The JSON of a plan.
[[nodiscard]] result<text> write_plan(const plan& p, bool pretty = true);

/// A listing of a plan: its tasks, then its schedule.
[[nodiscard]] text print(const plan& p);

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/plan_write.hpp"
#endif

#endif  // TESSERA_ARK_PLAN_WRITE_HPP
