// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The limits of readers and runs, in one place and on by default.
//
//   alir::read_json(text, {.max_bytes = 1 << 20});   // refuse files over 1 MiB
//
// Each is far above the needs of real files and far below what hurts: an untrusted file costs at
// most a multiple of its own size (each format's header gives the multiple).
//
// Lifetime:   a value.
// Errors:     input_too_large, too_many_items, json_depth, budget_steps, budget_memory.
// Limits:     these.
// Allocation: none.

#ifndef TESSERA_CORE_LIMITS_HPP
#define TESSERA_CORE_LIMITS_HPP

#include <cstdint>

#include "../version.hpp"

namespace tessera::inline TESSERA_ABI {

/// The limits of a reader. A value equal to the limit is accepted, one more is refused.
struct limits {
  std::uint64_t max_bytes = std::uint64_t{1} << 32;  ///< length of the input
  std::uint64_t max_items = std::uint64_t{1} << 27;  ///< entries of any one list
  std::uint32_t max_depth = 64;                      ///< nesting of containers
};

/// The limits of a run. A step is an element that is read or written, or about a nanosecond of
/// other work, charged before it is done: by default a run ends within seconds, whatever its input.
struct budget {
  std::uint64_t max_steps = std::uint64_t{1} << 32;   ///< elements touched
  std::uint64_t max_memory = std::uint64_t{1} << 32;  ///< bytes of working memory
};

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_LIMITS_HPP
