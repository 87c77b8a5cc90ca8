// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Finds compositions: functions that models spell out as several operations.
//
//   for (const auto& c : tessera::inspect::find_compositions(graph, flow))
//     std::cout << c.name << " of " << c.ops.size() << " operations\n";     // Softmax of 5 ...
//
//   Softmax     ReduceMax, Sub, Exp, ReduceSum, Div
//   LayerNorm   ReduceMean, Sub, Mul, ReduceMean, [ScalarAdd], Rsqrt, Mul
//   RMSNorm     [Cast], Mul, ReduceMean, [ScalarAdd], Rsqrt, Mul, [Mul], [Cast]
//   SiLU        Sigmoid, Mul
//
// Operations are matched by the tensors that flow between them, wherever they are in the file. Tensors
// inside a composition are used nowhere else, so that one box can represent it.
//
// Lifetime:   values.
// Errors:     none.
// Limits:     none.
// Allocation: linear in the graph.

#ifndef TESSERA_INSPECT_ARK_FOLD_HPP
#define TESSERA_INSPECT_ARK_FOLD_HPP

#include <cstdint>
#include <string_view>
#include <vector>

#include "../../ark.hpp"
#include "flow.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// Operations that compute one function.
struct composition {
  std::string_view name;           ///< Softmax, LayerNorm, RMSNorm or SiLU
  std::vector<std::uint32_t> ops;  ///< indices in model::ops; the last makes the result
};
/// The compositions of a graph whose flow is `f`. No operation is in two of them.
[[nodiscard]] std::vector<composition> find_compositions(const ark::model& g, const flow& f);

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_ARK_FOLD_HPP
