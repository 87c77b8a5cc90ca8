// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Complex tensors as pairs: real tensors with a last axis of two, real and imaginary parts.
//
//   tensor re = part_of(c, pairs, 0), im = part_of(c, pairs, 1);
//   value z = value::complex(paired(c, re, im));
//
// Lifetime:   results borrow nothing but memory.
// Errors:     faults: budget_memory, budget_steps.
// Limits:     none.
// Allocation: results.

#ifndef TESSERA_VM_NAC_COMPLEX_HPP
#define TESSERA_VM_NAC_COMPLEX_HPP

#include <cstdint>

#include "call.hpp"
#include "multiply.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {

/// The shape without the last axis, that of the parts.
[[nodiscard]] inline shape dims_of(const tensor& pairs) { return leading(pairs.dims, 1); }
/// The real parts (0) or the imaginary ones (1).
[[nodiscard]] tensor part_of(call& c, const tensor& pairs, std::int64_t part);
[[nodiscard]] tensor paired(call& c, const tensor& real, const tensor& imaginary);

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NAC_COMPLEX_HPP
