// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Values of the NAC machine from the bytes of containers, and back.
//
//   tensor w = load(arena, program.parameter(id).value);
//   tensor x = load(arena, data_type::int64, {1, 16}, file.view());
//   std::vector<std::byte> out(x.bytes());
//   store(x, out.data());
//
//   in files                      in memory
//   elements, little-endian       in the order of this processor
//   quantized weights             float32
//   truth values: any byte        0 or 1
//
// Lifetime:   nothing is kept.
// Errors:     faults: nac_tensor_range where there are fewer bytes than elements take, other
//             nac_tensor_*, nac_run_rank, nac_run_shape, budget_memory.
// Limits:     those of tensors.
// Allocation: the values.

#ifndef TESSERA_VM_NAC_LOAD_HPP
#define TESSERA_VM_NAC_LOAD_HPP

#include <cstddef>

#include "tensor.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

/// The values of a tensor of DATA, quantized ones as float32, in memory of `arena`.
[[nodiscard]] tensor load(memory& arena, const model::tensor& from);
/// An array of a container.
[[nodiscard]] tensor load(memory& arena, const model::array& from);
/// Elements in little-endian order.
[[nodiscard]] tensor load(memory& arena, data_type type, const shape& dims, bytes from);
/// The elements of a tensor in little-endian order; room for t.bytes().
void store(const tensor& t, std::byte* to) noexcept;
/// A constant of CNST or of an execution plan.
[[nodiscard]] value load(memory& arena, const model::constant& from);

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NAC_LOAD_HPP
