// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// How a run of a machine ended, and what it may cost. All machines run alike:
//
//   const auto done = vm.run({.max_steps = 1'000'000});     // a budget (core/limits.hpp)
//   if (!done) report(done.code, done.text);                // and where, by the format's own members
//
// What only one machine has (ALIR's arrays, NEM's report) comes before the budget, an observer
// (observer.hpp) after it. Memory is limited by the machine_options with which a machine is made; a
// budget with another max_memory than the default one limits its run further.
//
// Lifetime:   a value.
// Errors:     budget_steps and budget_memory, where a run would exceed the budget; those of the machine.
// Limits:     none.
// Allocation: the text.

#ifndef TESSERA_VM_OUTCOME_HPP
#define TESSERA_VM_OUTCOME_HPP

#include <cstdint>
#include <string>

#include "../core/error.hpp"
#include "../core/limits.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm {

/// How a run ended; true on success. Each machine's outcome adds where it ended.
struct outcome {
  errc code = errc::ok;     ///< ok, or why the run ended early
  std::uint64_t steps = 0;  ///< of the budget that were used
  std::string text = {};    ///< details, where there are any
  /// Whether the run ended without an error.
  [[nodiscard]] explicit operator bool() const noexcept { return code == errc::ok; }
};

}  // namespace vm
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_OUTCOME_HPP
