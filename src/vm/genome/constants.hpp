// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Constants of registries as values of the tensor machine.
//
//   const loaded_constant c = load(arena, library, 14);     // {"type":"list","value":[1,-1,12,64]}
//   c.value.as_int_list();                                 // 1, -1, 12, 64
//   c.form;                                                // argument_form::int_list
//
//   type                            value
//   int, float, bool                a number; floats may be the strings "nan", "inf" and "-inf"
//   str, torch.dtype, torch.device,
//   torch.layout, memory_format     a string
//   NoneType                        null
//   list, tuple, immutable_list     whole numbers, or numbers
//   slice                           a list of three, each a whole number or null: only for getitem
//
// Lifetime:   values are of the memory.
// Errors:     faults: genome_run_constant, genome_constant_value, budget_memory.
// Limits:     none.
// Allocation: the values; of lists and strings outside of the memory.

#ifndef TESSERA_VM_GENOME_CONSTANTS_HPP
#define TESSERA_VM_GENOME_CONSTANTS_HPP

#include <cstdint>

#include "tessera/genome.hpp"
#include "vm/nac/tensor.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::genome {

namespace model = tessera::genome;

struct loaded_constant {
  nac::value value;
  tessera::nac::argument_form form = tessera::nac::argument_form::null;
  bool slice = false;
};

/// A constant that the library has.
[[nodiscard]] loaded_constant load(nac::memory& arena, const model::library& from,
                                   std::uint32_t id);

}  // namespace vm::genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_GENOME_CONSTANTS_HPP
