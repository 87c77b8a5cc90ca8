// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Counts of a container: its operations, types of weights and memory commands; and what quantization
// would lose.
//
//   const tessera::inspect::container_statistics s(tessera::inspect::lookup(file));
//   for (const auto& [name, count] : s.operations) std::cout << name << ' ' << count << '\n';
//
// Lifetime:   texts own themselves; losses borrow names that live as long as the program.
// Errors:     none: any container that was read is accepted; what can't be measured says why.
// Limits:     none.
// Allocation: linear in the names, and in the parameters that are measured.

#ifndef TESSERA_INSPECT_NAC_STATISTICS_HPP
#define TESSERA_INSPECT_NAC_STATISTICS_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lookup.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// Counts of what a container holds.
struct container_statistics {
  /// Counts what a container holds, without reading weights.
  explicit container_statistics(const lookup& of);

  /// A kind of things, and how many or how large.
  struct named {
    std::string name;         ///< of an operation, a type with its quantization, a command
    std::uint64_t count = 0;  ///< instructions, bytes or commands
  };
  using counts = std::vector<named>;  ///< by name, each once
  counts operations, training;        ///< instructions by operation, also of the training section
  counts types;                       ///< bytes by type and quantization
  counts commands;                    ///< of the memory schedule
  /// Weights inside the container: how many tensors, their elements, bytes and scales.
  std::uint64_t tensors = 0, elements = 0, payload = 0, scales = 0;
  /// Instructions of the execution plan and of the tokenizer, as far as they can be read.
  std::uint64_t plan_instructions = 0, tokenizer_instructions = 0;
};

/// The quantization error of a parameter.
struct quantization_loss {
  std::uint32_t id = 0;                ///< of the parameter
  nac::quantization_error error = {};  ///< between its values and those after quantization
  std::string_view why = {};           ///< no error was measured; else empty
};
/// The quantization errors of all parameters.
struct quantization_losses {
  std::vector<quantization_loss> parameters;  ///< by ascending id
  nac::quantization_error total;              ///< of all that were measured

  /// The loss of a parameter; null for an id that has no tensor.
  [[nodiscard]] const quantization_loss* find(std::uint32_t id) const noexcept;
};
/// Measures what quantizing with `method` would change. Reads all elements; advance(context, bytes) is
/// called after each tensor.
[[nodiscard]] quantization_losses measure_losses(const nac::model& m, nac::quantization method,
                                                 void (*advance)(void*, std::uint64_t) = nullptr,
                                                 void* context = nullptr);

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_NAC_STATISTICS_HPP
