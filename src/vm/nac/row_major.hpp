// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Strides that a program asks for. NAC's tensors are values: their elements are in row-major order.
// PyTorch's tensors may lie otherwise, and aten.as_strided, aten.sym_stride and
// aten.sym_storage_offset then give something else. They are run where the operand is surely
// row-major in PyTorch, and refused before anything runs where it may not be:
//
//   row-major        inputs, parameters, states and constants; sums, means and the like; products of
//                    matrices; what is made without an operand; contiguous()
//   unknown          parts, other orders of axes, expanded ones, and results of branches
//   as the operands  all others: PyTorch's element-wise operations and convolutions keep an order
//
// The pooling to 1 x 1 of images whose channels are last is such an as_strided of a mean.
//
// Lifetime:   nothing is kept.
// Errors:     faults: nac_run_strides.
// Limits:     those of programs.
// Allocation: a bit for each instruction of a program that has such an operation.

#ifndef TESSERA_VM_NAC_ROW_MAJOR_HPP
#define TESSERA_VM_NAC_ROW_MAJOR_HPP

#include <cstdint>

#include "tessera/nac/all.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

/// Throws for an operand that isn't surely row-major; `at` is that instruction.
void check_strides(const tessera::nac::program& p, std::uint32_t& at);

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NAC_ROW_MAJOR_HPP
