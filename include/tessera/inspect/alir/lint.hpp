// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What is suspicious about an ALIR program that verifies: values that its intervals don't hold,
// work that no output needs.
//
//   tessera::report found;
//   auto program = alir::verify(std::move(model), {}, &found);
//   if (program) tessera::inspect::lint(*program, found);
//
//   rule                      a warning where
//   alir_overflow             values lie outside of the declared interval, or of its type
//   alir_table_short          values of a lookup's operand have no entry: running would end there
//   alir_dead_operation       no output needs an operation; inputs may be unused
//   alir_duplicate_operation  an earlier operation has the same value for all inputs, and an interval
//                             that does for those that read this one
//   alir_constant_output      an output has one value for all inputs; a note, where it is that of a
//                             constant or of no operation
//   alir_shifted_out          an operand is shifted by all of its bits, so that it doesn't count
//   alir_latency_order        a value is ready before its operands are
//   alir_negative_cost        a latency or a cost is negative
//
// Ranges are those of alir_assumption::intervals: inputs keep to their intervals. Where an overflow
// is proven the message says "exceeds", else "may exceed"; where an input that shows it was found,
// the note has it. Bytecode has no intervals, only types that are larger, and neither latency nor
// cost: of it the rules about them report nothing.
//
// Lifetime:   a report owns its texts.
// Errors:     none: findings are warnings and notes.
// Limits:     inputs are searched for the first findings, on some hundred samples (fewer of huge
//             programs).
// Allocation: 200 bytes for each operation, and the samples.

#ifndef TESSERA_INSPECT_ALIR_LINT_HPP
#define TESSERA_INSPECT_ALIR_LINT_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../../alir.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// How much lint() reports.
struct alir_lint_options {
  std::uint64_t max_diagnostics = 1000;  ///< how many a report keeps; all are counted
  std::uint64_t seed = 0;                ///< of the samples
};
/// Adds warnings and notes to a report, by rule and operation.
void lint(const alir::program& p, report& found, const alir_lint_options& options = {});

/// A question to the samples: inputs for which an operation has a value outside of these integers.
struct alir_search {
  std::size_t operation = 0;       ///< its index
  std::int64_t low = 0, high = 0;  ///< bounds at the operation's scale, both allowed
};
/// Inputs that answer one, each within the intervals of the operations that read it.
struct alir_example {
  std::vector<double> inputs;  ///< of the whole program; empty if none was found
  std::int64_t value = 0;      ///< of the operation
  bool found = false;          ///< whether there is one
};
/// Looks for examples: towards the ends that an operation exceeds, and at random. The same for the
/// same seed.
[[nodiscard]] std::vector<alir_example> find_examples(const alir::program& p,
                                                      std::span<const alir_search> wanted,
                                                      std::uint64_t seed = 0);

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_ALIR_LINT_HPP
