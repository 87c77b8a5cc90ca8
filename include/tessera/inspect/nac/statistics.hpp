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

struct container_statistics {
  explicit container_statistics(const lookup& of);

  struct named {
    std::string name;
    std::uint64_t count = 0;
  };
  using counts = std::vector<named>;  ///< by name, each once
  counts operations, training;        ///< instructions by operation, also of the training section
  counts types;                       ///< bytes by type and quantization
  counts commands;                    ///< of the memory schedule
  std::uint64_t tensors = 0, elements = 0, payload = 0, scales = 0;
  /// As far as they can be read.
  std::uint64_t plan_instructions = 0, tokenizer_instructions = 0;
};

/// The quantization error of a parameter.
struct quantization_loss {
  std::uint32_t id = 0;
  nac::quantization_error error = {};
  std::string_view why = {};  ///< no error was measured
};
struct quantization_losses {
  std::vector<quantization_loss> parameters;  ///< ascending
  nac::quantization_error total;

  /// Null for an id that has no tensor.
  [[nodiscard]] const quantization_loss* find(std::uint32_t id) const noexcept;
};
/// Reads all elements; advance(context, bytes) is called for each tensor.
[[nodiscard]] quantization_losses measure_losses(const nac::model& m, nac::quantization method,
                                                 void (*advance)(void*, std::uint64_t) = nullptr,
                                                 void* context = nullptr);

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_NAC_STATISTICS_HPP
