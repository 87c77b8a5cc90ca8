// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Packed sequences: the rows of all that have a first step, then of all that have a second one, and so
// on, the longest sequence first.
//
//   for (std::int64_t rows : batch_sizes_of(c, c.tensor_at(1), data.dim(0))) …   // of each step
//
// Lifetime:   the sizes are the tensor's elements.
// Errors:     faults: nac_run_type, nac_run_shape, nac_run_argument.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_VM_NAC_SEQUENCES_HPP
#define TESSERA_VM_NAC_SEQUENCES_HPP

#include <cstdint>
#include <span>

#include "call.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {

/// The sequences that have each step: numbers that never grow, and add up to the rows of the data.
[[nodiscard]] std::span<const std::int64_t> batch_sizes_of(call& c, const tensor& sizes,
                                                           std::int64_t rows);

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NAC_SEQUENCES_HPP
