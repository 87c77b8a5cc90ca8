// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The optimizer of section 1.2 of NAC's specification: a container that computes the same with fewer
// instructions.
//
//   auto made = tessera::transform::optimize(program);             // of nac::verify
//   if (!made) return fail(made.error());
//   for (const transform::rewrite& r : made->rewrites) show(r.instruction, r.text);
//   auto container = nac::write(made->parts);
//
//   passes        those of optimizer_passes, in their order, again and again until none changes
//                 anything; `schedule` is the last one. A container that was optimized stays as it is,
//                 byte for byte
//   proof         a rule applies where its conditions follow from the container: types of weights and
//                 of what is computed from them, constants, which operations are random or write in
//                 place. Inputs are tensors of any type and shape
//   rounding      only `batch-norm` changes it: weights are scaled once, in float64. It assumes that
//                 the images of a convolution have a batch dimension, as PyTorch's layers demand
//   zeros         x + 0 becomes x, which may be -0
//   faults        what a run fails at may vanish together with the instruction
//   what stays    inputs and their order, outputs, states, lifted constants, random operations and
//                 their order, CONVERGENCE and its branches, names, external weights, quantized
//                 weights, the execution plan, tokenizer, resources, arrays
//   unchanged     containers with instructions in TRNG, which count those of OPS, or with a CONVERGENCE
//                 that skips instructions before its first branch
//
// Link tessera::transform.
//
// Lifetime:   borrows the program and what that borrows, until the container is written.
// Errors:     nac_write_range, nac_write_id where a container can't number the result; nac_convert_*.
// Limits:     optimize_options.
// Allocation: linear in the instructions, and the tensors that are made; other weights stay where they
//             are.

#ifndef TESSERA_TRANSFORM_OPTIMIZE_HPP
#define TESSERA_TRANSFORM_OPTIMIZE_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../core/result.hpp"
#include "../nac/parts.hpp"
#include "../nac/verify.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

// X(enumerator, name, what it does), for whatever says something about every pass
#define TESSERA_OPTIMIZER_PASSES(X)                                                                \
  X(in_place, "in-place", "writes in place whose old values nothing uses become results")          \
  X(identities, "identities",                                                                      \
    "dropout in inference, clone, contiguous, detach, to of the same type, and the like go")       \
  X(inverses, "inverses", "pairs of operations that undo each other go: transposes, negations")    \
  X(algebra, "algebra",                                                                            \
    "x + 0, x * 1 and the like go; chains of views, permutes and casts shrink")                    \
  X(folding, "folding", "what follows from weights and constants alone becomes a weight")          \
  X(batch_norm, "batch-norm", "batch normalization moves into the weights of the layer before it") \
  X(common, "common", "results that are computed twice are computed once")                         \
  X(dead_code, "dead-code", "instructions and weights that nothing uses go")                       \
  X(placement, "placement", "weights are loaded right before their first use")                     \
  X(schedule, "schedule", "MMAP says when results are freed and weights are loaded ahead")

/// What the optimizer does, in this order.
enum class optimizer_pass : std::uint8_t {
#define TESSERA_X(name, text, summary) name,
  TESSERA_OPTIMIZER_PASSES(TESSERA_X)
#undef TESSERA_X
};
/// One row of the table of passes.
struct optimizer_pass_row {
  /// "dead-code", as the tool spells it; and what the pass does, in a sentence.
  std::string_view name, summary;
};
/// A row per pass, in the order of optimizer_pass.
inline constexpr optimizer_pass_row optimizer_passes[] = {
#define TESSERA_X(name, text, summary) {text, summary},
    TESSERA_OPTIMIZER_PASSES(TESSERA_X)
#undef TESSERA_X
};
/// How many passes there are.
inline constexpr std::size_t optimizer_pass_count =
    sizeof optimizer_passes / sizeof optimizer_passes[0];
/// The bit of a pass in optimize_options::passes.
[[nodiscard]] constexpr std::uint32_t bit_of(optimizer_pass p) noexcept {
  return std::uint32_t{1} << static_cast<std::uint32_t>(p);
}
/// The bits of all passes.
inline constexpr std::uint32_t all_passes = (std::uint32_t{1} << optimizer_pass_count) - 1;

/// Which passes run, and how much work they may do.
struct optimize_options {
  std::uint32_t passes = all_passes;  ///< bits of those that run
  std::uint32_t max_rounds = 1024;    ///< how often all of them run, at most
  /// Bytes by which folding one result may enlarge the container.
  std::uint64_t max_growth = 4096;
  /// Elements touched (as budget::max_steps) for folding one result, and for all of them.
  std::uint64_t max_steps = std::uint64_t{1} << 27, max_all_steps = std::uint64_t{1} << 32;
  /// Bytes in memory for folding one result, of which weights may take a quarter.
  std::uint64_t max_memory = std::uint64_t{1} << 30;
};

/// A change of the program.
struct rewrite {
  optimizer_pass by = optimizer_pass::dead_code;  ///< the pass that made it
  std::uint32_t instruction = 0;                  ///< of the program that was given
  std::string text;                               ///< "aten.dropout.default: its operand v3"
};

/// What all runs of a pass changed.
struct pass_effect {
  std::uint64_t rewrites = 0;  ///< how many changes; of `schedule` the commands, if they differ
  std::int64_t instructions = 0, parameters = 0;  ///< how many more there are; negative: fewer
  std::int64_t weight_bytes = 0;                  ///< likewise, of tensors inside the container
};

/// A container that is ready to be written.
struct optimized {
  nac::parts parts;                           ///< for nac::write
  pass_effect effects[optimizer_pass_count];  ///< by optimizer_pass
  std::vector<rewrite> rewrites;              ///< in the order in which they were made
  std::uint32_t rounds = 0;        ///< how often the passes ran, the time without a change included
  std::string_view why_unchanged;  ///< empty: it was optimized
};

/// Optimizes a container. One that can't be optimized comes back as it was, with the reason.
[[nodiscard]] result<optimized> optimize(const nac::program& p,
                                         const optimize_options& options = {});

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_OPTIMIZE_HPP
