// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What a tiling costs on NEM's own timeline: its step is written as a program of its own, and run without
// computing anything.
//
//   std::optional<double> cycles = cycles_of(plan, tiling, device, 1 << 14);
//
// Lifetime:   values.
// Errors:     none where it has more than `most_tasks`, or a program that isn't valid.
// Limits:     most_tasks.
// Allocation: the program and its run.

#ifndef TESSERA_TRANSFORM_LOWER_SIMULATE_HPP
#define TESSERA_TRANSFORM_LOWER_SIMULATE_HPP

#include <cstdint>
#include <optional>

#include "transform/lower/tiling.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

/// Without what the tiling loads ahead; gathering takes as long as transfers.
[[nodiscard]] std::optional<double> cycles_of(const plan& p, const tiling& t, const target& device,
                                              std::int64_t most_tasks);

/// The buffers of a program.
void declare_buffers(nem::builder& to, const plan& p, const placement& used, std::int64_t weights,
                     std::int64_t l1);

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_LOWER_SIMULATE_HPP
