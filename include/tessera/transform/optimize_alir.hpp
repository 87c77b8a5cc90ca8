// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// ALIR programs that compute the same with fewer operations.
//
//   auto better = transform::optimize(program);              // of alir::verify
//   if (better) auto text = alir::write(better->model);
//
// Outputs are the same for all inputs, bit for bit, and so are the samples that trap: nothing is concluded
// from an interval, which is a promise. Passes run in the order below until none finds anything.
//
//   folding     by bounds of all values (inspect/alir/ranges.hpp, assuming nothing)
//   common      equal values, whatever their intervals, but for those that read more of an interval than
//               its scale, and for outputs; the first one's latency stays
//   fusion      version 3 and later, which have sums: an add or subtract with one reader, that is an
//               add or subtract too, where neither can exceed 64 bits and the first drops none. The
//               sum has the latency of the second, and the cost of both
//   dead code   but not lookups that may leave their table, for these are traps
//
// Link tessera::transform.
//
// Lifetime:   the result owns itself.
// Errors:     those of alir::verify, of a result that it refuses: never seen, and then nothing is lost.
// Limits:     max_rounds.
// Allocation: some 300 bytes for each operation.

#ifndef TESSERA_TRANSFORM_OPTIMIZE_ALIR_HPP
#define TESSERA_TRANSFORM_OPTIMIZE_ALIR_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../alir.hpp"
#include "../core/result.hpp"

// X(enumerator, name, summary)
#define TESSERA_ALIR_OPTIMIZER_PASSES(X)                                                           \
  X(folding, "folding", "operations that have one value whatever the inputs are constants")        \
  X(common, "common", "values that are computed twice are computed once")                          \
  X(fusion, "fusion", "two additions become a sum of three terms")                                 \
  X(dead_code, "dead-code", "operations that no output needs go")

namespace tessera::inline TESSERA_ABI {
namespace transform {

/// What the optimizer of ALIR does, in this order.
enum class alir_pass : std::uint8_t {
#define TESSERA_X(name, text, summary) name,
  TESSERA_ALIR_OPTIMIZER_PASSES(TESSERA_X)
#undef TESSERA_X
};
/// One row of the table of passes.
struct alir_pass_row {
  /// "dead-code", as the tool spells it; and what the pass does, in a sentence.
  std::string_view name, summary;
};
/// A row per pass, in the order of alir_pass.
inline constexpr alir_pass_row alir_passes[] = {
#define TESSERA_X(name, text, summary) {text, summary},
    TESSERA_ALIR_OPTIMIZER_PASSES(TESSERA_X)
#undef TESSERA_X
};
/// How many passes there are.
inline constexpr std::size_t alir_pass_count = sizeof alir_passes / sizeof alir_passes[0];

/// Which passes run, and how often.
struct alir_optimize_options {
  /// Those that run: 1 << static_cast<unsigned>(pass) is the bit of a pass.
  std::uint32_t passes = (std::uint32_t{1} << alir_pass_count) - 1;
  std::uint32_t max_rounds = 64;  ///< how often all of them run, at most
};

/// A program with fewer operations, and what became of the others.
struct alir_optimized {
  alir::model model;                            ///< for alir::verify and alir::write
  std::uint64_t changes[alir_pass_count] = {};  ///< operations that each pass replaced or removed
  std::uint32_t rounds = 0;  ///< how often the passes ran, the time without a change included
};

/// Optimizes a program.
[[nodiscard]] result<alir_optimized> optimize(const alir::program& p,
                                              const alir_optimize_options& options = {});

/// Whether two programs did the same for all samples that were tried.
struct alir_disagreement {
  bool agrees = true;        ///< outputs are equal, bit for bit, and the same samples trap
  std::uint64_t sample = 0;  ///< the first that differs; 0, too, where numbers of ports differ
};
/// Runs both programs on `samples` samples, corners and random ones, beyond their types too. The same
/// seed gives the same samples.
[[nodiscard]] alir_disagreement compare(const alir::program& a, const alir::program& b,
                                        std::uint64_t samples = 1024, std::uint64_t seed = 1);

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_OPTIMIZE_ALIR_HPP
