// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What differs between two model graphs, whatever their Ids, names and order of edges.
//
//   const auto d = tessera::inspect::diff(before, after);
//   if (d.same()) return;
//   for (const auto& c : d.ops)
//     for (const auto& p : c.parts) std::cout << p.what << ": " << p.before << " -> " << p.after;
//
// Operations of the two are paired by what they are (Type, arguments, layouts, buffers) and by
// their place in the graph: hashes that run along what flows between them, forwards and backwards,
// then ever less of that, and the order of the file for those that are alike in everything.
// Whatever finds no partner was added or removed. Of a pair is compared
//
//   Args        by their current names, without those that follow from the tensors
//   tensors     DataType, Shape, Strides, Offsets, PaddedShape, IsExternal, rank and tags
//   sources     which operations wrote what is read, what is overwritten and by whom, which buffers
//               are shared
//   edges       of nodes that hold the same operations
//
// Not compared are the dialect and members that the format doesn't know.
//
// Lifetime:   texts own themselves; indices are those of the graphs.
// Errors:     none: any models that were read are accepted.
// Limits:     64 candidates are tried for each of several equal operations; 256 differences of a
//             pair are reported.
// Allocation: linear in the graphs.

#ifndef TESSERA_INSPECT_ARK_DIFF_HPP
#define TESSERA_INSPECT_ARK_DIFF_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "../../ark.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// One property in which the two differ.
struct difference {
  std::string what;           ///< "ReadTensors[1].Shape", "Args", "Producers"
  std::string before, after;  ///< its values; of sources and edges only what the other side lacks
};

/// An operation of one graph without a partner, or a pair that isn't equal.
struct op_difference {
  std::uint32_t before = ark::none, after = ark::none;  ///< in model::ops
  std::vector<difference> parts;                        ///< of a pair
};

/// What differs between two graphs.
struct graph_difference {
  std::vector<difference> model;  ///< Rank, WorldSize
  std::vector<op_difference>
      ops;  ///< by the order of the later file; removed ones in their former places
  std::uint64_t added = 0, removed = 0, changed = 0, unchanged = 0;  ///< operations

  /// Whether nothing that is compared differs.
  [[nodiscard]] bool same() const noexcept { return model.empty() && ops.empty(); }
};

/// What of two graphs is compared.
struct diff_options {
  bool views = true;  ///< else views are passed over, and edges, which may lead through them
};
/// Compares the model graphs of one rank each.
[[nodiscard]] graph_difference diff(const ark::model& before, const ark::model& after,
                                    const diff_options& options = {});

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_ARK_DIFF_HPP
