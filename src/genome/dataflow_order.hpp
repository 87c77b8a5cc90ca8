// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// An order of a graph's operations that doesn't depend on their order in the file.
//
//   std::vector<std::uint32_t> order = dataflow_order(all[0], labels);  // nodes, givers first
//
// By the longest way from an operation that takes from none; then by what comes before and after,
// as a hash of the names of all operations there and of how they are connected; then by the places
// of the producers, by argument. Nodes that are alike in all of that keep their order.
//
// Lifetime:   values.
// Errors:     std::bad_alloc, std::length_error beyond 2^31 inputs.
// Limits:     none.
// Allocation: 60 bytes for each node and 16 for each input while it works.

#ifndef TESSERA_GENOME_DATAFLOW_ORDER_HPP
#define TESSERA_GENOME_DATAFLOW_ORDER_HPP

#include <cstdint>
#include <vector>

#include "corpus.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

class operation_labels;

[[nodiscard]] std::vector<std::uint32_t> dataflow_order(const corpus::graph& of,
                                                        const operation_labels& labels);

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DATAFLOW_ORDER_HPP
