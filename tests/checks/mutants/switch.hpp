// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What mutants.py includes in front of every file: whether a mutant is the one to run.

#ifndef TESSERA_TESTS_MUTANTS_SWITCH_HPP
#define TESSERA_TESTS_MUTANTS_SWITCH_HPP

namespace tessera_mutants {

/// Records that the place of a mutant was reached, and compares with the one to run.
[[nodiscard]] bool reach(unsigned mutant) noexcept;

/// What the compiler evaluates isn't mutated: no switch reaches it.
[[nodiscard]] constexpr bool is_on(unsigned mutant) noexcept {
  return __builtin_is_constant_evaluated() ? false : reach(mutant);
}

}  // namespace tessera_mutants

#endif  // TESSERA_TESTS_MUTANTS_SWITCH_HPP
