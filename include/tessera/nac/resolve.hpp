// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC programs with their arguments resolved: absolute indices of instructions, and ids.
//
//   auto code = nac::resolve(*file, file->instructions());
//   if (!code) return fail(describe(code.error(), mapped));
//   for (const nac::step& s : code->steps)
//     for (const nac::argument a : code->arguments_of(s))
//       if (a.is_constant()) use_constant(a.id()); else use(results[a.index()]);
//
//   instruction            arguments
//   A ≥ 10                 one for each letter of its signature: a constant of CNST, or a result
//   INPUT 0                none
//   INPUT 1-5              its id; of a constant (3) it must stand in CNST
//   OUTPUT 0-2             the results
//   OUTPUT 3               a parameter's id, the gradient's and the rate's results
//   OUTPUT 4               one result; none where D is 0
//   CONTROL_FLOW           the predicate's result, and the lengths of both branches, marked as ids
//   CONVERGENCE            the input's result, the index of the instruction behind its branches,
//                          and of the first one of each branch
//   others                 none
//
// What holds of a program that was resolved: results come from earlier instructions; as many
// constants are given as are taken, and all stand in CNST; the true and the false branch of a
// CONTROL_FLOW, which follow it, end inside the program; so do the branches of a CONVERGENCE, which
// ascend and hold one instruction or more. A CONVERGENCE without branches, whose end is 0, ends at
// the next instruction.
//
// Lifetime:   owns.
// Errors:     nac_reference … nac_convergence_branch: the first broken instruction's, with the
//             offset of the word that is wrong; too_many_items, input_too_large.
// Limits:     max_items instructions, at most 2^31 - 1; 4 GiB of them.
// Allocation: 28 bytes for an instruction, and where there are more than three arguments for each,
//             4 to 8 for each of them; some hundred KB more.

#ifndef TESSERA_NAC_RESOLVE_HPP
#define TESSERA_NAC_RESOLVE_HPP

#include <cstdint>

#include "../core/limits.hpp"
#include "../core/pool.hpp"
#include "../core/result.hpp"
#include "decode.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// The index of an instruction, or an id.
struct argument {
  static constexpr std::uint32_t constant_bit = std::uint32_t{1} << 31;
  std::uint32_t bits = 0;

  /// Whether it is an id (or a branch's length) rather than an instruction.
  [[nodiscard]] constexpr bool is_constant() const noexcept { return (bits & constant_bit) != 0; }
  [[nodiscard]] constexpr std::uint32_t index() const noexcept { return bits & ~constant_bit; }
  [[nodiscard]] constexpr std::uint16_t id() const noexcept {
    return static_cast<std::uint16_t>(bits);
  }
  friend constexpr bool operator==(argument, argument) noexcept = default;
};

/// A list of instructions with their arguments.
struct code {
  pool<step> steps;
  pool<argument> arguments;

  [[nodiscard]] view<argument> arguments_of(const step& s) const noexcept {
    return {arguments.data() + s.first, s.arguments};
  }
};

/// How arguments are resolved: one after another, four at a time, or with what this processor has;
/// `automatic` is the last where there are enough of them. It changes nothing but time.
enum class resolve_path : std::uint8_t { automatic, plain, portable, best };

/// The arguments of `list`, which is f.instructions() or f.training().
[[nodiscard]] result<code> resolve(const model& f, const instructions& list,
                                   const limits& limit = {},
                                   resolve_path path = resolve_path::automatic);

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/resolve.hpp"
#endif

#endif  // TESSERA_NAC_RESOLVE_HPP
