// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Parts of model graphs in a few characters, as reports and pictures show them.
//
//   text_of_shape(layout);             // [512, 4096]
//   text_of_tensor(graph, t);          // FP16 [512, 4096]
//   text_of_arguments(graph, op);      // Axis=1 KeepDim=true
//
// Lifetime:   values.
// Errors:     none.
// Limits:     none.
// Allocation: the text.

#ifndef TESSERA_INSPECT_ARK_DESCRIBE_HPP
#define TESSERA_INSPECT_ARK_DESCRIBE_HPP

#include <cstdint>
#include <string>

#include "../../ark.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// The first `rank` of them, at most four: [512, 4096].
[[nodiscard]] std::string text_of_dimensions(const std::int64_t (&dims)[ark::max_rank],
                                             std::uint32_t rank);
/// The Shape of a layout: [512, 4096].
[[nodiscard]] std::string text_of_shape(const ark::layout& l);
/// The DataType and Shape of a tensor, by its index in model::tensors: FP16 [512, 4096].
[[nodiscard]] std::string text_of_tensor(const ark::model& g, std::uint32_t tensor);
/// The value of an argument: 3, true, 0.5, [1, 2]; t12 for the tensor with Id 12.
[[nodiscard]] std::string text_of_value(const ark::model& g, const ark::argument& a);
/// The arguments that other parts of the file don't repeat, by their current names, sorted.
[[nodiscard]] std::string text_of_arguments(const ark::model& g, const ark::op& o);
/// An operation by Type and name: Matmul "fc1".
[[nodiscard]] std::string text_of_op(const ark::model& g, const ark::op& o);

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_ARK_DESCRIBE_HPP
