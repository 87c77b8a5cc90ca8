// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// How CONVERGENCE merges the results of its branches.
//
//   value merged = converge(arena, branches, input, 0.5);
//
//   branches that gave nothing don't count; without any: the input; of one: its result
//   compared     tensors, of tuples the first one, axis 1 filled up with zeros to the longest's
//   score        of a branch: the mean over axis 0 of the products with the mean of the others,
//                summed over the other axes
//   result       the mean of all whose score is at least the threshold, of tuples element by element;
//                where there is none, the result that is nearest to the mean of all (L2; of equals,
//                the first)
//
// Means are computed in double and have the type that PyTorch's mean of the stacked results would
// have, float32 for integers.
//
// Lifetime:   nothing is kept.
// Errors:     faults: nac_run_kind for results that aren't tensors or tuples of as many,
//             nac_run_shape for those that differ in more than axis 1, budget_memory.
// Limits:     none.
// Allocation: 8 bytes for an element of the padded shape, and the result.

#ifndef TESSERA_VM_NAC_CONVERGENCE_HPP
#define TESSERA_VM_NAC_CONVERGENCE_HPP

#include <span>

#include "tensor.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

[[nodiscard]] value converge(memory& arena, std::span<const value> branches, const value& input,
                             double threshold);

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NAC_CONVERGENCE_HPP
