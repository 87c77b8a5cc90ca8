// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Expands a program: its statements in the order in which a device issues them.
//
//   struct count : nem::visitor {
//     void task(const nem::values& v, const nem::task& t) { ++tasks; }
//     std::uint64_t tasks = 0;
//   };
//
//   loop(v, node, first, last, in_flight)   then iteration(node, value) …, then end_loop(node)
//   task(v, t)                              after its operands and dependences are evaluated
//   wait(node, tasks)                       indices of those that are waited for
//   stopped()                               asked after each task and iteration; true ends it
//   end(v)                                  after all; `v` has all buffers
//
// Loops are not unrolled in memory: a body is evaluated anew in each iteration, and what it declared
// is gone after it. Beyond a budget of tasks and iterations, a loop is expanded to its first 2N + 4
// and its last 2 iterations (N = max_in_flight), with HAZ-005; twice beyond it, to one.
//
// Lifetime:   what visitors get lasts until they return.
// Errors:     reported; what has an error is passed on as far as it is known.
// Limits:     2^32 - 2 tasks.
// Allocation: linear in the source and in the declarations that are visible.

#ifndef TESSERA_NEM_WALK_HPP
#define TESSERA_NEM_WALK_HPP

#include <cstdint>

#include "../core/pool.hpp"
#include "../version.hpp"
#include "values.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {

/// A visitor that does nothing: derive from it, and define what is wanted.
struct visitor {
  void loop(const values&, std::uint32_t /*node*/, std::int64_t /*first*/, std::int64_t /*last*/,
            std::int64_t /*in_flight*/) {}
  void iteration(std::uint32_t /*node*/, std::int64_t /*value*/) {}
  void end_loop(std::uint32_t /*node*/) {}
  void wait(std::uint32_t /*node*/, view<std::uint32_t> /*tasks*/) {}
  void task(const values&, const nem::task&) {}
  [[nodiscard]] bool stopped() const noexcept { return false; }
  void end(const values&) {}
};

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#include "detail/rules/walk.hpp"  // the expansion, a template

#endif  // TESSERA_NEM_WALK_HPP
