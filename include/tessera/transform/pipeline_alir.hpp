// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// ALIR programs as pipelines, and pipelines as programs.
//
//   const auto made = transform::to_pipeline(program, {.latency_cutoff = 3});   // of alir::verify
//   if (!made.refusal.empty()) return fail(made.refusal);
//   auto text = alir::write_pipeline(made.pipeline);      // made.register_bits, made.latency
//
// The latency of an operation is that of its row, less the largest of its operands'. A stage's is that of its
// slowest path, from the registers before it to those after it; inputs are ready at its start.
//
//   stages       as few as the cutoff allows, or as many as are asked for. Without a cutoff, the
//                smallest one that gives so many stages
//   registers    the fewest bits that any pipeline of so many stages with that cutoff has: with
//                retiming, of which `is_minimal` says whether it came to its end. Without, operations
//                are in the first stage that can hold them. Constants are in each stage that needs them
//   form         fsm; of a program of version 2, nested: what alkaid 0.8 and 0.7 read
//
// The pipeline gives the same for all inputs, bit for bit, and traps for the same samples. So a register is
// as wide as its value's interval claims only where that is proven, from bounds that assume nothing or
// because all values from the inputs on keep to their intervals (inspect/alir/ranges.hpp); else it is as
// wide as the value may be. `trust_intervals` makes all registers as wide as claimed, and what is outside
// of its interval wraps around in them. `unproven` counts those values.
//
// Link tessera::transform.
//
// Lifetime:   a result owns itself.
// Errors:     as refusal: neither a cutoff nor a number of stages, latencies that are too large, an
//             operation that is slower than the cutoff, fewer stages than the cutoff needs, more stages or
//             registers than there may be, a register of more than 53 bits (pipelines hand values on as
//             doubles), version 2 without a register at an end.
// Limits:     max_stages, max_registers; max_work ends retiming early.
// Allocation: some 500 bytes for each operation, and the pipeline.

#ifndef TESSERA_TRANSFORM_PIPELINE_ALIR_HPP
#define TESSERA_TRANSFORM_PIPELINE_ALIR_HPP

#include <cstdint>
#include <string>

#include "../alir.hpp"
#include "../core/result.hpp"
#include "optimize_alir.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

/// How a program is cut into stages: by a latency, a number of stages, or both.
struct alir_pipeline_options {
  double latency_cutoff = 0;  ///< the latency of a stage is at most this; 0: what `stages` needs
  std::uint32_t stages = 0;   ///< 0: what `latency_cutoff` needs
  bool retiming = true;       ///< moves operations between stages, for fewer bits in registers
  bool input_register = true, output_register = true;  ///< version 2 has no pipelines without
  bool trust_intervals = false;     ///< all registers are as wide as the intervals claim
  std::uint32_t max_stages = 4096;  ///< more are refused
  std::uint64_t max_registers = std::uint64_t{1} << 22;  ///< values between stages, in all
  std::uint64_t max_work = std::uint64_t{1} << 32;       ///< arcs that retiming looks at
};

/// A program in stages, or why there is none.
struct alir_pipelined {
  alir::pipeline pipeline;          ///< for alir::write_pipeline; without blocks if refused
  std::string refusal;              ///< why there is no pipeline; empty if there is
  double latency = 0;               ///< of the slowest stage
  std::uint64_t register_bits = 0;  ///< of all registers
  std::uint64_t unproven = 0;  ///< values in registers that aren't proven to keep to their interval
  bool is_minimal = false;  ///< retiming came to its end: no fewer bits in registers are possible
};

/// Cuts a program into a pipeline.
[[nodiscard]] alir_pipelined to_pipeline(const alir::program& p,
                                         const alir_pipeline_options& options);

/// The latency of a program's slowest path, as of one stage.
[[nodiscard]] double latency_of(const alir::program& p);

/// One program that computes what the blocks of a pipeline do, one after the other; where a register holds
/// more than 53 bits it is the program that is exact. Of version 4 where a block scales its inputs or
/// outputs. Errors: those of alir::verify, where scales add up to shifts that no program has.
[[nodiscard]] result<alir::program> to_program(const alir::staged& pipeline);

/// Runs a program and a pipeline as compare() of two programs.
[[nodiscard]] alir_disagreement compare(const alir::program& a, const alir::staged& b,
                                        std::uint64_t samples = 1024, std::uint64_t seed = 1);

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_PIPELINE_ALIR_HPP
